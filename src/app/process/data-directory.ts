import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  type Stats,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { isDiskFull } from "../../core/values/failure.ts";

/** A data directory that cannot be used; the message is a sentence that says what to do. */
export class DataError extends Error {}

/** A data directory that another process is using. */
export class LockedError extends DataError {}

/** What an unused data directory may hold: what file systems and people put there. */
const MAY_BE_THERE = /^(\..*|lost\+found|hoglet\.toml)$/;

/** What makes a directory ours: the lock is the first file in it. */
const OURS = ["lock.db", "hoglet.sqlite"];

/** Whether the directory is ours already. Throws DataError if it cannot be read. */
export function isUsed(path: string): boolean {
  return namesIn(path).some((name) => OURS.includes(name));
}

/** Throws DataError if nobody has used the directory yet; it makes nothing. */
export function expectUsed(path: string): void {
  if (isUsed(path)) return;
  throw new DataError(
    `There is no data directory of hoglet at ${path}. Give --data another, or make one with hoglet serve.`,
  );
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw unusable(path, error);
  }
}

/**
 * Makes the data directory if it is absent, for its owner alone. It puts nothing into it: the
 * first file must be the lock, by which the next start knows the directory for its own.
 */
export function useDirectory(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const names = readdirSync(path);
    const used = names.some((name) => OURS.includes(name));
    if (!used && !names.every((name) => MAY_BE_THERE.test(name))) {
      throw new DataError(`${path} holds other files. Give --data a directory of its own.`);
    }
    chmodSync(path, 0o700);
    expectKinds(path);
    return path;
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw unusable(path, error);
  }
}

/** What is a directory in a data directory. */
const DIRECTORIES = ["archive", "engine", "events", "journal", "loads", "seen", "temp"];

/** What is a file, by the directory that it is in. */
const FILES: Record<string, RegExp> = {
  "": /^(lock\.db|hoglet\.sqlite(-wal|-shm)?|dead-letters\.ndjson|initial-key)$/,
  archive: /^archive\.json$/,
  events: /^\d+\.duckdb(\.wal)?$/,
  journal: /^\d+\.journal$/,
};

/**
 * Throws DataError if something else is where a file or directory of ours should be, or is not for
 * this user: whoever opens a pipe waits for ever.
 */
function expectKinds(path: string): void {
  for (const name of namesIn(path).filter((found) => DIRECTORIES.includes(found))) {
    if (!kindOf(join(path, name))?.isDirectory()) throw notAs(join(path, name), "directory");
    expectAccess(join(path, name));
  }
  for (const [directory, files] of Object.entries(FILES)) {
    for (const name of namesIn(join(path, directory)).filter((found) => files.test(found))) {
      const file = join(path, directory, name);
      if (!kindOf(file)?.isFile()) throw notAs(file, "file");
      expectAccess(file);
    }
  }
}

/** What a path leads to; undefined if nowhere. */
function kindOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function expectAccess(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new DataError(
      `${path} cannot be read and written (${codeOf(error)}). Give it to the user that runs hoglet.`,
    );
  }
}

function notAs(path: string, kind: "directory" | "file"): DataError {
  return new DataError(`${path} is no ${kind}. Move it away, and put back what was there.`);
}

function unusable(path: string, error: unknown): DataError {
  return new DataError(
    `The data directory ${path} cannot be used (${codeOf(error)}). Make it a directory that this user can write, or give --data another.`,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** Opens a file of the data directory; what fails is told with the file's name and `advice`. */
export async function opened<T>(file: string, advice: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof DataError) throw error;
    // The name, because the class is lost between threads.
    if (error instanceof Error && error.name === "SchemaError") {
      throw new DataError(`${file} cannot be opened. ${error.message}`);
    }
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    const help = error instanceof Error && isDiskFull(error) ? "Free space on its disk." : advice;
    throw new DataError(`${file} cannot be opened: ${reason.replace(/[.!]*$/, "")}. ${help}`);
  }
}
