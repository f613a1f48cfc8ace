import { type CapturedEvent, JOURNAL_READ_BYTES_MAX } from "../events/event.ts";
import { type Grouped, group } from "../identity/groups.ts";
import { identify, type Refused } from "../identity/identify.ts";
import { personUuid } from "../identity/person.ts";
import type { Frame, JournalReader } from "../ports/journal.ts";
import type { BatchEvent, BulkLoad, BulkLoadFiles, ProjectionFiles } from "../ports/loads.ts";
import type { BatchChange, PersonRef, PersonWrites, UserChange } from "../ports/persons/writes.ts";
import type { ProjectWarning, Warning, WarningType } from "../warnings/warning.ts";
import type { ReplayEntries } from "./dedup-table.ts";
import type { DedupWindow, Unique } from "./dedup-window.ts";

/** Result of a batch that is applied to the persons and written for the event store. */
export type BatchResult = {
  /** Its last sequence number. */
  last: number;
  /** Whether it ended early, because more would not fit into memory; the next batch has the others. */
  endedEarly: boolean;
  /** Number of its events and log records to store. */
  count: number;
  /** Number of its events that are left out, because their uuid was stored before. */
  duplicates: number;
  /** Number of those duplicates that are other events than the stored ones. */
  reused: number;
  /** Loads that it filled; its other events wait for the next batch or for `flush`. */
  loads: BulkLoad[];
};

type SeqRange = { after: number; upTo: number };

/** Changes of persons by a user for the event store, and the load that must be appended before. */
export type PersonsChanged = { load: BulkLoad | null; changes: ProjectionFiles };

/** The result of a change by a user: null if no person is changed, and the number of its persons that exist. */
export type UserChanged = { changed: PersonsChanged | null; found: number };

/** Most events of a batch. Twice as many take 60 to 100 MB more memory, and as much time. */
export const BATCH_EVENTS_MAX = 8192;

/**
 * Events after which garbage is collected. Without it, JavaScript's heap grows to 350 MB, five times
 * the memory of one batch, and 3 % of the time is saved.
 */
const COLLECT_EVENTS = BATCH_EVENTS_MAX;

type Needs = {
  journal: JournalReader;
  persons: PersonWrites;
  files: BulkLoadFiles;
  dedup: DedupWindow;
  /** Runs a full garbage collection of the thread. */
  collectGarbage: () => void;
  /** The same, and drops the caches of the person store. */
  release: () => void;
};

/**
 * Takes batches from the journal, in the thread that owns SQLite: removes duplicates (decision 4),
 * applies changes of persons, writes loads for DuckDB.
 */
