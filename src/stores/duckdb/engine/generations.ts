import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../core/values/failure.ts";
import { asOfDraft } from "./faults.ts";
import { clearSlack } from "./slack.ts";

/**
 * The names under which the file that is read and the one that is written are attached, and how many
 * rows are a row group of the one that is written.
 */
export type Names = { from: string; to: string; rows: number };

/**
 * Runs a brief part in a transaction of its own, whose commit has room, behind whoever has to be alone;
 * what finds no memory is rolled back and done once more while nobody reads: `work` is repeated.
 */
export type Part = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * What a new generation of the event store's file is to hold (decision 60). Nothing here is one
 * transaction: what is not committed by and by is held in memory, and nobody reads a draft.
 */
export type Rewriting = {
  /** Looks how far the old file is that `copy` reads. Nothing is written meanwhile: be brief. */
  begin(connection: DuckDBConnection, names: Names): Promise<void>;
  /**
   * Copies what there was then, while more comes; false if the old file may stay after all. What
   * reads the old file or writes the new one is a `part`.
   */
  copy(connection: DuckDBConnection, names: Names, part: Part): Promise<boolean>;
  /** Copies what came since, in parts. Nothing is written meanwhile: be brief. */
  catchUp(connection: DuckDBConnection, names: Names, part: Part): Promise<void>;
  /** Told of the generation before it becomes the current one, by which all is on disk. */
  ready(generation: number): Promise<void>;
  /** On the same connection, once the old file is gone. */
  done(connection: DuckDBConnection): Promise<void>;
};

/** What a rewrite needs of the engine around it. */
export type RewriteNeeds = {
  /** The directory of the event store's files. */
  directory: string;
  generation: number;
  /** Rows of a row group in the new file. */
  rows: number;
  /** Attaches a file under a name, for good; row groups are those of loads unless it is said. */
  attach(connection: DuckDBConnection, path: string, name: string, rows?: number): Promise<void>;
  /** Gives a new file its tables; they are those of the connection's current one. */
  migrate(connection: DuckDBConnection): Promise<void>;
  /** Runs `work` while nobody writes. */
  exclusively(work: (writer: DuckDBConnection) => Promise<void>): Promise<void>;
  part: Part;
  /** The same for what is no transaction, with room from its beginning. */
  roomy: Part;
  /** From here on the new generation is what is read and written. */
  switched(generation: number): void;
  /** Resolves when nobody reads the old generation any more. */
  unread(generation: number): Promise<void>;
};

/** A generation's file, or its write-ahead log. */
const FILE = /^(\d+)\.duckdb(\.wal)?$/;
/** A generation's file that was set aside. */
const ASIDE = /^(\d+)\.duckdb\.(damaged|replaced)-/;
const DRAFT = "draft";

/** How often a draft is tried to be let go of, and how long in between, in milliseconds. */
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
 * The current generation: the highest, because a file gets its name only when it is whole; without
 * one, that of the last that was set aside or has lost its file. Removes what a crash in a rewrite has
 * left: drafts, and the files of generations before; and logs that have lost their file.
 */
export function currentGeneration(directory: string): number {
  const files = namesIn(directory).flatMap((name) => {
    const [, generation, log] = FILE.exec(name) ?? [];
    return generation === undefined ? [] : { name, generation: Number(generation), log };
  });
  const whole = files.filter(({ log }) => log === undefined);
  const asides = namesIn(directory).map((name) => Number(ASIDE.exec(name)?.[1] ?? 1));
  const known = whole.length > 0 ? whole : files;
  const lost = whole.length > 0 ? [] : asides;
  const current = Math.max(1, ...lost, ...known.map(({ generation }) => generation));
  discardDrafts(directory);
  for (const { name, generation } of files) {
    const isLogOfAside = generation > current && asides.includes(generation);
    if (generation !== current && !isLogOfAside) rmSync(join(directory, name));
  }
  return current;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // At the first start there is no directory yet.
    return [];
  }
}

