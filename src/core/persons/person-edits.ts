import type { Principal } from "../access/key.ts";
import type { DeletionKind } from "../erasure/deletion.ts";
import type { Actor } from "../identity/activity.ts";
import type { Person, PersonUpdate } from "../identity/person.ts";
import type { SplitQuery } from "../identity/split.ts";
import type { Batches, PersonsChanged } from "../ingest/batches.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Restoring } from "../ingest/restore.ts";
import { isLate } from "../ingest/retry.ts";
import type { Journal } from "../ports/journal.ts";
import type { PersonReads } from "../ports/person-reads.ts";
import type { SetChange, PersonWrites as Store, UserChange } from "../ports/person-writes.ts";
import { Failure } from "../values/failure.ts";
import { isObject, type Json, type JsonObject, setKey } from "../values/json.ts";
import { type Clock, isoTime } from "../values/time.ts";
import { findPerson, personKey, toResponse } from "./persons.ts";

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

/** The result of a bulk deletion. */
export type BulkDeleted = {
  persons_found: number;
  persons_deleted: number;
  events_queued_for_deletion: number;
  /** None: there are no recordings. */
  recordings_queued_for_deletion: 0;
  /** Always empty: all persons are deleted, or none. */
  deletion_errors: [];
};

/**
 * Persons of one project, changed by users (contract 4.1, decisions 49 to 51). All take a person by
 * integer id or uuid; fail `invalid_input` on anything else, `not_found`, and `unavailable` while ingest has much to catch up on.
 */
export type PersonEdits = {
  /** Gives a person properties; others stay. Fails `required`, `too_long`. */
  update(project: number, id: string, properties: Json | undefined, by: Principal): Promise<Person>;
  /** Gives a person one property. Fails `required`, `too_long`. */
  set(
    project: number,
    id: string,
    property: { key?: string | undefined; value?: Json | undefined },
    by: Principal,
  ): Promise<Person>;
  /** Removes a property; one that is not there is no error. Fails `required`. */
  unset(project: number, id: string, key: Json | undefined, by: Principal): Promise<void>;
  /** Deletes a person, and queues the deletion of its events, as asked. */
  remove(project: number, id: string, asked: RemovalWanted, by: Principal): Promise<void>;
  /** The same of many; unknown ones are ignored. Fails `required` and `too_long`. */
  removeMany(project: number, asked: BulkAsked, by: Principal): Promise<BulkDeleted>;
  /** Queues the deletion of a person's events. */
  removeEvents(project: number, id: string, by: Principal): Promise<void>;
  /**
   * Undoes merges (decision 28). Fails `invalid_input` on ids that are not the person's or when
   * there is nothing to undo.
   */
  split(project: number, id: string, asked: SplitQuery, by: Principal): Promise<void>;
};

/** Persons that one request may delete. */
export const BULK_PERSONS_MAX = 1000;

type Needs = {
  reads: PersonReads;
  store: Pick<Store, "queueEvents" | "projected">;
  restoring: Pick<Restoring, "active">;
  batches: Pick<Batches, "change">;
  ingest: Pick<Ingest, "flushUpTo" | "applyProjection">;
  journal: Pick<Journal, "durableSeq">;
  now: Clock;
};

