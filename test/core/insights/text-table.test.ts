import { expect, test } from "bun:test";
import { insightTable } from "../../../src/core/insights/text-table.ts";

const line = { label: "a", breakdown_value: null, aggregated_value: 1234 };

test("numbers are aligned, with bars as long as they are great", () => {
  const data = [1200, 30, 0.5, 0, -4, null];
  const columns = data.map((_, day) => `2026-11-0${day + 1}`);

  expect(insightTable("All", "TrendsQuery", { columns, results: [{ ...line, data }] })).toBe(`All

a
2026-11-01  1200  ${"█".repeat(40)}
2026-11-02    30  █
2026-11-03   0.5  █
2026-11-04     0
2026-11-05    -4
2026-11-06     -
all         1234
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
    { ...line, breakdown_value: "$$_posthog_breakdown_null_$$", data: [1] },
    { ...line, breakdown_value: "$$_posthog_breakdown_other_$$", data: [1] },
    { ...line, compare_label: "previous" as const, data: [1], days: ["2026-10-31"] },
  ];
  const text = insightTable("All", "TrendsQuery", { columns: ["2026-11-01"], results });

  expect(text).toContain("\n2026-10-31     1  ");
  expect(text.split("\n").filter((row) => row.startsWith("a"))).toEqual([
    ...["a: (none)", "all         1234", "a: (others)", "all         1234"],
    ...["a, the time before", "all         1234"],
  ]);
});

test("a funnel has a row a step, and the share of users who reached the end", () => {
  const results = [{ ...line, data: [4, 1], aggregated_value: 0.25 }];
  const text = insightTable("F", "FunnelsQuery", { columns: ["$pageview", "é"], results });

  expect(text).toBe(`F

a
$pageview     4  ${"█".repeat(40)}
é             1  ${"█".repeat(10)}
share      0.25
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
  const results = [{ ...line, data: columns.map(() => 0), aggregated_value: 0.25 }];
  const rows = insightTable("F", "FunnelsQuery", { columns, results }).split("\n").slice(3, 9);
  const ends = rows.map((row) => Bun.stringWidth(row));

  expect(rows[0]).toBe("日本語 イベント     0");
  expect(ends).toEqual(ends.map(() => 21));
  const ways = ["1. /日本 → /b", "1. /a → /b"].map((label) => ({ ...line, label, data: [2] }));
  const paths = insightTable("P", "PathsQuery", { columns: ["paths"], results: ways });
  expect(paths.split("\n").slice(3, 5)).toEqual([
    `1. /日本 → /b      2  ${"█".repeat(40)}`,
    `1. /a → /b         2  ${"█".repeat(40)}`,
  ]);
});
