import type { Database } from "bun:sqlite";
import { dirname } from "node:path";
import { Failure } from "../../core/values/failure.ts";
import { volumeOf } from "../files/volume.ts";

/** Free disk space for a rewrite, as a multiple of the used pages: one copy in a file, one in the log. */
const FREE_SPACE_FACTOR = 2.1;

/** Cache of the file, and of its copy, during the rewrite, in KiB. A larger one is not faster. */
const CACHE_KIB = 8192;

/** Attempts to empty the write-ahead log, and the pause between them in milliseconds. */
const TRUNCATE_TRIES = 200;
const TRUNCATE_WAIT_MS = 50;

/**
 * Writes the whole file again, and frees its unused space. Without it, unused space may keep deleted values:
 * `secure_delete` overwrites deleted rows, but not the copies that a split page keeps of rows that moved. 22
 * of 7,200 deleted values could be read there. Reads go on meanwhile, and this thread is blocked. A kill
 * leaves the file as it was. Fails `unavailable` if there is too little disk space.
 */
export async function rewriteFile(raw: Database): Promise<void> {
  await truncateLog(raw);
  const directory = dirname(raw.filename);
  expectFreeSpace(raw, directory);
  const cached = pragma(raw, "cache_size");
  try {
    raw.run(`PRAGMA cache_size = -${CACHE_KIB}`);
    // By default the copy would be in memory, or in a file outside of the data directory.
    raw.run("PRAGMA temp_store = FILE");
    raw.run(`PRAGMA temp_store_directory = '${directory.replaceAll("'", "''")}'`);
    raw.run("VACUUM");
  } finally {
    raw.run("PRAGMA temp_store = MEMORY");
    raw.run(`PRAGMA cache_size = ${cached}`);
  }
  await truncateLog(raw);
}

function expectFreeSpace(raw: Database, directory: string): void {
  const pages = pragma(raw, "page_count") - pragma(raw, "freelist_count");
  const used = pages * pragma(raw, "page_size");
  const free = volumeOf(directory)?.free ?? Number.POSITIVE_INFINITY;
  if (free > used * FREE_SPACE_FACTOR) return;
  throw new Failure("unavailable", "disk_space: too little space to rewrite the person store.");
}

function pragma(raw: Database, name: string): number {
  return Number(Object.values(raw.query<object, []>(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** Moves the write-ahead log into the file and empties it. It repeats this while readers prevent it. */
async function truncateLog(raw: Database): Promise<void> {
  for (let tries = 0; tries < TRUNCATE_TRIES; tries++) {
    const [result] = raw.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").all();
    if (result?.busy === 0) return;
    await Bun.sleep(TRUNCATE_WAIT_MS);
  }
  throw new Error("The write-ahead log of hoglet.sqlite cannot be emptied");
}
