import type { Json, JsonObject } from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";
import { type DateRange, INTERVALS, type Interval } from "./period.ts";
import {
  type Breakdown,
  breakdownOf,
  choice,
  type EventFilters,
  type EventsNode,
  eventsNode,
  fields,
  filtersOf,
  missing,
  rangeOf,
  whole,
} from "./query-fields.ts";

/** Intervals of one retention query. */
export const RETENTION_INTERVALS_MAX = 100;

/** Default number of intervals. */
const INTERVALS_DEFAULT = 8;

/** Persons that begin in an interval: with their first such event ever, or with any. */
const TYPES = ["retention_first_time", "retention_recurring"] as const;

/** A parsed retention query; without a type it counts first times (decision 79). */
export type Retention = {
  kind: "RetentionQuery";
  /** The events that begin it. */
  target: EventsNode;
  /** The events that count as a return. */
  returning: EventsNode;
  isFirstTime: boolean;
  interval: Interval;
  /** Number of intervals from the one in which a person began; null for all. */
  intervals: number | null;
  dateRange: DateRange;
  /** Of the first event by which a person began in an interval. */
  breakdown: Breakdown | null;
};

/** Reads a `RetentionQuery`. Fails `required`, `invalid_input`, `invalid_choice`. */
export function readRetention(sent: JsonObject, moment: Moment): Retention {
  const known = ["kind", "dateRange", "properties", "breakdownFilter", "retentionFilter"];
  const query = fields(sent, "query", known);
  const common = filtersOf(query["properties"], "query__properties", moment);
  const attr = "query__retentionFilter";
  const filter = fields(query["retentionFilter"] ?? {}, attr, [
    ...["targetEntity", "returningEntity", "retentionType", "period", "totalIntervals"],
    ...["minimumOccurrences", "timeWindowMode", "display"],
  ]);
  const least = { attr: `${attr}__minimumOccurrences`, min: 1, max: 1 };
  whole(filter["minimumOccurrences"] ?? 1, least);
  const windows = filter["timeWindowMode"] ?? "strict_calendar_dates";
  choice(windows, ["strict_calendar_dates"], `${attr}__timeWindowMode`);
  const target = entityOf(filter["targetEntity"], {
    attr: `${attr}__targetEntity`,
    common,
    moment,
  });
  const returning = filter["returningEntity"] ?? null;
  const range = { attr: `${attr}__totalIntervals`, min: 1, max: RETENTION_INTERVALS_MAX };
  const total = filter["totalIntervals"] ?? null;
  const intervals = total === null ? null : whole(total, range);
  const type = filter["retentionType"] ?? "retention_first_time";
  return {
    kind: "RetentionQuery",
    target,
    returning:
      returning === null
        ? target
        : entityOf(returning, { attr: `${attr}__returningEntity`, common, moment }),
    isFirstTime: choice(type, TYPES, `${attr}__retentionType`) === "retention_first_time",
    interval: intervalNamed(filter["period"] ?? "Day", `${attr}__period`),
    intervals,
    dateRange: rangeOf(query["dateRange"], intervals ?? INTERVALS_DEFAULT),
    breakdown: breakdownOf(query["breakdownFilter"]),
  };
}

type Reading = { attr: string; common: EventFilters; moment: Moment };

/** An entity is an events node by other names: its `id` is the event. */
function entityOf(sent: Json | undefined, { attr, common, moment }: Reading): EventsNode {
  if (sent === undefined || sent === null) throw missing(attr);
  const known = ["id", "type", "kind", "name", "custom_name", "properties", "order", "uuid"];
  const { id = null, type, order: _order, uuid: _uuid, ...node } = fields(sent, attr, known);
  choice(type ?? "events", ["events"], `${attr}__type`);
  return eventsNode({ event: id, ...node }, { attr, moment, common }).read;
}

function intervalNamed(sent: Json, attr: string): Interval {
  const names = INTERVALS.map((one) => `${one.charAt(0).toUpperCase()}${one.slice(1)}`);
  return INTERVALS[names.indexOf(choice(sent, names, attr))] as Interval;
}
