import type { ReplayEntries } from "../ingest/dedup-table.ts";
import type { PropertyConditions } from "../queries/query-fields.ts";
import type { JsonObject } from "../values/json.ts";
import type { PageQuery } from "../values/page.ts";
import type { ErasedRows, Erasing } from "./erasure.ts";
import type { BulkLoad, ProjectionFiles } from "./loads.ts";

/*
 * Rules for all ports, which are the types of this folder. A store implements ports, and core calls them.
 * A docstring says only what differs from these rules.
 *
 * Reads
 * - A read may be called at any time, also during writes, and it may be repeated.
 * - A read of one thing returns `undefined` if the thing does not exist.
 * - The `count` of a list is exact: all rows that match, not only those of the page.
 * - A page has at most PAGE_BYTES_MAX bytes of large texts. It ends earlier then, with one row at least.
 * - A read with a `signal` serves a caller of the API. It fails `query_timeout` once its time is over or
 *   the signal aborts, and `unavailable` if the store lacks memory. The store then stops its work.
 *
 * Writes
 * - A write is durable when it resolves: a power cut after that loses nothing of it.
 * - A write that fails has changed nothing, and may be called again.
 * - A method that must not be repeated after success, or only in a certain order, says so.
 *
 * Failures
 * - A `Failure` has a code and a sentence for the caller of the API.
 * - Any other error is a fault of the disk, the engine or the code. Core logs it, and ingest and
 *   deletions try again later. A full disk is recognised by its message (`isDiskFull`).
 *
 * Values
 * - Project ids, row ids and sequence numbers are whole numbers from 1 on. Sequence numbers are those of
 *   the journal, and both stores use them.
 * - Times are ISO 8601 in UTC with microseconds, as in `2026-11-21T12:00:00.000000Z`, unless their name
 *   or docstring says milliseconds. Uuids are in lower case.
 *
 * Threads
 * - Arguments and results of a method that returns a promise are plain values, because the store may be
 *   in another thread. A function as an argument shows that both are in one thread.
 * - A method that returns no promise is called only in the thread of its store.
 */

/** A stored event as the API shows it. `person_id` is its person now, after all merges and splits. */
export type EventRow = {
  uuid: string;
  event: string;
  distinct_id: string;
  person_id: string;
  timestamp: string;
  properties: JsonObject;
};

/** One event, with the time of its arrival. */
export type EventDetail = EventRow & { ingested_at: string };

/** Position of an event in a list: the newest `timestamp` first, then the highest `seq`. */
export type EventCursor = { timestamp: string; seq: number };

/** Conditions on the events of a list; all of them hold. `after` and `before` exclude their own time. */
export type EventFilter = {
  event?: string | undefined;
  distinct_id?: string | undefined;
  /** The events that belong to this person now. */
  person_id?: string | undefined;
  uuid?: string | undefined;
  after?: string | undefined;
  before?: string | undefined;
  /** Conditions on properties of the event, and of its person and groups as they are now. */
  properties?: PropertyConditions | undefined;
};

/** Conditions on live events; all of them hold. */
export type LiveFilter = Pick<EventFilter, "event" | "distinct_id">;

/** When the first and the last event of a project arrived; null without events. */
export type EventExtent = { first: string | null; last: string | null };

