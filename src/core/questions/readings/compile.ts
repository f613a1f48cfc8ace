import { BREAKDOWN_LIMIT_MAX, BREAKDOWNS_MAX } from "../../queries/breakdown.ts";
import type { Interval } from "../../queries/period.ts";
import type { JsonObject } from "../../values/json.ts";
import { withExactHours } from "../language/dates.ts";
import type { Property } from "../language/name-keys.ts";
import {
  type Aggregate,
  type Condition,
  isOfSession,
  type Label,
  type Measure,
  PLACES,
  type Reading,
} from "./reading.ts";

/** The time of a question without one. */
export const DAYS_DEFAULT = 30;

/** Returns the query of a reading, as clients would write it; undefined if no kind of query can express it. */
export function queryOf(reading: Reading): JsonObject | undefined {
  const { measure } = reading;
  switch (measure.of) {
    case "events":
      return trends(reading, [measure]);
    case "series":
      return trends(reading, measure.all);
    case "funnel":
      return measure.as === "steps" || measure.as === "rate" ? funnel(reading, measure) : undefined;
    case "retention":
      return retention(reading, measure);
    case "lifecycle": {
      const interval = intervalOf(reading, "week");
      return {
        kind: "LifecycleQuery",
        series: [node(measure.event)],
        interval,
        ...common(reading),
      };
    }
    case "stickiness": {
      const interval = intervalOf(reading, "day");
      return {
        kind: "StickinessQuery",
        series: [node(measure.event)],
        interval,
        ...common(reading),
      };
    }
    default:
      return undefined;
  }
}

/** Measures that only a kind of query has. */
const TYPED_ONLY: ReadonlySet<Measure["of"]> = new Set([
  "series",
  "retention",
  "lifecycle",
  "stickiness",
]);

/** Whether a reading can be answered, by a query or by SQL. */
export const isAnswerable = (reading: Reading) =>
  !(TYPED_ONLY.has(reading.measure.of) || needsSessions(reading)) || queryOf(reading) !== undefined;

/** Whether events are asked for by the pages where their sessions begin or end. */
const needsSessions = ({ measure, by, where }: Reading) =>
  !measure.of.startsWith("session") &&
  (by.some((one) => one.by === "entry" || one.by === "exit") ||
    where.some(({ property }) => isOfSession(property)));

/** The property of a label that typed queries have. */
function propertyOf(label: Label): Property | undefined {
  if (label.by === "entry" || label.by === "exit") return { of: "event", name: PLACES[label.by] };
  return label.by === "property" ? label.property : undefined;
}

const typeOf = (property: Property) => (isOfSession(property) ? "session" : property.of);

const node = (event: string | null) => ({ kind: "EventsNode", event });

/** Returns the `dateRange` of a reading. */
export function rangeOf(reading: Reading): JsonObject {
  const { when, measure, where } = reading;
  if (when.range !== undefined)
    return hasIntervals(reading) ? when.range : withExactHours(when.range);
  const isOfOne =
    measure.of === "moment" ||
    where.some(
      ({ property, is }) => property.of === "person" && property.name === "email" && is === "equal",
    );
  return { date_from: isOfOne ? "all" : `-${DAYS_DEFAULT}d` };
}

/** Whether an answer has whole intervals, so that its time has them as well. */
const hasIntervals = (reading: Reading) =>
  askedInterval(reading) !== null ||
  ["mean_of_days", "retention", "lifecycle", "stickiness"].includes(reading.measure.of);

/** Returns the interval that a question asks for; null for one number. */
export function askedInterval({ when }: Reading): Interval | null {
  if (when.interval !== undefined) return when.interval;
  if (when.isOverTime !== true) return null;
  const days = when.days ?? (when.isAllTime === true ? 1000 : DAYS_DEFAULT);
  if (days <= 1) return "hour";
  if (days <= 100) return "day";
  return days <= 400 ? "week" : "month";
}

const intervalOf = (reading: Reading, fallback: Interval): Interval =>
  askedInterval(reading) ?? fallback;

function common(reading: Reading): JsonObject {
  const properties = reading.where.map(filterOf);
  return {
    dateRange: rangeOf(reading),
    ...(properties.length === 0 ? {} : { properties }),
  };
}

const OPERATORS: Record<Condition["is"], string> = {
  equal: "exact",
  not: "is_not",
  contains: "icontains",
  above: "gt",
  at_least: "gte",
  below: "lt",
  at_most: "lte",
  set: "is_set",
  unset: "is_not_set",
};

function filterOf({ property, is, values }: Condition): JsonObject {
  const isList = (is === "equal" || is === "not") && values.length !== 1;
  const [only = ""] = values;
  const isNumber = is === "above" || is === "at_least" || is === "below" || is === "at_most";
  const one = isNumber ? Number(only) : only;
  const value = isList ? values : one;
  return { key: property.name, type: typeOf(property), operator: OPERATORS[is], value };
}

