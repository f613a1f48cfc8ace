import { expect, test } from "bun:test";
import { insightTable } from "../../../../src/core/insights/lines/text-table.ts";

const line = { label: "a", breakdown_value: null, aggregated_value: 1234 };

test("numbers are aligned, with bars as long as they are great", () => {
  const data = [1200, 30, 0.5, 0, -4, null];
  const columns = data.map((_, day) => `2026-11-0${day + 1}`);

  expect(insightTable("All", "TrendsQuery", { columns, results: [{ ...line, data }] })).toBe(`All

a
2026-11-01  1,200  ${"█".repeat(40)}
2026-11-02     30  █
2026-11-03    0.5  █
2026-11-04      0
2026-11-05     -4
2026-11-06      -
all         1,234
`);
});

test("names cannot move a terminal's cursor, nor be endless", () => {
  const results = [{ ...line, breakdown_value: `\u001b[2J${"é".repeat(1000)}`, data: [1] }];
  const text = insightTable("one\ntwo", "TrendsQuery", { columns: ["2026-11-01"], results });

  expect(text).toStartWith("one two\n\na:  [2Jé");
  expect(Math.max(...text.split("\n").map(({ length }) => length))).toBe(200);
  expect(insightTable("none", "PathsQuery", { columns: [], results: [] })).toBe(
    "none\n\nNothing was found.\n",
  );
});

test("rows without a breakdown value, and of the earlier period, are named", () => {
  const results = [
    { ...line, breakdown_value: "$$_posthog_breakdown_null_$$", data: [1, 1] },
    { ...line, breakdown_value: "$$_posthog_breakdown_other_$$", data: [1, 1] },
    {
      ...{ ...line, compare_label: "previous" as const, data: [1, 1] },
      days: ["2026-10-31", "2026-11-01"],
    },
  ];
  const columns = ["2026-11-01", "2026-11-02"];
  const text = insightTable("All", "TrendsQuery", { columns, results });

  expect(text).toContain("\n2026-10-31      1  ");
  expect(text.split("\n").filter((row) => row.startsWith("a"))).toEqual([
    ...["a: (none)", "all         1,234", "a: (others)", "all         1,234"],
    ...["a, the time before", "all         1,234"],
  ]);
});

test("a funnel has a row a step, with shares of the first and of the one before", () => {
  const results = [
    {
      ...line,
      data: [8, 4, 1],
      median_conversion_times: [null, 90, 7200],
      aggregated_value: 0.125,
    },
  ];
  const text = insightTable("F", "FunnelsQuery", { columns: ["$pageview", "é", "buy"], results });

  expect(text).toBe(`F

           persons  of all  of those before  median time
$pageview        8    100%                                ${"█".repeat(40)}
é                4     50%              50%   1 min 30 s  ${"█".repeat(20)}
buy              1   12.5%              25%          2 h  ${"█".repeat(5)}
`);
});

const TOTAL = ["total"];
const total = (breakdown_value: string | null, value: number | null, more = {}) => ({
  ...{ label: "orders", breakdown_value, data: [value], aggregated_value: value, ...more },
});
const shownOf = (results: ReturnType<typeof total>[]) =>
  insightTable("Q", "WordsQuery", { columns: TOTAL, results });

test("one number is one row", () => {
  expect(shownOf([total(null, 31.3702)])).toBe("Q\n\norders  31.37\n");
  expect(shownOf([total(null, null)])).toBe("Q\n\norders  -\n");
});

test("a text or a time is one row", () => {
  expect(shownOf([total("pro", null)])).toBe("Q\n\norders  pro\n");
  const time = "2026-11-26T22:54:06.957000Z";
  expect(shownOf([total(time, null)])).toBe("Q\n\norders  2026-11-26 22:54:06 UTC\n");
});

test("one number for each value has its label once", () => {
  expect(shownOf([total("Hat", 4), total("Coat", 1)])).toBe(`Q

      orders
Hat        4  ${"█".repeat(40)}
Coat       1  ${"█".repeat(10)}
`);
});