export function batches({ journal, persons, files, dedup, ...memory }: Needs) {
  let uncollected = 0;

  /** Collects only between batches, because the objects of a running batch would survive the collection. */
  const collect = () => {
    if (uncollected < COLLECT_EVENTS) return;
    uncollected = 0;
    memory.collectGarbage();
  };

  return {
    /** Adds events of the event store to the deduplication window, before the first batch. */
    async addDedupEntries(entries: ReplayEntries): Promise<void> {
      dedup.addEntries(entries);
    },

    /** Removes deleted events from the deduplication window; null after the last part (decision 60). */
    async forgetErased(entries: ReplayEntries | null): Promise<void> {
      if (entries === null) dedup.purge();
      else dedup.removeEntries(entries);
    },

    /**
     * Applies the next batch above `after` and up to `upTo`. It is empty if the journal has no frame
     * there, because a damaged one was quarantined.
     */
    async apply(range: SeqRange): Promise<BatchResult> {
      collect();
      const applied = await persons.applied();
      // A batch that SQLite has already changes no person again: only the event store lacks it.
      const replayed = range.after < applied;
      const asked = replayed ? Math.min(range.upTo, applied) : range.upTo;
      const { frames, upTo } = await framesOf(journal, range, asked);
      const end = frames.at(-1);
      if (end !== undefined) dedup.expire(end.arrived_at);
      const read = eventsIn(frames, { after: range.after, upTo });
      const split = dedup.splitDuplicates(read);
      const candidates = split.unique.map(({ event }) => event);
      const does = await decided(candidates, persons, replayed);
      const next = candidates[does.taken];
      const last = next === undefined ? Math.min(upTo, lastIn(frames) ?? upTo) : next.seq - 1;
      const unique = split.unique.slice(0, does.taken);
      const repeated = split.duplicates.filter(({ event }) => event.seq <= last);
      const reused = repeated.filter(({ isRetry }) => !isRetry);
      const warnings = [
        ...warningsIn(frames, last),
        ...unique.flatMap(({ event }) => changeWarnings(event)),
        ...reused.map(({ event }) => eventWarning("duplicate_uuid", event)),
        ...does.refused.map(({ type, of }) => eventWarning(type, of)),
      ];
      const changes = does.changes && { ...does.changes, warnings, applied_seq: last };
      const projection = changes && (await persons.apply(changes)).projection;
      const of = { events: storedEvents(unique, does), logs: logsIn(frames, last), projection };
      const loads = files.add({ range: { first: range.after + 1, last }, ...of });
      // Events are added only now. A failed batch is read again, and its events must not count as duplicates.
      dedup.add(unique);
      const endedEarly =
        next !== undefined || upTo < asked || (last < upTo && isFull(frames, read));
      uncollected += endedEarly ? COLLECT_EVENTS : read.length;
      const count = of.logs.reduce((sum, frame) => sum + frame.count, unique.length);
      const duplicates = repeated.length;
      return { last, endedEarly, count, duplicates, reused: reused.length, loads };
    },

    /** Ends the load that is not full; null if it is empty. */
    async flush(): Promise<BulkLoad | null> {
      return files.end();
    },

    /** Returns the changes that a projection of this version lacks; null without any. */
    async projectionSince(version: number): Promise<ProjectionFiles | null> {
      return persons.projectionSince(version, (changes) => files.writeLacking(version, changes));
    },

    /** Applies a change by a user, and returns how many of its persons exist. */
    async change(change: UserChange): Promise<UserChanged> {
      const { projection, found } = await persons.apply(change);
      return { found, changed: projection && files.endWith(projection) };
    },

    /** Frees caches and garbage of the thread. */
    async release(): Promise<void> {
      memory.release();
    },
  };
}

/**
 * Returns the frames of a batch and its last number, which may be within a frame: a request with more
 * events than a batch is taken in parts.
 */
async function framesOf(journal: JournalReader, range: SeqRange, asked: number) {
  const read = await journal.read({ ...range, eventsMax: BATCH_EVENTS_MAX });
  const frames = read.filter(({ first_seq }) => first_seq <= asked);
  const [first] = frames;
  if (first === undefined || !isOfEvents(first) || first.count <= BATCH_EVENTS_MAX) {
    return { frames, upTo: asked };
  }
  const partEnd = Math.max(range.after, first.first_seq - 1) + BATCH_EVENTS_MAX;
  return { frames, upTo: Math.min(asked, partEnd) };
}

/** Whether few events have so many bytes that the batch ended at the byte limit. */
function isFull(frames: readonly Frame[], events: readonly Candidate[]): boolean {
  const bytes = frames.reduce((sum, { lines }) => sum + lines.length, 0);
  return events.length < BATCH_EVENTS_MAX / 2 && bytes > JOURNAL_READ_BYTES_MAX / 2;
}

function lastIn(frames: readonly Frame[]): number | undefined {
  const end = frames.at(-1);
  return end && end.first_seq + end.count - 1;
}

function storedEvents(unique: Unique<Candidate>[], { person_ids, keys }: Decided): BatchEvent[] {
  return unique.map(({ event, fingerprint }, at) => {
    return { ...event, mark: fingerprint, person_id: person_ids[at] ?? "", groups: keys[at] };
  });
}

/** The type of {@link batches}, for calls from the main thread. */
export type Batches = ReturnType<typeof batches>;

/** Changes of persons and groups by the first `taken` events: as many as fit into memory. */
type Decided = Pick<Grouped, "taken" | "keys"> & {
  person_ids: string[];
  /** Null if SQLite has the changes already. */
  changes: Omit<BatchChange, "warnings" | "applied_seq"> | null;
  refused: Refused<Candidate>[];
};

