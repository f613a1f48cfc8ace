import type { Kind, Query, SeriesNode } from "../../api/ask.ts";
import { dateRangeOf, daysOf, intervalOf, lengthOf, periodOfRange } from "../../state/period.ts";

/** The six kinds, in the order in which they are offered. */
export const KINDS: readonly { value: Kind; label: string }[] = [
  { value: "TrendsQuery", label: "Trends" },
  { value: "FunnelsQuery", label: "Funnel" },
  { value: "RetentionQuery", label: "Retention" },
  { value: "PathsQuery", label: "Paths" },
  { value: "LifecycleQuery", label: "Lifecycle" },
  { value: "StickinessQuery", label: "Stickiness" },
];

/** The measures of an event. */
export const MATHS: readonly { value: string; label: string }[] = [
  { value: "total", label: "events" },
  { value: "dau", label: "persons" },
  { value: "unique_session", label: "sessions" },
  { value: "weekly_active", label: "weekly active persons" },
  { value: "monthly_active", label: "monthly active persons" },
  { value: "sum", label: "sum of" },
  { value: "avg", label: "average of" },
  { value: "min", label: "minimum of" },
  { value: "max", label: "maximum of" },
  { value: "median", label: "median of" },
  { value: "p90", label: "90th percentile of" },
  { value: "p95", label: "95th percentile of" },
  { value: "p99", label: "99th percentile of" },
];

/** Whether a measure needs a property with numbers. */
export const needsProperty = (math: string | undefined): boolean =>
  /^(sum|avg|min|max|median|p\d\d)$/.test(math ?? "");

/** How trends are drawn. */
export const DISPLAYS: readonly { value: string; label: string }[] = [
  { value: "ActionsLineGraph", label: "Lines" },
  { value: "ActionsBar", label: "Bars" },
  { value: "ActionsBarValue", label: "Totals" },
  { value: "BoldNumber", label: "Number" },
];

/** The first question of a new insight. */
export const FIRST_QUERY: Query = {
  kind: "TrendsQuery",
  series: [{ kind: "EventsNode", event: "$pageview", math: "dau" }],
  interval: "day",
  dateRange: { date_from: "-30d" },
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
export function periodOf({ kind, dateRange, retentionFilter = {} }: Query): string {
  const to = dateRange?.date_to ?? "";
  const from = dateRange?.date_from;
  if (from != null || kind !== "RetentionQuery") return periodOfRange(from ?? "-7d", to);
  // Without a range, retention has so many intervals, the running one among them.
  const { totalIntervals = RETENTION_INTERVALS, period = "Day" } = retentionFilter;
  const unit = String(period).charAt(0).toLowerCase();
  return periodOfRange(`-${Number(totalIntervals) - 1}${unit}Start`, to);
}

/** The same question about another period, or without one if it is empty; its interval follows. */
export function withPeriod(query: Query, period: string): Query {
  if (period === "") {
    const { dateRange: _, ...rest } = query;
    return rest;
  }
  const dated = { ...query, dateRange: dateRangeOf(period) };
  const hasInterval = query.kind === "TrendsQuery" || query.kind === "LifecycleQuery";
  if (!hasInterval) return dated;
  const now = new Date();
  const isAsLong =
    lengthOf(daysOf(periodOf(query), now)) === lengthOf(daysOf(period, now)) && query.interval;
  return { ...dated, interval: isAsLong ? query.interval : intervalOf(period) };
}

/** The same question as another kind: events, period and filters stay, all else is left out. */
export function withKind({ series, dateRange, properties }: Query, kind: Kind): Query {
  const common = {
    kind,
    dateRange: dateRange ?? { date_from: "-30d" },
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
