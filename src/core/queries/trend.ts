import { GROUP_TYPES_MAX } from "../identity/groups.ts";
import { isNothing, type Json, type JsonObject } from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";
import { type Breakdown, breakdownOf } from "./breakdown.ts";
import { type Formula, readFormula } from "./formula.ts";
import type { Interval } from "./intervals.ts";
import { checkSessionProperty } from "./known-property.ts";
import type { DateRange } from "./period.ts";
import type { Fields } from "./query-fields.ts";
import {
  type EventFilters,
  type EventsNode,
  eventsNode,
  fields,
  filtersOf,
  intervalOf,
  malformed,
  missing,
  nodesOf,
  onlyOf,
  rangeOf,
  textOrNone,
} from "./query-fields.ts";
import { comparisonOf, type TrendShown, trendShown } from "./trend-shown.ts";

/** Series of one query. */
export const SERIES_MAX = 10;

/** Maths that count. */
const COUNTS = [
  ...(["total", "dau", "weekly_active", "monthly_active"] as const),
  ...(["unique_session", "unique_group", "first_time_for_user", "hogql"] as const),
] as const;

/** Days in which a person counts as active, up to and with the first day of an interval. */
export const ACTIVE_DAYS = { weekly_active: 7, monthly_active: 30 } as const;

/** Intervals in which these maths count; in longer ones they are `dau`, as PostHog has it. */
const ACTIVE_INTERVALS: Record<keyof typeof ACTIVE_DAYS, readonly Interval[]> = {
  weekly_active: ["day"],
  monthly_active: ["day", "week"],
};

/** Maths that calculate with the numbers of a property of events. */
const CALCULATIONS = [
  ...(["sum", "avg", "min", "max", "median"] as const),
  ...(["p50", "p75", "p90", "p95", "p99"] as const),
] as const;

/** All maths of a series. */
export const MATHS = [...COUNTS, ...CALCULATIONS] as const;

/**
 * One of MATHS: `total` counts events, `dau` persons, `weekly_active` and `monthly_active` persons of the
 * days before as well, `unique_group` groups of a type, `first_time_for_user` persons whose first event of that name it is,
 * `hogql` the different values of a property.
 */
export type SeriesMath = (typeof MATHS)[number];

/** The events of one series, and its math. */
export type Series = EventsNode & {
  /** Whether the caller named it by `custom_name`. */
  isNamed: boolean;
  math: SeriesMath;
  /** The property whose numbers are calculated with, or whose values are counted; null where events are counted. */
  math_property: string | null;
  /** Whose property it is. A number of a session counts once, in the interval in which the session starts. */
  math_property_of: "event" | "person" | "session";
  /** The type of the counted groups; null unless groups are counted. */
  math_group_type_index: number | null;
};

/** A parsed trends query. */
export type Trends = {
  kind: "TrendsQuery";
  series: Series[];
  interval: Interval;
  dateRange: DateRange;
  breakdown: Breakdown | null;
  /** Replaces the series in the answer; the first series still decides the values of a breakdown. */
  formula: Formula | null;
  /** Whether the answer also has the period before, see `previousPeriod`. */
  compare: boolean;
  /** How much earlier the period before is, such as `-1w`; null for as much time as the period has. */
  compareTo: string | null;
  shown: TrendShown;
};

/** Reads a `TrendsQuery`. Fails `required`, `invalid_input`, `invalid_choice`. */
export function readTrends(sent: JsonObject, moment: Moment): Trends {
  const known = ["kind", "series", "interval", "dateRange", "breakdownFilter", "properties"];
  const query = fields(sent, "query", [...known, "trendsFilter", "compareFilter"]);
  const common = filtersOf(query, moment);
  const interval = intervalOf(query);
  const series = nodesOf(
    query.sent["series"],
    { attr: query.attr("series"), min: 1, max: SERIES_MAX },
    (one, attr) => seriesOf(one, { attr, common, moment, interval }),
  );
  return {
    kind: "TrendsQuery",
    series,
    interval,
    dateRange: rangeOf(query),
    breakdown: breakdownOf(query),
    ...filterOf(query, series, { interval, moment }),
    ...comparisonOf(query),
  };
}

