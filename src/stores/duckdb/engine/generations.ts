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
 * Runs a short part in a transaction of its own, with memory for its commit, after work that must be alone. A
 * part that finds no memory is rolled back and repeated without reads: `work` runs twice then.
 */
export type Part = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * The steps that fill a new generation of the event store's file (decision 60). They commit in parts, because
 * uncommitted rows stay in memory, and no query reads a staging file.
 */
export type Rewriting = {
  /** Looks how far the old file is that `copy` reads. Nothing is written meanwhile: be brief. */
  begin(connection: DuckDBConnection, names: Names): Promise<void>;
  /**
   * Copies the rows of now while more arrive; false if the old file may stay. Each read of the old file and
   * each write to the new one is a `part`.
   */
  copy(connection: DuckDBConnection, names: Names, part: Part): Promise<boolean>;
  /** Copies the rows that came since, in parts. Writes wait meanwhile, so it must be short. */
  catchUp(connection: DuckDBConnection, names: Names, part: Part): Promise<void>;
  /** Called with the generation before it becomes the current one; all is on disk then. */
  ready(generation: number): Promise<void>;
  /** On the same connection, once the old file is gone. */
  done(connection: DuckDBConnection): Promise<void>;
};

/** The needs of a rewrite from the engine. */
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
  /** The same for work without a transaction; it has memory for commits from its start. */
  withCommitMemory: Part;
  /** Called once reads and writes use the new generation. */
  switched(generation: number): void;
  /** Resolves when the reads that run now have ended; later ones read the new generation. */
  unread(): Promise<unknown>;
};

/** A generation's file, or its write-ahead log. */
const FILE = /^(\d+)\.duckdb(\.wal)?$/;
/** A file that was renamed, because it is damaged or was replaced. */
const RENAMED = /^(\d+)\.duckdb\.(damaged|replaced)-/;
const DRAFT = "draft";

/** Tries to detach a staging file, and the pause between them, in milliseconds. */
const DETACH_TRIES = 50;
const DETACH_WAIT_MS = 100;

/** How much more room than the file and its log a rewrite asks for. */
const ROOM = 1.1;

/** The name under which a generation of the file is attached. */
export function catalog(generation: number): string {
  return `events_${generation}`;
}

/** A generation's file. */
export function generationFile(directory: string, generation: number): string {
  return join(directory, `${generation}.duckdb`);
}

/**
 * The current generation: the highest, because a file gets its name only when it is whole. Without a file, the
 * number of the last renamed file or orphaned log. Removes leftovers of a crash in a rewrite: staging files,
 * files of older generations, and logs without a file.
 */
export function currentGeneration(directory: string): number {
  const files = namesIn(directory).flatMap((name) => {
    const [, generation, log] = FILE.exec(name) ?? [];
    return generation === undefined ? [] : { name, generation: Number(generation), log };
  });
  const whole = files.filter(({ log }) => log === undefined);
  const renamed = namesIn(directory).map((name) => Number(RENAMED.exec(name)?.[1] ?? 1));
  const known = whole.length > 0 ? whole : files;
  const lost = whole.length > 0 ? [] : renamed;
  const current = Math.max(1, ...lost, ...known.map(({ generation }) => generation));
  discardDrafts(directory);
  for (const { name, generation } of files) {
    const isLogOfRenamed = generation > current && renamed.includes(generation);
    if (generation !== current && !isLogOfRenamed) rmSync(join(directory, name));
  }
  return current;
}

function discardDrafts(directory: string): void {
  for (const name of namesIn(directory)) {
    if (name.startsWith(DRAFT)) rmSync(join(directory, name));
  }
}

async function removeGeneration(directory: string, generation: number): Promise<void> {
  const path = generationFile(directory, generation);
  rmSync(`${path}.wal`, { force: true });
  rmSync(path, { force: true });
  await nodeDisk.syncDirectory(directory);
}

/**
 * Rewrites the event store's file and puts the new file in the place of the old one. After a kill at any moment
 * one of them is there, whole. Fails `unavailable` without enough disk space.
 */
