import type { JsonObject } from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";
import type { DateRange, Interval } from "./period.ts";
import {
  type EventsNode,
  eventsNode,
  fields,
  filtersOf,
  intervalOf,
  nodesOf,
  rangeOf,
} from "./query-fields.ts";

/**
 * States of a person in an interval. `new` has the first event ever. `returning` also had one in the
 * interval before, `resurrecting` had not. `dormant` has an event only in the interval before.
 */
export const LIFECYCLE_STATUSES = ["new", "returning", "resurrecting", "dormant"] as const;

/** A parsed lifecycle query; a first event makes a person new, as many persons have no profile (decision 79). */
export type Lifecycle = {
  kind: "LifecycleQuery";
  series: EventsNode;
  interval: Interval;
  dateRange: DateRange;
};

/** Reads a `LifecycleQuery`. Fails `required`, `invalid_input`, `invalid_choice`. */
export function readLifecycle(sent: JsonObject, moment: Moment): Lifecycle {
  const known = ["kind", "series", "interval", "dateRange", "properties", "lifecycleFilter"];
  const query = fields(sent, "query", known);
  const common = filtersOf(query["properties"], "query__properties", moment);
  fields(query["lifecycleFilter"] ?? {}, "query__lifecycleFilter", []);
  const range = { attr: "query__series", min: 1, max: 1 };
  const [series] = nodesOf(
    query["series"],
    range,
    (one, attr) => eventsNode(one, { attr, moment, common }).read,
  );
  return {
    kind: "LifecycleQuery",
    series: series as EventsNode,
    interval: intervalOf(query["interval"]),
    dateRange: rangeOf(query["dateRange"]),
  };
}
