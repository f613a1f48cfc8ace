import type {
  Answered,
  BreakdownKind,
  Found,
  FoundValue,
  PlanOf,
  TrendsRow,
} from "../ports/insights.ts";
import type { Formula } from "../queries/formula.ts";
import { LIFECYCLE_STATUSES } from "../queries/lifecycle.ts";
import { type Series, seriesLabel, seriesUnit, type Unit } from "../queries/trend.ts";
import { type TrendDays, withDays } from "./trend-days.ts";

/** The results of a query of any kind, in the shape of the API. */
export function resultsOf(answered: Answered): InsightResults {
  switch (answered.kind) {
    case "TrendsQuery":
      return trendsResults(answered.plan, answered.found);
    case "FunnelsQuery":
      return funnelResults(answered.plan, answered.found);
    case "RetentionQuery":
      return retentionResults(answered.plan, answered.found);
    case "PathsQuery":
      return pathsResults(answered.found);
    case "LifecycleQuery":
      return lifecycleResults(answered.plan, answered.found);
    case "StickinessQuery":
      return stickinessResults(answered.plan, answered.found);
  }
}

/** One column per step, one line per value of the breakdown: the value with most starts first. */
function funnelResults(
  { query: { steps, breakdown } }: PlanOf<"FunnelsQuery">,
  found: Found["FunnelsQuery"],
): InsightResults {
  const none = {
    kind: "value" as const,
    breakdown: null,
    persons: steps.map(() => 0),
    average_s: steps.map(() => null),
    median_s: steps.map(() => null),
  };
  const rows = found.length === 0 && breakdown === null ? [none] : found;
  const lines = rows.map(({ kind, breakdown: value, persons, average_s, median_s }) => {
    const [began = 0, ended = 0] = [persons[0], persons.at(-1)];
    const result = {
      label: "Funnel",
      breakdown_value: breakdownValue(kind, value),
      data: persons,
      aggregated_value: began === 0 ? null : ended / began,
      average_conversion_times: average_s,
      median_conversion_times: median_s,
    };
    return { kind, result };
  });
  return {
    columns: steps.map(({ name }) => name),
    results: byRank(lines, ({ data }) => data[0] ?? null),
  };
}

/** One line per interval of the first event, one column per interval since then. */
function retentionResults(
  { query: { interval, intervals, breakdown }, period: { buckets } }: PlanOf<"RetentionQuery">,
  found: Found["RetentionQuery"],
): InsightResults {
  const counted = buckets.slice(0, intervals);
  const columns = counted.map((_, later) => `${interval} ${later}`);
  const linesOf = (rows: Found["RetentionQuery"], breakdown_value: BreakdownValue) => {
    const persons = new Map(rows.map((row) => [`${row.began} ${row.later}`, row.persons]));
    return buckets.map((label, began) => {
      const data = counted.map((_, later) =>
        began + later < buckets.length ? (persons.get(`${began} ${later}`) ?? 0) : null,
      );
      return { label, breakdown_value, data, aggregated_value: data[0] ?? null };
    });
  };
  if (breakdown === null) return { columns, results: linesOf(found, null) };
  const valueIn = ({ kind = "value", breakdown: value = null }: Found["RetentionQuery"][0]) =>
    ({ kind, value: breakdownValue(kind, value) }) as const;
  const values = [...Map.groupBy(found, (row) => JSON.stringify(valueIn(row))).values()];
  const ranked = values.map((rows) => {
    const { kind, value } = valueIn(rows[0] as Found["RetentionQuery"][0]);
    const lines = linesOf(rows, value);
    const began = lines.reduce((sum, { aggregated_value }) => sum + (aggregated_value ?? 0), 0);
    return { kind, result: { breakdown_value: value, aggregated_value: began, lines } };
  });
  return { columns, results: byRank(ranked).flatMap(({ lines }) => lines) };
}

/** A line a way, how many went it in the only column. */
function pathsResults(found: Found["PathsQuery"]): InsightResults {
  const results = found.map(({ step, source, target, paths, average_ms }) => ({
    label: `${step}. ${source} → ${target}`,
    breakdown_value: null,
    data: [paths],
    aggregated_value: paths,
    source: `${step}_${source}`,
    target: `${step + 1}_${target}`,
    average_conversion_time: average_ms,
  }));
  return { columns: ["paths"], results };
}

/** One line per status. Dormant persons count below zero: they were not active in the interval. */
function lifecycleResults(
  { period }: PlanOf<"LifecycleQuery">,
  found: Found["LifecycleQuery"],
): InsightResults {
  const columns = period.buckets.slice(1);
  const persons = new Map(found.map((row) => [`${row.status} ${row.place}`, row.persons]));
  const results = LIFECYCLE_STATUSES.map((status) => {
    const sign = status === "dormant" ? -1 : 1;
    // Never -0, which is another number.
    const data = columns.map((_, at) => (persons.get(`${status} ${at + 1}`) ?? 0) * sign || 0);
    const aggregated_value = data.reduce((sum, value) => sum + value, 0);
    return { label: status, breakdown_value: null, data, aggregated_value };
  });
  return { columns, results };
}

