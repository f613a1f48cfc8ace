import { describe, expect, test } from "bun:test";
import { batchEvent, batchOf, loadOf } from "../../support/data/batches.ts";
import { FOREVER } from "../../support/data/build-records.ts";
import { sqlQuery } from "../../support/data/sql-query.ts";
import { EVENT_STORES } from "../stores.ts";

const TEXT = "SELECT properties->>'plan' AS plan, count(*) FROM events GROUP BY ALL ORDER BY ALL";

describe.each(EVENT_STORES)("columns of frequent properties in %s", (_name, open) => {
  test("change no answer, and continue after a restart", async () => {
    await using stored = await open();
    const events = ["pro", "free", "pro", null].map((plan, n) =>
      batchEvent(n + 1, { properties: { plan } }),
    );
    await stored.store.append(loadOf(stored.files, batchOf(1, events)));
    const answer = () =>
      stored.sql.run(1, sqlQuery(TEXT), { signal: FOREVER, rows: 9, bytes: 9000 });
    const before = await answer();

    expect([await stored.columns.choose(), await stored.columns.fill()]).toEqual([false, false]);
    for (const day of ["2026-01-01", "2026-01-02"]) {
      await stored.columns.note(new Map([["plan", { queries: 1000, seconds: 1000 }]]), day);
    }
    await stored.columns.choose();
    await stored.reopen();
    let steps = 0;
    while ((await stored.columns.fill()) || (await stored.columns.choose())) steps += 1;

    expect(steps).toBeLessThan(100);
    expect((await answer()).rows).toEqual(before.rows);
    expect(before.rows).toHaveLength(3);
  });
});
