import { expect, test } from "bun:test";
import { insightTable } from "../../src/domain/insight-table.ts";

const line = { label: "a", breakdown_value: null, aggregated_value: 1234 };

test("numbers are aligned, with bars as long as they are great", () => {
  const data = [1200, 30, 0.5, 0, -4, null];
  const columns = data.map((_, day) => `2026-11-0${day + 1}`);

  expect(insightTable("All", columns, [{ ...line, data }])).toBe(`All

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
  const text = insightTable(
    "one\ntwo",
    ["2026-11-01"],
    [{ ...line, breakdown_value: `\u001b[2J${"é".repeat(1000)}`, data: [1] }],
  );

  expect(text).toStartWith("one two\n\na:  [2Jé");
  expect(Math.max(...text.split("\n").map(({ length }) => length))).toBe(200);
  expect(insightTable("none", [], [])).toBe("none\n\nNothing was found.\n");
});
