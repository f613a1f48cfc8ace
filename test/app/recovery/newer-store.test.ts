import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { DataError } from "../../../src/app/process/data-directory.ts";
import { BASELINE_VERSION } from "../../../src/core/values/schema-version.ts";
import { openDuckdb } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { DUCKDB_MIGRATIONS } from "../../../src/stores/duckdb/migrations/index.ts";
import { SQLITE_MIGRATIONS } from "../../../src/stores/sqlite/migrations/index.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { segments } from "../../support/disk/journal.ts";
import { temporaryDirectory, testApp } from "../../support/start/app.ts";

/** Makes a store newer and returns the path that the start names. */
type MakeNewer = (data: string) => Promise<string>;

const persons: MakeNewer = async (data) => {
  const path = join(data, "hoglet.sqlite");
  const sqlite = new Database(path);
  sqlite.run("PRAGMA user_version = 999");
  sqlite.close();
  return path;
};

const events: MakeNewer = async (data) => {
  const options = { generation: 1, memory_bytes: 256_000_000, threads: 1, onFatal: () => {} };
  const duckdb = await openDuckdb({ directory: data, ...options });
  await duckdb.write(async (connection) => {
    await connection.run("UPDATE migration SET version = 999");
  });
  await duckdb.close();
  return join(data, "events", "1.duckdb");
};

const archive: MakeNewer = async (data) => {
  const path = join(data, "archive", "archive.json");
  const marker = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...marker, version: 999 }));
  return join(data, "archive");
};

const journal: MakeNewer = async (data) => {
  const directory = join(data, "journal");
  const path = join(directory, segments(directory)[0] ?? "");
  const bytes = readFileSync(path);
  bytes.writeUInt32LE(999, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 12)), 12);
  writeFileSync(path, bytes);
  return directory;
};

/** The version of a schema after all of its changes. */
const lastOf = (migrations: readonly string[]) => BASELINE_VERSION + migrations.length - 1;

test.each([
  ["the person store", persons, `schema 999, this one knows ${lastOf(SQLITE_MIGRATIONS)}`],
  ["the event store", events, `schema 999, this one knows ${lastOf(DUCKDB_MIGRATIONS)}`],
  ["the archive", archive, "format 999, this one knows 1"],
  ["the journal", journal, "format 999, this one knows 1"],
])("a start on data of a newer version says only that: %s", async (_, makeNewer, versions) => {
  using directory = temporaryDirectory();
  const data = directory.path;
  const app = await testApp({ data });
  await app.capture(batch(event()));
  await app[Symbol.asyncDispose]();
  const path = await makeNewer(data);

  const said: unknown = await testApp({ data }).catch((error: unknown) => error);

  const message = `${path} cannot be opened. It was written by a newer version (${versions}). Run that version.`;
  expect(said).toBeInstanceOf(DataError);
  expect(said).toHaveProperty("message", message);
});
