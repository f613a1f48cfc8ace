import { Failure } from "../values/failure.ts";
import { type Json, type JsonObject, storableText } from "../values/json.ts";
import { rejectUnknownFields } from "../values/known-fields.ts";
import { checkLimit, type ListPosition, readCursor } from "../values/page.ts";
import {
  checkFilters,
  type FilterGroup,
  filterGroup,
  filtersIn as flat,
  type PropertyFilter,
  propertyFilter,
} from "../values/property-filter.ts";
import { isoTime, TIME_MS_MIN } from "../values/time.ts";
import { type Moment, type TimeSpan, zonedSpan } from "../values/zoned-time.ts";
import { LOG_LEVELS, type LogLevel } from "./record.ts";

/** Records of one answer when `limit` is not given. */
export const LOG_LIMIT_DEFAULT = 1000;

/** Log records of one answer; a larger `limit` is refused. */
export const LOG_LIMIT_MAX = 2000;

/** Largest `offset` of a query of logs; further back, `after` goes on. */
export const LOG_OFFSET_MAX = 10_000;

/** Services that one query of logs may name. */
export const LOG_SERVICES_MAX = 1000;

/** Characters of a search in log records. */
export const LOG_SEARCH_CHARS_MAX = 1000;

/** Default range of a query, back from now, in milliseconds. */
const LOOKBACK_MS = 86_400_000;

/** The possible orders of records. */
export const LOG_ORDERS = ["latest", "earliest"] as const;

/**
 * The values of a filter's `type`, which say where the property is. With `log` it is the attribute of the
 * record; if that is absent or empty, the attribute of its resource.
 */
export const LOG_FILTER_TYPES = ["log", "log_attribute", "log_resource_attribute"] as const;

/** One of LOG_FILTER_TYPES. */
export type LogFilterType = (typeof LOG_FILTER_TYPES)[number];

/** One condition on an attribute. */
export type LogFilter = { type: LogFilterType; filter: PropertyFilter };

/** Conditions that records must meet. */
export type LogFilterGroup = FilterGroup<LogFilter>;

/** A query as it is sent; null counts as absent. */
export type LogQueryAsked = {
  dateRange?:
    | { date_from?: string | null | undefined; date_to?: string | null | undefined }
    | undefined;
  severityLevels?: string[] | undefined;
  serviceNames?: string[] | undefined;
  searchTerm?: string | null | undefined;
  filterGroup?: Json | undefined;
  orderBy?: string | null | undefined;
  limit?: number | null | undefined;
  offset?: number | null | undefined;
  after?: string | null | undefined;
};

const LOG_QUERY_FIELDS = [
  ...(["dateRange", "severityLevels", "serviceNames", "searchTerm", "filterGroup"] as const),
  ...(["orderBy", "limit", "offset", "after"] as const),
] satisfies (keyof LogQueryAsked)[];

/** A query of log records, read; both bounds of its range are inclusive (decision 70). */
export type LogQuery = {
  /** From a time on and before another, ISO 8601; the end is open if it is undefined. */
  from: string;
  before: string | undefined;
  /** Any of these; an empty list means all. */
  levels: LogLevel[];
  services: string[];
  /** A part of the body, in any case. */
  search: string;
  filters: LogFilterGroup;
  order: (typeof LOG_ORDERS)[number];
  limit: number;
  /** 0 if `after` is given. */
  offset: number;
  /** The last record of the page before. */
  after: ListPosition | undefined;
};

/** The field that holds the filters. */
export const LOG_FILTERS_ATTR = "query__filterGroup";

/**
 * Reads a query. A date without a time is the whole day on the clock of `moment`. Fails `invalid_input`,
 * `invalid_choice` or `too_long`, with the name of the field.
 */
