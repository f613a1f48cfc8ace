import type { Line, PlanOf, TrendsRow } from "../../../src/core/ports/insights.ts";
import { calculated } from "../../../src/core/queries/formula.ts";
import type { Period } from "../../../src/core/queries/period.ts";
import { isZeroWithout, type Series } from "../../../src/core/queries/trend.ts";
import type { AskedTime, When } from "./behavior-reference.ts";
import type { DataSet, Stored } from "./data-sets.ts";
import {
  asText,
  bucketOf,
  histories,
  inOrder,
  keyOf,
  microsOf,
  numberIn,
  ownerOf,
  percentile,
  shownAt,
  textOf,
  valueOfKey,
} from "./insight-reference.ts";

const sessionOf = ({ properties }: Stored) => asText(properties["$session_id"]) || null;

const DAY_MS = 86_400_000;

/** The events from two days before a period to three days after it by their session, each in the order of time. */
export function sessionsNear(
  { events }: DataSet,
  { from, before }: Pick<Period, "from" | "before">,
): Map<string | null, Stored[]> {
  const midnight = (wall: string, days: number) =>
    (Date.parse(`${wall.slice(0, 10)}T00:00:00Z`) + days * DAY_MS) * 1000;
  const [first, last] = [midnight(from, -2), midnight(before, 3)];
  const near = events.filter((one) => microsOf(one) >= first && microsOf(one) < last);
  return Map.groupBy(
    near.toSorted((a, b) => microsOf(a) - microsOf(b)),
    sessionOf,
  );
}

/** Each event of a session near a period, at the time at which its session starts. */
const atStarts = (set: DataSet, period: Period): Stored[] =>
  [...sessionsNear(set, period)].flatMap(([id, events]) =>
    id === null
      ? []
      : events.map((event) => ({
          ...event,
          happened: event.timestamp,
          timestamp: events[0]?.timestamp ?? "",
        })),
  );

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
    case "first_time_for_user":
      return different((event) => ownerOf(set, event));
    case "hogql":
      return different((event) =>
        textOf(set, event, { type: series.math_property_of }, series.math_property ?? ""),
      );
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
  /** The time of behaviors, and that of those which decide on values; the same by default. */
  time: AskedTime;
  ranked?: When;
};

/** The events of each line of one series, found by a plain loop. */
export function linesOf(
  set: DataSet,
  { plan, isOf, isIn, isRanked = isIn, time, ranked: when = time.when as When }: Asked,
  index: number,
): { line: Line; events: Stored[] }[] {
  const { breakdown, formula, series } = plan.query;
  const eventsOf = (at: number, isWhen = isIn) => {
    const { math, math_property_of, event: name } = series[at] as Series;
    const near = isWhen === isIn && plan.previous !== null ? plan.previous : plan.period;
    const countsSessions = math === "unique_session" || math_property_of === "session";
    const all = countsSessions ? atStarts(set, near) : set.events;
    const events = all.filter((event) => isWhen(event) && isOf[at]?.(event) === true);
    if (math !== "first_time_for_user") return events;
    const named = set.events.filter(({ event }) => name === null || event === name);
    const first = new Set([...histories(set, named).values()].map(([one]) => one));
    return events.filter((event) => first.has(event));
  };
  const rankedOf = (at: number) => {
    const own = time.when as When;
    time.when = when;
    const events = eventsOf(at, isRanked);
    time.when = own;
    return events;
  };
  const valueIn = (event: Stored) => (breakdown === null ? "" : keyOf(set, event, breakdown));
  const numbers = series.map((one, at) => {
    const values = Map.groupBy(rankedOf(at), valueIn);
    return new Map([...values].map(([value, some]) => [value, valueOfMath(set, one, some)]));
  });
  const numberOf = (value: string | null, at: number) =>
    numbers[at]?.get(value) ?? (isZeroWithout(series[at] as Series) ? 0 : null);
  const isShown = (_: unknown, at: number) =>
    formula === null ? at === index : formula.text.includes("AB".charAt(at));
  const values = new Set(numbers.filter(isShown).flatMap((one) => [...one.keys()]));
  const all = [...values].map((value) => ({
    value,
    rank:
      formula === null
        ? (numbers[index]?.get(value) ?? null)
        : calculated(
            formula,
            series.map((_, at) => numberOf(value, at)),
          ),
  }));
  const ranked = breakdown === null ? all : inOrder(all, breakdown, formula !== null);
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
  if (math === "hogql") {
    return by((event) =>
      textOf(set, event, { type: series.math_property_of }, math_property ?? ""),
    );
  }
  if (math_property === null) return { counted: events, countOf: (own) => own.length };
  const counted = events.filter((event) => numberOf(set, series, event) !== null);
  const sum = (own: Stored[]) =>
    own.reduce((all, event) => all + (numberOf(set, series, event) ?? 0), 0);
  return { counted, countOf: math === "sum" ? sum : (own) => own.length };
}
