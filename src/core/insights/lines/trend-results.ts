import type { Found, PlanOf, TrendsRow } from "../../ports/insights.ts";
import { calculated, type Formula } from "../../queries/formula.ts";
import type { Period } from "../../queries/period.ts";
import {
  isZeroWithout,
  type Series,
  SMALL_PERSONS,
  seriesLabel,
  seriesUnit,
} from "../../queries/trend.ts";
import { cumulative, smoothed, type TrendShown, typicalOf } from "../../queries/trend-shown.ts";
import { breakdownValue, byRank, type Ranked } from "./line-order.ts";
import type { InsightResult, InsightResults } from "./results.ts";
import { withDays } from "./trend-days.ts";

/** The lines of a trend: of each series, or of the formula of them, and of what it is compared to. */
export function trendsResults(
  { query, period, previous }: PlanOf<"TrendsQuery">,
  found: Found["TrendsQuery"],
): InsightResults {
  const { series, formula, breakdown, shown } = query;
  const groupsOf = (of: "current" | "previous", when: Period): InsightResult[][] => {
    const rows = found[of];
    const persons = found.persons?.[of] ?? [];
    const { buckets } = when;
    const { isCumulative } = shown;
    const lines = series.map((one, index) => {
      const divided = { index, buckets, isCumulative, isWhole: breakdown === null };
      return seriesLines(one, rows[index] ?? [], divided);
    });
    const all =
      formula === null
        ? lines.map((some) => [...some.values()])
        : [formulaLines(formula, { series, lines, buckets })];
    return all.map((group, at) => {
      const counted = formula === null ? [persons[at] ?? []] : persons;
      const results = group.map(({ kind, breakdown: value, result }) => ({
        ...{ kind },
        result: {
          ...withShown(result, when, shown),
          ...smallOf({ kind, breakdown: value }, counted),
        },
      }));
      return byRank(results, { ...breakdown, isOfFormula: formula !== null });
    });
  };
  const columns = period.buckets;
  const current = groupsOf("current", period);
  if (previous === null) return { columns, results: current.flat() };
  const before = groupsOf("previous", previous);
  const compared = [
    current.flatMap((lines, at) => withChange(lines, before[at] ?? [])),
    before.flat().map((line) => ({ ...line, compare_label: "previous" as const })),
  ];
  return { columns, results: compared.flat() };
}

/** Whether a line is of few persons, in all series that it is made of. Without their numbers it is not known. */
function smallOf(line: Place, persons: readonly TrendsRow[][]): Pick<InsightResult, "is_small"> {
  const rows = persons.flat();
  if (rows.length === 0) return {};
  const key = keyOf(line);
  const isSmall = rows.every((row) => keyOf(row) !== key || (row.value ?? 0) < SMALL_PERSONS);
  return isSmall ? { is_small: true } : {};
}

/** Returns a line with its numbers as they are asked for. */
function withShown(line: InsightResult, when: Period, shown: TrendShown): InsightResult {
  const { isCumulative, smoothing, unit, factor, currency, typical } = shown;
  const { data, aggregated_value: whole } = line;
  const times = (number: number | null) => (number === null ? null : number * factor);
  const one = typical === null ? whole : typicalOf(data, when, typical);
  const result = {
    ...line,
    ...(unit === null ? {} : { unit }),
    ...(currency === null ? {} : { currency }),
    data: smoothed(data, smoothing).map(times),
    aggregated_value: times(one),
  };
  const dated = withDays(result, when.buckets);
  return isCumulative ? { ...dated, count: result.data.at(-1) ?? 0 } : dated;
}

/** Returns the lines of a series with the change since the period before. */
function withChange(lines: InsightResult[], before: InsightResult[]): InsightResult[] {
  const keyOfLine = (line: InsightResult) => JSON.stringify(line.breakdown_value);
  const numbers = new Map(before.map((line) => [keyOfLine(line), line.aggregated_value]));
  return lines.map((line) => {
    const [now, then = null] = [line.aggregated_value, numbers.get(keyOfLine(line))];
    const isKnown = now !== null && then !== null;
    const change =
      line.unit === "percent"
        ? { change_points: isKnown ? now - then : null }
        : { change_percent: isKnown && then !== 0 ? (now / then - 1) * 100 : null };
    return { ...line, compare_label: "current" as const, ...change };
  });
}

/** A line's value of the breakdown. */
type Place = Pick<TrendsRow, "kind" | "breakdown">;

type Line = Ranked<InsightResult> & Place;

type Lines = Map<string, Line>;

const WHOLE = { kind: "value", breakdown: null } as const;

const keyOf = ({ kind, breakdown }: Place) =>
  kind === "value" ? `=${JSON.stringify(breakdown)}` : kind;

/** The value of a series in an interval without events. */
const noneOf = (series: Series) => (isZeroWithout(series) ? 0 : null);

function seriesLines(
  series: Series,
  rows: TrendsRow[],
  {
    index,
    buckets,
    isCumulative,
    isWhole,
  }: { index: number; buckets: string[]; isCumulative: boolean; isWhole: boolean },
): Lines {
  const { event, math, math_property } = series;
  const found = Map.groupBy(rows, keyOf);
  if (isWhole && found.size === 0) found.set(keyOf(WHOLE), []);
  return new Map(
    [...found].map(([key, line]) => {
      const values = new Map(line.map(({ bucket, value }) => [bucket, value]));
      const valueAt = (bucket: string | null) => values.get(bucket) ?? noneOf(series);
      const { kind, breakdown } = line[0] ?? WHOLE;
      const data = buckets.map(valueAt);
      const result = {
        label: seriesLabel(series),
        series: index,
        event,
        math,
        math_property,
        ...seriesUnit(series),
        breakdown_value: breakdownValue(kind, breakdown),
        data: isCumulative ? cumulative(data) : data,
        aggregated_value: valueAt(null),
      };
      return [key, { kind, breakdown, result }];
    }),
  );
}

type Calculated = { series: readonly Series[]; lines: readonly Lines[]; buckets: string[] };

function formulaLines(formula: Formula, { series, lines, buckets }: Calculated): Line[] {
  const all = new Map(lines.flatMap((some) => [...some]));
  return [...all].map(([key, { kind, breakdown, result }]) => {
    const numbers = (numberOf: (result: InsightResult) => number | null | undefined) =>
      lines.map((some, index) => {
        const line = some.get(key);
        return line === undefined
          ? noneOf(series[index] as Series)
          : (numberOf(line.result) ?? null);
      });
    return {
      ...{ kind, breakdown },
      result: {
        label: formula.name ?? formula.text,
        event: null,
        math: "formula",
        math_property: null,
        breakdown_value: result.breakdown_value,
        data: buckets.map((_, at) =>
          calculated(
            formula,
            numbers(({ data }) => data[at]),
          ),
        ),
        aggregated_value: calculated(
          formula,
          numbers(({ aggregated_value }) => aggregated_value),
        ),
      },
    };
  });
}
