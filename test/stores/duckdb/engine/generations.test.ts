import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { openDuckdb, rows } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import {
  currentGeneration,
  type Names,
  type Part,
} from "../../../../src/stores/duckdb/engine/generations.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";

const NAMES: [string, string[], number, string[]][] = [
  ["nothing at all", [], 1, []],
  ["one file", ["1.duckdb", "1.duckdb.wal"], 1, ["1.duckdb", "1.duckdb.wal"]],
  [
    "a draft that a kill left",
    ["3.duckdb", "3.duckdb.wal", "draft.duckdb", "draft.duckdb.wal"],
    3,
    ["3.duckdb", "3.duckdb.wal"],
  ],
  [
    "the old file beside the new one",
    ["9.duckdb", "9.duckdb.wal", "10.duckdb", "10.duckdb.wal"],
    10,
    ["10.duckdb", "10.duckdb.wal"],
  ],
  ["the log alone of an old file", ["1.duckdb.wal", "2.duckdb"], 2, ["2.duckdb"]],
  ["the log alone of the last file", ["3.duckdb.wal"], 3, ["3.duckdb.wal"]],
  ["the log alone of a later file", ["1.duckdb", "3.duckdb.wal"], 1, ["1.duckdb"]],
  [
    "files of others",
    ["1.duckdb", "2.duckdb.bak", "notes"],
    1,
    ["1.duckdb", "2.duckdb.bak", "notes"],
  ],
];

test.each(NAMES)("of %s, the highest whole file is the current one", (_, names, current, left) => {
  using place = temporaryDirectory();
  const directory = join(place.path, "events");
  mkdirSync(directory);
  for (const name of names) writeFileSync(join(directory, name), name);
  expect(currentGeneration(directory)).toBe(current);
  expect(readdirSync(directory).toSorted()).toEqual(left.toSorted());
});

test("without a directory the first one is the current one", () => {
  using place = temporaryDirectory();
  expect(currentGeneration(join(place.path, "events"))).toBe(1);
});

/** A statement that finds no memory so many times on a connection. */
function failing(connection: DuckDBConnection, statement: string, times: number): void {
  const run = connection.run.bind(connection);
  let left = times;
  connection.run = (sql: string, ...rest: []) => {
    if (sql !== statement || left === 0) return run(sql, ...rest);
    left -= 1;
    throw new Error("Out of Memory Error: could not allocate block");
  };
}

const COMMIT_FAILED =
  "TransactionContext Error: Failed to commit: failed to pin block of size 256.0 KiB";

const CHECKPOINT_FAILED = `TransactionContext Error: Failed to commit: Checkpoint failed for database \
"draft". The database has been invalidated. Original error: `;
const BLOCK = "could not allocate block of size 256.0 KiB (122.0 MiB/122.0 MiB used)";

test.each([
  ["an error", "the disk is gone", 1],
  ["a commit of its own that found no memory", COMMIT_FAILED, 2],
  ["a checkpoint of its own that found no memory", `${CHECKPOINT_FAILED}${BLOCK}`, 2],
])(
  "a staging file that ends with %s is removed, repeated if memory was short, and blocks no others",
  async (_, said, begun) => {
    using place = temporaryDirectory();
    const fatal: Error[] = [];
    const duckdb = await openDuckdb({
      ...{ directory: place.path, generation: 1, memory_bytes: 128e6, threads: 2 },
      onFatal: (error) => fatal.push(error),
    });
    const names = () =>
      readdirSync(join(place.path, "events")).filter((name) => /draft/.test(name));
    const nothing = async () => {};
    let count = 0;
    const rewriting = {
      ...{ begin: nothing, catchUp: nothing, prepareSwap: nothing, done: nothing },
      copy: async (connection: DuckDBConnection) => {
        count += 1;
        failing(connection, "USE memory", 2);
        throw new Error(said);
      },
    };

    const failed = await duckdb.rewrite(rewriting).catch((error: Error) => error.message);

    expect(failed).toMatch(begun === 1 ? /^the disk is gone$/ : /^memory: /);
    expect([count, fatal, names()]).toEqual([begun, [], []]);
    const attached = await duckdb.read((connection) =>
      rows(
        connection,
        "SELECT database_name FROM duckdb_databases() WHERE database_name = 'draft'",
      ),
    );
    expect(attached).toEqual([]);
    await duckdb.rewrite({ ...rewriting, copy: async () => true });
    expect(duckdb.generation()).toBe(2);
    await duckdb.close();
  },
);

