import { Failure } from "./errors.ts";
import { DATE_FROM_DEFAULT, type DateRange, INTERVALS, type Interval } from "./insight-period.ts";
import { isObject, type Json, type JsonObject, storableText } from "./json.ts";
import { PROPERTY_FILTERS_MAX, type PropertyFilter, propertyFilter } from "./property-filter.ts";
import type { User } from "./user.ts";

/** What an insight asks of events, and when and by whom it was asked first (decision 72). */
export type Insight = {
  id: number;
  /** Names it in paths; unique in its project. */
  short_id: string;
  name: string;
  /** A `TrendsQuery`. */
  query: JsonObject;
  created_at: string;
  created_by: User;
};

/** Characters of an insight's name. */
export const INSIGHT_NAME_CHARS_MAX = 400;

/** Insights that a project keeps: of more, the oldest are forgotten. */
export const INSIGHTS_MAX = 10_000;

/** Bytes of a query as JSON. */
export const QUERY_BYTES_MAX = 65_536;

/** Series of one query. */
export const SERIES_MAX = 10;

/** Values of a breakdown that are told apart if it does not say how many. */
export const BREAKDOWN_LIMIT_DEFAULT = 25;

/** Most values of a breakdown that are told apart. */
export const BREAKDOWN_LIMIT_MAX = 100;

/** What may be counted of events. */
const COUNTS = ["total", "dau", "unique_session"] as const;

/** What may be calculated of the numbers that a property of events has. */
const CALCULATIONS = ["sum", "avg", "min", "max", "median", "p75", "p90", "p95", "p99"] as const;

/** Everything a series may tell of its events. */
export const MATHS = [...COUNTS, ...CALCULATIONS] as const;

/** One of MATHS: `total` counts events, `dau` persons, `unique_session` sessions. */
export type SeriesMath = (typeof MATHS)[number];

/** The events of one series, and what of them is told. */
export type Series = {
  /** The events' name; null for all events. */
  event: string | null;
  /** What the caller calls it. */
  name: string;
  math: SeriesMath;
  /** The property whose numbers are calculated with; null where events are counted. */
  math_property: string | null;
  filters: PropertyFilter[];
};

/** A trends query, read. */
export type Trends = {
  series: Series[];
  interval: Interval;
  dateRange: DateRange;
  breakdown: { property: string; limit: number } | null;
};

/** Kinds of insights, and what they are in a body; only trends are answered so far. */
const LATER = ["funnel", "retention", "paths", "lifecycle", "stickiness", "sql"];

/** Whether such insights are answered. Fails `invalid_choice`. */
export function checkInsightType(type = "trends"): void {
  if (type === "trends") return;
  throw new Failure(
    "invalid_choice",
    LATER.includes(type)
      ? "Insights of this type are not answered yet. trends is expected."
      : "trends is expected.",
    "insight_type",
  );
}

/**
 * Reads a `TrendsQuery` as PostHog's clients write it, by itself or in an `InsightVizNode`. `now`
 * is what the dates of filters count from, in milliseconds. A field that would change the answer
 * and is not known is refused. Fails `required`, `invalid_input`, `invalid_choice`, `too_long`.
 */
export function readTrends(sent: JsonObject, now: number): Trends {
  const { source } = sent;
  if (sent["kind"] === "InsightVizNode" && isObject(source)) return readTrends(source, now);
  if (sent["kind"] !== "TrendsQuery") {
    const detail = "TrendsQuery is expected: queries of other kinds are not answered yet.";
    throw new Failure("invalid_choice", detail, "query__kind");
  }
  if (Buffer.byteLength(JSON.stringify(sent)) > QUERY_BYTES_MAX) {
    throw new Failure("too_long", `At most ${QUERY_BYTES_MAX} bytes as JSON.`, "query");
  }
  const known = ["kind", "series", "interval", "dateRange", "breakdownFilter", "properties"];
  const query = fields(sent, "query", known);
  const { series } = query;
  if (series === undefined) throw missing("query__series");
  if (!Array.isArray(series) || series.length === 0 || series.length > SERIES_MAX) {
    throw malformed(`A list of 1 to ${SERIES_MAX} series is expected.`, "query__series");
  }
  const filters = filtersOf(query["properties"], "query__properties", now);
  return {
    series: series.map((one, index) => {
      const read = seriesOf(one, `query__series__${index}`, now);
      return { ...read, filters: [...filters, ...read.filters] };
    }),
    interval: choice(query["interval"] ?? "day", INTERVALS, "query__interval"),
    dateRange: rangeOf(query["dateRange"] ?? {}),
    breakdown: breakdownOf(query["breakdownFilter"] ?? {}),
  };
}

