import type { Json, JsonObject } from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";
import { type Breakdown, breakdownOf } from "./breakdown.ts";
import type { Interval } from "./intervals.ts";
import type { DateRange } from "./period.ts";
import {
  type EventFilters,
  type EventsNode,
  eventsNode,
  fields,
  filtersOf,
  rangeOf,
} from "./query-fields.ts";
import { DISPLAYS } from "./trend-shown.ts";

/** Intervals of one retention query. */
export const RETENTION_INTERVALS_MAX = 100;

/** Default number of intervals, as PostHog has it. */
export const RETENTION_INTERVALS_DEFAULT = 7;

/** The event that begins and the event that returns, by default; they are those of PostHog. */
const ENTITY_DEFAULT = { id: "$pageview" };

/** Persons that begin in an interval: with any such event, or with their first one ever. */
const TYPES = ["retention_recurring", "retention_first_time"] as const;

/** A parsed retention query. Its defaults are those of PostHog. */
export type Retention = {
  kind: "RetentionQuery";
  /** The events that begin it. */
  target: EventsNode;
  /** The events that count as a return. */
  returning: EventsNode;
  isFirstTime: boolean;
  interval: Interval;
  /** Number of intervals from the one in which a person began, both included. */
  intervals: number;
  dateRange: DateRange;
  /** Of the first event by which a person began in an interval. */
  breakdown: Breakdown | null;
};

/** Reads a `RetentionQuery`. Fails `required`, `invalid_input`, `invalid_choice`. */
export function readRetention(sent: JsonObject, moment: Moment): Retention {
  const known = ["kind", "dateRange", "properties", "breakdownFilter", "retentionFilter"];
  const query = fields(sent, "query", known);
  const common = filtersOf(query, moment);
  const filter = query.object("retentionFilter", [
    ...["targetEntity", "returningEntity", "retentionType", "period", "totalIntervals"],
    ...["minimumOccurrences", "timeWindowMode", "display"],
  ]);
  filter.whole("minimumOccurrences", { min: 1, max: 1 }, 1);
  filter.choice("timeWindowMode", ["strict_calendar_dates"]);
  filter.choice("display", DISPLAYS);
  const entity = (name: string) =>
    entityOf(filter.sent[name] ?? ENTITY_DEFAULT, { attr: filter.attr(name), common, moment });
  const range = { min: 1, max: RETENTION_INTERVALS_MAX };
  const intervals = filter.whole("totalIntervals", range, RETENTION_INTERVALS_DEFAULT);
  return {
    kind: "RetentionQuery",
    target: entity("targetEntity"),
    returning: entity("returningEntity"),
    isFirstTime: filter.choice("retentionType", TYPES) === "retention_first_time",
    interval: PERIODS[filter.choice("period", Object.keys(PERIODS), "Day")] ?? "day",
    intervals,
    dateRange: rangeOf(query, intervals),
    breakdown: breakdownOf(query),
  };
}

/** Intervals by their names in a retention query. */
const PERIODS: Readonly<Record<string, Interval>> = {
  Hour: "hour",
  Day: "day",
  Week: "week",
  Month: "month",
};

/** Largest place of an entity, which clients note. */
const ORDER_MAX = 1000;

type Reading = { attr: string; common: EventFilters; moment: Moment };

/** An entity is an events node by other names: its `id` is the event. */
function entityOf(sent: Json, { attr, common, moment }: Reading): EventsNode {
  const known = ["id", "type", "kind", "name", "custom_name", "properties", "order", "uuid"];
  const entity = fields(sent, attr, known);
  entity.choice("type", ["events"]);
  entity.text("uuid");
  entity.whole("order", { min: 0, max: ORDER_MAX }, 0);
  const { id = null, type: _type, order: _order, uuid: _uuid, ...node } = entity.sent;
  return eventsNode({ event: id, ...node }, { attr, moment, common }).read;
}
