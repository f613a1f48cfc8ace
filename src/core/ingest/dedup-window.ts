import type { CapturedEvent } from "../events/event.ts";
import type { SeenRuns } from "../ports/dedup.ts";
import type { Log } from "../ports/log.ts";
import {
  LEFT_MINUTE,
  minuteOf,
  SEEN_FIELDS,
  type SeenEntries,
  type SeenHash,
  type SeenSeed,
  seenHash,
  seenHashOf,
  seenMark,
  seenTable,
  UNMARKED,
} from "./dedup-table.ts";

const HOUR_MS = 3_600_000;

/** Entries in memory that are put into a file: 4 MB there, and 5 to 7 here. */
export const SEEN_IN_MEMORY_MAX = 262_144;

/** How many more there are, in memory, before it is tried again after the disk has refused them. */
const AGAIN_ENTRIES = 65_536;

/** What tells a resent event from others. */
export type Identity = {
  project_id: number;
  /** Milliseconds since the epoch. */
  arrived_at: number;
  event: Pick<CapturedEvent, "uuid" | "event" | "distinct_id">;
};

/** An event with what is remembered of it. */
export type Marked<Event> = { event: Event; hash: SeenHash; mark: number };

/** An event whose uuid was used before; `same` unless another event is known to have used it. */
export type Repeated<Event> = { of: Event; same: boolean };

type Options = {
  /** How long a uuid is remembered, by arrival, in milliseconds. */
  windowMs: number;
  /** Random numbers of this process, for the hashes of uuids. */
  seed: SeenSeed;
  runs: SeenRuns;
  log: Pick<Log, "warn">;
};

/**
 * The uuids of the deduplication window (decision 4), `windowMs` long by arrival: those that came
 * last in memory, the others in files.
 */
export function seenWindow({ windowMs, seed, runs, log }: Options) {
  const table = seenTable();
  let fullAt = SEEN_IN_MEMORY_MAX;
  let lastHour = -1;
  /** The first minute of the window, to the hour. */
  let firstMinute = 0;

  const markSince = (hash: SeenHash, since: number): number | undefined => {
    const seen = table.find(hash) ?? runs.find(hash);
    return seen === undefined || seen.minute < minuteOf(since) ? undefined : seen.mark;
  };

  /** What the disk does not take stays in memory: nothing may be forgotten. */
  const toFiles = () => {
    if (table.size() < fullAt) return;
    try {
      runs.put(table.records());
      table.clear();
      fullAt = SEEN_IN_MEMORY_MAX;
      runs.join(firstMinute);
    } catch (error) {
      fullAt = Math.max(table.size() + AGAIN_ENTRIES, SEEN_IN_MEMORY_MAX);
      log.warn("the deduplication window stays in memory", { error });
    }
  };

  return {
    /** Those of some events that are new, each but once, and those that are not. */
    sift<Event extends Identity>(events: readonly Event[]) {
      const fresh: Marked<Event>[] = [];
      const repeated: Repeated<Event>[] = [];
      const marks = new Map<string, number>();
      for (const event of events) {
        const { project_id, arrived_at } = event;
        const { uuid, event: name, distinct_id } = event.event;
        const key = `${uuid}${project_id}`;
        const hash = seenHashOf(seed, project_id, uuid);
        const mark = seenMark(name, distinct_id);
        const before = marks.get(key) ?? markSince(hash, arrived_at - windowMs);
        if (before === undefined) {
          marks.set(key, mark);
          fresh.push({ event, hash, mark });
        } else {
          const same = before === UNMARKED || before === mark;
          repeated.push({ of: event, same });
        }
      }
      return { fresh, repeated };
    },

    /** Remembers events, once they cannot come again by a failure of ours. */
    add(events: readonly Marked<Identity>[]): void {
      for (const { event, hash, mark } of events) table.add(hash, minuteOf(event.arrived_at), mark);
      toFiles();
    },

    /** Remembers what the event store holds. */
    addEntries(entries: SeenEntries): void {
      for (const { hash, minute, mark } of entriesOf(entries, seed)) table.add(hash, minute, mark);
      toFiles();
    },

    /** Forgets events that were deleted. Their hashes stay until {@link sweep}. */
    removeEntries(entries: SeenEntries): void {
      for (const { hash } of entriesOf(entries, seed)) if (!table.remove(hash)) runs.remove(hash);
    },

    /** Takes the hashes of removed entries out of memory and off the disk. */
    sweep(): void {
      table.keepFrom(LEFT_MINUTE + 1);
      runs.sweep();
    },

    /** Forgets what has left the window, once an hour. */
    forget(now: number): void {
      const hour = Math.floor(now / HOUR_MS);
      if (hour === lastHour) return;
      lastHour = hour;
      firstMinute = minuteOf(now - windowMs);
      table.keepFrom(firstMinute);
      runs.forget(firstMinute);
    },

    /** Entries held, in memory and in files. */
    size: () => ({ memory: table.size(), files: runs.size() }),
  };
}

/** The surface of {@link seenWindow}. */
export type SeenWindow = ReturnType<typeof seenWindow>;

/** One by one: a view or an object of each would take more memory than all that is remembered. */
function* entriesOf(entries: SeenEntries, seed: SeenSeed) {
  const uuid: [number, number, number, number] = [0, 0, 0, 0];
  for (let at = 0; at < entries.length; at += SEEN_FIELDS) {
    for (let word = 0; word < uuid.length; word++) uuid[word] = entries[at + 1 + word] ?? 0;
    const hash = seenHash(seed, entries[at] ?? 0, uuid);
    yield { hash, minute: entries[at + 5] ?? 0, mark: entries[at + 6] ?? UNMARKED };
  }
}
