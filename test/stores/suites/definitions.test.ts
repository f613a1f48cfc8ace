import { describe, expect, test } from "bun:test";
import { batchEvent, batchOf, loadOf } from "../../support/data/batches.ts";
import { FOREVER } from "../../support/data/build-records.ts";
import { EVENT_STORES, type Events } from "../stores.ts";

const PAGE = { limit: 9, offset: 0 };
const at = (day: number) => `2026-11-0${day}T00:00:00.000000Z`;

/** Stores three events named `view`, `paid` and `left` each, with `view` twice. */
async function withEvents({ store, files }: Events): Promise<void> {
  const events = ["view", "paid", "view", "left"].map((event, n) =>
    batchEvent(n + 1, { event, timestamp: at(n + 1), properties: { n, [event]: "x" } }),
  );
  await store.append(loadOf(files, batchOf(1, events)));
}

describe.each(EVENT_STORES)("values in %s", (_name, open) => {
  test("of events are the most frequent first, by a part, and of one name of events", async () => {
    await using stored = await open();
    const sent = [
      { event: "view", properties: { plan: "Pro", $browser: "Firefox" } },
      { event: "view", properties: { plan: "free", $browser: "Safari" } },
      { event: "paid", properties: { plan: "Pro", $browser: "Firefox", n: 5 } },
      { event: "paid", properties: { plan: "x".repeat(1025) } },
    ];
    const events = sent.map((fields, n) => batchEvent(n + 1, fields));
    const other = batchEvent(5, { properties: { plan: "other" } }, { project_id: 2 });
    await stored.store.append(loadOf(stored.files, batchOf(1, [...events, other])));
    const values = async (key: string, part = "", event?: string) => {
      const found = await stored.definitions.eventValues(1, { key, part, event }, FOREVER);
      return found.map(({ name, count }) => `${name} ${count}`);
    };

    expect(await values("plan")).toEqual(["Pro 2", "free 1"]);
    expect(await values("plan", "R")).toEqual(["Pro 2", "free 1"]);
    expect(await values("plan", "pro")).toEqual(["Pro 2"]);
    expect(await values("plan", "", "view")).toEqual(["Pro 1", "free 1"]);
    expect(await values("$browser")).toEqual(["Firefox 2", "Safari 1"]);
    expect(await values("$browser", "fox", "view")).toEqual(["Firefox 1"]);
    expect(await values("n")).toEqual(["5 1"]);
    expect(await values("missing")).toEqual([]);
  });

  test("of events are at most 50", async () => {
    await using stored = await open();
    const events = Array.from({ length: 60 }, (_, n) => batchEvent(n + 1, { properties: { n } }));
    await stored.store.append(loadOf(stored.files, batchOf(1, events)));
    const query = { key: "n", part: "" };
    expect(await stored.definitions.eventValues(1, query, FOREVER)).toHaveLength(50);
  });

  test("of groups are those of their type", async () => {
    await using stored = await open();
    const group = (type_index: number, key: string, size: string) => ({
      ...{ project_id: 1, type_index, key, created_at: at(1) },
      properties: JSON.stringify({ size }),
    });
    const groups = [
      group(0, "a", "9"),
      group(0, "b", "9"),
      group(0, "c", "10"),
      group(1, "a", "1"),
    ];
    await stored.store.append(loadOf(stored.files, batchOf(1, [], { groups })));
    const values = (type_index: number, part = "") =>
      stored.definitions.groupValues(1, { type_index, key: "size", part }, FOREVER);

    expect(await values(0)).toEqual([
      { name: "9", count: 2 },
      { name: "10", count: 1 },
    ]);
    expect(await values(0, "1")).toEqual([{ name: "10", count: 1 }]);
    expect(await values(1)).toEqual([{ name: "1", count: 1 }]);
    expect(await values(2)).toEqual([]);
  });
});

describe.each(EVENT_STORES)("names in %s", (_name, open) => {
  test("of events are the most frequent first, then by name, with their count and times", async () => {
    await using stored = await open();
    await withEvents(stored);
    const names = async (
      search?: string,
      part: Parameters<typeof stored.definitions.events>[2] = PAGE,
    ) => {
      const { count, rows } = await stored.definitions.events(1, { search }, part, FOREVER);
      return [count, ...rows.map(({ name }) => name)];
    };

    expect(await names()).toEqual([3, "view", "left", "paid"]);
    expect(await names(undefined, { limit: 1, offset: 1 })).toEqual([3, "left"]);
    expect(await names(undefined, { ...PAGE, after: [1, "left"] })).toEqual([3, "paid"]);
    expect(await names("VI")).toEqual([1, "view"]);
    const { rows } = await stored.definitions.events(1, {}, PAGE, FOREVER);
    expect(rows[0]).toEqual({ name: "view", count: 2, first_seen_at: at(1), last_seen_at: at(3) });
  });

  test("of properties have a type and a count", async () => {
    await using stored = await open();
    await withEvents(stored);
    const filter = { type: "event" } as const;
    const { count, rows } = await stored.definitions.properties(1, filter, PAGE, FOREVER);

    expect([count, ...rows.map(({ name }) => name)]).toEqual([4, "n", "view", "left", "paid"]);
    expect(rows.slice(0, 2)).toMatchObject([
      { type: "event", property_type: "Numeric", is_numerical: true, count: 4 },
      { type: "event", property_type: "String", is_numerical: false, count: 2 },
    ]);
    const names = async (event_names: string[]) => {
      const found = await stored.definitions.properties(
        1,
        { ...filter, event_names },
        PAGE,
        FOREVER,
      );
      return [found.count, ...found.rows.map(({ name, count }) => `${name} ${count}`)];
    };
    expect(await names(["view"])).toEqual([2, "n 4", "view 2"]);
    expect(await names(["left", "paid"])).toEqual([3, "n 4", "left 1", "paid 1"]);
    expect(await names(["other"])).toEqual([0]);
    expect(await names([])).toEqual([0]);
    const persons = { type: "person" } as const;
    expect((await stored.definitions.properties(1, persons, PAGE, FOREVER)).rows).toEqual([]);
  });
});
