import { renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";
import { namesIn, nodeDisk } from "../../files/disk.ts";
import { asStagingError } from "./faults.ts";
import { syncFile, zeroPagePadding } from "./page-padding.ts";

/**
 * The names under which the old file and the new file are attached, and the rows of a row group in the new
 * one.
 */
export type Names = { from: string; to: string; rows: number };

/**
 * Runs one short part of a rewrite in its own transaction, with memory for its commit. It waits for exclusive
 * work. If memory is short, the part is rolled back, and `work` runs again without reads.
 */
export type Part = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * The steps that fill a new generation of the event store's file (decision 60). They commit in parts, because
 * uncommitted rows stay in memory, and no query reads a staging file.
 */
export type Rewriting = {
  /** Notes how many rows of the old file `copy` must read. Writes wait meanwhile, so it must be short. */
  begin(connection: DuckDBConnection, names: Names): Promise<void>;
  /**
   * Copies those rows while more arrive. Returns false if the old file may stay. Each read of the old file
   * and each write to the new one is a `part`.
   */
  copy(connection: DuckDBConnection, names: Names, part: Part): Promise<boolean>;
  /** Copies the rows that came since, in parts. Writes wait meanwhile, so it must be short. */
  catchUp(connection: DuckDBConnection, names: Names, part: Part): Promise<void>;
  /** Called with the new generation before it becomes the current one. Its file is on disk by then. */
  prepareSwap(generation: number): Promise<void>;
  /** Called on the same connection, after the old file was removed. */
  done(connection: DuckDBConnection): Promise<void>;
};

/** The state and the functions of the engine that a rewrite uses. */
export type RewriteNeeds = {
  /** The directory of the event store's files. */
  directory: string;
  generation: number;
  /** Rows of a row group in the new file. */
  rows: number;
  /** Attaches a file under a name. Row groups have the size of loads by default. */
  attach(connection: DuckDBConnection, path: string, name: string, rows?: number): Promise<void>;
  /** Creates the tables in the connection's current file. */
  migrate(connection: DuckDBConnection): Promise<void>;
  /** Runs `work` without other writes. */
  exclusively(work: (writer: DuckDBConnection) => Promise<void>): Promise<void>;
  part: Part;
  /** As `part`, for work without a transaction; memory for commits is available from its start. */
  withCommitMemory: Part;
  /** Called once the writer uses the new generation; later reads must use it, too. */
  switched(generation: number): void;
  /** Resolves when the reads that run now have ended; later ones read the new generation. */
  readersDrained(): Promise<unknown>;
};

/** A generation's file, or its write-ahead log. */
const FILE = /^(\d+)\.duckdb(\.wal)?$/;
/** A file that was renamed, because it is damaged or was replaced. */
const RENAMED = /^(\d+)\.duckdb\.(damaged|replaced)-/;
/** The name under which a staging file is attached, and the start of its file name. */
const STAGING = "draft";

/** Tries to detach a staging file, and the pause between them, in milliseconds. */
const DETACH_TRIES = 50;
const DETACH_WAIT_MS = 100;

/** Free disk space that a rewrite needs, as a multiple of the file and its log. */
const SPACE_FACTOR = 1.1;

/** Returns the name under which a generation's file is attached. */
export function catalog(generation: number): string {
  return `events_${generation}`;
}

/** Returns the path of a generation's file. */
export function generationFile(directory: string, generation: number): string {
  return join(directory, `${generation}.duckdb`);
}

/**
 * Returns the current generation: the highest, because a file gets its name only when it is complete. Without a
 * file it is the number of the last renamed file or orphaned log. Removes leftovers of a crash in a rewrite:
 * staging files,
 * files of older generations, and logs without a file.
 */
export function currentGeneration(directory: string): number {
  const files = namesIn(directory).flatMap((name) => {
    const [, generation, log] = FILE.exec(name) ?? [];
    return generation === undefined ? [] : { name, generation: Number(generation), log };
  });
  const whole = files.filter(({ log }) => log === undefined);
  const renamed = namesIn(directory).map((name) => Number(RENAMED.exec(name)?.[1] ?? 1));
  const candidates =
    whole.length > 0
      ? whole.map(({ generation }) => generation)
      : [...renamed, ...files.map(({ generation }) => generation)];
  const current = Math.max(1, ...candidates);
  removeStagingFiles(directory);
  for (const { name, generation } of files) {
    const isLogOfRenamed = generation > current && renamed.includes(generation);
    if (generation !== current && !isLogOfRenamed) rmSync(join(directory, name));
  }
  return current;
}

function removeStagingFiles(directory: string): void {
  for (const name of namesIn(directory)) {
    if (name.startsWith(STAGING)) rmSync(join(directory, name));
  }
}

async function removeGeneration(directory: string, generation: number): Promise<void> {
  const path = generationFile(directory, generation);
  rmSync(`${path}.wal`, { force: true });
  rmSync(path, { force: true });
  await nodeDisk.syncDirectory(directory);
}

/**
 * Rewrites the event store's file and replaces the old file by the new one. After a kill at any moment one
 * complete file is there. Fails `unavailable` without enough disk space.
 */
export async function rewriteFile(
  connection: DuckDBConnection,
  rewriting: Rewriting,
  needs: RewriteNeeds,
): Promise<void> {
  const { directory, generation, rows, attach, migrate, exclusively, part, withCommitMemory } =
    needs;
  const names = { from: catalog(generation), to: STAGING, rows };
  const staging = join(directory, `${STAGING}.duckdb`);
  // An earlier rewrite may have left files that it could not remove.
  await discardStaging(connection, directory);
  currentGeneration(directory);
  checkDiskSpace(directory, generation);
  try {
    await withCommitMemory(async () => {
      await detach(connection, STAGING);
      await attach(connection, staging, STAGING, rows);
      await connection.run(`USE ${STAGING}`);
      await migrate(connection);
      // A connection can never leave a broken database, so none stays its current one.
      await connection.run("USE memory");
    });
    await exclusively(() => part(() => rewriting.begin(connection, names)));
    if (!(await rewriting.copy(connection, names, part))) {
      await discardStaging(connection, directory);
      return;
    }
    const file = { name: STAGING, path: staging };
    const checkpointStaging = async () => {
      // Also before the checkpoint, because it frees the pages that it joins with their content.
      await withCommitMemory(() => zeroPagePadding(connection, file));
      await withCommitMemory(() => connection.run(`CHECKPOINT ${STAGING}`));
      await withCommitMemory(() => zeroPagePadding(connection, file));
    };
    await checkpointStaging();
    await exclusively(async (writer) => {
      await rewriting.catchUp(connection, names, part);
      await checkpointStaging();
      await withCommitMemory(() => detach(connection, STAGING));
      syncFile(staging);
      await rewriting.prepareSwap(generation + 1);
      await withCommitMemory(() => replace(connection, writer, { staging, ...needs }));
    });
  } catch (error) {
    await discardStaging(connection, directory);
    // Before the replacement, only the staging file had commits.
    throw asStagingError(error, STAGING);
  }
  await needs.readersDrained();
  await connection.run(`USE ${catalog(generation + 1)}`);
  // Closing the database would checkpoint a file that is attached, and a full disk would fail it.
  await connection.run(`DETACH ${names.from}`).catch(() => undefined);
  await removeGeneration(directory, generation);
  await withCommitMemory(() => rewriting.done(connection));
}

/** Puts the new file in use. The next start opens the renamed file, so a later error is fatal. */
async function replace(
  connection: DuckDBConnection,
  writer: DuckDBConnection,
  { directory, generation, staging, attach, switched }: RewriteNeeds & { staging: string },
): Promise<void> {
  const next = generation + 1;
  const path = generationFile(directory, next);
  renameSync(staging, path);
  try {
    await nodeDisk.syncDirectory(directory);
    await attach(connection, path, catalog(next));
    await writer.run(`USE ${catalog(next)}`);
  } catch (cause) {
    throw new Error("FATAL Error: the rewritten event store cannot be opened", { cause });
  }
  switched(next);
}

/** Detaches and removes a staging file. While attached, it keeps its disk space and blocks the next rewrite. */
async function discardStaging(connection: DuckDBConnection, directory: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await detach(connection, STAGING);
      break;
    } catch {
      // The memory may be free again soon; if not, the next rewrite tries again.
      if (tries === DETACH_TRIES) break;
      await Bun.sleep(DETACH_WAIT_MS);
    }
  }
  removeStagingFiles(directory);
}

async function detach(connection: DuckDBConnection, name: string): Promise<void> {
  await connection.run("USE memory");
  await connection.run(`DETACH DATABASE IF EXISTS ${name}`);
}

function checkDiskSpace(directory: string, generation: number): void {
  const { bavail, bsize } = statfsSync(directory);
  const path = generationFile(directory, generation);
  const [{ size }, log] = [statSync(path), statSync(`${path}.wal`, { throwIfNoEntry: false })];
  if (bavail * bsize > (size + (log?.size ?? 0)) * SPACE_FACTOR) return;
  throw new Failure("unavailable", "disk_space: too little space to rewrite the event store.");
}
