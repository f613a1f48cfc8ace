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
  expect(await versions(first)).toEqual([100]);
  await first.close();

  const migrations = [...DUCKDB_MIGRATIONS, "CREATE TABLE made_up (id INTEGER)"];
  await (await openDuckdb({ ...options(directory.path), migrations })).close();
  const again = await openDuckdb({ ...options(directory.path), migrations });

  expect(await versions(again)).toEqual([100, 101]);
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
