/*
 * Space on disk, as the operating system reports it. The rules of all ports are in `events.ts`.
 */

/** Size of the volume with the data directory, in bytes. */
export type Volume = {
  /** Bytes that this user may still write. */
  free: number;
  total: number;
};

/** Sizes of the stores on disk, in bytes, and damaged parts of the journal. */
export type StoreSizes = {
  events: number;
  /** Files of loads on their way to the event store. */
  loads: number;
  sqlite: number;
  /** Number of damaged parts of the journal, which are kept in `journal/corrupt`. */
  journalQuarantinedParts: number;
};

/** Reads sizes of the data directory. No method fails, and each may be called often. */
export type Volumes = {
  /** Returns the size of the volume; undefined if the system does not report it. */
  volume(): Volume | undefined;
  /** Returns the size of each store. A store without files has 0 bytes. */
  sizes(): StoreSizes;
};
