import { Failure } from "../values/failure.ts";
import type { Json } from "../values/json.ts";
import { filtersIn, type PropertyFilter } from "../values/property-filter.ts";
import type { Moment } from "../values/zoned-time.ts";
import type { Interval } from "./intervals.ts";
import { ALL_TIME, type Period, periodOf } from "./period.ts";
import type { EventFilters, Fields } from "./query-fields.ts";

/** How a number is compared. */
export type Comparison = { by: ">=" | "<=" | ">" | "<" | "="; than: number };

/** Events of a person, and a condition on their number, sum or time. */
export type Behavior = {
  /** The name of the events; null for all. */
  event: string | null;
  /** Filters of properties that the events pass. */
  filters: EventFilters;
  did:
    | ({ what: "count" } & Comparison)
    /** The sum of the numbers of a property; 0 without any. */
    | ({ what: "sum"; property: string } & Comparison)
    /** The first such event ever is in the time. */
    | { what: "first" }
    /** Calendar intervals with such an event. */
    | { what: "intervals"; interval: Interval; least: number };
  /** The time; null for that of the query. With `ever` it has no beginning. */
  within: { period: Period; ever: boolean } | null;
};

/** A condition that the person of an event meets, after all merges; `not` turns it round. */
export type BehaviorFilter = { behavior: Behavior; not: boolean };

/** Whether a filter is about what a person did. */
export const isBehavior = (one: object): one is BehaviorFilter => "behavior" in one;

/** Every filter of a property, also of the events of behaviors. */
export function propertyFiltersOf(filters: EventFilters): PropertyFilter[] {
  return filtersIn({ any: false, of: filters }).flatMap((one) =>
    isBehavior(one) ? propertyFiltersOf(one.behavior.filters) : [one.filter],
  );
}

/** Behaviors in one list of filters: each of them reads the events once more. */
export const BEHAVIORS_MAX = 10;

const VALUES = [
  ...(["performed_event", "performed_event_multiple", "performed_event_first_time"] as const),
  ...(["performed_event_regularly", "performed_event_sum"] as const),
] as const;

/** The fields of such a filter; PostHog's clients keep the last six with a condition of a cohort. */
export const BEHAVIOR_FIELDS = [
  ...["type", "key", "event_type", "value", "event_filters", "operator", "operator_value"],
  ...["time_value", "time_interval", "explicit_datetime", "explicit_datetime_to", "negation"],
  ...["min_periods", "sum_property"],
  ...["label", "index", "sort_key", "bytecode", "bytecode_error", "conditionHash"],
];

const OPERATORS = {
  ...({ gte: ">=", lte: "<=", gt: ">", lt: "<" } as const),
  ...({ exact: "=", eq: "=" } as const),
};

const OPERATOR_NAMES = Object.keys(OPERATORS) as (keyof typeof OPERATORS)[];

/** The units of `time_interval`, as ages name them. */
const UNITS = { day: "d", week: "w", month: "m", year: "y" } as const;

const UNIT_NAMES = Object.keys(UNITS) as (keyof typeof UNITS)[];

/** The largest number of times that one may ask for. */
const TIMES_MAX = 1e9;

const missing = (attr: string) => new Failure("required", "This field is required.", attr);
const malformed = (detail: string, attr: string) => new Failure("invalid_input", detail, attr);

/**
 * Reads a filter of the type `behavioral`, as PostHog's cohorts have it, from its BEHAVIOR_FIELDS. A time of its own
 * counts from `moment`; `filtersOf` reads `event_filters`. Fails `required`, `invalid_input`, `invalid_choice`.
 */
export function behaviorFilter(
  all: Fields,
  moment: Moment,
  filtersOf: (sent: Json, attr: string) => EventFilters,
): BehaviorFilter {
  if (all.sent["event_type"] === "actions") {
    const detail =
      "Actions are not known here. Give the name of an event as key, and event_type events.";
    throw new Failure("invalid_choice", detail, all.attr("event_type"));
  }
  all.choice("event_type", ["events"]);
  if (all.sent["value"] === undefined) throw missing(all.attr("value"));
  const value = all.choice("value", VALUES);
  const did = didOf(all, value);
  return {
    behavior: {
      event: all.text("key"),
      filters: filtersOf(all.sent["event_filters"] ?? [], all.attr("event_filters")),
      did,
      within: withinOf(all, did, moment),
    },
    not: all.flag("negation"),
  };
}

