import { readdirSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { StoreSizes, Volume } from "../../core/ports/volume.ts";

/** Returns the volume of a directory; undefined if the system does not report it. */
export function volumeOf(directory: string): Volume | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return undefined;
  }
}

/** Returns the sizes of the stores in a data directory. A store without files has 0 bytes. */
export function storeSizes(directory: string): StoreSizes {
  const inside = (name: string) => namesIn(join(directory, name));
  const sum = (name: string, files: readonly string[]) =>
    files.reduce((bytes, file) => bytes + bytesOf(join(directory, name, file)), 0);
  const ofSqlite = namesIn(directory).filter((name) => name.startsWith("hoglet.sqlite"));
  return {
    events: sum("events", inside("events")),
    loads: sum("loads", inside("loads")),
    sqlite: sum("", ofSqlite),
    journalQuarantinedParts: inside("journal/corrupt").length,
  };
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Returns the size of a file; 0 if it is missing, because it may be removed after it was listed. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
