import type { Principal } from "../access/key.ts";
import { distinctIdIn } from "../events/event.ts";
import type { Actor } from "../identity/activity.ts";
import type { PersonReads } from "../ports/persons/reads.ts";
import { Failure } from "../values/failure.ts";
import { type Clock, isoTime } from "../values/time.ts";
import type { BareIds } from "./bare-ids.ts";
import type { OrderedWrites } from "./ordered-writes.ts";
import { personKey } from "./persons.ts";

/** Which persons a bulk deletion names: one of both. */
export type BulkAsked = {
  ids?: (number | string)[] | undefined;
  distinct_ids?: string[] | undefined;
} & RemovalWanted;

/** The parts of a deletion: the person, unless it is kept, and its events, if requested. */
export type RemovalWanted = {
  delete_events?: boolean | undefined;
  keep_person?: boolean | undefined;
};

/** The result of a bulk deletion. A distinct id without a person counts as one, if its events are to go and data name it. */
export type BulkDeleted = {
  persons_found: number;
  /** Ids of the request that nothing has. */
  ids_not_found: number;
  persons_deleted: number;
  events_queued_for_deletion: number;
  /** None: there are no recordings. */
  recordings_queued_for_deletion: 0;
  /** Always empty: all persons are deleted, or none. */
  deletion_errors: [];
};

/** The principal that asks for a deletion, and the signal that ends the search for data. */
export type Removing = { principal: Principal; signal: AbortSignal };

/** Persons that one request may delete. */
export const BULK_PERSONS_MAX = 1000;

/** Deletions that users ask for. They take ids and fail as changes of persons do. */
export type Removals = {
  /**
   * Deletes a person, and queues the deletion of its events, as asked. By a uuid that only events have, these go.
   * Fails `invalid_input` if the person is kept without a deletion of its events, and so does `removeMany`.
   */
  remove(project: number, id: string, asked: RemovalWanted, by: Removing): Promise<void>;
  /**
   * The same of many; unknown ones are counted. Fails `required` and `too_long`, and `not_found` if all are unknown.
   */
  removeMany(project: number, asked: BulkAsked, by: Removing): Promise<BulkDeleted>;
  /** Queues the deletion of a person's events, also by a uuid that only events have. */
  removeEvents(project: number, id: string, by: Removing): Promise<void>;
};

type Needs = {
  reads: Pick<PersonReads, "find" | "owners">;
  bareIds: BareIds;
  writes: OrderedWrites;
  now: Clock;
};

/** Deletions of persons and of data, in the order of other changes. */
export function removals({ reads, bareIds, writes, now }: Needs): Removals {
  const actor = ({ user_id }: Principal): Actor => ({ user_id, at: isoTime(now()) });
  const found = finder({ reads, bareIds, writes });
  /** The numbers of persons by action; zero where persons stay with their events. */
  const removed = async (
    project: number,
    { journal_seq, persons, bare }: Found,
    { delete_events: withEvents = false, keep_person = false }: RemovalWanted,
    principal: Principal,
  ) => {
    const by = actor(principal);
    const task = { kind: "weekly" as const, journal_seq, by };
    let deleted = 0;
    if (!keep_person && persons.length > 0) {
      deleted = await writes.change((seq) => ({
        ...{ kind: "remove", project_id: project, ids: persons, by },
        events: withEvents ? { ...task, journal_seq: seq } : undefined,
      }));
    }
    if (!withEvents) return { deleted, queued: 0 };
    const others = keep_person ? [...persons, ...bare] : bare;
    return { deleted, queued: deleted + (await writes.queueEvents(project, others, task)) };
  };
  const removeMany = async (project: number, asked: BulkAsked, { principal, signal }: Removing) => {
    if (asked.keep_person === true && asked.delete_events !== true) throw nothingWanted();
    const all = await found(project, asked, signal);
    const persons_found = all.persons.length + all.bare.length;
    if (persons_found === 0) throw nothingFound(all.lacking, asked);
    const { deleted, queued } = await removed(project, all, asked, principal);
    return {
      persons_found,
      ids_not_found: all.lacking,
      persons_deleted: deleted,
      events_queued_for_deletion: queued,
      recordings_queued_for_deletion: 0 as const,
      deletion_errors: [] as [],
    };
  };

  return {
    async remove(project, id, asked, by) {
      personKey(id);
      const whole = { ...asked, ids: [id] };
      const did = await removeMany(project, whole, by);
      const count = did.persons_deleted + did.events_queued_for_deletion;
      if (count === 0) throw nothingFound(1, whole);
    },
    async removeMany(project, asked, by) {
      checkBulk(asked);
      return removeMany(project, asked, by);
    },
    async removeEvents(project, id, { principal, signal }) {
      personKey(id);
      const asked = { ids: [id], delete_events: true };
      const { persons, bare, journal_seq, lacking } = await found(project, asked, signal);
      if (lacking > 0) throw nothingFound(lacking, asked);
      const task = { kind: "nightly" as const, journal_seq, by: actor(principal) };
      const queued = await writes.queueEvents(project, [...persons, ...bare], task);
      if (queued === 0) throw nothingFound(1, asked);
    },
  };
}

