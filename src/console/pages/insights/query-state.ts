import type { Kind, Query, SeriesNode } from "../../api/query.ts";
import { dateRangeOf, periodOfRange } from "../../state/bounds.ts";
import {
  type Comparison,
  compareFilterOf,
  comparisonIn,
  intervalOver,
  isHours,
} from "../../state/intervals.ts";
import { daysOf, spanOf } from "../../state/period.ts";

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
  const isList = kind === "EventsQuery";
  const to = (isList ? query.before : dateRange?.date_to) ?? "";
  const from = isList ? (query.after ?? "-24h") : dateRange?.date_from;
  // Lists and exact ranges have as many hours as they say.
  const isExact = isList || dateRange?.explicitDate === true;
  if (isExact && to === "" && /^-\d+h$/.test(from ?? "")) return `${from?.slice(1)}`;
  if (isList) return periodOfRange(from ?? "", to);
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

const divided = ({ interval = "day" }: Query, period: string) => ({
  ...{ interval, period },
  days: daysOf(period, new Date()),
});

/** The comparison of a query. */
export const comparisonOf = (query: Query): Comparison =>
  comparisonIn(query.compareFilter ?? {}, divided(query, periodOf(query)));

/** The same trend over a period with another comparison. */
export const withComparison = (
  query: Query,
  comparison: Comparison,
  period = periodOf(query),
): Query => ({ ...query, compareFilter: compareFilterOf(comparison, divided(query, period)) });

/** Whether a question has no intervals, so that hours are counted exactly. */
const isUndivided = ({ kind, funnelsFilter }: Query): boolean =>
  kind === "PathsQuery" ||
  (kind === "FunnelsQuery" && funnelsFilter?.["funnelVizType"] !== "trends");

/** The hours that a question without intervals has exactly, as its range; undefined of other questions. */
export const exactHours = (query: Query, period: string): Query["dateRange"] =>
  /^\d+h$/.test(period) && isUndivided(query)
    ? { date_from: `-${period}`, explicitDate: true }
    : undefined;

/** The interval and the comparison of a question over a period; both follow where they must. */
export function overPeriod(
  query: Query,
  period: string,
): Pick<Query, "interval" | "compareFilter"> {
  const isTimed = /^(?:Trends|Lifecycle)Query$/.test(query.kind);
  const isOverTime = query.funnelsFilter?.["funnelVizType"] === "trends";
  const isByHour = isHours(period) && query.kind === "StickinessQuery";
  if (!isOverTime && !isTimed && !isByHour) return {};
  const interval = isHours(period) ? "hour" : intervalOver(query.interval ?? "day", spanOf(period));
  if (query.compareFilter === undefined) return { interval };
  const { compareFilter } = withComparison({ ...query, interval }, comparisonOf(query), period);
  return compareFilter === undefined ? { interval } : { interval, compareFilter };
}

/** The same question about another period. */
export function withPeriod(query: Query, period: string): Query {
  const range = dateRangeOf(period);
  if (query.kind === "EventsQuery") {
    const { before: _, ...rest } = query;
    const before = range.date_to === undefined ? {} : { before: range.date_to };
    const after = /^\d+h$/.test(period) ? `-${period}` : range.date_from;
    return { ...rest, after, ...before };
  }
  const dateRange = exactHours(query, period) ?? range;
  return { ...query, dateRange, ...overPeriod(query, period) };
}

/** Everything that the numbers of a trend are made of: the properties that it measures, and its formulas. */
function measured({ series = [], trendsFilter = {} }: Query): Set<string> {
  const { formula, formulas, formulaNodes } = trendsFilter;
  const of = series.map((one) => `of ${one.math_property_type} ${one.math_property}`);
  return new Set([...of, JSON.stringify([formula, formulas, formulaNodes])]);
}

/** The changed question without the unit of the numbers before, if it has others: a count of people is no money. */
export function withOwnUnit(next: Query, before: Query): Query {
  const known = measured(before);
  if (next.trendsFilter === undefined || [...measured(next)].every((one) => known.has(one)))
    return next;
  const { aggregationAxisFormat: _, aggregationAxisPrefix: __, ...others } = next.trendsFilter;
  const { aggregationAxisPostfix: ___, ...trendsFilter } = others;
  return { ...next, trendsFilter };
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
  if (kind === "PathsQuery") {
    // Ways from page to page are what people look for; the chip of the places adds other events.
    const isPlace = first === "$pageview" || first === "$screen";
    return isPlace ? { ...common, pathsFilter: { includeEventTypes: [first] } } : common;
  }
  if (kind === "LifecycleQuery") return { ...common, series: plain.slice(0, 1), interval: "week" };
  if (kind === "TrendsQuery") return { ...common, series: events, interval: "day" };
  return { ...common, series: plain };
}

const seriesOfList = ({ event }: Query): SeriesNode[] =>
  typeof event === "string" ? [{ kind: "EventsNode", event, math: "total" }] : [];

const rangeOfList = ({ after, before }: Query): Query["dateRange"] =>
  after == null ? undefined : { date_from: after, ...(before == null ? {} : { date_to: before }) };