export function logQuery(asked: LogQueryAsked, moment: Moment): LogQuery {
  const attr = "query";
  rejectUnknownFields(asked as JsonObject, {
    known: [...LOG_QUERY_FIELDS, "kind"],
    attr,
  });
  const limit = whole("limit", asked.limit ?? LOG_LIMIT_DEFAULT);
  checkLimit(limit, LOG_LIMIT_MAX, { attr: "query__limit", next: "send nextCursor as after" });
  const offset = whole("offset", asked.offset);
  const after = readCursor(asked.after ?? undefined, "query__after");
  if (offset > 0 && after !== undefined) {
    const detail =
      "The page begins after the record that `after` names: offset cannot be sent with it.";
    throw new Failure("invalid_input", detail, "query__offset");
  }
  if (offset > LOG_OFFSET_MAX) {
    const detail = `offset is at most ${LOG_OFFSET_MAX}. To go further, send nextCursor as after.`;
    throw new Failure("invalid_input", detail, "query__offset");
  }
  return {
    ...rangeOf(asked.dateRange ?? {}, moment),
    levels: (asked.severityLevels ?? []).map((level) =>
      choice("severityLevels", level, LOG_LEVELS),
    ),
    services: servicesOf(asked.serviceNames ?? []),
    search: searchOf(asked.searchTerm ?? ""),
    filters: filtersOf(asked.filterGroup, moment),
    order: choice("orderBy", asked.orderBy ?? "latest", LOG_ORDERS),
    limit,
    offset,
    after,
  };
}

/** Every filter of a group, also of the groups inside it. */
export function filtersIn(group: LogFilterGroup): PropertyFilter[] {
  return flat(group).map(({ filter }) => filter);
}

function whole(name: string, value: number | null | undefined): number {
  const number = value ?? 0;
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Failure("invalid_input", "A whole number of 0 or more is expected.", `query__${name}`);
}

function choice<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const found = choices.find((known) => known === text);
  if (found !== undefined) return found;
  const detail = `One of ${choices.join(", ")} is expected.`;
  throw new Failure("invalid_choice", detail, `query__${name}`);
}

/** Field to blame for a range. */
const RANGE = "query__dateRange";

/** The range of a query. It has no end by default, because the clock of a sender may be ahead. */
function rangeOf(asked: NonNullable<LogQueryAsked["dateRange"]>, moment: Moment) {
  // explicitDate says whether a client's user picked the dates themselves.
  const known = ["date_from", "date_to", "explicitDate"];
  rejectUnknownFields(asked as JsonObject, { known, attr: RANGE });
  const { date_from, date_to } = asked;
  const to = date_to == null ? undefined : span("date_to", date_to, moment);
  const from =
    date_from == null
      ? Math.max((to?.before ?? moment.now) - LOOKBACK_MS, TIME_MS_MIN)
      : span("date_from", date_from, moment).from;
  if (to !== undefined && to.before < from) {
    const detail = "The range ends before it begins.";
    throw new Failure("invalid_input", detail, `${RANGE}__date_to`);
  }
  return { from: isoTime(from), before: to && isoTime(to.before) };
}

function span(name: string, text: string, moment: Moment): TimeSpan {
  const found = zonedSpan(text, moment);
  if (found !== undefined) return found.instant;
  const detail = "A time in ISO 8601, or an age such as -1h or -7d, is expected.";
  throw new Failure("invalid_input", detail, `${RANGE}__${name}`);
}

function servicesOf(names: string[]): string[] {
  if (names.length <= LOG_SERVICES_MAX) return names.map(storableText);
  throw new Failure("too_long", `At most ${LOG_SERVICES_MAX} names.`, "query__serviceNames");
}

function searchOf(term: string): string {
  if (term.length <= LOG_SEARCH_CHARS_MAX) return storableText(term);
  const detail = `At most ${LOG_SEARCH_CHARS_MAX} characters.`;
  throw new Failure("too_long", detail, "query__searchTerm");
}

function filtersOf(value: Json | undefined, moment: Moment): LogFilterGroup {
  if (value === undefined || value === null) return { any: false, of: [] };
  const reading = { types: LOG_FILTER_TYPES, ...moment, attr: LOG_FILTERS_ATTR };
  const group = filterGroup(value, LOG_FILTERS_ATTR, (one) => propertyFilter(one, reading));
  checkFilters(filtersIn(group), LOG_FILTERS_ATTR);
  return group;
}