/** The words for each math in labels. */
export const MATH_WORDS: Readonly<Record<SeriesMath, string>> = {
  total: "events",
  dau: "unique users",
  weekly_active: "users of 7 days",
  monthly_active: "users of 30 days",
  unique_session: "unique sessions",
  unique_group: "unique groups",
  first_time_for_user: "first-time users",
  hogql: "different values",
  sum: "sum",
  avg: "average",
  min: "minimum",
  max: "maximum",
  median: "median",
  p50: "50th percentile",
  p75: "75th percentile",
  p90: "90th percentile",
  p95: "95th percentile",
  p99: "99th percentile",
};

/** Returns the label of a series: its own, or its math and its event, such as `unique users of $pageview`. */
export function seriesLabel({
  name,
  isNamed,
  math,
  math_property,
  math_property_of,
}: Series): string {
  if (isNamed || math === "total") return name;
  const words = MATH_WORDS[math];
  if (math_property === null) return `${words} of ${name}`;
  const owner = math_property_of === "event" ? "" : `${math_property_of} `;
  return `${words} of ${owner}${math_property} of ${name}`;
}

/** Whether the number of a series without events is 0, and not null. */
export const isZeroWithout = ({ math, math_property }: Pick<Series, "math" | "math_property">) =>
  math_property === null || math === "sum" || math === "hogql";

/** Whether the number of a series is an average or a percentile, which a few persons make no statement. */
export const isTypical = ({ math }: Pick<Series, "math">) =>
  math === "avg" || math === "median" || /^p\d+$/.test(math);

/** Persons below which the number of a group is small. */
export const SMALL_PERSONS = 5;

/** The unit of numbers that are no counts: a share of 0 to 100 percent, or a length of time. */
export type Unit = "percent" | "seconds";

/** Returns the unit of the numbers of a series, if it is known. */
export const seriesUnit = ({ math_property: name, math_property_of: of }: Series) =>
  of === "session" && name === "$session_duration" ? { unit: "seconds" as const } : {};

type Reading = { attr: string; common: EventFilters; moment: Moment; interval: Interval };

function seriesOf(sent: Json, { attr, common, moment, interval }: Reading): Series {
  const more = ["math", ...Object.keys(MATH_FIELDS)];
  const { node, read: own } = eventsNode(sent, { attr, moment, common, more });
  const read = { ...own, isNamed: node.text("custom_name") !== null };
  const math = activeIn(interval, node.choice("math", MATHS), node.attr("math"));
  checkMath(node, math);
  const math_property = node.text("math_property");
  const calculates = isCalculation(math);
  if (calculates && math_property === null) throw missing(node.attr("math_property"));
  const of = MATH_OWNERS[node.choice("math_property_type", MATH_PROPERTY_TYPES)];
  // PostHog's clients may leave out the type of this one.
  const math_property_of = math_property === "$session_duration" ? "session" : of;
  if (calculates && math_property_of === "session") {
    checkSessionProperty(math_property ?? "", node.attr("math_property"), true);
  }
  if (math === "hogql") return { ...read, math, ...countedIn(node), math_group_type_index: null };
  return {
    ...read,
    math,
    math_property: calculates ? math_property : null,
    math_property_of: calculates ? math_property_of : "event",
    math_group_type_index:
      math === "unique_group" ? groupTypeIndex(node, "math_group_type_index") : null,
  };
}

const isCalculation = (math: SeriesMath) => CALCULATIONS.some((one) => one === math);

/** Fields that say more about a math, and which maths these are. */
const MATH_FIELDS: Readonly<Record<string, (math: SeriesMath) => boolean>> = {
  math_property: isCalculation,
  math_property_type: isCalculation,
  math_hogql: (math) => math === "hogql",
  math_group_type_index: (math) => math === "unique_group",
};

