import { isObject, type JsonObject } from "../values/json.ts";
import type { EventFilters, EventsNode } from "./query-fields.ts";

/** Displays of one number, or of one for each value of a breakdown. */
const TOTALS: ReadonlySet<unknown> = new Set(["BoldNumber", "ActionsBarValue"]);

/** Whether a display has one number for the whole period, and no intervals. */
export const isOfTotal = (display: unknown): boolean => TOTALS.has(display);

/** Whether a query shows one number for its whole period, and no intervals. */
export function isTotal(sent: JsonObject): boolean {
  const filter = sent["trendsFilter"];
  return isObject(filter) && isOfTotal(filter["display"]);
}

/** The filters that all nodes have; undefined if they differ. */
export function commonFilters(
  nodes: readonly Pick<EventsNode, "filters">[],
): EventFilters | undefined {
  const [first = [], ...others] = nodes.map(({ filters }) => filters);
  const isSame = others.every((one) => Bun.deepEquals(one, first));
  return isSame ? first : undefined;
}
