import { describe, expect, test } from "bun:test";
import { batchEvent, batchOf, loadOf } from "../../support/data/batches.ts";
import { FOREVER } from "../../support/data/build-records.ts";
import { sqlQuery } from "../../support/data/sql-query.ts";
import { EVENT_STORES, type Events } from "../stores.ts";

const LIMITS = { signal: FOREVER, rows: 10, bytes: 10_000 };

/** Stores two events of the project 1 and one of the project 2. */
async function withEvents({ store, files }: Events): Promise<void> {
  const [ann, bob] = [batchEvent(1), batchEvent(2, { distinct_id: "bob" })];
  const other = batchEvent(3, { distinct_id: "other" }, { project_id: 2 });
  await store.append(loadOf(files, batchOf(1, [ann, bob, other])));
}

describe.each(EVENT_STORES)("SQL of callers in %s", (_name, open) => {
  test("sees the events of its project alone", async () => {
    await using stored = await open();
    await withEvents(stored);
    const text = "SELECT distinct_id AS id, 1 AS one FROM events ORDER BY id";

    expect(await stored.sql.run(1, sqlQuery(text), LIMITS)).toMatchObject({
      ...{
        columns: ["id", "one"],
        rows: [
          ["ann", 1],
          ["bob", 1],
        ],
      },
    });
    expect((await stored.sql.run(2, sqlQuery(text), LIMITS)).rows).toEqual([["other", 1]]);
  });

  test.each([
    ["changes data", "DELETE FROM events"],
    ["reads a file", "SELECT * FROM read_text('/etc/passwd')"],
    ["names a table of the store", "SELECT * FROM meta"],
    ["is two", "SELECT 1; SELECT 1"],
    ["cannot be read", "SELEC 1"],
    ["names no column", "SELECT nothing FROM events"],
    ["fails on its data", "SELECT CAST(distinct_id AS INTEGER) FROM events"],
    ["has too many rows", "SELECT * FROM events a, events b, events c, events d"],
  ])("refuses a statement that %s, and repeats nothing that is stored", async (_case, text) => {
    await using stored = await open();
    await withEvents(stored);

    const error = await stored.sql
      .run(1, sqlQuery(text), LIMITS)
      .catch((failure: unknown) => failure);

    expect(error).toMatchObject({ code: "invalid_input" });
    expect(String(error)).not.toMatch(/\bann\b|bob/);
    expect(await stored.store.counts()).toEqual({ events: 3, logs: 0 });
  });

  test("ends once its signal aborts", async () => {
    await using stored = await open();
    await withEvents(stored);
    const run = stored.sql.run(1, sqlQuery("SELECT count(*) FROM events"), {
      ...{ ...LIMITS, signal: AbortSignal.abort() },
    });
    await expect(run).rejects.toThrow();
  });
});
