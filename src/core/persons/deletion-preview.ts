import type { DeletionKind, Places } from "../erasure/deletion.ts";
import { nextDue } from "../erasure/schedules.ts";
import { distinctIdIn } from "../events/event.ts";
import { type IsCatchingUp, requireCaughtUp } from "../events/freshness.ts";
import type { DeletionWrites } from "../ports/erasure.ts";
import type { EventReads } from "../ports/events.ts";
import type { LogReads } from "../ports/logs.ts";
import type { PersonReads } from "../ports/persons/reads.ts";
import type { Clock } from "../values/time.ts";
import type { BareIds } from "./bare-ids.ts";
import { type findPerson, personKey } from "./persons.ts";
import { nothingFound } from "./removals.ts";

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
  reads: Pick<PersonReads, "find" | "owners">;
  bareIds: BareIds;
  events: Pick<EventReads, "countsOf">;
  logs: Pick<LogReads, "naming">;
  traces: DeletionWrites["traces"];
  patterns: Readonly<Record<DeletionKind, string>>;
  isCatchingUp: IsCatchingUp;
  now: Clock;
};

/**
 * Returns the preview for a person by its integer id or uuid, also one that only events have, or by a distinct id.
 * Fails as {@link findPerson}, `unavailable` and `query_timeout`.
 */
export type PreviewDeletion = (
  project: number,
  of: { id: string } | { distinct_id: string },
  signal: AbortSignal,
) => Promise<DeletionPreview>;

/** Counts what a deletion would remove, so that a person can see it before. */
export function deletionPreview(needs: Needs): PreviewDeletion {
  const { reads, bareIds, events, logs, traces, patterns, isCatchingUp, now } = needs;
  /** The distinct ids of an id that no person has. */
  const bare = async (project: number, id: string, signal: AbortSignal): Promise<string[]> => {
    const key = personKey(id);
    if (!("uuid" in key)) return [];
    return (await bareIds.ofPersons(project, [key.uuid], signal)).get(key.uuid) ?? [];
  };
  const named = async (project: number, distinct_id: string, signal: AbortSignal) => [
    ...(await bareIds.named(project, [distinctIdIn(distinct_id) ?? ""], signal)),
  ];
  return async (project, of, signal) => {
    requireCaughtUp(isCatchingUp);
    const [owner] =
      "id" in of ? [] : await reads.owners(project, [distinctIdIn(of.distinct_id) ?? ""]);
    const id = "id" in of ? of.id : owner;
    const person = id === undefined ? undefined : await reads.find(project, personKey(String(id)));
    const distinct_ids =
      person?.distinct_ids ??
      (await ("id" in of ? bare(project, of.id, signal) : named(project, of.distinct_id, signal)));
    if (distinct_ids.length === 0) throw nothingOf(of);
    const email = person?.properties["email"];
    const counts = await events.countsOf(project, distinct_ids, signal);
    const { warnings, places } = await traces({
      ...{ project_id: project, distinct_ids },
      email: typeof email === "string" ? email : null,
    });
    const at = (kind: DeletionKind) => nextDue(patterns[kind], now()) ?? null;
    return {
      events: [...counts.values()].reduce((sum, count) => sum + count, 0),
      logs: (await logs.naming(project, distinct_ids, signal)).count,
      warnings,
      insights_naming: places,
      runs_at: { weekly: at("weekly"), nightly: at("nightly") },
    };
  };
}

function nothingOf(of: { id: string } | { distinct_id: string }) {
  return nothingFound(1, { ids: "id" in of ? [of.id] : undefined, delete_events: true });
}
