import type { Unit } from "../../queries/trend.ts";
import { askedInterval, rangeOf } from "./compile.ts";
import type { Aggregate, Condition, Label, Measure, Reading, SessionValue } from "./reading.ts";

const MATHS: Record<Aggregate["math"], string> = {
  total: "events",
  dau: "unique users",
  weekly_active: "users active within 7 days",
  monthly_active: "users active within 30 days",
  unique_session: "sessions",
  unique_group: "groups",
  sum: "sum",
  avg: "average",
  min: "minimum",
  max: "maximum",
  median: "median",
  p50: "median",
  p75: "75th percentile",
  p90: "90th percentile",
  p95: "95th percentile",
  p99: "99th percentile",
  different: "different values",
};

/** Returns words for a count, such as "unique users of $pageview". */
export function aggregateName({ events, math, property, where }: Aggregate): string {
  const of = events.length === 0 ? "all events" : events.join(" or ");
  const filter =
    where === undefined || where.length === 0
      ? ""
      : ` where ${where.map(conditionName).join(" and ")}`;
  if (math === "total") return `${of}${filter}`;
  const what = property === undefined ? MATHS[math] : `${MATHS[math]} of ${property.name}`;
  return `${what} of ${of}${filter}`;
}

const SESSIONS: Record<SessionValue, string> = {
  count: "sessions",
  seconds: "average session length in seconds",
  median_seconds: "median session length in seconds",
  longest_seconds: "longest session in seconds",
  pages: "page views per session",
  bounce_rate: "bounce rate in percent",
  bounces: "bounced sessions",
  persons: "users with a session",
  per_person: "sessions per user",
};

const FUNNELS = {
  steps: "funnel from",
  rate: "conversion rate from",
  lost: "percentage of users who are lost from",
  seconds: "average time from",
  median_seconds: "median time from",
} as const;

const all = (event: string | null) => event ?? "all events";

const allMet = (conditions: readonly Condition[]) => conditions.map(conditionName).join(" and ");

const pagesName = (pages: readonly Condition[] = []) =>
  pages.map(({ values }) => ` of ${values.join(" or ")}`).join("");

/** The names of events, the page views among them with their pages. */
const stepsName = (events: readonly string[], pages: readonly Condition[] | undefined) =>
  events.map((event) => (event === "$pageview" ? `${event}${pagesName(pages)}` : event));

/** Words for each kind of measure. */
const MEASURES: { [Of in Measure["of"]]: (measure: Extract<Measure, { of: Of }>) => string } = {
  events: countName,
  series: ({ all: counted }) => counted.map(aggregateName).join(", "),
  ratio: ratioName,
  mean_of_days: ({ counted, unit }) => `${aggregateName(counted)} per ${unit} on average`,
  sessions: ({ value }) => SESSIONS[value],
  session_share: ({ among }) => `percentage of sessions where ${allMet(among)}`,
  funnel: funnelName,
  retention: ({ start, back }) => `retention of ${all(start)} with ${all(back)}`,
  lifecycle: ({ event }) => `lifecycle of users of ${all(event)}`,
  stickiness: ({ event }) => `users by their number of days with ${all(event)}`,
  active_on: ({ event, days }) => `users with ${all(event)} on at least ${days} days`,
  next: ({ page, isBefore }) => `pages ${isBefore ? "before" : "after"} ${page}`,
  without: ({ event, not, pages, seen }) =>
    `users of ${event}${pagesName(seen)} without ${not}${pagesName(pages)}`,
  all_of: ({ events, pages }) => `users with ${stepsName(events, pages).join(" and with ")}`,
  never: ({ event, met, did = [] }) =>
    `users of ${event}${did.length === 0 ? "" : ` where ${allMet(did)},`} without any where ${allMet(met)}`,
  repeaters: ({ event, times, isShare }) =>
    `${isShare === true ? "percentage of users" : "users"} with ${event} at least ${times} times`,
  newcomers: newcomersName,
  moment: ({ events, isLast }) => `${isLast ? "last" : "first"} ${events[0] ?? "event"}`,
  value: ({ property }) => property.name,
  persons: () => "persons",
};

/** Returns words for a measure. */
export function measureName<Of extends Measure["of"]>(
  measure: Extract<Measure, { of: Of }>,
): string {
  return MEASURES[measure.of as Of](measure);
}

