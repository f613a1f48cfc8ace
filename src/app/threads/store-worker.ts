import { fullGC } from "bun:jsc";
import { join } from "node:path";
import { batches } from "../../core/ingest/batches.ts";
import { dedupWindow } from "../../core/ingest/dedup-window.ts";
import { DEDUP_DIRECTORY, dedupRuns } from "../../stores/dedup/runs.ts";
import { LOADS_DIRECTORY, ROW_GROUP_ROWS } from "../../stores/duckdb/engine/duckdb.ts";
import { nodeDisk } from "../../stores/files/disk.ts";
import { journalGaps, journalReader } from "../../stores/journal/reader.ts";
import { loadFiles } from "../../stores/loads/loads.ts";
import { type LogFormat, openLog } from "../process/log.ts";
import { lowerThreadPriority } from "../process/priority.ts";
import { RECORDS } from "../records.ts";
import { serve } from "./rpc.ts";

/** Paths and settings of the store worker. */
export type WriterOptions = {
  /** The data directory, the path of the records in it, and the directory of the journal. */
  directory: string;
  records: string;
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
  const path = options.records;
  const records = RECORDS.openWrites(path, {
    log,
    end(error) {
      log.error(`${path} is damaged; ending. ${RECORDS.recoveryAdvice(path)}`, { error });
      // An error that nothing catches ends the thread, and with it the process.
      setTimeout(() => {
        throw new Error(`${path} is damaged`);
      });
    },
  });
  const read = { directory: options.journal, disk: nodeDisk };
  const journal = journalReader({
    ...read,
    onCorrupt: (part) => log.error("quarantined corrupt journal data", part),
  });
  return {
    ...records.writes,
    // Corrupt data is reported once, when a batch reads it.
    journalGaps: journalGaps(journalReader({ ...read, onCorrupt: () => {} }), read),
    batches: batches({
      journal,
      persons: records.writes.persons,
      files: loadFiles(join(directory, LOADS_DIRECTORY), ROW_GROUP_ROWS),
      dedup: dedupWindow({
        ...{ windowMs, log, runs: dedupRuns(join(directory, DEDUP_DIRECTORY)) },
        seed: crypto.getRandomValues(new Uint32Array(2)),
      }),
      collectGarbage: fullGC,
      release() {
        records.release();
        Bun.gc(true);
      },
    }),
    writer: {
      async open(_options: WriterOptions): Promise<void> {},
      async close(): Promise<void> {
        journal.close();
        records.close();
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