/** Lists of the events of a project. */
export type EventReads = {
  /**
   * Returns a page of events, the newest `timestamp` first, then the latest arrival.
   * The page starts after the position `after` if there is one, else after `offset` events.
   * `isMore` says whether events follow the page.
   * Fails `invalid_input` on a pattern of `properties` that cannot be read.
   */
  list(
    project: number,
    filter: EventFilter,
    page: PageQuery & { after?: EventCursor | undefined },
    signal: AbortSignal,
  ): Promise<{
    count: number;
    rows: (EventRow & { seq: number })[];
    isMore: boolean;
  }>;
  /** Returns the event with a uuid; of several, the one of the newest `timestamp`, then the latest arrival. */
  find(project: number, uuid: string, signal: AbortSignal): Promise<EventDetail | undefined>;
  /** Returns the number of events by distinct id, of some ids; one without events is left out. */
  countsOf(
    project: number,
    distinctIds: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, number>>;
  /** Returns distinct ids of events by their person, of persons with events, if no override leads from it to another. */
  idsOfPersons(
    project: number,
    persons: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, string[]>>;
  /**
   * Returns how many events after the sequence number `after`, up to `upTo`, match, and the newest of them,
   * in descending order of their numbers: at most `limit`. Properties of large events are truncated.
   */
  arrivedSince(
    project: number,
    filter: LiveFilter,
    range: { after: number; upTo: number; limit: number },
    signal: AbortSignal,
  ): Promise<{ count: number; rows: EventRow[] }>;
  /** Returns the times of the first and the last event. It reads columns of all events. */
  extent(project: number, signal: AbortSignal): Promise<EventExtent>;
};

/** A line of a load that the store cannot read. A field is null if the line lacks a valid one. */
export type DeadLetter = {
  type: "unreadable_event" | "unreadable_log";
  project_id: number;
  /** Time of arrival, in milliseconds since 1970. */
  arrived_at: number;
  uuid: string | null;
  distinct_id: string | null;
};

/** Steps of the caller around an erasure. */
export type EraseOptions = {
  /** Whether to rewrite the file even if no row is erased, because the projection has deleted persons. */
  isPurging: boolean;
  /**
   * The store calls it before anything is gone, with the rows to be erased and the generation that the
   * file has afterwards. Generations are numbered; only a successful erasure begins a new one, so a
   * repeated call names the same generation, and its rows replace those of the failed attempt.
   * If it fails, `erase` fails and changes nothing. It is not called if the file is not rewritten.
   */
  ready(erased: ErasedRows, generation: number): Promise<void>;
  /** The store calls it after the rows are gone, with the uuids of the erased events, in parts. */
  forget(entries: ReplayEntries): Promise<void>;
  /** Returns true once the server stops; then `erase` fails soon and changes nothing. */
  stopped(): boolean;
};

/**
 * The event store: events and log records of all projects, and a projection of the persons to join them
 * with. Rows are only added, but for erasures. An event belongs to the person that it was stored with,
 * unless an override of the projection leads from that person to another one.
 */
export type EventStore = {
  /** Returns the last sequence number that is applied; 0 at first. */
  applied(): Promise<number>;

  /**
   * Applies a load in one transaction: its events, its log records, its changes of the projection, and the
   * number `load.last`. Returns the lines that the store could not read, and keeps them in a file of
   * dead letters; all other lines are applied.
   *
   * Loads come in the order of their numbers. It fails for a load that is applied already, and
   * `unavailable` if the store lacks memory. After a failure the caller repeats the same load. If the
   * failed call was applied in spite of its error, the repeated call succeeds and changes nothing.
   */
  append(load: BulkLoad): Promise<{ dead: DeadLetter[] }>;

  /** Returns the version of the person store that the projection has; 0 at first. */
  projectionVersion(): Promise<number>;

  /**
   * Applies changes of persons in one transaction, with their version. Versions come in order.
   * After a failure the caller repeats it, as with `append`.
   */
  applyProjection(changes: ProjectionFiles): Promise<void>;

  /** Moves the store's own log into its file. Queries wait meanwhile, so it is called when idle. */
  checkpoint(): Promise<void>;

  /** Returns whether so much is new that `erase` with `isPurging` makes queries faster (decision 93). */
  needsReordering(): Promise<boolean>;

  /** Frees memory that only makes reads faster. It does nothing while reads or erasures run. */
  releaseCache(): Promise<void>;

  /**
   * Erases rows so that no byte of them is left in the file (decision 60): for each task, the events
   * with its distinct ids and the log records that name them, up to its `journal_seq`.
   * Appends and reads go on meanwhile.
   *
   * It fails if the store lacks events up to a task's `journal_seq`, or if `stopped` returns true. It
   * fails `unavailable` if memory or disk are short. It may be repeated, also after success.
   * Without tasks and with `isPurging`, it only puts the file in order.
   */
  erase(tasks: readonly Erasing[], options: EraseOptions): Promise<void>;

  /**
   * Removes remains of erased rows: temporary files, unused parts of the file, memory. It comes after
   * `erase`. Fails `unavailable` while reads use these; it may be repeated.
   */
  clearRemains(): Promise<void>;

  /**
   * Passes on the events that arrived within `windowMs` before the last one, in parts, to fill the
   * deduplication window. The next part comes after `take` resolves.
   */
  readDedupEntries(windowMs: number, take: (chunk: ReplayEntries) => Promise<void>): Promise<void>;

  /** Returns the number of events and of log records, of all projects. */
  counts(): Promise<{ events: number; logs: number }>;
};
