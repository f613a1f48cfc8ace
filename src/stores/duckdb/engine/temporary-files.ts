import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { floorOf } from "../../../core/ingest/backpressure.ts";
import { Failure } from "../../../core/values/failure.ts";
import { volumeOf } from "../../files/volume.ts";

/** The most disk space for temporary files of queries, in bytes. */
const TEMP_BYTES_MAX = 4_000_000_000;

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

const isClear = (directory: string): boolean => sizesIn(directory).every((size) => size === 0);

/** The sizes of the files in a directory; one that is removed meanwhile counts 0. */
function sizesIn(directory: string): number[] {
  const sizeOf = (name: string) =>
    statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
  return readdirSync(directory).map(sizeOf);
}

/** A query of a caller leaves the floor of the volume free, the server's own work does not. */
export type TemporaryUse = "caller" | "own";

/**
 * Limits the temporary files in `directory` to half of the free space, while queries of callers run to half of
 * that above the floor. The limit is set again before each work, because the free space changes.
 */
export function temporaryLimit(directory: string, floorPercent: number) {
  let callers = 0;
  const limitOf = (used: number): string => {
    const volume = volumeOf(directory);
    const floor = volume && callers > 0 ? floorOf(volume.total, floorPercent) : 0;
    const bytes = volume ? used + Math.max(0, volume.free - floor) / 2 : TEMP_BYTES_MAX;
    const mb = Math.floor(Math.min(bytes, TEMP_BYTES_MAX) / 1e6);
    return `SET max_temp_directory_size = '${mb}MB'`;
  };

  return {
    /** The statement for a directory without temporary files. */
    first: () => limitOf(0),
    /** Sets the limit, and runs `work` within it. */
    async within<T>(
      connection: DuckDBConnection,
      use: TemporaryUse,
      work: () => Promise<T>,
    ): Promise<T> {
      if (use === "caller") callers += 1;
      try {
        const used = sizesIn(directory).reduce((sum, size) => sum + size, 0);
        await connection.run(limitOf(used));
        return await work();
      } finally {
        if (use === "caller") callers -= 1;
      }
    },
  };
}