/** Returns the unit of the numbers of a measure; undefined of counts, and where it is not known. */
export function measureUnit(measure: Measure): Unit | undefined {
  switch (measure.of) {
    case "sessions":
      if (measure.value === "bounce_rate") return "percent";
      return measure.value.endsWith("seconds") ? "seconds" : undefined;
    case "funnel":
      return measure.as.endsWith("seconds") ? "seconds" : "percent";
    case "session_share":
      return "percent";
    case "ratio":
      return measure.isPercent ? "percent" : undefined;
    case "repeaters":
    case "newcomers":
      return measure.isShare === true ? "percent" : undefined;
    default:
      return undefined;
  }
}

function countName(measure: Aggregate): string {
  if (measure.math !== "total") return aggregateName(measure);
  if (measure.events.length === 0) return "number of events";
  return `number of ${aggregateName(measure)} events`;
}

function ratioName({ over, under, isPercent }: Extract<Measure, { of: "ratio" }>): string {
  if (!isPercent) return `${aggregateName(over)} per ${PER[under.math] ?? aggregateName(under)}`;
  const { where = [] } = over;
  const part = where.length === 0 ? aggregateName(over) : allMet(where);
  return `percentage of ${aggregateName(under)} with ${part}`;
}

function funnelName({ as, steps, window, pages }: Extract<Measure, { of: "funnel" }>): string {
  const within = window === undefined ? "14 days" : `${window.count} ${window.unit}s`;
  const unit = as.endsWith("seconds") ? " in seconds" : "";
  return `${FUNNELS[as]} ${stepsName(steps, pages).join(" to ")} within ${within}${unit}`;
}

function newcomersName({ event, which, isShare }: Extract<Measure, { of: "newcomers" }>): string {
  const what = which === "both" ? "new and returning users" : `${which} users`;
  return `${isShare === true ? "percentage of " : ""}${what} of ${all(event)}`;
}

const PER: Partial<Record<Aggregate["math"], string>> = { dau: "user", unique_session: "session" };

const SIGNS: Record<Condition["is"], string> = {
  equal: "is",
  not: "is not",
  contains: "contains",
  above: ">",
  at_least: ">=",
  below: "<",
  at_most: "<=",
  set: "is set",
  unset: "is not set",
};

/** Returns words for a condition. */
export function conditionName({ property, is, values }: Condition): string {
  const of = property.of === "person" ? `person ${property.name}` : property.name;
  return `${of} ${SIGNS[is]} ${values.join(" or ")}`.trim();
}

/** Returns words for a label. */
export function labelName(label: Label): string {
  if (label.by === "property")
    return label.property.of === "person" ? `person ${label.property.name}` : label.property.name;
  if (label.by === "first_touch") return `${label.property.name} of the person's first event`;
  return {
    weekday: "day of the week",
    hour: "hour of the day",
    date: "day",
    event: "event",
    origin: "origin",
    entry: "entry page",
    exit: "exit page",
  }[label.by];
}

/** A ranking has no row of events without a value. */
function labelsName({ by, top }: Reading): string {
  const isOfValues = top !== null && by.some((one) => "property" in one);
  return `by ${by.map(labelName).join(" and ")}${isOfValues ? " (left out where it is not set)" : ""}`;
}

/** The period that was answered, as times on the project's clock. */
export type SaidPeriod = { from: string; before: string; timezone: string };

/** Says in one sentence how a question was read: its measure, intervals, labels, filters and period. */
export function explanationOf(reading: Reading, period: SaidPeriod | null): string {
  const interval = askedInterval(reading);
  const parts = [
    capitalised(measureName(reading.measure)),
    ...(interval === null ? [] : [`per ${interval}`]),
    ...(reading.by.length === 0 ? [] : [labelsName(reading)]),
    ...(reading.where.length === 0
      ? []
      : [`where ${reading.where.map(conditionName).join(" and ")}`]),
    ...(period === null ? [] : [periodName(reading, period)]),
  ];
  return `${parts.join(" ")}${reading.when.compare === true ? ", compared with the period before" : ""}.`;
}

function periodName(reading: Reading, { from, before, timezone }: SaidPeriod): string {
  const isAll = rangeOf(reading)["date_from"] === "all";
  const assumed = reading.when.range === undefined && !isAll ? ", as no period was said" : "";
  return `${isAll ? "over all time, " : ""}from ${shown(from)} until before ${shown(before)} (${timezone}${assumed})`;
}

const shown = (wall: string) => wall.replace("T", " ").replace(/( 00:00:00)?\.\d+$/, "");

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
