import type { JsonObject } from "../../values/json.ts";
import type { EventInfo } from "../names/index.ts";
import type { Asked } from "../read/asked.ts";

/** The result of a measure: a query without the filters, labels and time of the whole question. */
export type Draft = {
  query: JsonObject;
  /** The events whose properties can be filtered or used as labels; null for any event. */
  events: readonly (EventInfo | null)[];
  /** Filters that belong to the whole query. */
  filters?: JsonObject[];
  /** Labels that the measure adds. */
  labels?: JsonObject[];
  /** The order and the number of lines. */
  order?: { limit?: number; isAscending?: boolean };
  /** The default period of the measure. */
  span?: "all";
  /** The default interval of a measure that is shown over time. */
  intervalDefault?: "day" | "week" | "month";
};

/**
 * Reads one measure; undefined if the question does not ask for it. Throws `NotUnderstood` if the project does not have
 * what it asks for.
 */
export type Measure = (asked: Asked) => Draft | undefined;

/** A node of a series. A null event means any event. */
export const node = (
  event: string | null,
  more: JsonObject = {},
  filters: JsonObject[] = [],
): JsonObject => ({
  ...{ kind: "EventsNode", event },
  ...more,
  ...(filters.length === 0 ? {} : { properties: filters }),
});

/** The node that counts an event; null for any event. */
export const totalOf = (event: EventInfo | null): JsonObject =>
  node(event?.name ?? null, { math: "total" });

/** A trend of some series, with a `trendsFilter` unless that is empty. */
export const trend = (
  series: JsonObject[],
  events: Draft["events"],
  filter: JsonObject = {},
): Draft => ({
  query: {
    ...{ kind: "TrendsQuery", series },
    ...(Object.keys(filter).length === 0 ? {} : { trendsFilter: filter }),
  },
  events,
});

/** The share of one series in another, in percent. */
export const percentage = (part: JsonObject, whole: JsonObject, events: Draft["events"]): Draft =>
  trend([part, whole], events, { formula: "A / B * 100", aggregationAxisFormat: "percentage" });

/** The trend of an event's count; null for any event. */
export const totalTrend = (event: EventInfo | null): Draft => trend([totalOf(event)], [event]);
