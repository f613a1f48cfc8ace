import type { Database } from "bun:sqlite";
import { dirname } from "node:path";
import { Failure } from "../../core/values/failure.ts";
import { volumeOf } from "../files/volume.ts";

/** Disk space of a rewrite, as a multiple of the used pages: a copy in a file, and one in the log. */
const ROOM = 2.1;

/** Pages that are kept in memory meanwhile, of the file and of its copy each, in KiB: more is not faster. */
const CACHE_KIB = 8192;

/** How often the write-ahead log is tried to be emptied, and how long in between (milliseconds). */
const TRUNCATE_TRIES = 200;
const TRUNCATE_WAIT_MS = 50;

/**
 * Writes the whole file again and frees its unused space. A split page keeps copies of rows that moved to
 * another, and `secure_delete` overwrites only rows: 22 of 7,200 deleted values could be read in such gaps.
 * Reads go on meanwhile; this thread does nothing else. A kill leaves the file as it was. Fails
 * `unavailable` without the room for it.
 */
export async function rewriteFile(raw: Database): Promise<void> {
  await truncateLog(raw);
  const directory = dirname(raw.filename);
  expectRoom(raw, directory);
  const cached = pragma(raw, "cache_size");
  try {
    raw.run(`PRAGMA cache_size = -${CACHE_KIB}`);
    // The copy would be in memory else, and elsewhere than with all other data.
    raw.run("PRAGMA temp_store = FILE");
    raw.run(`PRAGMA temp_store_directory = '${directory.replaceAll("'", "''")}'`);
    raw.run("VACUUM");
  } finally {
    raw.run("PRAGMA temp_store = MEMORY");
    raw.run(`PRAGMA cache_size = ${cached}`);
  }
  await truncateLog(raw);
}

function expectRoom(raw: Database, directory: string): void {
  const pages = pragma(raw, "page_count") - pragma(raw, "freelist_count");
  const used = pages * pragma(raw, "page_size");
  const free = volumeOf(directory)?.free ?? Number.POSITIVE_INFINITY;
  if (free > used * ROOM) return;
  throw new Failure("unavailable", "disk_space: too little space to rewrite the person store.");
}

function pragma(raw: Database, name: string): number {
  return Number(Object.values(raw.query<object, []>(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** Moves the write-ahead log into the file and cuts it to nothing; readers may be in the way. */
async function truncateLog(raw: Database): Promise<void> {
  for (let tries = 0; tries < TRUNCATE_TRIES; tries++) {
    const [result] = raw.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").all();
    if (result?.busy === 0) return;
    await Bun.sleep(TRUNCATE_WAIT_MS);
  }
  throw new Error("The write-ahead log of hoglet.sqlite cannot be emptied");
}
