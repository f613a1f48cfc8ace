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
import { SERIES_MAX } from "./trend.ts";
import { DISPLAYS } from "./trend-shown.ts";

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
  const common = filtersOf(query, moment);
  const filter = query.object("stickinessFilter", ["computedAs", "display"]);
  filter.choice("computedAs", ["non_cumulative"]);
  filter.choice("display", DISPLAYS);
  return {
    kind: "StickinessQuery",
    series: seriesNodes(query, { min: 1, max: SERIES_MAX, moment, common }),
    interval: intervalOf(query),
    dateRange: rangeOf(query),
  };
}
