import type { FunnelTimeRow, FunnelTrendRow } from "../../ports/insights/funnel-rows.ts";
import type { Found, FunnelRow, PlanOf } from "../../ports/insights.ts";
import { breakdownValue, byRank } from "./line-order.ts";
import type { InsightResults } from "./results.ts";
import { labelOf } from "./trend-days.ts";

/** The results of a funnel: of its steps, over time, or of the times that it took. */
export function funnelResults(
  plan: PlanOf<"FunnelsQuery">,
  found: Found["FunnelsQuery"],
): InsightResults {
  switch (plan.query.viz) {
    case "steps":
      return stepsResults(plan, found as FunnelRow[]);
    case "trends":
      return trendResults(plan, found as FunnelTrendRow[]);
    case "time_to_convert":
      return timesResults(plan, found as FunnelTimeRow[]);
  }
}

const NO_VALUE = { kind: "value", breakdown: null } as const;

const LABEL = "Funnel";

/** One column per step, one line per value of the breakdown: the value with most starts first. */
function stepsResults(
  { query: { steps, breakdown } }: PlanOf<"FunnelsQuery">,
  found: FunnelRow[],
): InsightResults {
  const none = {
    ...NO_VALUE,
    persons: steps.map(() => 0),
    average_s: steps.map(() => null),
    median_s: steps.map(() => null),
  };
  const rows = found.length === 0 && breakdown === null ? [none] : found;
  const lines = rows.map(({ kind, breakdown: value, persons, average_s, median_s }) => {
    const [began = 0, ended = 0] = [persons[0], persons.at(-1)];
    const result = {
      label: LABEL,
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
    results: byRank(lines, breakdown ?? {}, ({ data }) => data[0] ?? null),
  };
}

/** Returns the rows of each value of the breakdown; without one there is always one. */
function byValue<Row extends Pick<FunnelTrendRow, "kind" | "breakdown">>(
  rows: readonly Row[],
  hasBreakdown: boolean,
) {
  const values = Map.groupBy(rows, ({ kind, breakdown }) => JSON.stringify([kind, breakdown]));
  const found = [...values.values()].map((own) => {
    const { kind, breakdown } = own[0] as Row;
    return { kind, breakdown, own };
  });
  return found.length === 0 && !hasBreakdown ? [{ ...NO_VALUE, own: [] as Row[] }] : found;
}

const percentOf = (to: number, from: number) => (from === 0 ? null : (100 * to) / from);

/** One column per interval, with the percent that converted of the persons who began in it. */
function trendResults(
  { query: { breakdown }, period: { buckets } }: PlanOf<"FunnelsQuery">,
  found: FunnelTrendRow[],
): InsightResults {
  const lines = byValue(found, breakdown !== null).map(({ kind, breakdown: value, own }) => {
    const rows = new Map(own.map((row) => [row.bucket, row]));
    const at = (bucket: string | null) => rows.get(bucket) ?? { from: 0, to: 0 };
    const all = buckets.map(at);
    const whole = at(null);
    const result = {
      label: LABEL,
      unit: "percent" as const,
      breakdown_value: breakdownValue(kind, value),
      data: all.map(({ from, to }) => percentOf(to, from)),
      aggregated_value: percentOf(whole.to, whole.from),
      reached_from_step_count: all.map(({ from }) => from),
      reached_to_step_count: all.map(({ to }) => to),
      days: buckets,
      labels: buckets.map(labelOf),
    };
    return { kind, result, began: whole.from };
  });
  const began = new Map(lines.map(({ result, began }) => [result, began]));
  return {
    columns: buckets,
    results: byRank(lines, breakdown ?? {}, (result) => began.get(result) ?? 0),
  };
}

/** One column per bin, named by the seconds from which on it counts persons. */
function timesResults(
  { query: { breakdown, aggregation } }: PlanOf<"FunnelsQuery">,
  found: FunnelTimeRow[],
): InsightResults {
  const [{ first_s, width_s, bins } = { first_s: 0, width_s: 0, bins: -1 }] = found;
  // One more bin than asked for, in which the longest time may begin, as in PostHog.
  const starts = Array.from({ length: bins + 1 }, (_, bin) => first_s + bin * width_s);
  const lines = byValue(found, breakdown !== null).map(({ kind, breakdown: value, own }) => {
    const rows = new Map(own.map((row) => [row.bin, row]));
    const { average_s = null, median_s = null } = rows.get(null) ?? {};
    const result = {
      label: LABEL,
      unit: "seconds" as const,
      breakdown_value: breakdownValue(kind, value),
      data: starts.map((_, bin) => rows.get(bin)?.persons ?? 0),
      aggregated_value: aggregation === "median" ? median_s : average_s,
      average_conversion_time: average_s,
      median_conversion_time: median_s,
    };
    return { kind, result, persons: rows.get(null)?.persons ?? 0 };
  });
  const persons = new Map(lines.map(({ result, persons }) => [result, persons]));
  return {
    columns: starts.map(String),
    results: byRank(lines, breakdown ?? {}, (result) => persons.get(result) ?? 0),
  };
}
