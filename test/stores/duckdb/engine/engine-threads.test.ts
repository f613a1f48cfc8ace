import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import {
  runOnEngineThreads,
  trackQuery,
} from "../../../../src/stores/duckdb/engine/engine-threads.ts";

describe.each([1, 2, 3])("a statement that runs apart, where DuckDB has %d threads", (threads) => {
  let instance: DuckDBInstance;
  let connection: DuckDBConnection;

  beforeAll(async () => {
    instance = await DuckDBInstance.create(":memory:", { threads: String(threads) });
    connection = await instance.connect();
    await connection.run("CREATE TABLE numbers (n BIGINT NOT NULL)");
  });

  afterAll(() => instance.closeSync());

  const count = async () =>
    (await connection.runAndReadAll("SELECT count(*)::INTEGER FROM numbers")).getRows()[0]?.[0];

  test("is over when it resolves", async () => {
    await runOnEngineThreads(
      connection,
      "INSERT INTO numbers FROM range(500000) ORDER BY hash(range)",
    );
    expect(await count()).toBe(500_000);
  });

  test("is of the connection's transaction", async () => {
    const before = await count();
    await connection.run("BEGIN TRANSACTION");
    await runOnEngineThreads(connection, "INSERT INTO numbers FROM range(30000)");
    await connection.run("ROLLBACK");
    expect(await count()).toBe(before);
  });

  test.each([
    ["before it runs", "INSERT INTO numbers SELECT nobody", "Binder Error"],
    [
      "while it runs",
      "INSERT INTO numbers SELECT (range || 'x')::BIGINT FROM range(90000)",
      "Conversion Error",
    ],
    [
      "by a constraint",
      "INSERT INTO numbers SELECT nullif(range, 80000) FROM range(90000)",
      "Constraint Error",
    ],
  ])("fails as it would otherwise, %s", async (_, sql, said) => {
    const plain = await connection.run(sql).then(String, String);
    const apart = await runOnEngineThreads(connection, sql).then(String, String);
    expect(plain).toContain(said);
    expect(apart).toBe(plain);
  });
});

test("a statement does not wait for a query that has all of DuckDB's own threads", async () => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
  const [connection, other] = [await instance.connect(), await instance.connect()];
  await connection.run("CREATE TABLE numbers AS FROM range(1_000_000) AS numbers(n)");
  let isOver = false;
  const reading = `SELECT max(md5(n::VARCHAR || m::VARCHAR)) FROM numbers, range(1000) AS more(m)`;
  const query = trackQuery(
    () => other.run(reading).catch(String),
    () => {},
  ).finally(() => {
    isOver = true;
  });
  // By then it has taken the threads.
  await Bun.sleep(200);

  await runOnEngineThreads(connection, "INSERT INTO numbers FROM range(30_000)");

  expect(isOver).toBe(false);
  other.interrupt();
  expect(await query).toContain("INTERRUPT");
  instance.closeSync();
});