export async function rewriteFile(
  connection: DuckDBConnection,
  rewriting: Rewriting,
  needs: RewriteNeeds,
): Promise<void> {
  const { directory, generation, rows, attach, migrate, exclusively, part, withCommitMemory } =
    needs;
  const names = { from: catalog(generation), to: DRAFT, rows };
  const draft = join(directory, `${DRAFT}.duckdb`);
  // Also what could not be removed when it should have been.
  await discard(connection, directory);
  currentGeneration(directory);
  expectRoom(directory, generation);
  try {
    await withCommitMemory(async () => {
      await detach(connection, DRAFT);
      await attach(connection, draft, DRAFT, rows);
      await connection.run(`USE ${DRAFT}`);
      await migrate(connection);
      // From a database that is broken no statement leads to another one.
      await connection.run("USE memory");
    });
    await exclusively(() => part(() => rewriting.begin(connection, names)));
    if (!(await rewriting.copy(connection, names, part))) {
      await discard(connection, directory);
      return;
    }
    const slack = { name: DRAFT, path: draft };
    const settle = async () => {
      // Also before the checkpoint: pages that it joins are freed with their content.
      await withCommitMemory(() => zeroPagePadding(connection, slack));
      await withCommitMemory(() => connection.run(`CHECKPOINT ${DRAFT}`));
      await withCommitMemory(() => zeroPagePadding(connection, slack));
    };
    await settle();
    await exclusively(async (writer) => {
      await rewriting.catchUp(connection, names, part);
      await settle();
      await withCommitMemory(() => detach(connection, DRAFT));
      syncFile(draft);
      await rewriting.ready(generation + 1);
      await withCommitMemory(() => replace(connection, writer, { draft, ...needs }));
    });
  } catch (error) {
    await discard(connection, directory);
    // Until there is a new generation nothing was committed but to the draft.
    throw asStagingError(error, DRAFT);
  }
  await needs.unread();
  await connection.run(`USE ${catalog(generation + 1)}`);
  // Without it, closing would checkpoint the old file, perhaps on a full disk.
  await connection.run(`DETACH ${names.from}`).catch(() => undefined);
  await removeGeneration(directory, generation);
  await withCommitMemory(() => rewriting.done(connection));
}

/** From its new name on, the new file is what the next start opens: there is no way back. */
async function replace(
  connection: DuckDBConnection,
  writer: DuckDBConnection,
  { directory, generation, draft, attach, switched }: RewriteNeeds & { draft: string },
): Promise<void> {
  const next = generation + 1;
  const path = generationFile(directory, next);
  renameSync(draft, path);
  try {
    await nodeDisk.syncDirectory(directory);
    await attach(connection, path, catalog(next));
    await writer.run(`USE ${catalog(next)}`);
  } catch (cause) {
    throw new Error("FATAL Error: the rewritten event store cannot be opened", { cause });
  }
  switched(next);
}

/** A draft that stays attached keeps its room on the disk, and is in the way of the next. */
async function discard(connection: DuckDBConnection, directory: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await detach(connection, DRAFT);
      break;
    } catch {
      // The memory may be free again soon; if not, the next rewrite tries again.
      if (tries === DETACH_TRIES) break;
      await Bun.sleep(DETACH_WAIT_MS);
    }
  }
  discardDrafts(directory);
}

async function detach(connection: DuckDBConnection, name: string): Promise<void> {
  await connection.run("USE memory");
  await connection.run(`DETACH DATABASE IF EXISTS ${name}`);
}

function expectRoom(directory: string, generation: number): void {
  const { bavail, bsize } = statfsSync(directory);
  const path = generationFile(directory, generation);
  const [{ size }, log] = [statSync(path), statSync(`${path}.wal`, { throwIfNoEntry: false })];
  if (bavail * bsize > (size + (log?.size ?? 0)) * ROOM) return;
  throw new Failure("unavailable", "disk_space: too little space to rewrite the event store.");
}
