import { type Answer, type TableAnswer, tableIn } from "../../api/ask.ts";
import type { Line, Query } from "../../api/query.ts";
import { type NumberTable, type Series, tableOfLines } from "../../charts/series.ts";
import { eventTitle, valueText, withUnit } from "../../state/format.ts";
import type { Unit } from "../../state/unit.ts";
import { isCount } from "./direction.ts";

const VALUE_NAMES: Record<string, string> = {
  $$_posthog_breakdown_other_$$: "(others)",
  $$_posthog_breakdown_null_$$: "(none)",
};

/** Whether a query is a statement in SQL, whose answer has rows instead of lines. */
export const isSql = ({ kind }: Query): boolean => kind === "HogQLQuery" || kind === "SQLQuery";

/** Whether a query lists persons or events. */
export const isList = ({ kind }: Query): boolean =>
  kind === "ActorsQuery" || kind === "EventsQuery";

/** Whether a funnel is about the times that persons took, or about its conversion over time. */
export const funnelViz = ({ kind, funnelsFilter }: Query): string | undefined =>
  kind === "FunnelsQuery" ? String(funnelsFilter?.["funnelVizType"] ?? "steps") : undefined;

/** Frequent measures in the words of the default dashboard. */
const MEASURES: Record<string, string> = {
  $pageview: "Page views",
  "All events": "Events",
  "unique users of $pageview": "Visitors",
  "unique users of All events": "People",
  "unique sessions of $pageview": "Sessions",
};

/** The unit of the numbers of a line. */
export const unitOf = ({ unit, currency }: Line): Unit | undefined =>
  unit ?? (currency === undefined ? undefined : `currency ${currency}`);

/** The words for what a line counts; without the unit, which its numbers have. */
function measureOf({ label, unit, math }: Line): string {
  if (math !== undefined && MEASURES[label]) return MEASURES[label];
  return eventTitle(unit === undefined ? label : label.replace(/ in (percent|seconds)$/, ""));
}

/** The measure of all lines of an answer, for the head above their numbers; undefined if they differ. */
export function commonMeasure({ results }: Answer): string | undefined {
  const [measure, ...others] = new Set(results.map(measureOf));
  return others.length > 0 ? undefined : measure;
}

/** The name of a line: its value of the breakdown, and its measure if there are several. */
export function nameOf(line: Line, isOnlyMeasure: boolean): string {
  const { breakdown_value } = line;
  const label = measureOf(line);
  if (breakdown_value === null) return label;
  const shown = line.value_name ?? breakdown_value;
  const values = [shown].flat().map((value) => VALUE_NAMES[value] ?? value);
  return isOnlyMeasure ? values.join(", ") : `${label}: ${values.join(", ")}`;
}

/** The parts of a lifecycle in words, and their colours by their meaning: back again is teal and violet, gone grey. */
const STATUSES: Record<string, { label: string; place: number }> = {
  new: { label: "New", place: 0 },
  returning: { label: "Returning", place: 1 },
  resurrecting: { label: "Resurrecting", place: 3 },
  dormant: { label: "Dormant", place: 7 },
};

/** The lines of an answer as a chart draws them. */
export function seriesOf({ results, query }: Answer): Series[] {
  const isOnlyMeasure = new Set(results.map(({ label }) => label)).size === 1;
  const viz = funnelViz(query);
  return results.map((line) => ({
    label:
      isOnlyMeasure && line.breakdown_value === null
        ? labelOf(line, viz)
        : nameOf(line, isOnlyMeasure),
    data: line.data,
    // The seconds of a funnel are those of its columns.
    unit: viz === "time_to_convert" ? undefined : unitOf(line),
    isBefore: line.compare_label === "previous",
    days: line.days,
    isSmall: line.is_small === true,
    ...(query.kind === "LifecycleQuery" && STATUSES[line.label]),
  }));
}

function labelOf(line: Line, viz: string | undefined): string {
  if (viz === "trends") return "Converted";
  return viz === "time_to_convert" ? "People" : nameOf(line, true);
}

/** The names of the columns of a chart: times, or how long it took from the first step to the last. */
export const columnsOf = ({ columns, query }: Answer): string[] =>
  funnelViz(query) === "time_to_convert"
    ? columns.map((from) => `from ${withUnit(Number(from), "seconds")}`)
    : columns;

/** The numbers of an answer: a row for each interval, or for each line if it only has totals. */
export function tableOf(answer: Answer): NumberTable {
  const rows = tableIn(answer);
  if (rows) return { head: rows.columns, rows: rows.results.map((row) => plainRow(rows, row)) };
  const series = seriesOf(answer);
  const table = tableOfLines(columnsOf(answer), series);
  const hasTotals = answer.columns.length === 1 || isOfTotals(answer.query);
  if (!hasTotals || funnelViz(answer.query)) return table;
  const lines = answer.results.map(({ data, aggregated_value }) =>
    answer.columns.length === 1 ? (data[0] ?? null) : aggregated_value,
  );
  const [, ...names] = table.head;
  return {
    head: ["Name", commonMeasure(answer) ?? "Number"],
    rows: names.map((name, at) => [name, lines[at] ?? null]),
    unitAt: (row) => series[row]?.unit,
    isSmallAt: (row) => series[row]?.isSmall === true,
  };
}

/** Whether nothing is counted in any column. A sum or a share of 0 is a number like any other. */
export const isBlank = ({ results }: Answer): boolean =>
  results.every(({ data, math = "total", unit, reached_from_step_count: began }) => {
    if (began) return began.every((count) => count === 0);
    const isNothing = (value: number | null) => value === 0 && !unit && isCount(math);
    return data.every((value) => value === null || isNothing(value));
  });

/** How many people out of all did it in so many intervals, in percent, up to the most intervals of anybody. */
export function sharesOf(answer: Answer): Answer {
  const { columns, results } = answer;
  const length = Math.max(...results.map(({ data }) => data.findLastIndex(Boolean) + 1));
  const shares = results.map((line): Line => {
    const all = line.data.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    const shareOf = (value: number | null) => (all === 0 ? null : (100 * (value ?? 0)) / all);
    return { ...line, unit: "percent", data: line.data.slice(0, length).map(shareOf) };
  });
  return { ...answer, columns: columns.slice(0, length), results: shares };
}

/** Whether a trend is asked for as numbers of its whole period. */
export const isOfTotals = ({ trendsFilter }: Query): boolean =>
  /^(ActionsTable|ActionsPie|ActionsBarValue|BoldNumber|WorldMap)$/.test(
    String(trendsFilter?.["display"] ?? ""),
  );

/** A row as a file has it: a person by its name, and other objects as JSON. */
function plainRow(
  { columns, query }: TableAnswer,
  row: readonly unknown[],
): (string | number | null)[] {
  return row.map((value, at) => {
    if (value === null || typeof value === "number") return value;
    if (typeof value !== "object" || columns[at] !== "person" || isSql(query))
      return valueText(value);
    const { name, uuid } = value as { name?: string | null; uuid?: string };
    return name || (uuid ?? null);
  });
}
