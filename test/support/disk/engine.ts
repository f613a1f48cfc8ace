import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where this process keeps the engine that an executable unpacked, between two servers. */
const SPARE = join(tmpdir(), `hoglet-test-engine-${process.pid}`);

/**
 * Gives a data directory the unpacked engine of an earlier server, if there is one: to unpack 70 MB takes a fifth of
 * a start. It is moved, because the executable knows the files again by their inodes.
 */
export function lendEngine(data: string): void {
  if (!existsSync(SPARE) || existsSync(join(data, "engine"))) return;
  mkdirSync(data, { recursive: true, mode: 0o700 });
  // The lock marks a directory that has been used before.
  closeSync(openSync(join(data, "lock.db"), "a", 0o600));
  moved(SPARE, join(data, "engine"));
}

/** Keeps the engine of a data directory that nobody needs any more. */
export function keepEngine(data: string): void {
  if (!existsSync(SPARE) && existsSync(join(data, "engine"))) moved(join(data, "engine"), SPARE);
}

/** Removes what {@link keepEngine} kept. */
export function removeEngine(): void {
  rmSync(SPARE, { recursive: true, force: true });
}

/** Moves a directory; leaves it on another disk. */
function moved(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // Then the next server unpacks it again.
  }
}
