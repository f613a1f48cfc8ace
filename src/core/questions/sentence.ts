import { BREAKDOWN_LIMIT_DEFAULT, type Breakdown } from "../queries/breakdown.ts";
import type { Funnel } from "../queries/funnel.ts";
import { type Query, readQuery } from "../queries/insight.ts";
import type { Paths } from "../queries/path.ts";
import type { DateRange, Interval } from "../queries/period.ts";
import type { EventFilters, EventsNode } from "../queries/query-fields.ts";
import { RETENTION_INTERVALS_MAX, type Retention } from "../queries/retention.ts";
import type { SeriesMath, Trends } from "../queries/trend.ts";
import { isObject, type JsonObject } from "../values/json.ts";
import { isGroup } from "../values/property-filter.ts";
import type { Moment } from "../values/zoned-time.ts";
import { filterWords } from "./filters.ts";
import { RETENTION_ROWS } from "./grammars.ts";
import { RESERVED_WORDS } from "./names.ts";

/** Displays of one number, or of one for each value of a breakdown. */
const TOTALS: ReadonlySet<unknown> = new Set(["BoldNumber", "ActionsBarValue"]);

/** Whether a query shows one number for its whole period, and no intervals. */
export function isTotal(sent: JsonObject): boolean {
  const filter = sent["trendsFilter"];
  return isObject(filter) && TOTALS.has(filter["display"]);
}

/** Options of a sentence: whether every name is in quotes, as names that look like words of the grammar need. */
export type Quoting = { quotesAll?: boolean };

/**
 * Returns the sentence that asks for a query, such that `readWords` returns an equal query from it; null if the words
 * cannot say it: a formula, series that count in different ways, filters joined by OR, a time of day. Fails as `readQuery`.
 */
export function sentenceOf(
  sent: JsonObject,
  moment: Moment,
  { quotesAll = false }: Quoting = {},
): string | null {
  const query = readQuery(sent, moment);
  const words: Words = {
    name: quotesAll ? JSON.stringify : nameWords,
    isTotal: isTotal(sent),
  };
  const said = partsOf(query, words);
  const period = "dateRange" in query ? rangeWords(query, query.dateRange, words) : "";
  if (said === undefined || period === undefined) return null;
  const { what, breakdown, filters, more = "" } = said;
  const broken = breakdown === null ? "" : breakdownWords(breakdown, words);
  const where = whereWords(filters, words);
  if (broken === undefined || where === undefined) return null;
  return [what, broken, where, period, more].filter((part) => part !== "").join(" ");
}

type Words = { name: (name: string) => string; isTotal: boolean };

/** The parts of a sentence; `more` comes last. */
type Said = { what: string; breakdown: Breakdown | null; filters: EventFilters; more?: string };

/** Returns a name. Several words, and words of the grammar, are in double quotes. */
function nameWords(name: string): string {
  const isWord = /^[$_\p{L}][\p{L}\p{N}_$]*$/u.test(name);
  return isWord && !RESERVED_WORDS.has(name.toLowerCase()) ? name : JSON.stringify(name);
}

function partsOf(query: Query, words: Words): Said | undefined {
  switch (query.kind) {
    case "TrendsQuery":
      return trendsWords(query, words);
    case "FunnelsQuery":
      return funnelWords(query, words);
    case "RetentionQuery":
      return retentionWords(query, words);
    case "PathsQuery":
      return pathsWords(query);
    case "LifecycleQuery": {
      const what = `${EVERY[query.interval]} lifecycle of ${eventWords(query.series, words)}`;
      return { what, breakdown: null, filters: query.series.filters };
    }
    case "StickinessQuery": {
      const filters = commonFilters(query.series);
      const what = `${EVERY[query.interval]} stickiness of ${listWords(query.series, words)}`;
      return filters === undefined ? undefined : { what, breakdown: null, filters };
    }
  }
}

const EVERY: Record<Interval, string> = {
  hour: "hourly",
  day: "daily",
  week: "weekly",
  month: "monthly",
};

