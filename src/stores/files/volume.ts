import { readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { StoreSizes, Volume } from "../../core/ports/volume.ts";

/** The volume that a directory is on; undefined where the system does not tell. */
export function volumeOf(directory: string): Volume | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return undefined;
  }
}

/** The sizes of the stores in a data directory. What is not there has none. */
export function storeSizes(directory: string): StoreSizes {
  const inside = (name: string) => namesIn(join(directory, name));
  const sum = (name: string, files: readonly string[]) =>
    files.reduce((bytes, file) => bytes + bytesOf(join(directory, name, file)), 0);
  const ofSqlite = namesIn(directory).filter((name) => name.startsWith("hoglet.sqlite"));
  return {
    events: sum("events", inside("events")),
    loads: sum("loads", inside("loads")),
    sqlite: sum("", ofSqlite),
    journalPartsAside: inside("journal/corrupt").length,
  };
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** A file may go between the two calls. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
