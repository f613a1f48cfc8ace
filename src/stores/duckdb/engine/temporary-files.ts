import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../../core/values/failure.ts";
import { volumeOf } from "../../files/volume.ts";

/**
 * The least and the most disk space for temporary files of queries; in between, half of the free space. The
 * least also holds for a start on a full disk, because the limit stays when there is space again.
 */
const TEMP_BYTES = { min: 128_000_000, max: 4_000_000_000 };

/** The longest wait until the engine has released unused files, and the pause between checks, in milliseconds. */
const WAITED_MS_MAX = 2000;
const LOOK_EVERY_MS = 20;

const HELD =
  "temporary_files: some are in use, and may hold deleted data. The deletion continues later.";

type Needs = {
  /** Where the engine puts what does not fit in memory. */
  directory: string;
  /** Runs `work` without other reads and writes; long reads are interrupted. */
  alone(work: () => Promise<void>): Promise<void>;
};

/**
 * Removes the engine's temporary files, which it never overwrites and deletes only when nothing in them is
 * used: with three threads of cross joins, one kept deleted tokens in plain text after the receipt. A file
 * that stays loses its name. Fails `unavailable` where that cannot be.
 */
export async function clearTemporary({ directory, alone }: Needs): Promise<void> {
  // Later temporary files hold only data of now.
  if (isClear(directory)) return;
  await alone(async () => {
    const deadline = performance.now() + WAITED_MS_MAX;
    for (;;) {
      // A result keeps its temporary file until the garbage collection.
      Bun.gc(true);
      if (isClear(directory)) return;
      if (performance.now() > deadline) return unname(directory);
      await Bun.sleep(LOOK_EVERY_MS);
    }
  });
}

/**
 * Replaces files that are in use by empty ones of the same name. An open file stays usable and vanishes when it
 * is closed. The engine removes its files by name, and fails if one is missing.
 */
function unname(directory: string): void {
  try {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      rmSync(path);
      writeFileSync(path, "", { mode: 0o600 });
    }
  } catch {
    throw new Failure("unavailable", HELD);
  }
}

function isClear(directory: string): boolean {
  return readdirSync(directory).every((name) => {
    const found = statSync(join(directory, name), { throwIfNoEntry: false });
    return found === undefined || found.size === 0;
  });
}

/** The most disk for temporary files of the engine below `directory`, in MB. */
export function temporaryMb(directory: string): number {
  const free = volumeOf(directory)?.free ?? Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(TEMP_BYTES.max, Math.max(TEMP_BYTES.min, free / 2)) / 1e6);
}
