import type { Line, PlanOf, TrendsRow } from "../../../src/core/ports/insights.ts";
import type { Series } from "../../../src/core/queries/trend.ts";
import type { DataSet, Stored } from "./data-sets.ts";
import {
  asText,
  bucketOf,
  keyOf,
  numberIn,
  ownerOf,
  percentile,
  shownAt,
  textOf,
  valueOfKey,
} from "./insight-reference.ts";

const sessionOf = ({ properties }: Stored) => asText(properties["$session_id"]) || null;

const numberOf = (set: DataSet, { math_property, math_property_of: type }: Series, event: Stored) =>
  numberIn(textOf(set, event, { type }, math_property ?? ""));

/** The number of a series over some events, by a plain loop. */
export function valueOfMath(set: DataSet, series: Series, events: Stored[]) {
  const { math, math_group_type_index } = series;
  // A number of a session counts once.
  const sessions = new Map(events.map((event) => [sessionOf(event), event]));
  const counted =
    series.math_property_of === "session"
      ? [...sessions].flatMap(([id, event]) => (id === null ? [] : [event]))
      : events;
  const numbers = counted.flatMap((event) => numberOf(set, series, event) ?? []);
  const sum = numbers.reduce((total, number) => total + number, 0);
  const different = (of: (event: Stored) => string | undefined | null) =>
    new Set(events.flatMap((event) => of(event) ?? [])).size;
  switch (math) {
    case "total":
      return events.length;
    case "dau":
      return different((event) => ownerOf(set, event));
    case "unique_session":
      return different(sessionOf);
    case "unique_group":
      return different(({ groups }) => groups[math_group_type_index ?? -1]);
    case "sum":
      return numbers.length === 0 ? null : sum;
    case "avg":
      return numbers.length === 0 ? null : sum / numbers.length;
    case "min":
      return numbers.length === 0 ? null : Math.min(...numbers);
    case "max":
      return numbers.length === 0 ? null : Math.max(...numbers);
    default:
      return percentile(numbers, math === "median" ? 0.5 : Number(math.slice(1)) / 100);
  }
}

/** A random query over a data set, and its events as plain functions. */
export type Asked = {
  plan: PlanOf<"TrendsQuery">;
  isOf: ((event: Stored) => boolean)[];
  isIn: (event: Stored) => boolean;
  /** The events that decide which values have rows of their own; `isIn` by default. */
  isRanked?: (event: Stored) => boolean;
};

/** The events of each line of one series, found by a plain loop. */
export function linesOf(
  set: DataSet,
  { plan, isOf, isIn, isRanked = isIn }: Asked,
  index: number,
): { line: Line; events: Stored[] }[] {
  const { breakdown, formula, series } = plan.query;
  const eventsOf = (at: number, isWhen = isIn) =>
    set.events.filter((event) => isWhen(event) && isOf[at]?.(event) === true);
  const valueIn = (event: Stored) => (breakdown === null ? "" : keyOf(set, event, breakdown));
  const first = formula === null ? index : 0;
  const ranked = [...Map.groupBy(eventsOf(first, isRanked), valueIn)]
    .map(([value, some]) => ({
      value,
      rank: valueOfMath(set, series[first] as Series, some),
    }))
    .sort((a, b) => {
      if (a.rank !== b.rank) return (b.rank ?? -Infinity) - (a.rank ?? -Infinity);
      if (a.value === null || b.value === null) return a.value === null ? 1 : -1;
      return Buffer.compare(Buffer.from(a.value), Buffer.from(b.value));
    });
  const top = ranked.slice(0, breakdown?.limit ?? 1).map(({ value }) => value);
  const lines = Map.groupBy(eventsOf(index), (event) => {
    const value = valueIn(event);
    if (breakdown === null) return "=";
    if (!top.includes(value)) return "other";
    return value === null ? "none" : `=${value}`;
  });
  return [...lines].map(([key, events]) => {
    const kind = key.startsWith("=") ? "value" : (key as "none" | "other");
    const value =
      kind === "value" && breakdown !== null ? valueOfKey(key.slice(1), breakdown) : null;
    return { line: { kind, breakdown: value }, events };
  });
}

/** The events of a line by their interval. */
export const intervalsOf = ({ query: { interval }, timezone }: Asked["plan"], events: Stored[]) =>
  Map.groupBy(events, ({ timestamp }) => bucketOf(shownAt(timestamp, timezone), interval));

/** The rows of one series, found by a plain loop. */
export function reference(set: DataSet, asked: Asked, index: number): TrendsRow[] {
  const series = asked.plan.query.series[index] as Series;
  return linesOf(set, asked, index).flatMap(({ line, events }): TrendsRow[] => {
    const row = (bucket: string | null, some: Stored[]): TrendsRow => ({
      ...{ ...line, bucket },
      value: valueOfMath(set, series, some),
    });
    const intervals = [...intervalsOf(asked.plan, events)];
    return [row(null, events), ...intervals.map(([bucket, some]) => row(bucket, some))];
  });
}

/** The events that count for the math of a series, and how often those of a person count. */
export function countedIn(
  set: DataSet,
  series: Series,
  events: Stored[],
): { counted: Stored[]; countOf: (own: Stored[]) => number } {
  const by = (idOf: (event: Stored) => string | null | undefined) => ({
    counted: events.filter((event) => (idOf(event) ?? null) !== null),
    countOf: (own: Stored[]) => new Set(own.map(idOf)).size,
  });
  const { math, math_property, math_group_type_index } = series;
  if (math === "unique_session" || series.math_property_of === "session") return by(sessionOf);
  if (math === "unique_group") return by(({ groups }) => groups[math_group_type_index ?? -1]);
  if (math_property === null) return { counted: events, countOf: (own) => own.length };
  const counted = events.filter((event) => numberOf(set, series, event) !== null);
  const sum = (own: Stored[]) =>
    own.reduce((all, event) => all + (numberOf(set, series, event) ?? 0), 0);
  return { counted, countOf: math === "sum" ? sum : (own) => own.length };
}
