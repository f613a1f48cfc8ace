import type { DeletionKind, Places } from "../erasure/deletion.ts";
import { nextDue } from "../erasure/schedules.ts";
import { type IsCatchingUp, requireCaughtUp } from "../events/freshness.ts";
import type { DeletionWrites } from "../ports/erasure.ts";
import type { EventReads } from "../ports/events.ts";
import type { LogReads } from "../ports/logs.ts";
import type { PersonReads } from "../ports/person-reads.ts";
import type { Clock } from "../values/time.ts";
import { findPerson } from "./persons.ts";

/** Counts of the data that a deletion of a person's events would remove now, and its next times, ISO 8601. */
export type DeletionPreview = {
  events: number;
  logs: number;
  warnings: number;
  /** Insights and playlists that contain a distinct id or the e-mail address; they stay as they are. */
  insights_naming: Places;
  /** A deletion of the person runs weekly, one of its events alone nightly. Null for never. */
  runs_at: Record<DeletionKind, string | null>;
};

type Needs = {
  reads: Pick<PersonReads, "find">;
  events: Pick<EventReads, "countsOf">;
  logs: Pick<LogReads, "naming">;
  traces: DeletionWrites["traces"];
  patterns: Readonly<Record<DeletionKind, string>>;
  isCatchingUp: IsCatchingUp;
  now: Clock;
};

/** Returns the preview for a person. Fails as {@link findPerson}, `unavailable` and `query_timeout`. */
export type PreviewDeletion = (
  project: number,
  id: string,
  signal: AbortSignal,
) => Promise<DeletionPreview>;

/** Counts what a deletion would remove, so that a person can see it before. */
export function deletionPreview(needs: Needs): PreviewDeletion {
  const { reads, events, logs, traces, patterns, isCatchingUp, now } = needs;
  return async (project, id, signal) => {
    const { distinct_ids, properties } = await findPerson(reads, project, id);
    requireCaughtUp(isCatchingUp);
    const { email } = properties;
    const counts = await events.countsOf(project, distinct_ids, signal);
    const { warnings, places } = await traces({
      ...{ project_id: project, distinct_ids },
      email: typeof email === "string" ? email : null,
    });
    const at = (kind: DeletionKind) => nextDue(patterns[kind], now()) ?? null;
    return {
      events: [...counts.values()].reduce((sum, count) => sum + count, 0),
      logs: await logs.naming(project, distinct_ids, signal),
      warnings,
      insights_naming: places,
      runs_at: { weekly: at("weekly"), nightly: at("nightly") },
    };
  };
}