/** Changes to persons in a store. */
export function personEdits(needs: Needs): PersonEdits {
  const { reads, now } = needs;
  const writes = personWrites(needs);
  const actor = ({ user_id }: Principal): Actor => ({ user_id, at: isoTime(now()) });
  const idOf = async (project: number, id: string) => (await findPerson(reads, project, id)).id;
  const edit = async (
    project_id: number,
    id: number,
    { update, ...more }: Pick<SetChange, "activity" | "by"> & { update: Partial<PersonUpdate> },
  ): Promise<void> => {
    const whole = { set: {}, set_once: {}, unset: [], ...update };
    const change = { kind: "set" as const, project_id, id, update: whole, ...more };
    orNotFound((await writes.change(() => change)) > 0);
  };
  const update = async (project: number, key: string, set: JsonObject, by: Principal) => {
    const id = await idOf(project, key);
    await edit(project, id, { update: { set }, activity: "updated", by: actor(by) });
    return toResponse(await findPerson(reads, project, String(id)));
  };
  const found = async (project: number, { ids, distinct_ids }: BulkAsked): Promise<number[]> => {
    if (distinct_ids !== undefined) return reads.owners(project, distinct_ids);
    const rows = (ids ?? []).map((id) => reads.find(project, personKey(String(id), "ids")));
    return [...new Set((await Promise.all(rows)).flatMap((row) => row?.id ?? []))];
  };
  /** The numbers of persons by action; zero where persons stay with their events. */
  const removed = async (
    project: number,
    ids: number[],
    { delete_events: withEvents = false, keep_person = false }: RemovalWanted,
    principal: Principal,
  ) => {
    const by = actor(principal);
    if (!keep_person) {
      const deleted = await writes.change((journal_seq) => ({
        ...{ kind: "remove", project_id: project, ids, by },
        events: withEvents ? { kind: "weekly", journal_seq, by } : undefined,
      }));
      return { deleted, queued: withEvents ? deleted : 0 };
    }
    if (!withEvents) return { deleted: 0, queued: 0 };
    return { deleted: 0, queued: await writes.queueEvents(project, ids, { by, kind: "weekly" }) };
  };

  return {
    async update(project, id, properties, by) {
      if (properties === undefined) throw required("properties");
      if (!isObject(properties)) {
        throw new Failure("invalid_input", "Properties are a JSON object.", "properties");
      }
      return update(project, id, properties, by);
    },
    async set(project, id, { key, value }, by) {
      if (key === undefined) throw required("key");
      if (value === undefined) throw required("value");
      const properties: JsonObject = {};
      setKey(properties, key, value);
      return update(project, id, properties, by);
    },
    async unset(project, id, key, by) {
      if (key === undefined || key === null) throw required("$unset");
      if (typeof key !== "string") {
        throw new Failure("invalid_input", "The name of one property is expected.", "$unset");
      }
      const change = { activity: "delete_property" as const, by: actor(by) };
      await edit(project, await idOf(project, id), { update: { unset: [key] }, ...change });
    },
    async remove(project, id, asked, by) {
      const { deleted, queued } = await removed(project, [await idOf(project, id)], asked, by);
      const isNothing = asked.keep_person === true && asked.delete_events !== true;
      orNotFound(isNothing || deleted + queued > 0);
    },
    async removeMany(project, asked, by) {
      checkBulk(asked);
      const ids = await found(project, asked);
      const { deleted, queued } = await removed(project, ids, asked, by);
      return {
        persons_found: ids.length,
        persons_deleted: deleted,
        events_queued_for_deletion: queued,
        recordings_queued_for_deletion: 0,
        deletion_errors: [],
      };
    },
    async removeEvents(project, id, by) {
      const asked = { by: actor(by), kind: "nightly" as const };
      orNotFound((await writes.queueEvents(project, [await idOf(project, id)], asked)) === 1);
    },
    async split(project, id, query, by) {
      const whole = { project_id: project, id: await idOf(project, id), query, by: actor(by) };
      orNotFound((await writes.change(() => ({ kind: "split", ...whole }))) > 0);
    },
  };
}

function orNotFound(isFound: boolean): void {
  if (!isFound) throw new Failure("not_found", "Not found.");
}

function required(attr: string): Failure {
  return new Failure("required", "This field is required.", attr);
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

/**
 * How long a change waits for the events that were accepted before it, and then for the projection, in
 * milliseconds.
 */
const WAIT_MS_MAX = 10_000;

/** Time between two checks whether these events are applied, in milliseconds. */
const POLL_MS = 5;

/**
 * Changes of persons by users. Each comes after the events that were accepted before it, so that none of them undoes it (decision 49), and is done once queries see it. All fail `unavailable` while ingest has much to catch up on, or if the event store cannot store (decision 66).
 */
function personWrites({ reads, store, restoring, batches, ingest, journal }: Needs) {
  const caughtUp = async (): Promise<number> => {
    if (restoring.active()) {
      throw new Failure("unavailable", "The event store is being rebuilt.");
    }
    const journal_seq = journal.durableSeq();
    const deadline = performance.now() + WAIT_MS_MAX;
    ingest.flushUpTo(journal_seq);
    while (reads.applied() < journal_seq) {
      if (performance.now() > deadline) {
        throw new Failure("unavailable", "Events that were accepted before are being applied.");
      }
      await Bun.sleep(POLL_MS);
    }
    return journal_seq;
  };
  const project = async (changed: PersonsChanged): Promise<void> => {
    const { version, owned } = changed.changes;
    const projected = ingest.applyProjection(changed).then(async () => {
      // Distinct ids that were noted only for this must not outlive a deletion.
      if (owned !== null) await store.projected(version);
    });
    if (!(await isLate(projected, WAIT_MS_MAX))) return;
    // It goes on without the caller; after a failure, the next start repeats it.
    projected.catch(() => {});
    throw new Failure("unavailable", "The change is made; that queries know of it takes longer.");
  };
  return {
    /** Makes a change, and returns how many of its persons exist. */
    async change(changeAt: (journal_seq: number) => UserChange): Promise<number> {
      const { found, changed } = await batches.change(changeAt(await caughtUp()));
      if (changed !== null) await project(changed);
      return found;
    },
    /** Queues the deletion of the events of the persons that exist, and returns their number. */
    async queueEvents(
      project_id: number,
      ids: readonly number[],
      { by, kind }: { by: Actor; kind: DeletionKind },
    ): Promise<number> {
      const task = { kind, journal_seq: await caughtUp(), by };
      let queued = 0;
      for (const id of ids) if (await store.queueEvents(project_id, id, task)) queued += 1;
      return queued;
    },
  };
}
