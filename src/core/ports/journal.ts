/*
 * The journal is a write-ahead log: it holds each accepted request until both stores and the archive
 * have it. The rules of all ports are in `events.ts`.
 *
 * Each line of the journal has a sequence number. Numbers grow in the order of the calls, from 1 on.
 * There may be gaps, and a number is never used for two lines.
 */

/** Lines of accepted requests, or warnings about one. A reader may get several entries as one. */
export type Entry = {
  /** Content of the lines. `historical` are events of a historical migration (contract 4.5.3). */
  kind: "events" | "historical" | "logs" | "warnings";
  project_id: number;
  /** Time of arrival, in milliseconds since 1970. */
  arrived_at: number;
  /** Number of lines, 1 or more. */
  count: number;
  /** NDJSON in UTF-8: one object a line, each ended by a line feed. */
  lines: Uint8Array;
};

/** An entry with its place: its lines have the numbers `first_seq` to `first_seq + count - 1`. */
export type Frame = Entry & { first_seq: number };

/** Sequence numbers from `first` to `last`, both included, that the journal does not have. */
export type SeqGap = { first: number; last: number };

/** Writes the journal. One process has it open at a time. */
export type Journal = {
  /**
   * Adds an entry, and returns the number of its first line once all of it would survive a power cut.
   * Entries are numbered and written in the order of the calls. The caller must not change `lines`
   * before the call resolves.
   *
   * Fails `unavailable` if the disk refuses the entry, if too many bytes wait for the disk, or after
   * `close`; an error of the disk is its `cause`. The entry is then removed, and its numbers are used
   * again. If the disk refuses the removal too, the entry may stay in the file. Its numbers then belong to
   * no other entry.
   *
   * It must not be repeated on success: a second call adds the lines again.
   */
  append(entry: Entry): Promise<number>;

  /** Returns the highest durable number; 0 at first. A number counts also after its line was lost. */
  durableSeq(): number;

  /**
   * Returns a number at or below that of the oldest line, as of the start. Undefined if the journal
   * had no segment then.
   */
  first(): number | undefined;

  /** Returns the bytes of all segments. */
  bytes(): number;

  /** Returns the bytes that wait for the disk. */
  waiting(): number;

  /** Returns the error with which the disk refused the last entry, such as `ENOSPC`; undefined once it takes one. */
  refusal(): string | undefined;

  /**
   * Ends the current segment after the appends made before, and returns the last number before its end.
   * Later lines go to a new segment. Fails with the error of the disk; it may be repeated.
   */
  rotate(): Promise<number>;

  /**
   * Removes the segments whose last line has the number `upTo` or a lower one, and returns how many.
   * Both stores and the archive must have all lines up to `upTo`. A segment that is still written stays.
   * Fails with the error of the disk; it may be repeated.
   */
  trim(upTo: number): Promise<number>;

  /** Refuses new entries, writes the waiting ones and closes. It is the last call; it may be repeated. */
  close(): Promise<void>;
};

/**
 * Reads the journal in order, from any thread, also while it is written. A reader belongs to one
 * caller, because it remembers where the last call ended. A damaged part is copied to a file and left
 * out.
 */
export type JournalReader = {
  /**
   * Returns whole frames in order: each frame that ends above `after` and at or below `upTo`.
   * It returns at most `eventsMax` lines and JOURNAL_READ_BYTES_MAX bytes, but one frame at least.
   * An empty list means that nothing in the range can be read.
   * `upTo` must be durable, because later lines may be half written. It is cheap to continue where the
   * last call ended. A call that goes back opens a segment again.
   * Fails with the error of the disk, and for a segment of another format version; it may be repeated.
   */
  read(range: { after: number; upTo: number; eventsMax: number }): Promise<Frame[]>;

  /** Closes the open segment. A later `read` opens it again. */
  close(): void;
};

/** Finds sequence numbers that the journal lacks, because it lost them or never had them. */
export type JournalGaps = {
  /**
   * Returns the gaps above `after` and up to `last`. One call reads a part of the journal, so `last` is
   * `upTo` or lower, and the next call continues with `after: last`.
   * Numbers that a damaged part shows to be those of warnings are left out, because no event is lost.
   * Fails with the error of the disk; it may be repeated.
   */
  find(range: { after: number; upTo: number }): Promise<{ gaps: SeqGap[]; last: number }>;
};
