import type { Found, PlanOf, TrendsRow } from "../ports/insights.ts";
import type { Formula } from "../queries/formula.ts";
import {
  breakdownValue,
  byRank,
  type InsightResult,
  type InsightResults,
  type Ranked,
} from "../queries/result.ts";
import { type Series, seriesLabel } from "../queries/trend.ts";

/** The lines of a trend: of each series, or of the formula of them, and of what it is compared to. */
export function trendsResults(
  { query, period, previous }: PlanOf<"TrendsQuery">,
  found: Found["TrendsQuery"],
): InsightResults {
  const { series, formula, breakdown } = query;
  const linesOf = (rows: TrendsRow[][], buckets: string[]): InsightResult[] => {
    const lines = series.map((one, index) =>
      seriesLines(one, { rows: rows[index] ?? [], buckets, isWhole: breakdown === null }),
    );
    if (formula === null) return lines.flatMap((some) => byRank([...some.values()]));
    return byRank(formulaLines(formula, { series, lines, buckets }));
  };
  const results = linesOf(found.current, period.buckets);
  if (previous === null) return { columns: period.buckets, results };
  const before = linesOf(found.previous, previous.buckets);
  return {
    columns: period.buckets,
    results: [
      ...results.map((line) => ({ ...line, compare_label: "current" as const })),
      ...before.map((line) => ({ ...line, compare_label: "previous" as const })),
    ],
  };
}

/** Lines by the values of the breakdown. */
type Lines = Map<string, Ranked>;

const WHOLE = { kind: "value", breakdown: null } as const;

const keyOf = ({ kind, breakdown }: Pick<TrendsRow, "kind" | "breakdown">) =>
  kind === "value" ? `=${JSON.stringify(breakdown)}` : kind;

/** The value of a series in an interval without events. */
const noneOf = ({ math, math_property }: Series) =>
  math_property === null || math === "sum" ? 0 : null;

function seriesLines(
  series: Series,
  { rows, buckets, isWhole }: { rows: TrendsRow[]; buckets: string[]; isWhole: boolean },
): Lines {
  const { event, math, math_property } = series;
  const found = Map.groupBy(rows, keyOf);
  if (isWhole && found.size === 0) found.set(keyOf(WHOLE), []);
  return new Map(
    [...found].map(([key, line]) => {
      const values = new Map(line.map(({ bucket, value }) => [bucket, value]));
      const valueAt = (bucket: string | null) => values.get(bucket) ?? noneOf(series);
      const { kind, breakdown } = line[0] ?? WHOLE;
      const result = {
        label: seriesLabel(series),
        event,
        math,
        math_property,
        breakdown_value: breakdownValue(kind, breakdown),
        data: buckets.map(valueAt),
        aggregated_value: valueAt(null),
      };
      return [key, { kind, result }];
    }),
  );
}

type Calculated = { series: readonly Series[]; lines: readonly Lines[]; buckets: string[] };

function formulaLines(formula: Formula, { series, lines, buckets }: Calculated): Ranked[] {
  const all = new Map(lines.flatMap((some) => [...some]));
  return [...all].map(([key, { kind, result }]) => {
    const numbers = (numberOf: (result: InsightResult) => number | null | undefined) =>
      lines.map((some, index) => {
        const line = some.get(key);
        return line === undefined
          ? noneOf(series[index] as Series)
          : (numberOf(line.result) ?? null);
      });
    return {
      kind,
      result: {
        label: formula.text,
        event: null,
        math: "formula",
        math_property: null,
        breakdown_value: result.breakdown_value,
        data: buckets.map((_, at) => formula.of(numbers(({ data }) => data[at]))),
        aggregated_value: formula.of(numbers(({ aggregated_value }) => aggregated_value)),
      },
    };
  });
}
