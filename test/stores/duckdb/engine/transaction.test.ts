import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { transaction } from "../../../../src/stores/duckdb/engine/transaction.ts";

let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
  await connection.run("CREATE TABLE numbers (n INTEGER)");
});

afterAll(() => instance.closeSync());

const NO_MEMORY = "Out of Memory Error: could not allocate block";

/** The connection, on which a statement finds no memory so many times, before or after it is carried out. */
function withoutMemory(
  statement: string,
  times: number,
  when: "before" | "after",
  said = NO_MEMORY,
) {
  let left = times;
  return new Proxy(connection, {
    get(target, name) {
      if (name !== "run") return Reflect.get(target, name);
      return async (sql: string) => {
        const fails = sql === statement && left > 0;
        if (fails) left -= 1;
        if (!fails || when === "after") await target.run(sql);
        if (fails) throw new Error(said);
      };
    },
  });
}

const add = (n: number) => async (on: DuckDBConnection) => {
  await on.run(`INSERT INTO numbers VALUES (${n})`);
};

const numbers = async () =>
  (await connection.runAndReadAll("SELECT n FROM numbers ORDER BY n")).getRows().flat();

test.each([
  ["for want of memory", NO_MEMORY],
  ["because it was interrupted", "INTERRUPT Error: Interrupted!"],
])("a transaction that cannot be rolled back %s is rolled back later", async (_, said) => {
  const failing = async (on: DuckDBConnection) => {
    await add(1)(on);
    await on.run("SELECT nothing");
  };
  const failed = await transaction(withoutMemory("ROLLBACK", 3, "before", said), failing).catch(
    String,
  );

  expect(failed).toContain("Binder Error");
  await transaction(connection, add(2));
  expect(await numbers()).toEqual([2]);
  await connection.run("DELETE FROM numbers");
});

test("a transaction that began and found no memory is ended", async () => {
  const begun = withoutMemory("BEGIN TRANSACTION", 1, "after");
  expect(await transaction(begun, add(3)).catch(String)).toContain(NO_MEMORY);

  await transaction(connection, add(4));
  expect(await numbers()).toEqual([4]);
});

test("a commit that was carried out stays, though it failed", async () => {
  const committed = withoutMemory("COMMIT", 1, "after");
  expect(await transaction(committed, add(5)).catch(String)).toContain(NO_MEMORY);

  await transaction(connection, add(6));
  expect(await numbers()).toEqual([4, 5, 6]);
});
