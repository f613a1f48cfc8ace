import type { Kind, Query, SeriesNode } from "../../api/query.ts";
import { dateRangeOf, periodOfRange } from "../../state/bounds.ts";
import { comparedTo, intervalOver } from "../../state/intervals.ts";
import { daysOf, lengthOf } from "../../state/period.ts";

/** The six kinds, in the order in which they are offered. */
export const KINDS: readonly { value: Kind; label: string }[] = [
  { value: "TrendsQuery", label: "Trends" },
  { value: "FunnelsQuery", label: "Funnel" },
  { value: "RetentionQuery", label: "Retention" },
  { value: "PathsQuery", label: "Paths" },
  { value: "LifecycleQuery", label: "Lifecycle" },
  { value: "StickinessQuery", label: "Stickiness" },
];

/** Names of the kinds that the builder does not make. */
const OTHER_KINDS: Record<string, string> = {
  ...{ EventsQuery: "List of events", ActorsQuery: "List of people" },
  ...{ HogQLQuery: "SQL", SQLQuery: "SQL" },
};

/** The name of the kind of a query, such as `Funnel`. */
export const kindName = ({ kind }: Query): string =>
  KINDS.find(({ value }) => value === kind)?.label ?? OTHER_KINDS[kind] ?? "Question";

/** Choices of which one is the present value, which may be none that is offered. */
export const withPresent = (
  choices: readonly { value: string; label: string }[],
  value: string,
  label = value.replaceAll("_", " "),
): readonly { value: string; label: string }[] =>
  choices.some((one) => one.value === value) ? choices : [...choices, { value, label }];

/** Whether a measure needs a property with numbers. */
export const needsProperty = (math: string | undefined): boolean =>
  /^(sum|avg|min|max|median|p\d\d)$/.test(math ?? "");

/** The first question of a new insight. */
export const FIRST_QUERY: Query = {
  kind: "TrendsQuery",
  series: [{ kind: "EventsNode", event: "$pageview", math: "dau" }],
  interval: "day",
  dateRange: { date_from: "-29d" },
};

/** The query that a parameter of the address has; undefined if it has no query, or a broken one. */
export function readQuery(text: string | undefined): Query | undefined {
  try {
    const query: unknown = JSON.parse(text ?? "null");
    const isQuery = typeof (query as Query | null)?.kind === "string";
    return isQuery ? (query as Query) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the next step before a query is complete; undefined if it is. */
export function missingIn({ kind, series = [] }: Query): string | undefined {
  if (kind === "FunnelsQuery" && series.length < 2) return "Add a second step";
  const isWithout = series.some((one) => needsProperty(one.math) && !one.math_property);
  return isWithout ? "Choose the property with the number" : undefined;
}

/** Intervals of retention without a range, as the server has them. */
const RETENTION_INTERVALS = 7;

/** The period of a query as the address has it. */
export function periodOf({ kind, dateRange, retentionFilter = {}, ...query }: Query): string {
  if (kind === "EventsQuery") return periodOfRange(query.after ?? "-24h", query.before ?? "");
  const to = dateRange?.date_to ?? "";
  const from = dateRange?.date_from;
  if (from != null || kind !== "RetentionQuery") {
    return periodOfRange(wholeFrom(from ?? "-7d", query.interval), to);
  }
  // Without a range, retention has so many intervals, the running one among them.
  const { totalIntervals = RETENTION_INTERVALS, period = "Day" } = retentionFilter;
  const unit = String(period).charAt(0).toLowerCase();
  return periodOfRange(`-${Number(totalIntervals) - 1}${unit}Start`, to);
}

/** Weeks back by the week, and months by the month, begin with a whole one. */
const wholeFrom = (from: string, interval = "day"): string =>
  new RegExp(`^-\\d+${interval.charAt(0)}$`).test(from) && /^(?:week|month)$/.test(interval)
    ? `${from}Start`
    : from;

/** The comparison over a period: one that an earlier period had follows, and one of its own stays. */
function comparisonOver(query: Query, period: string, interval: string): Query["compareFilter"] {
  const { compareFilter = {} } = query;
  const usual = (one: string, by: string) =>
    one === "all" ? undefined : comparedTo(daysOf(one, new Date()), by);
  const { compare, compare_to } = compareFilter;
  const isUsual =
    compare_to == null || compare_to === usual(periodOf(query), query.interval ?? "day");
  if (compare !== true || !isUsual) return compareFilter;
  const next = usual(period, interval);
  return next === undefined ? { compare } : { compare, compare_to: next };
}

/** The same trend compared with the time before, or no longer compared. */
export function withComparison(query: Query, isCompared: boolean): Query {
  const compared = { ...query, compareFilter: isCompared ? { compare: true } : {} };
  return { ...compared, ...overPeriod(compared, periodOf(query), query.interval ?? "day") };
}

/** All time is as long as a project is old, which is about a year. */
const ALL_DAYS = 365;

/** The interval and the comparison of a question over a period. */
export function overPeriod(
  query: Query,
  period: string,
  interval = intervalOver(
    query.interval ?? "day",
    period === "all" ? ALL_DAYS : lengthOf(daysOf(period, new Date())),
  ),
): Pick<Query, "interval" | "compareFilter"> {
  const isOverTime = query.funnelsFilter?.["funnelVizType"] === "trends";
  if (!isOverTime && !/^(Trends|Lifecycle)Query$/.test(query.kind)) return {};
  if (query.compareFilter === undefined) return { interval };
  return { interval, compareFilter: comparisonOver(query, period, interval) };
}

/** The same question about another period; its interval and its comparison follow where they must. */
export function withPeriod(query: Query, period: string): Query {
  const range = dateRangeOf(period);
  if (query.kind === "EventsQuery") {
    const { before: _, ...rest } = query;
    const before = range.date_to === undefined ? {} : { before: range.date_to };
    return { ...rest, after: range.date_from, ...before };
  }
  return { ...query, dateRange: range, ...overPeriod(query, period) };
}

/** The same question as another kind: events, period and filters stay, all else is left out. */
export function withKind(query: Query, kind: Kind): Query {
  const { series = seriesOfList(query), dateRange = rangeOfList(query), properties } = query;
  const common = {
    kind,
    ...(dateRange === undefined ? { dateRange: FIRST_QUERY.dateRange } : { dateRange }),
    ...(properties === undefined ? {} : { properties }),
  };
  const events = series?.length ? series : (FIRST_QUERY.series ?? []);
  const plain = events.map(({ event }): SeriesNode => ({ kind: "EventsNode", event }));
  const first = plain[0]?.event ?? "$pageview";
  if (kind === "RetentionQuery") {
    const entity = { id: first, type: "events" };
    const retentionFilter = {
      targetEntity: entity,
      returningEntity: entity,
      retentionType: "retention_first_time",
      period: "Week",
      totalIntervals: 8,
    };
    return { ...common, retentionFilter };
  }
  if (kind === "PathsQuery") return common;
  if (kind === "LifecycleQuery") return { ...common, series: plain.slice(0, 1), interval: "week" };
  if (kind === "TrendsQuery") return { ...common, series: events, interval: "day" };
  return { ...common, series: plain };
}

const seriesOfList = ({ event }: Query): SeriesNode[] =>
  typeof event === "string" ? [{ kind: "EventsNode", event, math: "total" }] : [];

const rangeOfList = ({ after, before }: Query): Query["dateRange"] =>
  after == null ? undefined : { date_from: after, ...(before == null ? {} : { date_to: before }) };