/** Fails `invalid_input` on a field of another math, which would tell of another number. */
function checkMath({ sent, attr }: Fields, math: SeriesMath): void {
  for (const [name, isOf] of Object.entries(MATH_FIELDS)) {
    if (isOf(math) || isNothing(sent[name] ?? null)) continue;
    const maths = MATHS.filter(isOf).join(", ");
    throw malformed(
      `The math ${math} has no ${name}. Leave it out, or write math: ${maths}.`,
      attr(name),
    );
  }
}

const COUNTED =
  /^\s*count\(\s*distinct\s+(person\.)?properties\.(?:([$\w]+)|`([^`]+)`|"([^"]+)")\s*\)\s*$/i;

/** Reads the property whose different values are counted. Fails `required`, `invalid_input`. */
function countedIn(node: Fields): Pick<Series, "math_property" | "math_property_of"> {
  const text = node.text("math_hogql");
  if (text === null) throw missing(node.attr("math_hogql"));
  const [, person, ...names] = COUNTED.exec(text) ?? [];
  const name = names.find((one) => one !== undefined);
  if (name !== undefined) {
    return { math_property: name, math_property_of: person === undefined ? "event" : "person" };
  }
  const detail =
    "count(DISTINCT properties.name) or count(DISTINCT person.properties.name) is expected. " +
    "Ask in SQL for others: POST …/query/ takes a HogQLQuery.";
  throw malformed(detail, node.attr("math_hogql"));
}

/** Whose property a math calculates with, by its `math_property_type`. */
const MATH_OWNERS = {
  event_properties: "event",
  numerical_event_properties: "event",
  person_properties: "person",
  session_properties: "session",
} as const;

const MATH_PROPERTY_TYPES = Object.keys(MATH_OWNERS) as (keyof typeof MATH_OWNERS)[];

/** The math that counts in an interval. Fails `invalid_input` for active persons by the hour. */
function activeIn(interval: Interval, math: SeriesMath, attr: string): SeriesMath {
  if (math !== "weekly_active" && math !== "monthly_active") return math;
  if (interval === "hour") throw malformed(`${math} is by day, week or month.`, attr);
  return ACTIVE_INTERVALS[math].includes(interval) ? math : "dau";
}

/** Maths whose numbers may be added up over time. */
const ADDED: readonly SeriesMath[] = ["total", "sum", "first_time_for_user"];

/** Reads `trendsFilter`. */
function filterOf(
  query: Fields,
  series: readonly Series[],
  { interval, moment }: { interval: Interval; moment: Moment },
): Pick<Trends, "formula" | "shown"> {
  const known = ["formula", "formulas", "formulaNodes", "display", "smoothingIntervals"];
  const filter = query.object("trendsFilter", known);
  const shown = trendShown(filter, interval, moment);
  if (shown.isCumulative && series.some(({ math }) => !ADDED.includes(math))) {
    const detail = `ActionsLineGraphCumulative is for the maths ${ADDED.join(", ")}.`;
    throw malformed(detail, filter.attr("display"));
  }
  return { formula: formulaOf(filter, series.length), shown };
}

// Clients send a formula by itself or in a list of one, with or without a name.
function formulaOf({ sent, attr }: Fields, series: number): Formula | null {
  const node = onlyOf(sent["formulaNodes"], attr("formulaNodes")) ?? {};
  const read = fields(node, `${attr("formulaNodes")}__0`, ["formula", "custom_name"]);
  const named = read.sent;
  const requested = [
    sent["formula"],
    onlyOf(sent["formulas"], attr("formulas")),
    named["formula"],
  ].find((one) => one !== undefined && !isNothing(one));
  const text = textOrNone(requested, attr("formula"));
  const name = read.text("custom_name");
  if (text === null) return null;
  return { ...readFormula(text, series, attr("formula")), ...(name === null ? {} : { name }) };
}

/** Reads the index of a type of groups. */
function groupTypeIndex({ sent, attr, whole }: Fields, name: string): number {
  if ((sent[name] ?? null) === null) throw missing(attr(name));
  return whole(name, { min: 0, max: GROUP_TYPES_MAX - 1 }, 0);
}
