import type { SeqGap } from "./journal.ts";

/*
 * The archive keeps every event and log record that has left the journal, in files (decision 63). The
 * event store can be built again from it (decision 64). The rules of all ports are in `events.ts`.
 */

/** A table of the event store whose rows are archived. */
export type ArchivedKind = "events" | "logs";

/** Rows of one kind, project and month of arrival, as in `2026-11` (UTC); a file has only such rows. */
export type ArchivePlace = { kind: ArchivedKind; project_id: number; month: string };

/** A file of the archive. Its rows have sequence numbers from `first` to `last`, with gaps. */
export type ArchivedFile = ArchivePlace & {
  /** Path below the directory of the archive, with `/`. */
  path: string;
  first: number;
  last: number;
  /** Number of rows. */
  rows: number;
  /** Length of the file; missing in the list of an older version. */
  bytes?: number;
  /** SHA-256 of the file in hexadecimal digits; missing in the list of an older version. */
  sha256?: string;
  /**
   * Set once the file was damaged and the event store was built from the journal instead. Rows that
   * neither has are lost when the file is written again.
   */
  is_given_up?: true;
};

/** The list of the archive: all rows up to `last` are in these files, and in no others. */
export type Manifest = {
  version: 1;
  /** Last sequence number that is archived; 0 at first. */
  last: number;
  files: ArchivedFile[];
  /** Number of rows that were only in damaged files. */
  rows_lost?: number;
  /** Set if the list was made from the files found, and not yet compared with the event store. */
  is_listed_anew?: true;
};

/** Erased events: those with these distinct ids that arrived up to `journal_seq`. */
export type Erasure = {
  project_id: number;
  distinct_ids: readonly string[];
  journal_seq: number;
};

/**
 * Fills the archive from the event store, and keeps it whole. The store carries out its calls one after
 * the other. A call fails with the error of the engine or the disk, and has changed nothing then.
 */
export type Archive = {
  /** Returns the last sequence number that is archived; 0 at first. */
  last(): number;

  /**
   * Archives all rows up to `upTo`, which the event store must have applied. It does nothing for a
   * number that is archived already.
   */
  add(upTo: number): Promise<void>;

  /**
   * Writes missing and cut files again from the event store, which has all archived rows (decision 76).
   * It comes before the journal is trimmed. Other damage shows when a file is read.
   */
  complete(): Promise<void>;

  /** Returns the number of files. */
  files(): number;

  /**
   * Reads the file at an index of the list, and writes it again from the event store if it is damaged.
   * It does nothing for an index without a file.
   */
  check(place: number): Promise<void>;

  /** Joins small files of one place into one. Returns true if it did; then there may be more. */
  compact(): Promise<boolean>;

  /**
   * Writes files that have erased rows again without these rows, and returns how many rows are gone.
   * The old files and all damaged files are removed. It comes after `EventStore.erase`, because a row
   * that the event store still has stays.
   */
  erase(asked: readonly Erasure[]): Promise<number>;
};

/**
 * The files of the archive, and its list. A file counts once the list names it, so a crash before that
 * loses nothing. Changing methods fail with the error of the disk.
 */
export type ArchiveFiles = {
  /** The directory of the archive. */
  directory: string;

  /** Returns the list. */
  manifest(): Manifest;

  /** Returns the path of a file. */
  pathOf(file: ArchivedFile): string;

  /** Returns an expression by which a query of the event store's engine reads the rows of some files. */
  source(files: readonly ArchivedFile[]): string;

  /**
   * Writes a file, durable under its name when it resolves; `commit` makes it count. `copy` writes the
   * rows to the path that it gets, and returns how many. Fails as `copy` does.
   */
  write(
    place: ArchivePlace,
    range: { first: number; last: number },
    copy: (path: string) => Promise<number>,
  ): Promise<ArchivedFile>;

  /** Returns whether a file exists and has its length. */
  isThere(file: ArchivedFile): boolean;

  /** Returns whether a file exists and has its length and checksum. */
  isSound(file: ArchivedFile): Promise<boolean>;

  /** Renames a damaged file. It stays in the list and counts as missing. */
  moveAway(file: ArchivedFile): Promise<void>;

  /** Renames a damaged file and removes it from the list; its rows count as lost. */
  setAside(file: ArchivedFile): Promise<void>;

  /**
   * Renames a damaged file whose rows the journal has in part, and marks it `is_given_up` in the list.
   * It counts as missing until it is written again.
   */
  giveUp(file: ArchivedFile): Promise<void>;

  /** Removes the renamed files after an erasure, because they may have rows of deleted persons. */
  removeSetAside(): Promise<void>;

  /**
   * Replaces the list in one step, durable when it resolves, then removes files that it does not name.
   * If it fails, the old list stays.
   */
  commit(manifest: Manifest): Promise<void>;
};

/** The rows of the archive that are loaded: up to `mark`, and those above it that the journal lacks. */
export type Counting = { mark: number; holes: readonly SeqGap[] };

/** Rows of another event store, in a file. */
export type TakenRows = { kind: ArchivedKind; path: string; rows: number };

/**
 * Builds the event store again: `begin` comes first, then `load` and `add`, then `assign`, then `end`
 * (decision 64). Ingest adds later events from the journal. A call fails with the error of the engine or
 * the disk; after a failure or a crash, everything starts again with `begin`.
 */
export type Restore = {
  /** Returns whether a restore has begun and not ended, so that the event store is not whole. */
  isUnfinished(): Promise<boolean>;

  /**
   * Empties the event store, marks it as unfinished, and sets its last applied number to `mark`, which
   * is the last of the archive by default.
   */
  begin(mark?: number): Promise<void>;

  /**
   * Adds the rows of a file that `counting` includes. Returns false, and adds nothing, if the file
   * cannot be read or lacks rows. A file must not be loaded twice.
   */
  load(file: ArchivedFile, counting: Counting): Promise<boolean>;

  /** Adds rows of another event store, but for numbers that are in already. */
  add(taken: TakenRows): Promise<void>;

  /** Gives each event to the person that its distinct id has in the mirror, which must be up to date. */
  assign(): Promise<void>;

  /** Marks the event store as whole. */
  end(): Promise<void>;
};
