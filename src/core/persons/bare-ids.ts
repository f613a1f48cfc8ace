import type { EventReads } from "../ports/events.ts";
import type { LogReads } from "../ports/logs.ts";
import type { PersonReads } from "../ports/persons/reads.ts";
import type { WarningReads } from "../ports/warnings.ts";

/**
 * Finds distinct ids that no person has, though data names them: those of anonymous visitors, and of persons that
 * were deleted without their events. They fail `unavailable` and `query_timeout`.
 */
export type BareIds = {
  /** Returns those of some persons by uuid, as events have them; a person without any is left out. */
  ofPersons(
    project: number,
    uuids: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, string[]>>;
  /** Returns which of some distinct ids an event, a log record or a sample of a warning names. */
  named(project: number, distinctIds: readonly string[], signal: AbortSignal): Promise<Set<string>>;
  /** Returns the distinct ids of some that no person has. */
  without(project: number, distinctIds: readonly string[]): Promise<string[]>;
};

type Needs = {
  reads: Pick<PersonReads, "owners">;
  events: Pick<EventReads, "countsOf" | "idsOfPersons">;
  logs: Pick<LogReads, "naming">;
  warnings: Pick<WarningReads, "list">;
};

/** Distinct ids in the stores. */
export function bareIds({ reads, events, logs, warnings }: Needs): BareIds {
  const without: BareIds["without"] = async (project, ids) => {
    const owned = await Promise.all(ids.map((id) => reads.owners(project, [id])));
    return ids.filter((_, at) => owned[at]?.length === 0);
  };
  return {
    without,
    async ofPersons(project, uuids, signal) {
      if (uuids.length === 0) return new Map();
      const found = await events.idsOfPersons(project, uuids, signal);
      // An id whose person the projection lacks still seems to belong to the person that the id would make.
      const bare = [...found].map(
        async ([uuid, ids]) => [uuid, await without(project, ids)] as const,
      );
      return new Map((await Promise.all(bare)).filter(([, ids]) => ids.length > 0));
    },
    async named(project, ids, signal) {
      if (ids.length === 0) return new Set();
      const sampled = await warnings.list(project, {}, { limit: TYPES_MAX, offset: 0 });
      const samples = sampled.rows.flatMap((row) => row.samples.map((one) => one.distinct_id));
      const counts = await events.countsOf(project, ids, signal);
      const named = await logs.naming(project, ids, signal);
      const all = new Set([...counts.keys(), ...named.ids, ...samples]);
      return new Set(ids.filter((id) => all.has(id)));
    },
  };
}

/** A page with all types of warnings. */
const TYPES_MAX = 1000;
