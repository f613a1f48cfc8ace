import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../../core/values/failure.ts";
import { volumeOf } from "../../files/volume.ts";

/**
 * Bounds of the disk space for temporary files of queries; between them it is half of the free space. The lower
 * bound also holds after a start on a full disk, because space may be freed later.
 */
const TEMP_BYTES = { min: 128_000_000, max: 4_000_000_000 };

/** The longest wait until the engine has released unused files, and the pause between checks, in milliseconds. */
const WAITED_MS_MAX = 2000;
const CHECK_EVERY_MS = 20;

const IN_USE =
  "temporary_files: some are in use, and may hold deleted data. The deletion continues later.";

type Needs = {
  /** The directory of the engine's temporary files. */
  directory: string;
  /** Runs `work` without other reads and writes; long reads are interrupted. */
  alone(work: () => Promise<void>): Promise<void>;
};

/**
 * Removes the engine's temporary files. The engine never overwrites them, and deletes one only when no part of
 * it is used. After three threads of cross joins, a file kept deleted tokens in plain text after the receipt.
 * A file in use is replaced in its directory by an empty one. Fails `unavailable` if the system forbids that.
 */
export async function clearTemporary({ directory, alone }: Needs): Promise<void> {
  // Temporary files that are made later hold only current data.
  if (isClear(directory)) return;
  await alone(async () => {
    const deadline = performance.now() + WAITED_MS_MAX;
    for (;;) {
      // The result of a query keeps its temporary file until it is garbage collected.
      Bun.gc(true);
      if (isClear(directory)) return;
      if (performance.now() > deadline) return replaceByEmpty(directory);
      await Bun.sleep(CHECK_EVERY_MS);
    }
  });
}

/**
 * Replaces files that are in use by empty ones of the same name. An open file stays usable, and disappears when
 * it is closed. The engine removes its files by name, and fails if one is missing.
 */
function replaceByEmpty(directory: string): void {
  try {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      rmSync(path);
      writeFileSync(path, "", { mode: 0o600 });
    }
  } catch {
    throw new Failure("unavailable", IN_USE);
  }
}

function isClear(directory: string): boolean {
  return readdirSync(directory).every((name) => {
    const stats = statSync(join(directory, name), { throwIfNoEntry: false });
    return stats === undefined || stats.size === 0;
  });
}

/** Returns the most disk space for temporary files below `directory`, in MB. */
export function temporaryMb(directory: string): number {
  const free = volumeOf(directory)?.free ?? Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(TEMP_BYTES.max, Math.max(TEMP_BYTES.min, free / 2)) / 1e6);
}
