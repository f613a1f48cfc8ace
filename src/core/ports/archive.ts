import type { SeqGap } from "./journal.ts";

/*
 * The archive keeps every event and log record that has left the journal, in files (decision 63). The
 * event store can be built again from it (decision 64). The rules of all ports are in `events.ts`.
 */

/** A table of the event store whose rows are archived. */
export type ArchivedKind = "events" | "logs";

/** Rows of one kind, project and month of arrival, as in `2026-11` (UTC); a file has only such rows. */
export type ArchivePlace = { kind: ArchivedKind; project_id: number; month: string };

/**
 * A file of the archive, as its name has it. Its rows have sequence numbers from `first` to `last`, with
 * gaps.
 */
export type ArchivedFile = ArchivePlace & {
  /** Path below the directory of the archive, with `/`. */
  path: string;
  first: number;
  last: number;
  /** Number of rows without padding. */
  rows: number;
  /** The first 16 hexadecimal digits of the file's SHA-256. */
  checksum: string;
};

/** The archive at one moment: all rows up to `last` are in `files`, but for the missing ones. */
export type ArchiveState = {
  /** Last sequence number that is archived; 0 at first. */
  last: number;
  files: readonly ArchivedFile[];
  /**
   * Number of archived rows that no file has, because files are missing or damaged. It is undefined while it
   * is unknown.
   */
  missing: number | undefined;
  /** Number of rows that were missing and that the event store did not have either. */
  rows_lost: number;
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
   * If rows are missing, writes them again from the event store, which should have all archived rows. Rows
   * that it lacks count as lost (decision 76). It runs before the journal is trimmed.
   */
  complete(): Promise<void>;

  /** Returns the number of files. */
  files(): number;

  /**
   * Reads the file at an index, and writes it again from the event store if it is damaged.
   * It does nothing for an index without a file.
   */
  check(index: number): Promise<void>;

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
 * The files of the archive and its marker, which says up to where rows are archived. Changing methods fail
 * with the error of the disk.
 */
export type ArchiveFiles = {
  /** The directory of the archive. */
  directory: string;

  /** Returns the state. */
  state(): ArchiveState;

  /** Returns the path of a file. */
  pathOf(file: ArchivedFile): string;

  /** Returns an expression by which a query of the event store's engine reads the rows of some files. */
  source(files: readonly ArchivedFile[]): string;

  /**
   * Writes a file, durable when it resolves; `commit` makes it count. `copy` writes the rows to the path
   * that it gets, and returns how many. Fails as `copy` does.
   */
  write(
    place: ArchivePlace,
    range: { first: number; last: number },
    copy: (path: string) => Promise<number>,
  ): Promise<ArchivedFile>;

  /**
   * Replaces the state, durable when it resolves, and removes all other files. New files must be from
   * `write`. After a crash the next start has the old state, the new one, or one with an unknown number of
   * missing rows. If it fails, the state stays.
   */
  commit(next: ArchiveState): Promise<void>;

  /** Returns whether a file exists and has its checksum. */
  isSound(file: ArchivedFile): Promise<boolean>;

  /** Renames a damaged file; its rows are missing then. */
  quarantine(file: ArchivedFile): Promise<void>;

  /** Removes the renamed files after an erasure, because they may have rows of deleted persons. */
  removeQuarantined(): Promise<void>;
};

/**
 * The rows of the archive that are loaded: all up to the sequence number `mark`, and above it those in
 * `gaps` of the journal.
 */
export type Counting = { mark: number; gaps: readonly SeqGap[] };

/** Rows that were copied from another event store, in a file. */
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

  /** Gives each event to the person that its distinct id has in the projection, which must be up to date. */
  assign(): Promise<void>;

  /** Marks the event store as whole. */
  end(): Promise<void>;
};
