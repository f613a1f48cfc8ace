import { expect, test } from "bun:test";
import { openDuckdb, rows } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { DUCKDB_MIGRATIONS } from "../../../src/stores/duckdb/migrations/index.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

const options = (directory: string) => ({
  directory,
  generation: 1,
  memory_bytes: 256_000_000,
  threads: 1,
  onFatal: (error: Error) => expect(error).toBeUndefined(),
});

const versions = async (duckdb: Awaited<ReturnType<typeof openDuckdb>>) =>
  (await duckdb.read((connection) => rows(connection, "SELECT version FROM migration"))).map(
    ({ version }) => version,
  );

test("a later migration of the event store runs once, also where the file is written again", async () => {
  using directory = temporaryDirectory();
  const first = await openDuckdb(options(directory.path));
  expect(await versions(first)).toEqual([100, 101]);
  await first.close();

  const migrations = [...DUCKDB_MIGRATIONS, "CREATE TABLE made_up (id INTEGER)"];
  await (await openDuckdb({ ...options(directory.path), migrations })).close();
  const again = await openDuckdb({ ...options(directory.path), migrations });

  expect(await versions(again)).toEqual([100, 101, 102]);
  expect(await again.read((connection) => rows(connection, "FROM made_up"))).toEqual([]);
  await again.close();
});

test.each([
  ["a build before the first release", 11, /before the first release/],
  ["a newer version", 999, /newer version/],
])("an event store of %s is refused with a sentence", async (_, version, message) => {
  using directory = temporaryDirectory();
  const first = await openDuckdb(options(directory.path));
  await first.write(async (connection) => {
    await connection.run(`UPDATE migration SET version = ${version}`);
  });
  await first.close();

  await expect(openDuckdb(options(directory.path))).rejects.toThrow(message);
});

test("the second migration knows what rows omit, and has the persons copied again", async () => {
  using directory = temporaryDirectory();
  const [baseline = ""] = DUCKDB_MIGRATIONS;
  const older = await openDuckdb({ ...options(directory.path), migrations: [baseline] });
  await older.write(async (connection) => {
    await connection.run(`INSERT INTO events BY NAME SELECT 1 AS project_id, 1 AS seq, uuid() AS uuid, 'saved' AS event,
      'ann' AS distinct_id, uuid() AS person_id, now()::TIMESTAMP AS "timestamp", now()::TIMESTAMP AS ingested_at,
      '{"n":1}' AS properties, '{"n":1,"text":"long","$session_id":"s1"}' AS whole_properties`);
    await connection.run("INSERT INTO groups VALUES (1, 0, 'acme', now()::TIMESTAMP, '{}')");
    await connection.run("UPDATE meta SET value = 7");
  });
  await older.close();

  const now = await openDuckdb(options(directory.path));
  const found = (sql: string) => now.read((connection) => rows(connection, sql));
  expect(await found("SELECT kind, owner, name FROM omitted_properties ORDER BY name")).toEqual(
    ["$session_id", "text"].map((name) => ({ kind: "event", owner: "saved", name })),
  );
  expect(await found('SELECT "$session_id" AS id FROM events')).toEqual([{ id: "s1" }]);
  expect(await found("FROM groups")).toEqual([]);
  expect(await found("SELECT key, value::INTEGER AS value FROM meta ORDER BY key")).toEqual([
    { key: "applied_seq", value: 7 },
    { key: "mirror_version", value: 0 },
  ]);
  await now.close();
});
