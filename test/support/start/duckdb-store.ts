import { join } from "node:path";
import { openDuckdb, ROW_GROUP_ROWS, rows } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { eventStore } from "../../../src/stores/duckdb/events/store.ts";
import { loadFiles } from "../../../src/stores/loads/loads.ts";
import { temporaryDirectory } from "./app.ts";

const MEMORY_BYTES = 256_000_000;

type EngineOptions = Parameters<typeof openDuckdb>[0];

/** Opens DuckDB in a directory, by default with 128 MB and two threads. An error that is fatal fails the test. */
export function testDuckdb(directory: string, options: Partial<EngineOptions> = {}) {
  return openDuckdb({
    ...{ directory, generation: 1, memory_bytes: 128_000_000, threads: 2 },
    onFatal(error) {
      throw error;
    },
    ...options,
  });
}

/** An empty event store on DuckDB in a temporary directory, and the files of its loads. */
export async function duckdbStore() {
  const data = temporaryDirectory();
  const archiveDirectory = join(data.path, "archive");
  const duckdb = await testDuckdb(data.path, { archiveDirectory, memory_bytes: MEMORY_BYTES });
  const deadLetters = join(data.path, "dead-letters.ndjson");
  return {
    duckdb,
    store: eventStore(duckdb, deadLetters),
    deadLetters,
    archiveDirectory,
    files: loadFiles(join(data.path, "loads"), ROW_GROUP_ROWS),
    query(sql: string) {
      return this.duckdb.read((connection) => rows(connection, sql));
    },
    /** Closes the store and opens it with so much memory. */
    async reopen(memory_bytes = MEMORY_BYTES) {
      await this.duckdb.close();
      this.duckdb = await testDuckdb(data.path, { archiveDirectory, memory_bytes });
      this.store = eventStore(this.duckdb, deadLetters);
    },
    async [Symbol.asyncDispose]() {
      await this.duckdb.close();
      data[Symbol.dispose]();
    },
  };
}
