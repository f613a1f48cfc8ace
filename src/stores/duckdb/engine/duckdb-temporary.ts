import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../../core/values/failure.ts";
import { volumeOf } from "../../files/volume.ts";

/**
 * Disk that queries may use for what does not fit in memory: a half of what is free, within these.
 * Who starts on a full disk gets room later, and the limit stays.
 */
const TEMP_BYTES = { min: 128_000_000, max: 4_000_000_000 };

/** How long is waited until the engine has let go of what nobody uses, and how long between looks, in milliseconds. */
const WAITED_MS_MAX = 2000;
const LOOK_EVERY_MS = 20;

const HELD =
  "temporary_files: some are in use and cannot be removed, and may hold what is deleted. It goes on later.";

type Needs = {
  /** Where the engine puts what does not fit in memory. */
  directory: string;
  /** Works while nobody writes or reads: whoever reads for too long has been ended. */
  alone(work: () => Promise<void>): Promise<void>;
};

/**
 * Removes the engine's temporary files, which it never overwrites and deletes only when nothing in them is
 * used: with three threads of cross joins, one kept deleted tokens in plain text after the receipt. A file
 * that stays loses its name. Fails `unavailable` where that cannot be.
 */
export async function clearTemporary({ directory, alone }: Needs): Promise<void> {
  // What comes from here on is of what there is now.
  if (isClear(directory)) return;
  await alone(async () => {
    const deadline = performance.now() + WAITED_MS_MAX;
    for (;;) {
      // An answer is in them until it is collected, though nobody has it any more.
      Bun.gc(true);
      if (isClear(directory)) return;
      if (performance.now() > deadline) return unname(directory);
      await Bun.sleep(LOOK_EVERY_MS);
    }
  });
}

/**
 * Takes files that are in use out of the directory: whoever has one open goes on with it, and when it is
 * closed nothing is left of it. The engine removes its files by their names, and fails if there is none.
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
