import type { JsonObject } from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";
import type { DateRange, Interval } from "./period.ts";
import {
  choice,
  type EventsNode,
  eventsNode,
  fields,
  filtersOf,
  intervalOf,
  nodesOf,
  rangeOf,
} from "./query-fields.ts";
import { SERIES_MAX } from "./trend.ts";

/** A parsed stickiness query: it counts persons by the number of intervals with an event (decision 79). */
export type Stickiness = {
  kind: "StickinessQuery";
  series: EventsNode[];
  interval: Interval;
  dateRange: DateRange;
};

/** Reads a `StickinessQuery`. Fails `required`, `invalid_input`, `invalid_choice`. */
export function readStickiness(sent: JsonObject, moment: Moment): Stickiness {
  const known = ["kind", "series", "interval", "dateRange", "properties", "stickinessFilter"];
  const query = fields(sent, "query", known);
  const common = filtersOf(query["properties"], "query__properties", moment);
  const attr = "query__stickinessFilter";
  const filter = fields(query["stickinessFilter"] ?? {}, attr, ["computedAs", "display"]);
  choice(filter["computedAs"] ?? "non_cumulative", ["non_cumulative"], `${attr}__computedAs`);
  const range = { attr: "query__series", min: 1, max: SERIES_MAX };
  return {
    kind: "StickinessQuery",
    series: nodesOf(
      query["series"],
      range,
      (one, attr) => eventsNode(one, { attr, moment, common }).read,
    ),
    interval: intervalOf(query["interval"]),
    dateRange: rangeOf(query["dateRange"]),
  };
}