const eventWords = ({ event }: Pick<EventsNode, "event">, { name }: Words) =>
  event === null ? "all events" : name(event);

const listWords = (nodes: readonly EventsNode[], words: Words) =>
  nodes.map((one) => eventWords(one, words)).join(", ");

/** The filters that all nodes have; undefined if they differ. */
export function commonFilters(
  nodes: readonly Pick<EventsNode, "filters">[],
): EventFilters | undefined {
  const [first = [], ...others] = nodes.map(({ filters }) => filters);
  const isSame = others.every((one) => Bun.deepEquals(one, first));
  return isSame ? first : undefined;
}

/** Words before the events; null if no words say it. */
const MATHS: Record<SeriesMath, string | null> = {
  total: "",
  dau: "unique users of ",
  weekly_active: "users of 7 days of ",
  monthly_active: "users of 30 days of ",
  unique_session: "unique sessions of ",
  unique_group: null,
  sum: "sum",
  avg: "average",
  min: "minimum",
  max: "maximum",
  median: "median",
  ...{ p50: "p50", p75: "p75", p90: "p90", p95: "p95", p99: "p99" },
};

function trendsWords(query: Trends, words: Words): Said | undefined {
  const { series, interval, breakdown, formula, compare, compareTo } = query;
  const filters = commonFilters(series);
  const [first] = series;
  const isSame = series.every(
    ({ math, math_property, math_property_of: of }) =>
      math === first?.math && math_property === first?.math_property && of === "event",
  );
  const math = first === undefined ? null : MATHS[first.math];
  const compared = compare ? comparisonWords(compareTo) : "";
  if (formula !== null || filters === undefined || !isSame || math === null) return undefined;
  if (first === undefined || compared === undefined) return undefined;
  const counted =
    first.math_property === null ? math : `${math} of ${words.name(first.math_property)} of `;
  const often = words.isTotal && interval === "day" ? "" : `${EVERY[interval]} `;
  const total = words.isTotal ? "in total" : "";
  return {
    what: `${often}${counted}${listWords(series, words)}`,
    breakdown,
    filters,
    more: [total, compared].filter((part) => part !== "").join(" "),
  };
}

function comparisonWords(compareTo: string | null): string | undefined {
  if (compareTo === null) return "compared to previous";
  const [, count, unit = ""] = /^-(\d+)([hdwmy])$/.exec(compareTo) ?? [];
  return count === undefined ? undefined : `compared to ${count} ${UNITS[unit]}s earlier`;
}

const UNITS: Record<string, string> = {
  h: "hour",
  d: "day",
  w: "week",
  m: "month",
  q: "quarter",
  y: "year",
};

