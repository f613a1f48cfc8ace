import { JOURNAL_READ_BYTES_MAX } from "../events/event.ts";
import type { Actor } from "../identity/activity.ts";
import { identify, type Refused } from "../identity/identify.ts";
import { type Grouped, group } from "../identity/identify-groups.ts";
import { personUuid } from "../identity/person.ts";
import type { SplitAsked } from "../identity/split.ts";
import type { Frame, JournalReader } from "../ports/journal.ts";
import type { BatchEvent, BulkLoad, BulkLoadFiles, MirrorFiles } from "../ports/loads.ts";
import type {
  EditAsked,
  PersonChanges,
  PersonRef,
  PersonWrites,
  RemovalAsked,
} from "../ports/person-writes.ts";
import type { ProjectWarning } from "../warnings/warning.ts";
import {
  type Candidate,
  changeWarnings,
  eventsIn,
  isOfEvents,
  logsIn,
  warningsIn,
} from "./batch-content.ts";
import type { ReplayEntries } from "./dedup-table.ts";
import type { DedupWindow, Repeated, Unique } from "./dedup-window.ts";

/** What became of a slice on its way to the event store. */
export type BatchResult = {
  last: number;
  /** Whether it ended early, because more would not fit into memory: the rest is another slice's. */
  isCut: boolean;
  /** How many of its events and log records are to be stored. */
  count: number;
  duplicates: Duplicate[];
  /** Loads that are full by it; its rest waits for more, or for `flush`. */
  loads: BulkLoad[];
};

/** What the mirror lacks after a change by a user, and the load that has to go before. */
export type PersonsChanged = { load: BulkLoad | null; changes: MirrorFiles };

/** An event left out because its uuid was stored before; `isRetry` if the same event was sent again. */
export type Duplicate = {
  project_id: number;
  arrived_at: number;
  uuid: string;
  distinct_id: string;
  isRetry: boolean;
};

/** Events of a slice. Twice as many take 60 to 100 MB more memory, and no less time. */
export const BATCH_EVENTS_MAX = 8192;

/**
 * Events after which the garbage of their batches is collected. Left alone, JavaScript's heap grows
 * to 350 MB, five times the memory of one slice, and saves 3 % of the time.
 */
const COLLECT_EVENTS = BATCH_EVENTS_MAX;

type Needs = {
  journal: JournalReader;
  persons: PersonWrites;
  files: BulkLoadFiles;
  dedup: DedupWindow;
  /** Collects the thread's garbage, all of it. */
  collectGarbage: () => void;
  /** The same, and what the person store keeps to be faster. */
  release: () => void;
};

/**
 * Makes batches of the journal, in the thread that owns SQLite: deduplicates (decision 4), applies
 * what they do to persons, writes them for DuckDB.
 */
