import type { DedupEntry, DedupHash, DedupRecords } from "../ingest/dedup-table.ts";

/**
 * Entries of the deduplication window (decision 4) that are no longer in memory, in files called runs.
 * An entry is the hash of an event's uuid, its minute of arrival and its fingerprint.
 *
 * One thread uses it, so its methods are synchronous. The files need not survive a restart: the window
 * is filled again from `EventStore.readDedupEntries`. Every method may fail with the error of the disk. The rules of
 * all ports are in `events.ts`.
 */
export type DedupRuns = {
  /**
   * Writes entries as a run. No earlier run may have one of their hashes with a minute of the window. If it
   * fails, nothing is written, and the caller tries again later.
   */
  append(records: DedupRecords): void;

  /**
   * Joins runs of similar size, so that `find` reads few. Entries before the minute are left out.
   * It comes after `append`; it may be repeated.
   */
  compact(firstMinute: number): void;

  /** Returns the newest entry of an event; undefined without one. It may be older than the window. */
  find(hash: DedupHash): DedupEntry | undefined;

  /**
   * Replaces the entry of an erased event by a tombstone, an entry whose minute is before every window.
   * It does nothing without an entry. Its hash stays on disk until `purge`.
   */
  remove(hash: DedupHash): void;

  /** Removes runs whose entries all came before the minute. */
  expire(firstMinute: number): void;

  /** Writes the runs again without the hashes of tombstones, after the last `remove`. */
  purge(): void;

  /** Returns the number of entries. */
  size(): number;
};