/** Lowers the limit to what is in use; less is refused. */
async function leaveNoMemory(run: (sql: string) => Promise<unknown>): Promise<void> {
  for (let mb = 1; mb < 128; mb += 1) {
    const isTaken = await run(`SET memory_limit = '${mb}MB'`).then(
      () => true,
      () => false,
    );
    if (isTaken) return;
  }
}

/** Fills the draft, and has the next checkpoint of it find no memory. */
async function starving(connection: DuckDBConnection, { to }: Names): Promise<void> {
  await connection.run(`CREATE TABLE ${to}.many (number BIGINT, text VARCHAR)`);
  for (let times = 0; times < 20; times += 1) {
    await connection.run(`INSERT INTO ${to}.many
      SELECT range, md5(range::VARCHAR) || md5((-range)::VARCHAR) FROM range(20_000)`);
  }
  const run = connection.run.bind(connection);
  connection.run = async (sql: string, ...rest: []) => {
    if (sql === "CHECKPOINT draft") await leaveNoMemory(run);
    return await run(sql, ...rest);
  };
}

test("a draft whose checkpoint finds no memory is thrown away, and only that", async () => {
  using place = temporaryDirectory();
  const fatal: Error[] = [];
  const duckdb = await openDuckdb({
    ...{ directory: place.path, generation: 1, memory_bytes: 128e6, threads: 1 },
    onFatal: (error) => fatal.push(error),
  });
  const nothing = async () => {};
  const attempts: string[][] = [];
  const rewriting = {
    ...{ begin: nothing, catchUp: nothing, prepareSwap: nothing, done: nothing },
    copy: async (connection: DuckDBConnection, names: Names) => {
      const sql = `SELECT table_name AS name FROM duckdb_tables() WHERE database_name = $to`;
      const tables = await rows(connection, sql, { to: names.to });
      attempts.push(tables.map(({ name }) => String(name)).filter((name) => name === "many"));
      if (attempts.length === 1) await starving(connection, names);
      return true;
    },
  };

  await duckdb.rewrite(rewriting);

  expect([attempts, fatal, duckdb.generation()]).toEqual([[[], []], [], 2]);
  await duckdb.write((connection) => connection.run("CREATE TABLE later (number INTEGER)"));
  await duckdb.checkpoint();
  expect(fatal).toEqual([]);
  await duckdb.close();
});

test.each([
  ["for good", "readOnNewConnection", 1],
  ["so that they read again", "readForOthers", 2],
] as const)(
  "a part of a rewrite interrupts reads that hold the memory it lacks, %s",
  async (_, read, expected) => {
    using place = temporaryDirectory();
    const duckdb = await openDuckdb({
      ...{ directory: place.path, generation: 1, memory_bytes: 128e6, threads: 1 },
      onFatal: () => {},
    });
    const nothing = async () => {};
    const log: string[] = [];
    const reading = Promise.withResolvers<void>();
    let times = 0;
    const asked = duckdb[read](async (connection) => {
      times += 1;
      reading.resolve();
      if (times > 1) return;
      await connection.run(
        "SELECT sum(hash(a.range + b.range)) FROM range(100_000) a, range(1_000_000) b",
      );
    }).then(nothing, ({ message }) => message);
    await reading.promise;
    const rewriting = {
      ...{ begin: nothing, prepareSwap: nothing, done: nothing },
      copy: async (connection: DuckDBConnection, { to }: Names, part: Part) => {
        log.push("copy");
        await connection.run(`CREATE TABLE ${to}.copied (number INTEGER)`);
        failing(connection, "SELECT 1", 1);
        await part(async () => {
          await connection.run(`INSERT INTO ${to}.copied VALUES (1)`);
          log.push("part");
          await connection.run("SELECT 1");
        });
        return true;
      },
      catchUp: async (connection: DuckDBConnection, { to }: Names, part: Part) => {
        log.push(JSON.stringify(await part(() => rows(connection, `FROM ${to}.copied`))));
      },
    };

    await duckdb.rewrite(rewriting);
    const ended = expect.stringContaining("needed its memory");
    const said = await asked;
    expect([times, said]).toEqual([expected, expected === 1 ? ended : undefined]);
    expect(log).toEqual(["copy", "part", "part", '[{"number":1}]']);
    expect(duckdb.generation()).toBe(2);
    await duckdb.close();
  },
);
