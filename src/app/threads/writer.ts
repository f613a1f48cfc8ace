import { fullGC } from "bun:jsc";
import { join } from "node:path";
import { seenWindow } from "../../core/ingest/dedup-window.ts";
import { slices } from "../../core/ingest/slices.ts";
import { SEEN_DIRECTORY, seenRuns } from "../../stores/dedup/runs.ts";
import { LOADS_DIRECTORY, ROW_GROUP_ROWS } from "../../stores/duckdb/engine/duckdb.ts";
import { nodeDisk } from "../../stores/files/disk.ts";
import { journalHoles } from "../../stores/journal/holes.ts";
import { journalReader } from "../../stores/journal/reader.ts";
import { loadFiles } from "../../stores/loads/loads.ts";
import { deletionRunWrites } from "../../stores/sqlite/deletion-runs.ts";
import { insightWrites } from "../../stores/sqlite/insights.ts";
import { keyWrites } from "../../stores/sqlite/keys.ts";
import { personWrites } from "../../stores/sqlite/persons/writes.ts";
import { playlistWrites } from "../../stores/sqlite/playlists.ts";
import { projectWrites } from "../../stores/sqlite/projects.ts";
import { openSqlite } from "../../stores/sqlite/sqlite.ts";
import { userWrites } from "../../stores/sqlite/users.ts";
import { type LogFormat, openLog } from "../process/log.ts";
import { giveWay } from "../process/priority.ts";
import { serve } from "./calls.ts";

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
