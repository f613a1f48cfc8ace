/** The volume of a directory, in bytes. */
export type Volume = {
  /** What this user may still write. */
  free: number;
  total: number;
};

/** How many bytes each part of a data directory takes on disk, and what of the journal was lost. */
export type StoreSizes = {
  events: number;
  loads: number;
  sqlite: number;
  /** Parts of the journal that were no frames and are kept in `journal/corrupt`. */
  journalPartsAside: number;
};
