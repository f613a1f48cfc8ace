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
    const persons = { type: "person" } as const;
    expect((await stored.definitions.properties(1, persons, PAGE, FOREVER)).rows).toEqual([]);
  });
});