export function batches({ journal, persons, files, dedup, ...memory }: Needs) {
  let uncollected = 0;

  /** Only between batches: what one of them still holds would count as used from then on. */
  const collect = () => {
    if (uncollected < COLLECT_EVENTS) return;
    uncollected = 0;
    memory.collectGarbage();
  };

  return {
    /** Remembers what the event store holds of the window; before the first slice is read. */
    async remember(entries: ReplayEntries): Promise<void> {
      dedup.addEntries(entries);
    },

    /** Forgets events that were deleted; null when those were all (decision 60). */
    async forgetErased(entries: ReplayEntries | null): Promise<void> {
      if (entries === null) dedup.purge();
      else dedup.removeEntries(entries);
    },

    /**
     * Applies the next slice after a sequence number and up to another. It is empty where the
     * journal holds nothing in between: a corrupt frame was set aside.
     */
    async apply(range: { after: number; upTo: number }): Promise<BatchResult> {
      collect();
      const applied = await persons.applied();
      // What only the event store misses is its own slice: it changes no person again.
      const replayed = range.after < applied;
      const asked = replayed ? Math.min(range.upTo, applied) : range.upTo;
      const { frames, upTo } = framesOf(journal, range, asked);
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
      const duplicates = repeated.map(duplicateOf);
      const found = [...duplicates.flatMap(duplicateWarning), ...does.refused.map(refusalWarning)];
      const changed = unique.flatMap(({ event }) => changeWarnings(event));
      const warnings = [...warningsIn(frames, last), ...changed, ...found];
      const changes = does.changes && { ...does.changes, warnings, applied_seq: last };
      const mirror = changes && (await persons.apply(changes));
      const of = { events: storedEvents(unique, does), logs: logsIn(frames, last), mirror };
      const loads = files.add({ range: { first: range.after + 1, last }, ...of });
      // Only now: a slice that could not be written is read again, and must not know itself.
      dedup.add(unique);
      const isCut = next !== undefined || upTo < asked || (last < upTo && isFull(frames, read));
      uncollected += isCut ? COLLECT_EVENTS : read.length;
      const count = of.logs.reduce((sum, frame) => sum + frame.count, unique.length);
      return { last, isCut, count, duplicates, loads };
    },

    /** What waits for more to make a load, as a load; null if there is nothing. */
    async flush(): Promise<BulkLoad | null> {
      return files.end();
    },

    /** What a mirror of this version lacks; null if nothing. */
    async mirrorSince(version: number): Promise<MirrorFiles | null> {
      return persons.mirrorSince(version, (changes) => files.writeLacking(version, changes));
    },

    /** Splits a person; null if there is no such person. */
    async split(
      project: number,
      id: number,
      asked: SplitAsked,
      by: Actor,
    ): Promise<PersonsChanged | null> {
      const changes = await persons.split(project, id, asked, by);
      return changes === undefined ? null : files.endWith(changes);
    },

    /** Changes a person's properties; null if there is no such person. */
    async edit(
      project: number,
      id: number,
      asked: EditAsked,
    ): Promise<PersonsChanged | "unchanged" | null> {
      const changes = await persons.edit(project, id, asked);
      if (changes === undefined) return null;
      return changes === null ? "unchanged" : files.endWith(changes);
    },

    /** Deletes those of the persons that there are, and says how many those were. */
    async remove(
      project: number,
      ids: readonly number[],
      asked: RemovalAsked,
    ): Promise<PersonsChanged & { count: number }> {
      const { mirror, gone } = await persons.remove(project, ids, asked);
      return { ...files.endWith(mirror), count: gone.length };
    },

    /** Gives back the memory of what is done with. */
    async release(): Promise<void> {
      memory.release();
    },
  };
}

/**
 * The frames of a slice, and where it ends: that may be within one, which is read whole. Of a request
 * with more events than a slice, it has a part.
 */
function framesOf(journal: JournalReader, range: { after: number; upTo: number }, asked: number) {
  const read = journal.read({ ...range, eventsMax: BATCH_EVENTS_MAX });
  const frames = read.filter(({ first_seq }) => first_seq <= asked);
  const [first] = frames;
  if (first === undefined || !isOfEvents(first) || first.count <= BATCH_EVENTS_MAX) {
    return { frames, upTo: asked };
  }
  const partEnd = Math.max(range.after, first.first_seq - 1) + BATCH_EVENTS_MAX;
  return { frames, upTo: Math.min(asked, partEnd) };
}

/** Whether few events have so many bytes that others had to be left. */
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

/** The surface of {@link batches} for the thread that drives it. */
export type Batches = ReturnType<typeof batches>;

/** The event is stored, but not all that it asks for was done. */
function refusalWarning({ type, of }: Refused<Candidate>): ProjectWarning {
  const { uuid: event_uuid, distinct_id } = of.event;
  return { type, count: 1, event_uuid, distinct_id, project_id: of.project_id, at: of.arrived_at };
}

function duplicateOf({ event, isRetry }: Repeated<Candidate>): Duplicate {
  const { project_id, arrived_at } = event;
  const { uuid, distinct_id } = event.event;
  return { project_id, arrived_at, uuid, distinct_id, isRetry };
}

/** A resend is as it should be; another event under a known uuid is lost. */
function duplicateWarning(duplicate: Duplicate): ProjectWarning[] {
  const { project_id, arrived_at: at, uuid: event_uuid, distinct_id, isRetry } = duplicate;
  if (isRetry) return [];
  return [{ type: "duplicate_uuid", count: 1, event_uuid, distinct_id, project_id, at }];
}

/** What the first of some events do: as many as there is memory for. */
type Decided = Pick<Grouped, "taken" | "keys"> & {
  person_ids: string[];
  /** Null if it was done before. */
  changes: Omit<PersonChanges, "warnings" | "applied_seq"> | null;
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
  const changes = { ...identified.changes, groups: fitting.changes };
  const refused = [...identified.refused, ...fitting.refused];
  return { taken: fitting.taken, keys: fitting.keys, person_ids, changes, refused };
}

/** Whose events are by now, where SQLite has their slice and only the event store misses it. */
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
