import { isTotal } from "../../queries/display.ts";
import { readQuery } from "../../queries/insight.ts";
import { type DateRange, periodOf } from "../../queries/period.ts";
import { isTable, readTable } from "../../queries/tables/table.ts";
import type { JsonObject } from "../../values/json.ts";
import type { Moment } from "../../values/zoned-time.ts";

/** Whether two queries have the same answer at a time. Fails as `readQuery`. */
export function isSameQuery(one: JsonObject, other: JsonObject, moment: Moment): boolean {
  if (isTotal(one) !== isTotal(other)) return false;
  return written(one, moment) === written(other, moment);
}

/** A query as text, with the bounds of its period, and without the caller's names for its events. */
function written(sent: JsonObject, moment: Moment): string {
  const query = isTable(sent) ? readTable(sent, moment) : readQuery(sent, moment);
  const range = "dateRange" in query ? boundsOf(query.dateRange, query, moment) : null;
  return JSON.stringify({ ...query, dateRange: range }, (key, value) => {
    if (key === "name" || key === "isNamed") return undefined;
    return typeof value === "bigint" ? String(value) : value;
  });
}

function boundsOf(range: DateRange, query: object, moment: Moment): unknown {
  const interval = "interval" in query ? (query.interval as "day" | null) : null;
  const { from, before } = periodOf(range, {
    interval,
    ...moment,
    first: 0,
    max: Number.MAX_SAFE_INTEGER,
  });
  return { from, before };
}
