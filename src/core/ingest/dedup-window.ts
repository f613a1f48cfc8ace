import type { CapturedEvent } from "../events/event.ts";
import type { DedupRuns } from "../ports/dedup.ts";
import type { Log } from "../ports/log.ts";
import {
  type DedupHash,
  type DedupSeed,
  dedupHash,
  dedupHashOf,
  dedupTable,
  eventFingerprint,
  minuteOf,
  REPLAY_FIELDS,
  type ReplayEntries,
  TOMBSTONE_MINUTE,
} from "./dedup-table.ts";

const HOUR_MS = 3_600_000;

/** Entries in memory above which they are written to a file: 4 MB there, 5 to 7 MB in memory. */
export const DEDUP_IN_MEMORY_MAX = 262_144;

/** Entries that must come before the next attempt, after the disk has refused a file. */
const RETRY_ENTRIES = 65_536;

/** The part of an event that deduplication reads. */
export type Identity = {
  project_id: number;
  /** Milliseconds since the epoch. */
  arrived_at: number;
  event: Pick<CapturedEvent, "uuid">;
  /** The event as JSON, as the journal has it. */
  line: Uint8Array;
};

/** An event whose uuid is new, with its entry. */
export type Unique<Event> = { event: Event; hash: DedupHash; fingerprint: number };

/** An event whose uuid was used before. `isRetry` is false if it has another name, distinct id or properties. */
export type Repeated<Event> = { event: Event; isRetry: boolean };

type Options = {
  /** Time for which a uuid is remembered, by arrival, in milliseconds. */
  windowMs: number;
  /** Random numbers of this process, for the hashes of uuids. */
  seed: DedupSeed;
  runs: DedupRuns;
  log: Pick<Log, "warn">;
};

/** The uuids of the last `windowMs` by arrival (decision 4): the newest in memory, the others in files. */
export function dedupWindow({ windowMs, seed, runs, log }: Options) {
  const table = dedupTable();
  let writeAtSize = DEDUP_IN_MEMORY_MAX;
  let lastHour = -1;
  /** The first minute of the window, as of the last full hour. */
  let firstMinute = 0;

  const fingerprintSince = (hash: DedupHash, since: number): number | undefined => {
    const entry = table.find(hash) ?? runs.find(hash);
    return entry === undefined || entry.minute < minuteOf(since) ? undefined : entry.fingerprint;
  };

  /** Entries that the disk refuses stay in memory: no uuid of the window may be forgotten. */
  const writeIfLarge = () => {
    if (table.size() < writeAtSize) return;
    try {
      runs.append(table.records());
      table.clear();
      writeAtSize = DEDUP_IN_MEMORY_MAX;
      runs.compact(firstMinute);
    } catch (error) {
      writeAtSize = Math.max(table.size() + RETRY_ENTRIES, DEDUP_IN_MEMORY_MAX);
      log.warn("the deduplication window stays in memory", { error });
    }
  };

  return {
    /** Splits events into those with a new uuid, each uuid once, and duplicates. */
    splitDuplicates<Event extends Identity>(events: readonly Event[]) {
      const unique: Unique<Event>[] = [];
      const duplicates: Repeated<Event>[] = [];
      const fingerprints = new Map<string, number>();
      for (const event of events) {
        const { project_id, arrived_at } = event;
        const { uuid } = event.event;
        const key = `${uuid}${project_id}`;
        const hash = dedupHashOf(seed, project_id, uuid);
        const fingerprint = eventFingerprint(event.line);
        const before = fingerprints.get(key) ?? fingerprintSince(hash, arrived_at - windowMs);
        if (before === undefined) {
          fingerprints.set(key, fingerprint);
          unique.push({ event, hash, fingerprint });
        } else {
          duplicates.push({ event, isRetry: before === fingerprint });
        }
      }
      return { unique, duplicates };
    },

    /** Adds events, once no failure of the server can bring them again. */
    add(events: readonly Unique<Identity>[]): void {
      for (const { event, hash, fingerprint } of events) {
        table.add(hash, { minute: minuteOf(event.arrived_at), fingerprint });
      }
      writeIfLarge();
    },

    /** Adds the entries of events in the event store. */
    addEntries(entries: ReplayEntries): void {
      for (const { hash, ...entry } of hashed(entries, seed)) table.add(hash, entry);
      writeIfLarge();
    },

    /** Replaces the entries of erased events by tombstones. {@link purge} removes their hashes. */
    removeEntries(entries: ReplayEntries): void {
      for (const { hash } of hashed(entries, seed)) if (!table.remove(hash)) runs.remove(hash);
    },

    /** Removes the hashes of tombstones from memory and disk. */
    purge(): void {
      table.expire(TOMBSTONE_MINUTE + 1);
      runs.purge();
    },

    /** Removes entries before the window, once an hour. */
    expire(now: number): void {
      const hour = Math.floor(now / HOUR_MS);
      if (hour === lastHour) return;
      lastHour = hour;
      firstMinute = minuteOf(now - windowMs);
      table.expire(firstMinute);
      runs.expire(firstMinute);
    },

    /** Returns the number of entries in memory and in files. */
    size: () => ({ memory: table.size(), files: runs.size() }),
  };
}

/** The type of {@link dedupWindow}. */
export type DedupWindow = ReturnType<typeof dedupWindow>;

/** Yields one entry at a time: objects of all would take more memory than the table itself. */
function* hashed(entries: ReplayEntries, seed: DedupSeed) {
  const uuid: [number, number, number, number] = [0, 0, 0, 0];
  for (let at = 0; at < entries.length; at += REPLAY_FIELDS) {
    for (let word = 0; word < uuid.length; word++) uuid[word] = entries[at + 1 + word] ?? 0;
    const hash = dedupHash(seed, entries[at] ?? 0, uuid);
    const fingerprint = entries[at + 6] ?? 0;
    yield { hash, minute: entries[at + 5] ?? 0, fingerprint };
  }
}