/** A line a series, a column for each count of intervals: how many persons did it in so many. */
function stickinessResults(
  { query: { series, interval }, period: { buckets } }: PlanOf<"StickinessQuery">,
  found: Found["StickinessQuery"],
): InsightResults {
  const columns = buckets.map((_, at) => `${at + 1} ${interval}${at === 0 ? "" : "s"}`);
  const results = series.map(({ name, event }, index) => {
    const persons = new Map((found[index] ?? []).map((row) => [row.intervals, row.persons]));
    const data = buckets.map((_, at) => persons.get(at + 1) ?? 0);
    const aggregated_value = data.reduce((sum, value) => sum + value, 0);
    return { label: name, event, breakdown_value: null, data, aggregated_value };
  });
  return { columns, results };
}

/** The lines of a trend: of each series, or of the formula of them, and of what it is compared to. */
function trendsResults(
  { query, period, previous }: PlanOf<"TrendsQuery">,
  found: Found["TrendsQuery"],
): InsightResults {
  const { series, formula, breakdown } = query;
  const linesOf = (rows: TrendsRow[][], buckets: string[]): InsightResult[] => {
    const lines = series.map((one, index) =>
      seriesLines(one, { rows: rows[index] ?? [], buckets, isWhole: breakdown === null }),
    );
    const isShown = ({ kind }: Ranked) => kind !== "other" || breakdown?.hidesOther !== true;
    const ranked = (some: Ranked[]) => byRank(some.filter(isShown));
    const all =
      formula === null
        ? lines.flatMap((some) => ranked([...some.values()]))
        : ranked(formulaLines(formula, { series, lines, buckets }));
    return all.map((line) => withDays(line, buckets));
  };
  const columns = period.buckets;
  const results = linesOf(found.current, columns);
  if (previous === null) return { columns, results };
  const before = linesOf(found.previous, previous.buckets);
  const compared = [
    results.map((line) => ({ ...line, compare_label: "current" as const })),
    before.map((line) => ({ ...line, compare_label: "previous" as const })),
  ];
  return { columns, results: compared.flat() };
}

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
        ...seriesUnit(series),
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

/** A value of a breakdown in an answer. */
type BreakdownValue = string | string[] | null;

/** One line of an answer: a number for each column, and labels. */
export type InsightResult = Partial<TrendDays> & {
  label: string;
  /**
   * The value of the breakdown; null without one. {@link BREAKDOWN_WORDS} stand for events without a
   * value, and for all values beyond the limit. A breakdown by several properties has a list.
   */
  breakdown_value: BreakdownValue;
  /** Null where no event has a number, or where the time has not come yet. */
  data: (number | null)[];
  /** The number of all columns together; its meaning depends on the kind of the query. */
  aggregated_value: number | null;
  /** Of trends and stickiness: the event's name, null for all events. */
  event?: string | null;
  math?: string;
  math_property?: string | null;
  /** Of numbers that are no counts, where it is known. */
  unit?: Unit;
  /** Of trends with a comparison. */
  compare_label?: "current" | "previous";
  /** Of funnels: seconds from the step before; null for the first, and for steps that no person reached. */
  average_conversion_times?: (number | null)[];
  median_conversion_times?: (number | null)[];
  /** Of paths: places, prefixed by the number of their step, and milliseconds between them. */
  source?: string;
  target?: string;
  average_conversion_time?: number;
};

/** An answer. */
export type InsightResults = { columns: string[]; results: InsightResult[] };

/** Texts that PostHog's clients know for lines without a value, and for all other values. */
export const BREAKDOWN_WORDS = {
  none: "$$_posthog_breakdown_null_$$",
  other: "$$_posthog_breakdown_other_$$",
};

function breakdownValue(kind: BreakdownKind, value: FoundValue): BreakdownValue {
  if (kind !== "value") return BREAKDOWN_WORDS[kind];
  return Array.isArray(value) ? value.map((one) => one ?? BREAKDOWN_WORDS.none) : value;
}

type Rankable = Pick<InsightResult, "breakdown_value" | "aggregated_value">;

/** A result, and the kind of its line. */
type Ranked<Result extends Rankable = InsightResult> = { kind: BreakdownKind; result: Result };

/** Sorts lines: the greatest first, then by text; the line of all other values is last. */
function byRank<Result extends Rankable>(
  lines: readonly Ranked<Result>[],
  by = ({ aggregated_value }: Result) => aggregated_value,
): Result[] {
  const numberOf = ({ result }: Ranked<Result>) => by(result) ?? Number.NEGATIVE_INFINITY;
  const textOf = ({ result }: Ranked<Result>) =>
    Buffer.from([result.breakdown_value ?? ""].flat().join("::"));
  const compared = (a: Ranked<Result>, b: Ranked<Result>): number => {
    const isOf = (kind: BreakdownKind) => Number(a.kind === kind) - Number(b.kind === kind);
    if (isOf("other") !== 0) return isOf("other");
    const [x, y] = [numberOf(a), numberOf(b)];
    if (x !== y) return y > x ? 1 : -1;
    return isOf("none") || Buffer.compare(textOf(a), textOf(b));
  };
  return lines.toSorted(compared).map(({ result }) => result);
}
