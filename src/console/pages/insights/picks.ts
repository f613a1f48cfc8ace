import type { Answer } from "../../api/ask.ts";
import type { Line } from "../../api/query.ts";
import { counted, eventTitle, intervalName } from "../../state/format.ts";
import { nameOf } from "./answer-table.ts";

/** A number of an answer whose persons are asked for: its name, and how the API names it. */
export type Pick = { title: string; source: { kind: string; [field: string]: unknown } };

const breakdownOf = ({ breakdown_value }: Line, field = "breakdown") =>
  breakdown_value === null ? {} : { [field]: breakdown_value };

/** The value of a breakdown that a line is of; none without one. */
const valuesOf = (line: Line): string[] =>
  line.breakdown_value === null ? [] : [nameOf(line, true)];

/** A point, or without a column the total, of a trend, of lifecycle or of stickiness. */
export function pointPick(answer: Answer, at: number, column?: number): Pick | undefined {
  const { query, results, columns } = answer;
  const line = results[at];
  // A number that is calculated from others has no persons of its own.
  if (line === undefined || line.math === "formula") return undefined;
  const isBefore = line.compare_label === "previous";
  const days = isBefore ? line.days : columns;
  const day = column === undefined ? undefined : days?.[column];
  const title = [nameOf(line, false), day && intervalName(day, query.interval)]
    .filter(Boolean)
    .join(", ");
  if (query.kind === "FunnelsQuery") return convertedPick(answer, line, day);
  if (query.kind === "StickinessQuery") {
    const intervals = { series: line.series ?? 0, day: (column ?? 0) + 1 };
    return { title, source: { kind: "StickinessActorsQuery", source: query, ...intervals } };
  }
  const source = {
    kind: "InsightActorsQuery",
    source: query,
    ...(day === undefined ? {} : { day }),
  };
  if (query.kind === "LifecycleQuery") {
    return { title, source: { ...source, status: line.label } };
  }
  return {
    title,
    source: {
      ...source,
      series: line.series ?? 0,
      ...breakdownOf(line),
      ...(isBefore ? { compare: "previous" } : {}),
    },
  };
}

/** The persons who began in an interval and converted. */
function convertedPick({ query }: Answer, line: Line, day: string | undefined): Pick | undefined {
  if (day === undefined) return undefined;
  return {
    title: ["Converted", ...valuesOf(line), `began ${intervalName(day, query.interval)}`].join(
      ", ",
    ),
    source: {
      kind: "FunnelsActorsQuery",
      source: query,
      funnelTrendsEntrancePeriodStart: day,
      ...breakdownOf(line, "funnelStepBreakdown"),
    },
  };
}

/** A step of a funnel, from 1 on; below zero the persons who were lost there. */
export function stepPick({ query, columns }: Answer, line: Line, step: number): Pick {
  const name = eventTitle(columns[Math.abs(step) - 1] ?? "");
  const title = step < 0 ? `Lost before ${name}` : `${step}. ${name}`;
  return {
    title: [title, ...valuesOf(line)].join(", "),
    source: {
      kind: "FunnelsActorsQuery",
      source: query,
      funnelStep: step,
      ...breakdownOf(line, "funnelStepBreakdown"),
    },
  };
}

/** A cell of retention. */
export function cellPick({ query, results }: Answer, line: Line, column: number): Pick {
  const cohorts = [...new Set(results.map(({ label }) => label))];
  const period = String(query.retentionFilter?.["period"] ?? "Day").toLowerCase();
  return {
    title: [
      `Began ${intervalName(line.label, period)}`,
      `came back after ${counted(column, period)}`,
      ...valuesOf(line),
    ].join(", "),
    source: {
      kind: "InsightActorsQuery",
      source: query,
      interval: cohorts.indexOf(line.label),
      day: column,
      ...breakdownOf(line),
    },
  };
}

/** A way of paths; undefined for one without two ends. */
export function wayPick({ query }: Answer, line: Line, title: string): Pick | undefined {
  const { source, target } = line;
  if (source == null || target == null) return undefined;
  const pathsFilter = { ...query.pathsFilter, pathStartKey: source, pathEndKey: target };
  return {
    title,
    source: { kind: "InsightActorsQuery", source: { ...query, pathsFilter } },
  };
}