function seriesOf(sent: Json, attr: string, now: number): Series {
  const known = ["kind", "event", "name", "custom_name", "math", "math_property", "properties"];
  const node = fields(sent, attr, known);
  choice(node["kind"] ?? "EventsNode", ["EventsNode"], `${attr}__kind`);
  const event = textOrNone(node["event"], `${attr}__event`);
  const math = choice(node["math"] ?? "total", MATHS, `${attr}__math`);
  const math_property = textOrNone(node["math_property"], `${attr}__math_property`);
  const calculates = CALCULATIONS.some((one) => one === math);
  if (calculates && math_property === null) throw missing(`${attr}__math_property`);
  return {
    event,
    name:
      textOrNone(node["custom_name"], `${attr}__custom_name`) ??
      textOrNone(node["name"], `${attr}__name`) ??
      event ??
      "All events",
    math,
    math_property: calculates ? math_property : null,
    filters: filtersOf(node["properties"], `${attr}__properties`, now),
  };
}

function filtersOf(sent: Json | undefined, attr: string, now: number): PropertyFilter[] {
  const list = sent ?? [];
  if (!Array.isArray(list) || list.length > PROPERTY_FILTERS_MAX) {
    throw malformed(`A list of at most ${PROPERTY_FILTERS_MAX} filters is expected.`, attr);
  }
  return list.map((filter) => propertyFilter(filter, { types: ["event"], now, attr }).filter);
}

function rangeOf(sent: Json): DateRange {
  const attr = "query__dateRange";
  const range = fields(sent, attr, ["date_from", "date_to"]);
  return {
    date_from: textOrNone(range["date_from"], `${attr}__date_from`) ?? DATE_FROM_DEFAULT,
    date_to: textOrNone(range["date_to"], `${attr}__date_to`),
  };
}

function breakdownOf(sent: Json): Trends["breakdown"] {
  const attr = "query__breakdownFilter";
  const filter = fields(sent, attr, ["breakdown", "breakdown_type", "breakdown_limit"]);
  const property = textOrNone(filter["breakdown"], `${attr}__breakdown`);
  choice(filter["breakdown_type"] ?? "event", ["event"], `${attr}__breakdown_type`);
  const limit = filter["breakdown_limit"] ?? BREAKDOWN_LIMIT_DEFAULT;
  const isLimit = Number.isInteger(limit) && Number(limit) >= 1;
  if (!isLimit || Number(limit) > BREAKDOWN_LIMIT_MAX) {
    const detail = `A whole number from 1 to ${BREAKDOWN_LIMIT_MAX} is expected.`;
    throw malformed(detail, `${attr}__breakdown_limit`);
  }
  return property === null ? null : { property, limit: Number(limit) };
}

/** An object that has nothing but fields that are known; nulls are as good as absent. */
function fields(sent: Json, attr: string, known: readonly string[]): JsonObject {
  if (!isObject(sent)) throw malformed("An object is expected.", attr);
  const unknown = Object.keys(sent).filter((key) => sent[key] !== null && !known.includes(key));
  if (unknown.length === 0) return sent;
  throw malformed(`Only ${known.join(", ")} are known here.`, attr);
}

function choice<T extends string>(value: Json, choices: readonly T[], attr: string): T {
  const found = choices.find((known) => known === value);
  if (found !== undefined) return found;
  throw new Failure("invalid_choice", `One of ${choices.join(", ")} is expected.`, attr);
}

function textOrNone(value: Json | undefined, attr: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw malformed("A text is expected.", attr);
  return storableText(value);
}

function missing(attr: string): Failure {
  return new Failure("required", "This field is required.", attr);
}

function malformed(detail: string, attr: string): Failure {
  return new Failure("invalid_input", detail, attr);
}
