import { expect, test } from "bun:test";
import { dashboards } from "../../../src/core/dashboards/dashboards.ts";
import { websiteTiles } from "../../../src/core/dashboards/template.ts";
import type { DashboardReads } from "../../../src/core/ports/dashboards.ts";
import { sourceOf } from "../../../src/core/queries/insight.ts";
import { HOT_PROPERTIES } from "../../../src/stores/loads/event-lines.ts";

test("the first dashboard asks for columns for the properties of its lists, unless they are columns", async () => {
  const asked: string[] = [];
  const reads = {
    hasHadDefault: async () => false,
    list: async () => ({ count: 0, rows: [] }),
  } as unknown as DashboardReads;
  const own = dashboards({
    reads,
    writes: { insert: async () => undefined } as never,
    insights: {} as never,
    projects: {} as never,
    eventNames: async () => ["$pageview"],
    onFrequent: (properties) => asked.push(...properties),
    now: () => Date.parse("2026-11-01"),
    randomBytes: (count) => new Uint8Array(count),
  });
  const { signal } = new AbortController();

  await own
    .list({ project: 1, user: 1, signal }, {}, {} as never, new URL("http://x/"))
    .catch(() => undefined);

  const broken = websiteTiles("$pageview").flatMap(({ query }) => {
    const { breakdown, breakdown_type } = (sourceOf(query)["breakdownFilter"] ?? {}) as {
      breakdown?: string;
      breakdown_type?: string;
    };
    return breakdown === undefined || breakdown_type !== "event" ? [] : [breakdown];
  });
  expect(broken.length).toBeGreaterThan(2);
  expect(asked).toEqual(broken.filter((name) => !HOT_PROPERTIES.some((hot) => hot === name)));
});
