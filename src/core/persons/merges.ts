import { type IsCatchingUp, requireCaughtUp } from "../events/freshness.ts";
import { personName } from "../identity/person.ts";
import { type Split, split } from "../identity/split.ts";
import type { EventReads } from "../ports/events.ts";
import type { KnownMerge, MergedPerson, PersonReads } from "../ports/persons/reads.ts";
import { Failure } from "../values/failure.ts";
import { type JsonObject, sameJson } from "../values/json.ts";
import { findPerson } from "./persons.ts";

/** Merges of a person in a list: the newest. Each is tried out, which reads all merges of the person. */
export const MERGES_MAX = 50;

/** A merge into a person, with the effect of its undoing. */
export type ShownMerge = {
  id: number;
  /** When it happened, ISO 8601; null if a deletion has removed the time. */
  at: string | null;
  /** Merges come by events alone. */
  by: { first_name: string; email: null; is_system: true };
  event_uuid: string;
  /** The person that was merged, with the distinct ids that it gets back. */
  source: { uuid: string; name: string; distinct_ids: string[] };
  undoable: boolean;
  /** The value by which a split undoes this merge alone; empty if it cannot. */
  distinct_ids_to_split: string[];
  preview: {
    /** Names of properties that the person then loses, or has with an earlier value. */
    gives_back: string[];
    /** Stored events that then belong to the source. */
    events: number;
  };
};

/** Lists merges, for people who want to undo one. */
export type PersonMerges = {
  /**
   * Returns the newest MERGES_MAX merges into a person, direct and by way of others, the newest first. Fails
   * `invalid_input`, `not_found`, `unavailable` and `query_timeout`.
   */
  list(project: number, id: string, signal: AbortSignal): Promise<ShownMerge[]>;
};

type Needs = {
  reads: Pick<PersonReads, "find" | "merges">;
  events: Pick<EventReads, "countsOf">;
  isCatchingUp: IsCatchingUp;
};

const BY_EVENT = { first_name: "System", email: null, is_system: true } as const;

/** Lists merges of the person store. */
export function personMerges({ reads, events, isCatchingUp }: Needs): PersonMerges {
  return {
    async list(project, id, signal) {
      const { id: person_id } = await findPerson(reads, project, id);
      const found = await reads.merges(project, person_id);
      if (found === undefined) throw new Failure("not_found", "Not found.");
      const newest = found.merges.slice(-MERGES_MAX).reverse();
      const tried = newest.map((merge) => undoing(found, merge));
      const ids = tried.flatMap(({ source }) => source.distinct_ids);
      if (ids.length === 0) return tried;
      requireCaughtUp(isCatchingUp);
      const counts = await events.countsOf(project, [...new Set(ids)], signal);
      return tried.map((one) => {
        const own = one.undoable ? one.source.distinct_ids : [];
        const total = own.reduce((sum, distinct_id) => sum + (counts.get(distinct_id) ?? 0), 0);
        return { ...one, preview: { ...one.preview, events: total } };
      });
    },
  };
}

/** Tries to undo a merge, and returns what the list shows of it, without its events. */
function undoing({ person, merges }: MergedPerson, merge: KnownMerge): ShownMerge {
  const { id, at, event_uuid, source_uuid: uuid } = merge;
  const own = person.ids.filter(({ initial_uuid }) => initial_uuid === uuid);
  const named = own.slice(0, 1).map(({ distinct_id }) => distinct_id);
  const done = attempt(() => split(person, merges, { distinct_ids_to_split: named }));
  const part = done?.parts.find((one) => one.uuid === uuid);
  const distinct_ids = part?.distinct_ids ?? own.map(({ distinct_id }) => distinct_id);
  const name = personName(part?.properties ?? merge.source_properties, distinct_ids);
  const gives_back = done === undefined ? [] : changedNames(person.properties, done);
  return {
    ...{ id, at, by: BY_EVENT, event_uuid, source: { uuid, name, distinct_ids } },
    undoable: part !== undefined,
    distinct_ids_to_split: part === undefined ? [] : named,
    preview: { gives_back, events: 0 },
  };
}

/** Returns the result of a split; undefined if it is refused. */
function attempt(work: () => Split): Split | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function changedNames(before: JsonObject, { rest: { properties: after } }: Split): string[] {
  return Object.keys(before).filter(
    (key) => !(Object.hasOwn(after, key) && sameJson(before[key] ?? null, after[key] ?? null)),
  );
}