test("numbers of two periods stand next to each other, with the change", () => {
  const of = (value: string | null, now: number, before: number) => [
    total(value, now, { compare_label: "current" }),
    total(value, before, { compare_label: "previous" }),
  ];
  expect(shownOf(of(null, 12, 8))).toBe(`Q

        now  before  change
orders   12       8    +50%
`);
  expect(shownOf([...of("Hat", 4, 0), ...of("Coat", 1, 2)])).toBe(`Q

orders  now  before  change
Hat       4       0       -  ${"█".repeat(40)}
Coat      1       2    -50%  ${"█".repeat(10)}
`);
});

test("numbers of a unit have it, also the change of a percentage, and their name does not repeat it", () => {
  const of = (label: string, unit: "percent" | "seconds", now: number, before: number) => [
    { ...total(null, now), label, unit, compare_label: "current" as const },
    { ...total(null, before), label, unit, compare_label: "previous" as const },
  ];
  const results = [
    ...of("bounce rate in percent", "percent", 43.25, 40),
    ...of("session length in seconds", "seconds", 133, 20.25),
  ];
  expect(insightTable("Q", "WordsQuery", { columns: TOTAL, results })).toBe(`Q

                       now  before       change
bounce rate         43.25%     40%  +3.3 points  ${"█".repeat(13)}
session length  2 min 13 s  20.3 s      +556.8%  ${"█".repeat(40)}
`);
});

test("lifecycle is one table, and stickiness ends with the last number", () => {
  const columns = ["2026-11-01", "2026-11-02"];
  const results = [
    { ...line, label: "new", data: [5, 6] },
    { ...line, label: "dormant", data: [-1, 0] },
  ];
  expect(insightTable("L", "LifecycleQuery", { columns, results })).toBe(`L

            new  dormant
2026-11-01    5       -1
2026-11-02    6        0
`);
  const days = ["1 day", "2 days", "3 days"];
  const sticky = [{ ...line, data: [2, 1, 0], aggregated_value: 3 }];
  expect(insightTable("S", "StickinessQuery", { columns: days, results: sticky })).toBe(`S

a
1 day   2  ${"█".repeat(40)}
2 days  1  ${"█".repeat(20)}
all     3
`);
});

test("retention is one table with a spark line a row, and paths one with a bar", () => {
  const results = [
    { ...line, label: "2026-11-01", data: [8, 4, 0] },
    { ...line, label: "2026-11-02", data: [12, 3, null] },
    { ...line, label: "2026-11-03", data: [0, null, null] },
  ];
  const columns = ["day 0", "day 1", "day 2"];
  expect(insightTable("R", "RetentionQuery", { columns, results })).toBe(`R

            day 0  day 1  day 2
2026-11-01      8      4      0  █▄
2026-11-02     12      3         █▂
2026-11-03      0
`);

  const ways = [{ ...line, label: "1. /a → /b", data: [2] }];
  expect(insightTable("P", "PathsQuery", { columns: ["paths"], results: ways })).toBe(`P

            paths
1. /a → /b      2  ${"█".repeat(40)}
`);
});

test("columns are aligned by what a terminal shows, of any script", () => {
  const columns = ["日本語 イベント", "ＦＵＬＬ", "e\u0301", "👍🏽", "plain"];
  const results = [{ ...line, data: columns.map(() => 0), aggregated_value: 0 }];
  const rows = insightTable("T", "TrendsQuery", { columns, results }).split("\n").slice(3, 9);
  const ends = rows.map((row) => Bun.stringWidth(row));

  expect(rows[0]).toBe("日本語 イベント  0");
  expect(ends).toEqual(ends.map(() => 18));
  const ways = ["1. /日本 → /b", "1. /a → /b"].map((label) => ({ ...line, label, data: [2] }));
  const paths = insightTable("P", "PathsQuery", { columns: ["paths"], results: ways });
  expect(paths.split("\n").slice(3, 5)).toEqual([
    `1. /日本 → /b      2  ${"█".repeat(40)}`,
    `1. /a → /b         2  ${"█".repeat(40)}`,
  ]);
});