async function decided(
  events: Candidate[],
  persons: PersonWrites,
  replayed: boolean,
): Promise<Decided> {
  const grouped = await group(events, persons);
  const { taken, keys } = grouped;
  const some = events.slice(0, taken);
  if (replayed) {
    return { taken, keys, person_ids: await owners(some, persons), changes: null, refused: [] };
  }
  const identified = await identify(some, persons);
  const { person_ids } = identified;
  const fewer = person_ids.length < taken;
  const fitting = fewer ? await group(some.slice(0, person_ids.length), persons) : grouped;
  const changes = { kind: "batch" as const, ...identified.changes, groups: fitting.changes };
  const refused = [...identified.refused, ...fitting.refused];
  return { taken: fitting.taken, keys: fitting.keys, person_ids, changes, refused };
}

/** Returns the present persons of events whose batch SQLite has and only the event store lacks. */
async function owners(events: Candidate[], persons: PersonWrites): Promise<string[]> {
  const refs = new Map<number, Map<string, PersonRef>>();
  for (const [project, group] of Map.groupBy(events, ({ project_id }) => project_id)) {
    const ids = new Set(group.map(({ event }) => event.distinct_id));
    refs.set(project, await persons.resolve(project, ids));
  }
  return events.map(({ project_id, event: { distinct_id } }) => {
    return refs.get(project_id)?.get(distinct_id)?.uuid ?? personUuid(project_id, distinct_id);
  });
}

/** An event of the journal. */
export type Candidate = Omit<BatchEvent, "person_id" | "groups" | "mark">;

const utf8 = new TextDecoder();

/** Whether a frame holds events; a batch may end within such a frame. */
export function isOfEvents({ kind }: Frame): boolean {
  return kind === "events" || kind === "historical";
}

/** Returns the events of frames above `after` and up to `upTo`, because a batch may end within a frame. */
function eventsIn(frames: Frame[], { after, upTo }: { after: number; upTo: number }) {
  return frames.filter(isOfEvents).flatMap((frame) => eventsOf(frame, { after, upTo }));
}

/** Returns the frames of log records up to a sequence number, which is the end of a frame. */
function logsIn(frames: Frame[], upTo: number): Frame[] {
  return frames.filter(({ kind, first_seq }) => kind === "logs" && first_seq <= upTo);
}

function eventsOf(frame: Frame, { after, upTo }: { after: number; upTo: number }): Candidate[] {
  const { kind, count, first_seq, project_id, arrived_at } = frame;
  const from = Math.max(after + 1 - first_seq, 0);
  const to = Math.min(upTo + 1 - first_seq, count);
  if (from >= to) return [];
  const lines = linesOf(frame, from, to);
  const texts = utf8.decode(lines).split("\n");
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  const historical = kind === "historical";
  let start = 0;
  return texts.slice(0, to - from).map((text, index) => {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = lines.subarray(start, end);
    start = end + 1;
    const event = JSON.parse(text) as CapturedEvent;
    return { seq: first_seq + from + index, project_id, arrived_at, historical, event, line };
  });
}

/** Returns the lines of a frame from index `from` to `to`, without `to`. */
function linesOf({ lines, count }: Frame, from: number, to: number): Uint8Array {
  if (from === 0 && to === count) return lines;
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  let start = 0;
  let end = 0;
  for (let line = 0; line < to; line += 1) {
    if (line === from) start = end;
    end = bytes.indexOf(LINE_FEED, end) + 1;
  }
  return lines.subarray(start, end);
}

const LINE_FEED = 0x0a;

/** The warnings of frames up to a sequence number. */
function warningsIn(frames: Frame[], upTo: number): ProjectWarning[] {
  return frames
    .filter(({ kind, first_seq }) => kind === "warnings" && first_seq <= upTo)
    .flatMap(warningsOf);
}

/** One warning for each change that admission made to an event. */
function changeWarnings(candidate: Candidate): ProjectWarning[] {
  return (candidate.event.changed ?? []).map((type) => eventWarning(type, candidate));
}

/** A warning about one event. */
function eventWarning(
  type: WarningType,
  { project_id, arrived_at: at, event }: Candidate,
): ProjectWarning {
  return { type, count: 1, event_uuid: event.uuid, distinct_id: event.distinct_id, project_id, at };
}

function warningsOf({ lines, count, project_id, arrived_at }: Frame): ProjectWarning[] {
  const texts = utf8.decode(lines).split("\n").slice(0, count);
  return texts.map((text) => ({ ...(JSON.parse(text) as Warning), project_id, at: arrived_at }));
}
