import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";

/** Digits of a number in the file. They always take the same place, so that a write changes no size. */
const DIGITS = 16;

/**
 * The number of the last durable line of a journal, in a file of its own. Without it a journal whose end was
 * removed would look whole.
 */
export type EndMark = {
  /** Returns the number of the file; 0 without one, and for a file that has no number. */
  read(): number;
  /**
   * Writes the number of a line that is durable. The file is not synced: after a power cut it may be older than
   * the journal, but never newer. On a full disk it stays as it is.
   */
  write(seq: number): void;
  /** It is the last call; it may be repeated. */
  close(): void;
};

/** Opens the file at `path`, and makes it if it is missing. Fails with the error of the disk. */
export function endMark(path: string): EndMark {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  let isOpen = true;
  return {
    read: () => Number(/^\d{16}\n/.exec(readFileSync(path, "latin1"))?.[0] ?? 0),
    write(seq) {
      try {
        writeSync(file, `${String(seq).padStart(DIGITS, "0")}\n`, 0);
      } catch {
        // An older number only makes a later report too small.
      }
    },
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}
