import type { Database } from "bun:sqlite";
import { dirname } from "node:path";
import { READERS } from "../../core/erasure/deletion.ts";
import { Failure } from "../../core/values/failure.ts";
import { volumeOf } from "../files/volume.ts";

/** Free disk space for a rewrite, as a multiple of the used pages: one copy in a file, one in the log. */
const FREE_SPACE_FACTOR = 2.1;

/** Cache of the file, and of its copy, during the rewrite, in KiB. A larger one is not faster. */
const CACHE_KIB = 8192;

/**
 * Writes the whole file again, and frees its unused space. Without it, unused space may keep deleted values:
 * `secure_delete` overwrites deleted rows, but not the copies that a split page keeps of rows that moved. 22
 * of 7,200 deleted values could be read there. Reads go on meanwhile, and this thread is blocked. A kill
 * leaves the file as it was. Fails `unavailable` if there is too little disk space, and as `truncateLog` does.
 */
export function rewriteFile(raw: Database): void {
  truncateLog(raw);
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
  truncateLog(raw);
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

/**
 * Moves the write-ahead log into the file and empties it. Fails `unavailable` while another connection reads: a wait
 * here would stop ingest, whose changes of persons are written by this thread.
 */
export function truncateLog(raw: Database): void {
  const timeout = pragma(raw, "busy_timeout");
  try {
    raw.run("PRAGMA busy_timeout = 0");
    const [result] = raw.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").all();
    if (result?.busy === 0) return;
  } finally {
    raw.run(`PRAGMA busy_timeout = ${timeout}`);
  }
  throw new Failure("unavailable", READERS);
}
