import { fullGC } from "bun:jsc";
import { join } from "node:path";
import { type LogFormat, openLog } from "./log.ts";
import { giveWay } from "./priority.ts";
import { serve } from "./remote.ts";
import { seenWindow } from "./services/seen.ts";
import { slices } from "./services/slices.ts";
import { deletionRunWrites } from "./storage/deletion-runs.ts";
import { nodeDisk } from "./storage/disk.ts";
import { LOADS_DIRECTORY, ROW_GROUP_ROWS } from "./storage/duckdb.ts";
import { insightWrites } from "./storage/insights.ts";
import { journalHoles } from "./storage/journal-holes.ts";
import { journalReader } from "./storage/journal-reader.ts";
import { keyWrites } from "./storage/keys.ts";
import { loadFiles } from "./storage/loads.ts";
import { personWrites } from "./storage/persons.ts";
import { playlistWrites } from "./storage/playlists.ts";
import { projectWrites } from "./storage/projects.ts";
import { SEEN_DIRECTORY, seenRuns } from "./storage/seen-runs.ts";
import { openSqlite } from "./storage/sqlite.ts";
import { userWrites } from "./storage/users.ts";

/** Where the writer works. */
export type WriterOptions = {
  /** The data directory. */
  directory: string;
  sqlite: string;
  journal: string;
  windowMs: number;
  logFormat: LogFormat;
};

/**
 * The composition root of the thread that owns the only connection that writes to SQLite. It is
 * a thread of its own because bun:sqlite is synchronous (decision 3).
 */
export function openWriter(options: WriterOptions) {
  const { directory, windowMs } = options;
  const log = openLog({ format: options.logFormat, now: Date.now });
  const sqlite = openSqlite(options.sqlite);
  const persons = personWrites(sqlite);
  const read = { directory: options.journal, disk: nodeDisk };
  const journal = journalReader({
    ...read,
    onCorrupt: (part) => log.error("a corrupt part of the journal was set aside", part),
  });
  return {
    deletionRuns: deletionRunWrites(sqlite),
    insights: insightWrites(sqlite),
    // What is corrupt is told of when it is to be applied.
    journalHoles: journalHoles(journalReader({ ...read, onCorrupt: () => {} }), read),
    keys: keyWrites(sqlite),
    persons,
    playlists: playlistWrites(sqlite),
    projects: projectWrites(sqlite),
    slices: slices({
      journal,
      persons,
      files: loadFiles(join(directory, LOADS_DIRECTORY), ROW_GROUP_ROWS),
      seen: seenWindow({
        ...{ windowMs, log, runs: seenRuns(join(directory, SEEN_DIRECTORY)) },
        seed: crypto.getRandomValues(new Uint32Array(2)),
      }),
      collectGarbage: fullGC,
      release() {
        sqlite.release();
        Bun.gc(true);
      },
    }),
    users: userWrites(sqlite),
    writer: {
      async open(_options: WriterOptions): Promise<void> {},
      async close(): Promise<void> {
        journal.close();
        try {
          // Prepared statements keep the connection open, and with it the log beside the file.
          sqlite.raw.run("PRAGMA wal_checkpoint(TRUNCATE)");
        } catch (error) {
          // On a full disk the log keeps what it has, as after a kill.
          log.warn("the write-ahead log of hoglet.sqlite stays", { error });
        }
        sqlite.close();
      },
    },
  };
}

/** What the writer thread offers. */
export type Writer = ReturnType<typeof openWriter>;

if (!Bun.isMainThread) {
  const surface = {
    writer: {
      async open(options: WriterOptions) {
        giveWay();
        Object.assign(surface, openWriter(options));
      },
    },
  };
  serve(globalThis as unknown as Parameters<typeof serve>[0], surface);
}