function finder({ reads, bareIds, writes }: Omit<Needs, "now">) {
  /** Finds what distinct ids name. */
  const byDistinctIds = async (project: number, ids: readonly string[], search: Search) => {
    const asked = [...new Set(ids.map((id) => distinctIdIn(id) ?? ""))];
    const others = await bareIds.without(project, asked);
    const bare = await search(others, (signal) => bareIds.named(project, others, signal));
    const lacking = others.length - bare.length;
    return { persons: await reads.owners(project, asked), bare, lacking };
  };
  /** Finds what integer ids and uuids name. */
  const byKeys = async (project: number, ids: readonly (number | string)[], search: Search) => {
    const keys = new Map(ids.map((id) => [String(id).toLowerCase(), personKey(String(id), "ids")]));
    const asked = [...keys.values()];
    const rows = await Promise.all(asked.map((key) => reads.find(project, key)));
    const others = asked.filter((_, at) => rows[at] === undefined);
    const uuids = others.flatMap((key) => ("uuid" in key ? key.uuid : []));
    const named = await search(uuids, (signal) => bareIds.ofPersons(project, uuids, signal));
    const persons = [...new Set(rows.flatMap((row) => row?.id ?? []))];
    const bare = named.flatMap(([, distinctIds]) => distinctIds);
    return { persons, bare, lacking: others.length - named.length };
  };
  /** Finds what a request names. Data without a person count only if they are to go. */
  return async (
    project: number,
    { ids = [], distinct_ids, delete_events: withData }: BulkAsked,
    signal: AbortSignal,
  ): Promise<Found> => {
    const journal_seq = await writes.caughtUp();
    const search: Search = async (names, find) => {
      if (withData !== true || names.length === 0) return [];
      await writes.stored(journal_seq);
      return [...(await find(signal))];
    };
    const all = await (distinct_ids === undefined
      ? byKeys(project, ids, search)
      : byDistinctIds(project, distinct_ids, search));
    return { journal_seq, ...all };
  };
}

/** Looks for names of a request in the event store, if their data are to go. */
type Search = <T>(
  names: readonly string[],
  find: (signal: AbortSignal) => Promise<Iterable<T>>,
) => Promise<T[]>;

/** The targets of a deletion: persons by integer id, and distinct ids without one; `lacking` ids have nothing. */
type Found = { journal_seq: number; persons: number[]; bare: string[]; lacking: number };

function nothingWanted(): Failure {
  const detail = "keep_person needs delete_events=true: without it nothing is deleted.";
  return new Failure("invalid_input", detail, "keep_person");
}

/** The failure where ids name nothing. */
export function nothingFound(
  lacking: number,
  { ids, delete_events }: Pick<BulkAsked, "ids" | "delete_events">,
): Failure {
  const which = ids === undefined ? "distinct id" : "id";
  const asked = lacking === 1 ? `this ${which}` : `one of these ${lacking} ${which}s`;
  const detail =
    delete_events === true
      ? `Not found: no person has ${asked}, and no event or log record names it.`
      : `Not found: no person has ${asked}. Events without a person are deleted with delete_events=true.`;
  return new Failure("not_found", detail);
}

function checkBulk({ ids, distinct_ids }: BulkAsked): void {
  const listed = ids ?? distinct_ids;
  const expected = "ids or distinct_ids is required, with at least one of them.";
  if (listed === undefined) throw new Failure("required", expected, "ids");
  if (ids !== undefined && distinct_ids !== undefined) {
    throw new Failure("invalid_input", "Give ids or distinct_ids, not both.", "ids");
  }
  const attr = ids === undefined ? "distinct_ids" : "ids";
  if (listed.length === 0) throw new Failure("required", expected, attr);
  if (listed.length > BULK_PERSONS_MAX) {
    const detail = `At most ${BULK_PERSONS_MAX} persons are deleted at once.`;
    throw new Failure("too_long", detail, attr);
  }
}
