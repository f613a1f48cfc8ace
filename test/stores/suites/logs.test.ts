import { describe, expect, test } from "bun:test";
import { type LogQueryAsked, logQuery } from "../../../src/core/logs/query.ts";
import { loadOf, logBatch, logRecord } from "../../support/data/batches.ts";
import { FOREVER } from "../../support/data/build-records.ts";
import { EVENT_STORES, type Events } from "../stores.ts";

const MOMENT = { now: Date.parse("2026-11-21T12:00:00Z"), timezone: "UTC" };

const second = (n: number) => ({ timestamp: `2026-11-21T11:00:0${n}.000000Z` });

/** Stores records with the bodies a to d; the last two have one time. */
async function withLogs({ store, files }: Events): Promise<void> {
  const bodies = ["a", "b", "c", "d"].map((body, n) =>
    logRecord(body, { ...second(Math.min(n, 2)), attributes: { part: body } }),
  );
  await store.append(loadOf(files, logBatch(1, bodies)));
}

const list = async (stored: Events, asked: LogQueryAsked, project = 1) => {
  const { rows, isMore } = await stored.logs.list(project, logQuery(asked, MOMENT), FOREVER);
  return [isMore, ...rows.map(({ body }) => body)];
};

describe.each(EVENT_STORES)("log records in %s", (_name, open) => {
  test("are listed by time, then by arrival, page by page", async () => {
    await using stored = await open();
    await withLogs(stored);

    expect(await list(stored, {})).toEqual([false, "d", "c", "b", "a"]);
    expect(await list(stored, { orderBy: "earliest" })).toEqual([false, "a", "b", "c", "d"]);
    expect(await list(stored, { limit: 2, offset: 1 })).toEqual([true, "c", "b"]);
    expect(await list(stored, { limit: 3, offset: 1 })).toEqual([false, "c", "b", "a"]);
    expect(await list(stored, {}, 2)).toEqual([false]);
    expect(await stored.store.counts()).toEqual({ events: 0, logs: 4 });
  });

  test("are counted that name one of some distinct ids", async () => {
    await using stored = await open();
    const attributes = (id: string) => ({ attributes: { posthogDistinctId: id } });
    const records = [logRecord("a", attributes("ann")), logRecord("b", attributes("bob"))];
    await stored.store.append(loadOf(stored.files, logBatch(1, [...records, logRecord("c")])));

    expect(await stored.logs.naming(1, ["ann", "cat"], FOREVER)).toEqual({
      ...{ count: 1, ids: ["ann"] },
    });
    expect(await stored.logs.naming(1, ["ann", "bob"], FOREVER)).toMatchObject({ count: 2 });
    expect(await stored.logs.naming(1, [], FOREVER)).toEqual({ count: 0, ids: [] });
    expect(await stored.logs.naming(2, ["ann"], FOREVER)).toEqual({ count: 0, ids: [] });
  });

  test("are found by a part of their body and by attributes", async () => {
    await using stored = await open();
    await withLogs(stored);
    const filter = (value: string, operator: string) => ({
      filterGroup: { type: "AND", values: [{ type: "log", key: "part", operator, value }] },
    });

    expect(await list(stored, { searchTerm: "C" })).toEqual([false, "c"]);
    expect(await list(stored, { severityLevels: ["error"] })).toEqual([false]);
    expect(await list(stored, filter("b", "exact"))).toEqual([false, "b"]);
    const wrong = list(stored, filter("(", "regex"));
    await expect(wrong).rejects.toMatchObject({ code: "invalid_input" });
  });
});
