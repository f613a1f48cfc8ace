import type { JsonObject } from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";
import type { Interval } from "./intervals.ts";
import type { DateRange } from "./period.ts";
import {
  type EventsNode,
  fields,
  filtersOf,
  intervalOf,
  rangeOf,
  seriesNodes,
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
  const common = filtersOf(query, moment);
  query.object("lifecycleFilter", []);
  const [series] = seriesNodes(query, { min: 1, max: 1, moment, common });
  return {
    kind: "LifecycleQuery",
    series: series as EventsNode,
    interval: intervalOf(query),
    dateRange: rangeOf(query),
  };
}
