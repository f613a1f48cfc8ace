import type { Answered, Found, PlanOf } from "../ports/insights.ts";
import { LIFECYCLE_STATUSES } from "../queries/lifecycle.ts";
import {
  type BreakdownValue,
  breakdownValue,
  byRank,
  type InsightResults,
} from "../queries/result.ts";
import { trendsResults } from "./trends.ts";

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
  const counted = buckets.slice(0, intervals ?? buckets.length);
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
