import type { Answered, Found, PlanOf } from "../../ports/insights.ts";
import { LIFECYCLE_STATUSES } from "../../queries/lifecycle.ts";
import type { Unit } from "../../queries/trend.ts";
import { type BreakdownValue, breakdownValue, byRank } from "./line-order.ts";
import type { TrendDays } from "./trend-days.ts";
import { trendsResults } from "./trend-results.ts";

/** The results of a query of any kind but a funnel, in the shape of the API. */
export function resultsOf(answered: Exclude<Answered, { kind: "FunnelsQuery" }>): InsightResults {
  switch (answered.kind) {
    case "TrendsQuery":
      return trendsResults(answered.plan, answered.found);
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
  return { columns, results: byRank(ranked, breakdown).flatMap(({ lines }) => lines) };
}

/** A line a way, how many went it in the only column. */
function pathsResults(found: Found["PathsQuery"]): InsightResults {
  const results = found.map(({ step, source, target, paths, average_ms, ...places }) => ({
    label: `${step}. ${source} → ${target}`,
    breakdown_value: null,
    data: [paths],
    aggregated_value: paths,
    source: `${step}_${source}`,
    target: `${step + 1}_${target}`,
    average_conversion_time: average_ms,
    ...places,
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
    return { label: name, series: index, event, breakdown_value: null, data, aggregated_value };
  });
  return { columns, results };
}

/** One line of an answer: a number for each column, and labels. */
export type InsightResult = Partial<TrendDays> & {
  label: string;
  /** Of a formula without a name of its own: its measure in words, where words say it. */
  name?: string;
  /**
   * The value of the breakdown; null without one. {@link BREAKDOWN_WORDS} stand for events without a
   * value, and for all values beyond the limit. A breakdown by several properties has a list.
   */
  breakdown_value: BreakdownValue;
  /** Null where no event has a number, or where the time has not come yet. */
  data: (number | null)[];
  /** The number of all columns together; its meaning depends on the kind of the query. */
  aggregated_value: number | null;
  /** Of trends and stickiness, but for formulas: the place of its series in the query. */
  series?: number;
  /** Of trends and stickiness: the event's name, null for all events. */
  event?: string | null;
  math?: string;
  math_property?: string | null;
  /** Of numbers that are no counts, where it is known. */
  unit?: Unit;
  /** Whether it is a formula, an average or a percentile of fewer than SMALL_PERSONS persons. */
  is_small?: true;
  /** Of amounts of money: ISO 4217. */
  currency?: string;
  /** Of trends with a comparison. */
  compare_label?: "current" | "previous";
  /**
   * Of current lines of a comparison: by how many percent the number of the whole time is greater, of percentages by how
   * many points. Null without a number of the period before, or if it is 0.
   */
  change_percent?: number | null;
  change_points?: number | null;
  /** Of funnels: seconds from the step before; null for the first, and for steps that no person reached. */
  average_conversion_times?: (number | null)[];
  median_conversion_times?: (number | null)[];
  /** Of funnels over time: of how many persons each number is the share, and how many that share is. */
  reached_from_step_count?: number[];
  reached_to_step_count?: number[];
  /** Of paths: places, prefixed by the number of their step, and milliseconds between them. */
  source?: string;
  target?: string;
  /** Of paths: how many came to the source, how many of them ended there, and how many came to the target. */
  source_paths?: number;
  source_ends?: number;
  target_paths?: number;
  /** Of paths in milliseconds; of the times of a funnel in seconds, null without persons. */
  average_conversion_time?: number | null;
  median_conversion_time?: number | null;
};

/** An answer. */
export type InsightResults = { columns: string[]; results: InsightResult[] };