const WINDOWS: readonly [unit: string, seconds: number][] = [
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** The largest count of a window in words. */
const WINDOW_COUNT_MAX = 9999;

function funnelWords(query: Funnel, words: Words): Said | undefined {
  const { steps, order, exclusions, window_s, breakdown } = query;
  const filters = commonFilters(steps);
  const isWhole = exclusions.every(
    ({ from, to, filters }) => from === 0 && to === steps.length - 1 && filters.length === 0,
  );
  const [unit = "second", size = 1] = WINDOWS.find(([, one]) => window_s % one === 0) ?? [];
  if (filters === undefined || !isWhole || window_s / size > WINDOW_COUNT_MAX) return undefined;
  const kind = order === "ordered" ? "funnel" : `${order} funnel`;
  const named = steps.map((one) => eventWords(one, words)).join(" then ");
  const without = exclusions.length === 0 ? "" : ` without ${listWords(exclusions, words)}`;
  const count = window_s / size;
  const window = ` within ${count} ${unit}${count === 1 ? "" : "s"}`;
  return { what: `${kind} ${named}${without}${window}`, breakdown, filters };
}

function retentionWords(query: Retention, words: Words): Said | undefined {
  const { target, returning, isFirstTime, interval, intervals, breakdown, dateRange } = query;
  const filters = commonFilters([target, returning]);
  if (filters === undefined) return undefined;
  const usual = typeof dateRange.date_from === "number" ? RETENTION_ROWS : RETENTION_INTERVALS_MAX;
  const kind = isFirstTime ? "retention" : "recurring retention";
  const back = target.event === returning.event ? "" : ` then ${eventWords(returning, words)}`;
  const rows = intervals === usual ? "" : ` with ${intervals} intervals`;
  const what = `${EVERY[interval]} ${kind} of ${eventWords(target, words)}${back}${rows}`;
  return { what, breakdown, filters };
}

const PATHS_DEFAULT = { steps: 5, edges: 50, types: 3 };

function pathsWords(query: Paths): Said | undefined {
  const { start, end, types, excluded, steps, edges, filters } = query;
  const { steps: usualSteps, edges: usualEdges, types: all } = PATHS_DEFAULT;
  if (types.length < all || excluded.length > 0 || steps !== usualSteps || edges !== usualEdges)
    return undefined;
  const what = ["paths", ...placeWords("from", start), ...placeWords("to", end)].join(" ");
  return { what, breakdown: null, filters };
}

function placeWords(way: string, place: string | null): string[] {
  if (place === null) return [];
  if (/^\/[\w/-]*$/.test(place)) return [`${way} ${place}`];
  return [`${way} ${place.startsWith("/") ? "" : "screen "}${JSON.stringify(place)}`];
}

function breakdownWords({ by, limit, hidesOther }: Breakdown, words: Words): string | undefined {
  if (by.some(({ of }) => of.type === "group" || of.type === "session")) return undefined;
  const names = by.map(
    ({ of, property }) => `${of.type === "person" ? "person " : ""}${words.name(property)}`,
  );
  const only = hidesOther === true ? " only" : "";
  const top = limit === BREAKDOWN_LIMIT_DEFAULT && only === "" ? "" : ` top ${limit}${only}`;
  return `by ${names.join(", ")}${top}`;
}

function whereWords(filters: EventFilters, { name }: Words): string | undefined {
  const all = filters.map((one) => (isGroup(one) ? undefined : filterWords(one, name)));
  if (all.some((one) => one === undefined)) return undefined;
  return all.length === 0 ? "" : `where ${all.join(" and ")}`;
}

function rangeWords(
  { kind }: Pick<Query, "kind">,
  { date_from, date_to, explicitDate = false }: DateRange,
  { isTotal }: Pick<Words, "isTotal">,
): string | undefined {
  const isWhole = isTotal || kind === "FunnelsQuery" || kind === "PathsQuery";
  const isOfHours = date_to === null && /^-\d+h$/.test(String(date_from));
  if (explicitDate !== (isOfHours && isWhole)) return undefined;
  if (typeof date_from === "number")
    return kind === "RetentionQuery" && date_to === null ? "" : undefined;
  const key = date_to === null ? date_from : `${date_from} ${date_to}`;
  const named = NAMED_RANGES.get(key);
  if (named !== undefined) return named;
  const [, age, unit = ""] = /^-(\d{1,4})([hdwmy])$/.exec(key) ?? [];
  if (age !== undefined) return `last ${age} ${UNITS[unit]}s`;
  const [, from, to] = /^(\d{4}-\d\d-\d\d)(?: (\d{4}-\d\d-\d\d))?$/.exec(key) ?? [];
  if (from === undefined) return undefined;
  return to === undefined ? `since ${from}` : `from ${from} to ${to}`;
}

/** Words for ranges of the calendar, by their `date_from` and `date_to`. */
const NAMED_RANGES: ReadonlyMap<string, string> = new Map([
  ["all", "over all time"],
  ["-0d", "today"],
  ["-1dStart -1dEnd", "yesterday"],
  ...["w", "m", "q", "y"].flatMap((unit): [string, string][] => [
    [`${unit}Start`, `this ${UNITS[unit]}`],
    [`-1${unit}Start -1${unit}End`, `last ${UNITS[unit]}`],
  ]),
]);
