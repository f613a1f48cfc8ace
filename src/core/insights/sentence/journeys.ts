import { isObject, type JsonObject } from "../../values/json.ts";
import { eventOf, objectIn, objectsOf } from "./fields.ts";
import { filtersOf, filterWords } from "./filters.ts";
import { eventNoun, peopleNoun, type Style } from "./names.ts";
import { counted, intervalOf, namedInterval } from "./time.ts";

/** The window of a funnel that names none. */
const WINDOW = "14 days";

const ORDERS: Readonly<Record<string, string>> = { strict: "strict ", unordered: "unordered " };

/** Returns the measure of a funnel: `funnel from page views to sign ups within 1 hour`. */
export function funnelWords(query: JsonObject, style: Style): string {
  const filter = objectIn(query, "funnelsFilter");
  const steps = objectsOf(query["series"]).map((node) =>
    [eventNoun(eventOf(node), style), ...filterWords(filtersOf(node["properties"]), style)].join(
      " ",
    ),
  );
  const { funnelWindowInterval: count, funnelWindowIntervalUnit: unit } = filter;
  const window = counted(Number(count ?? 14), String(unit ?? "day"));
  const way = `from ${steps.join(" to ")}${window === WINDOW ? "" : ` within ${window}`}`;
  switch (filter["funnelVizType"]) {
    case "time_to_convert":
      return `${filter["timeToConvertAggregation"] === "median" ? "median" : "average"} time ${way}`;
    case "trends":
      return `conversion rate ${way} per ${namedInterval(query)}`;
    default:
      return `${ORDERS[String(filter["funnelOrderType"])] ?? ""}funnel ${way}`;
  }
}

const EVERY: Readonly<Record<string, string>> = {
  hour: "hourly",
  day: "daily",
  week: "weekly",
  month: "monthly",
};

/** Returns the measure of a retention: `weekly retention of visitors who come back with purchases`. */
export function retentionWords(query: JsonObject, style: Style): string {
  const filter = objectIn(query, "retentionFilter");
  const eventIn = (name: string) => {
    const entity = filter[name];
    return isObject(entity) ? eventOf({ event: entity["id"] ?? null }) : "$pageview";
  };
  return [
    `${EVERY[intervalOf(query) ?? "day"]} retention of`,
    peopleNoun(eventIn("targetEntity"), style),
    "who",
    "come back with",
    eventNoun(eventIn("returningEntity"), style),
  ].join(" ");
}

/** Returns the measure of a lifecycle: `daily lifecycle of visitors`. */
export const lifecycleWords = (query: JsonObject, style: Style): string =>
  statusWords("lifecycle", query, style);

/** Returns the measure of a stickiness: `daily stickiness of visitors`. */
export const stickinessWords = (query: JsonObject, style: Style): string =>
  statusWords("stickiness", query, style);

function statusWords(measure: string, query: JsonObject, style: Style): string {
  const [first = {}] = objectsOf(query["series"]);
  return `${EVERY[namedInterval(query)]} ${measure} of ${peopleNoun(eventOf(first), style)}`;
}

/** Returns the measure of paths: `next pages after /pricing`. */
export function pathsWords(query: JsonObject): string {
  const { startPoint = null, endPoint = null } = objectIn(query, "pathsFilter");
  if (startPoint !== null) return `next pages after ${String(startPoint)}`;
  return endPoint === null ? "paths of people" : `pages before ${String(endPoint)}`;
}