function discardDrafts(directory: string): void {
  for (const name of namesIn(directory)) {
    if (name.startsWith(DRAFT)) rmSync(join(directory, name));
  }
}

function removeGeneration(directory: string, generation: number): void {
  const path = generationFile(directory, generation);
  rmSync(`${path}.wal`, { force: true });
  rmSync(path, { force: true });
  sync(directory);
}

/**
 * Writes the event store's file anew and puts it in the place of the old one, which goes. After a
 * kill at any instant it is one or the other, whole. Fails `unavailable` without the room for it.
 */
export async function rewriteFile(
  connection: DuckDBConnection,
  rewriting: Rewriting,
  needs: RewriteNeeds,
): Promise<void> {
  const { directory, generation, rows, attach, migrate, exclusively, part, roomy } = needs;
  const names = { from: catalog(generation), to: DRAFT, rows };
  const draft = join(directory, `${DRAFT}.duckdb`);
  // Also what could not be removed when it should have been.
  await discard(connection, directory);
  currentGeneration(directory);
  expectRoom(directory, generation);
  try {
    await roomy(async () => {
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
      // Before it, too: what it joins, it sets free as it is.
      await roomy(() => clearSlack(connection, slack));
      await roomy(() => connection.run(`CHECKPOINT ${DRAFT}`));
      await roomy(() => clearSlack(connection, slack));
    };
    await settle();
    await exclusively(async (writer) => {
      await rewriting.catchUp(connection, names, part);
      await settle();
      await roomy(() => detach(connection, DRAFT));
      sync(draft);
      await rewriting.ready(generation + 1);
      await roomy(() => replace(connection, writer, { draft, ...needs }));
    });
  } catch (error) {
    await discard(connection, directory);
    // Until there is a new generation nothing was committed but to the draft.
    throw asOfDraft(error, DRAFT);
  }
  await needs.unread(generation);
  await connection.run(`USE ${catalog(generation + 1)}`);
  // It would checkpoint what nobody needs, and may find no room for it.
  await connection.run(`DETACH ${names.from}`).catch(() => undefined);
  removeGeneration(directory, generation);
  await roomy(() => rewriting.done(connection));
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
    sync(directory);
    await attach(connection, path, catalog(next));
    await writer.run(`USE ${catalog(next)}`);
  } catch (cause) {
    throw new Error("FATAL Error: the event store written anew cannot be opened", { cause });
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
      // Whatever takes the memory may be over soon; if not, the next one tries it again.
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
  throw new Failure("unavailable", "disk_space: too little room to write the event store anew.");
}

/** How often is looked whether a generation is read no more, in milliseconds. */
const UNREAD_POLL_MS = 10;

/** Knows which generations are read, on connections that all begin with the `first`. */
export function readersOf(first: number) {
  const current = new WeakMap<DuckDBConnection, number>();
  const counts = new Map<number, number>();
  const count = (generation: number, by: number) =>
    counts.set(generation, (counts.get(generation) ?? 0) + by);
  const holding = async <T>(generation: number, work: () => Promise<T>) => {
    count(generation, 1);
    try {
      return await work();
    } finally {
      count(generation, -1);
    }
  };
  return {
    holding,
    isHeld: () => [...counts.values()].some((held) => held > 0),
    during: <T>(connection: DuckDBConnection, generation: number, work: () => Promise<T>) =>
      holding(generation, async () => {
        if ((current.get(connection) ?? first) !== generation) {
          await connection.run(`USE ${catalog(generation)}`);
          current.set(connection, generation);
        }
        return await work();
      }),
    async unread(generation: number): Promise<void> {
      while ((counts.get(generation) ?? 0) > 0) await Bun.sleep(UNREAD_POLL_MS);
    },
  };
}

/** Makes a file, or the names in a directory, survive a power cut. */
function sync(path: string): void {
  // Windows cannot open a directory, and NTFS journals its names.
  if (process.platform === "win32" && !path.endsWith(".duckdb")) return;
  const file = openSync(path, path.endsWith(".duckdb") ? "r+" : "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