function didOf(all: Fields, value: (typeof VALUES)[number]): Behavior["did"] {
  const isRegular = value === "performed_event_regularly";
  const isSum = value === "performed_event_sum";
  for (const [name, when] of [...(isSum ? [] : SUM_FIELD), ...(isRegular ? [] : PERIODS_FIELD)]) {
    if (isSent(all, name)) throw malformed(`It goes with ${when} alone.`, all.attr(name));
  }
  if (value === "performed_event_multiple") {
    const than = wholeOf(all, "operator_value", { min: 0, max: TIMES_MAX });
    return { what: "count", by: operatorOf(all), than };
  }
  if (isSum) {
    const property = all.text("sum_property");
    if (property === null) throw missing(all.attr("sum_property"));
    return { what: "sum", property, by: operatorOf(all), than: numberOf(all) };
  }
  // Clients send these with every value.
  all.choice("operator", ["gte"]);
  all.whole("operator_value", { min: 1, max: 1 }, 1);
  if (value === "performed_event_first_time") return { what: "first" };
  if (!isRegular) return { what: "count", by: ">=", than: 1 };
  all.whole("time_value", { min: 1, max: 1 }, 1);
  if (!isSent(all, "time_interval")) throw missing(all.attr("time_interval"));
  const interval = all.choice("time_interval", ["day", "week", "month"]);
  return { what: "intervals", interval, least: wholeOf(all, "min_periods", { min: 1, max: 1000 }) };
}

const SUM_FIELD = [["sum_property", "performed_event_sum"]] as const;
const PERIODS_FIELD = [["min_periods", "performed_event_regularly"]] as const;

const isSent = ({ sent }: Fields, name: string) => (sent[name] ?? null) !== null;

const operatorOf = ({ choice }: Fields) => OPERATORS[choice("operator", OPERATOR_NAMES)];

function wholeOf(all: Fields, name: string, range: { min: number; max: number }): number {
  if (!isSent(all, name)) throw missing(all.attr(name));
  return all.whole(name, range, 0);
}

function numberOf({ sent, attr }: Fields): number {
  const { operator_value: value = null } = sent;
  if (value === null) throw missing(attr("operator_value"));
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw malformed("A number is expected.", attr("operator_value"));
}

/** Reads the time of a behavior: the last days up to now, or as `dateRange` has it. */
function withinOf(all: Fields, did: Behavior["did"], moment: Moment): Behavior["within"] {
  const [from, to] = [all.text("explicit_datetime"), all.text("explicit_datetime_to")];
  const isRegular = did.what === "intervals";
  if (!isRegular && isSent(all, "time_value")) {
    if (from !== null || to !== null) {
      const detail = "Give time_value with time_interval, or explicit_datetime, not both.";
      throw malformed(detail, all.attr("explicit_datetime"));
    }
    const count = all.whole("time_value", { min: 1, max: 9999 }, 1);
    const age = `-${count}${UNITS[all.choice("time_interval", UNIT_NAMES)]}`;
    return { period: spanOf(age, null, moment, all.attr("time_value")), ever: false };
  }
  if (!isRegular && isSent(all, "time_interval")) throw missing(all.attr("time_value"));
  if (from === null) {
    if (to !== null) throw missing(all.attr("explicit_datetime"));
    return null;
  }
  const ever = from === ALL_TIME;
  const start = ever ? (to ?? "-0d") : from;
  return { period: spanOf(start, to, moment, all.attr("explicit_datetime")), ever };
}

function spanOf(date_from: string, date_to: string | null, moment: Moment, attr: string): Period {
  try {
    return periodOf({ date_from, date_to }, { interval: null, isExact: true, ...moment });
  } catch (error) {
    if (error instanceof Failure) throw new Failure(error.code, error.message, attr);
    throw error;
  }
}
