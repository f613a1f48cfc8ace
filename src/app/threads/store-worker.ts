import { fullGC } from "bun:jsc";
import { join } from "node:path";
import { batches } from "../../core/ingest/batches.ts";
import { dedupWindow } from "../../core/ingest/dedup-window.ts";
import { DEDUP_DIRECTORY, dedupRuns } from "../../stores/dedup/runs.ts";
import { LOADS_DIRECTORY, ROW_GROUP_ROWS } from "../../stores/duckdb/engine/duckdb.ts";
import { nodeDisk } from "../../stores/files/disk.ts";
import { journalGaps, journalReader } from "../../stores/journal/reader.ts";
import { loadFiles } from "../../stores/loads/loads.ts";
import { keyWrites, projectWrites, userWrites } from "../../stores/sqlite/access.ts";
import { annotationWrites } from "../../stores/sqlite/annotations.ts";
import { endingIfDamaged, recoveryAdvice } from "../../stores/sqlite/damage.ts";
import { dashboardWrites } from "../../stores/sqlite/dashboards.ts";
import { definitionWrites } from "../../stores/sqlite/definitions.ts";
import { deletionRunWrites } from "../../stores/sqlite/deletions.ts";
import { insightWrites } from "../../stores/sqlite/insights.ts";
import { personWrites } from "../../stores/sqlite/persons/writes.ts";
import { playlistWrites } from "../../stores/sqlite/playlists.ts";
import { endSessionsOfCopy, sessionWrites } from "../../stores/sqlite/sessions.ts";
import { openSqlite } from "../../stores/sqlite/sqlite.ts";
import { type LogFormat, openLog } from "../process/log.ts";
import { lowerThreadPriority } from "../process/priority.ts";
import { serve } from "./rpc.ts";

/** Paths and settings of the store worker. */
export type WriterOptions = {
  /** The data directory. */
  directory: string;
  sqlite: string;
  journal: string;
  windowMs: number;
  logFormat: LogFormat;
};

/**
 * Opens the stores of the store worker, which has the only connection that writes to SQLite. It is a thread of
 * its own, because bun:sqlite is synchronous (decision 3).
 */
export function openWriter(options: WriterOptions) {
  const { directory, windowMs } = options;
  const log = openLog({ format: options.logFormat, now: Date.now });
  const sqlite = openSqlite(options.sqlite);
  const sessions = endSessionsOfCopy(sqlite);
  if (sessions > 0) {
    log.warn("hoglet.sqlite is a copy, as a restore makes it; all sessions are ended", {
      sessions,
    });
  }
  const persons = endingIfDamaged(personWrites(sqlite), (error) => {
    const advice = recoveryAdvice(options.sqlite);
    log.error(`${options.sqlite} is damaged; ending. ${advice}`, { error });
    // An error that nothing catches ends the thread, and with it the process.
    setTimeout(() => {
      throw new Error(`${options.sqlite} is damaged`);
    });
  });
  const read = { directory: options.journal, disk: nodeDisk };
  const journal = journalReader({
    ...read,
    onCorrupt: (part) => log.error("quarantined corrupt journal data", part),
  });
  return {
    deletionRuns: deletionRunWrites(sqlite),
    annotations: annotationWrites(sqlite),
    dashboards: dashboardWrites(sqlite),
    definitions: definitionWrites(sqlite),
    insights: insightWrites(sqlite),
    // Corrupt data is reported once, when a batch reads it.
    journalGaps: journalGaps(journalReader({ ...read, onCorrupt: () => {} }), read),
    keys: keyWrites(sqlite),
    persons,
    playlists: playlistWrites(sqlite),
    projects: projectWrites(sqlite),
    batches: batches({
      journal,
      persons,
      files: loadFiles(join(directory, LOADS_DIRECTORY), ROW_GROUP_ROWS),
      dedup: dedupWindow({
        ...{ windowMs, log, runs: dedupRuns(join(directory, DEDUP_DIRECTORY)) },
        seed: crypto.getRandomValues(new Uint32Array(2)),
      }),
      collectGarbage: fullGC,
      release() {
        sqlite.release();
        Bun.gc(true);
      },
    }),
    sessions: sessionWrites(sqlite),
    users: userWrites(sqlite),
    writer: {
      async open(_options: WriterOptions): Promise<void> {},
      async close(): Promise<void> {
        journal.close();
        try {
          // Prepared statements keep the connection open, so closing it would not empty the write-ahead log.
          sqlite.raw.run("PRAGMA wal_checkpoint(TRUNCATE)");
        } catch (error) {
          // On a full disk the write-ahead log keeps its content, as after a kill.
          log.warn("checkpoint of hoglet.sqlite failed; its write-ahead log stays", { error });
        }
        sqlite.close();
      },
    },
  };
}

/** The API of the store worker. */
export type Writer = ReturnType<typeof openWriter>;

if (!Bun.isMainThread) {
  const api = {
    writer: {
      async open(options: WriterOptions) {
        lowerThreadPriority();
        Object.assign(api, openWriter(options));
      },
    },
  };
  serve(globalThis as unknown as Parameters<typeof serve>[0], api);
}
