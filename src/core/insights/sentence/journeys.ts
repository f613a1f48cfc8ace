import { isObject, type JsonObject } from "../../values/json.ts";
import { eventOf, objectIn, objectsOf } from "./fields.ts";
import { filtersOf, filterWords, isFirst } from "./filters.ts";
import { eventNoun, FIRST_TIME, listed, peopleNoun, type Style } from "./names.ts";
import { counted, intervalOf, namedInterval } from "./time.ts";

const ORDERS: Readonly<Record<string, string>> = { strict: "strict ", unordered: "unordered " };

/** Returns the measure of a funnel: `funnel from page views to sign ups within 1 hour`. */
export function funnelWords(query: JsonObject, style: Style): string {
  const filter = objectIn(query, "funnelsFilter");
  const named = (node: JsonObject) => {
    const event = eventOf(node);
    const filters = filtersOf(node["properties"]);
    const first = filters.find((one) => isFirst(one, event) && one["negation"] !== true);
    const others = filterWords(
      filters.filter((one) => one !== first),
      style,
    ).join(" ");
    const noun = `${eventNoun(event, style)}${first === undefined ? "" : ` ${FIRST_TIME}`}`;
    return others === "" ? noun : `${noun} (${others})`;
  };
  const steps = objectsOf(query["series"]).map(named);
  const excluded = objectsOf(filter["exclusions"]).map(named);
  const without = excluded.length === 0 ? "" : ` without ${listed(excluded, "or")} in between`;
  const { funnelWindowInterval: count, funnelWindowIntervalUnit: unit } = filter;
  const window = counted(Number(count ?? 14), String(unit ?? "day"));
  const way = `from ${steps.join(" to ")}${without} within ${window}`;
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
  const isNew = filter["retentionType"] === "retention_first_time";
  const eventIn = (name: string) => {
    const entity = filter[name];
    return isObject(entity) ? eventOf({ event: entity["id"] ?? null }) : "$pageview";
  };
  return [
    `${EVERY[intervalOf(query) ?? "day"]} ${isNew ? "" : "recurring "}retention of`,
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

const PLACES: Readonly<Record<string, string>> = {
  ...{ $pageview: "pages", $screen: "screens", custom_event: "events" },
};

/** Returns the measure of paths: `next pages after /pricing`, `paths of people from /pricing`. */
export function pathsWords(query: JsonObject): string {
  const filter = objectIn(query, "pathsFilter");
  const { startPoint, endPoint, includeEventTypes: types, stepLimit } = filter;
  const all = Array.isArray(types) && types.length > 0 ? types : Object.keys(PLACES);
  const places = listed(
    all.map((type) => PLACES[String(type)] ?? String(type)),
    "and",
  );
  const [from = "", to = ""] = [startPoint, endPoint].map((one) => String(one ?? ""));
  if (stepLimit === 2 && to === "" && from !== "") return `next ${places} after ${from}`;
  if (stepLimit === 2 && from === "" && to !== "") return `${places} before ${to}`;
  const through = all.length < Object.keys(PLACES).length ? ` through ${places}` : "";
  return `paths of people${through}${from === "" ? "" : ` from ${from}`}${to === "" ? "" : ` to ${to}`}`;
}