function trends(reading: Reading, all: readonly Aggregate[]): JsonObject | undefined {
  const { by, top, when } = reading;
  const isPlain = (label: Label) => propertyOf(label) !== undefined;
  const isTyped = ({ events, math, property, where }: Aggregate) =>
    events.length <= 1 && math !== "different" && property?.of !== "person" && where === undefined;
  if (!all.every(isTyped) || !by.every(isPlain) || by.length > BREAKDOWNS_MAX) return undefined;
  if (top?.isAscending === true || (top?.count ?? 1) > BREAKDOWN_LIMIT_MAX) return undefined;
  const interval = askedInterval(reading);
  const series = all.map(({ events, math, property, group }) => ({
    ...node(events[0] ?? null),
    math,
    ...(property === undefined ? {} : { math_property: property.name }),
    ...(group === undefined ? {} : { math_group_type_index: group }),
  }));
  const display = by.length === 0 ? "BoldNumber" : "ActionsBarValue";
  return {
    kind: "TrendsQuery",
    series,
    interval: interval ?? "day",
    ...common({ ...reading, where: [...reading.where, ...valuesAlone(reading)] }),
    ...breakdown(reading),
    ...(interval === null ? { trendsFilter: { display } } : {}),
    ...(when.compare === true ? { compareFilter: comparison(reading) } : {}),
  };
}

/** A list of the best has no row of events without a value. */
function valuesAlone({ by, top }: Reading): Condition[] {
  if (top === null) return [];
  return by.flatMap((one) => {
    const property = propertyOf(one);
    return property === undefined ? [] : [{ property, is: "set" as const, values: [] }];
  });
}

function breakdown({ by, top }: Reading): JsonObject {
  const properties = by.flatMap((one) => propertyOf(one) ?? []);
  const [first, ...others] = properties;
  if (first === undefined) return {};
  const limit =
    top?.count === null || top === null
      ? {}
      : { breakdown_limit: top.count, breakdown_hide_other_aggregation: true };
  const breakdownFilter: JsonObject =
    others.length === 0
      ? { breakdown: first.name, breakdown_type: typeOf(first), ...limit }
      : {
          breakdowns: properties.map((one) => ({ property: one.name, type: typeOf(one) })),
          ...limit,
        };
  return { breakdownFilter };
}

/** Periods of the calendar are compared with the ones before them, others with as much time before. */
function comparison(reading: Reading): JsonObject {
  const age = earlierBy(reading);
  return { compare: true, ...(age === undefined ? {} : { compare_to: age }) };
}

/** Returns the age of the period before a period of the calendar, such as `-1w`. */
export function earlierBy(reading: Reading): string | undefined {
  const { date_from } = rangeOf(reading);
  const [, unit] = /^(?:-\d+)?([dwmqy])Start$/.exec(String(date_from)) ?? [];
  if (unit === "q") return "-3m";
  if (unit !== undefined) return `-1${unit}`;
  return date_from === "-0d" ? "-1d" : undefined;
}

function funnel(
  reading: Reading,
  measure: Extract<Measure, { of: "funnel" }>,
): JsonObject | undefined {
  const { by, when } = reading;
  if (
    when.interval !== undefined ||
    when.compare === true ||
    by.some((one) => propertyOf(one) === undefined)
  )
    return undefined;
  const { window, pages = [] } = measure;
  const properties = pages.map(filterOf);
  const step = (event: string) => ({
    ...node(event),
    ...(event === "$pageview" && properties.length > 0 ? { properties } : {}),
  });
  return {
    kind: "FunnelsQuery",
    series: measure.steps.map(step),
    ...common(reading),
    ...breakdown(reading),
    funnelsFilter: {
      funnelOrderType: "ordered",
      ...(window === undefined
        ? {}
        : { funnelWindowInterval: window.count, funnelWindowIntervalUnit: window.unit }),
    },
  };
}

const RETENTION_PERIODS: Record<Interval, string> = {
  hour: "Hour",
  day: "Day",
  week: "Week",
  month: "Month",
};

function intervalOfDays(days: number): Interval {
  if (days <= 14) return "day";
  return days <= 120 ? "week" : "month";
}

/** Rows of a retention without a time. */
const ROWS_DEFAULT = 8;

function retention(
  reading: Reading,
  measure: Extract<Measure, { of: "retention" }>,
): JsonObject | undefined {
  const days = reading.when.days ?? 56;
  const interval = intervalOf(reading, intervalOfDays(days));
  if (reading.by.some((one) => one.by !== "property")) return undefined;
  const { dateRange: _range, ...filters } = common(reading);
  return {
    kind: "RetentionQuery",
    retentionFilter: {
      targetEntity: { id: measure.start, type: "events" },
      returningEntity: { id: measure.back, type: "events" },
      retentionType: "retention_first_time",
      period: RETENTION_PERIODS[interval],
      totalIntervals: reading.when.range === undefined ? ROWS_DEFAULT : 100,
    },
    ...(reading.when.range === undefined ? {} : { dateRange: reading.when.range }),
    ...filters,
    ...breakdown(reading),
  };
}
