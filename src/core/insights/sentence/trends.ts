import { isTotal } from "../../queries/display.ts";
import type { JsonObject } from "../../values/json.ts";
import { eventOf, objectIn, objectsOf } from "./fields.ts";
import { filtersOf, filterWords } from "./filters.ts";
import { eventNoun, groupNoun, listed, peopleNoun, propertyWords, type Style } from "./names.ts";
import { meanWords, namedInterval } from "./time.ts";

/** Returns the measure of a trend: `purchases and sign ups per week`. */
export function trendsWords(query: JsonObject, style: Style): string {
  const nodes = objectsOf(query["series"]);
  const filter = objectIn(query, "trendsFilter");
  const [first] = objectsOf(filter["formulaNodes"]);
  const formula = [filter["formula"], first?.["formula"]].find((one) => typeof one === "string");
  const measure =
    formula === undefined
      ? listed(
          nodes.map((one) => seriesWords(one, style)),
          "and",
        )
      : formulaWords(formula, nodes, style);
  const mean = meanWords(query);
  const isOver = !isTotal(query) || mean !== "";
  const cumulative = filter["display"] === "ActionsLineGraphCumulative" ? "cumulative " : "";
  const { smoothingIntervals: count = 1 } = filter;
  const smoothed = Number(count) > 1 ? `${count} ${namedInterval(query)} moving average of ` : "";
  return `${smoothed}${cumulative}${measure}${isOver ? ` per ${namedInterval(query)}` : ""}${mean}`;
}

/** The words of one series, with those of its own filters. */
function seriesWords(node: JsonObject, style: Style): string {
  const filters = filtersOf(node["properties"]);
  const own = filters.filter((one) => !isReturning(one, eventOf(node)));
  const { math_property: property = null } = node;
  const measure =
    property === null
      ? countWords(node, style, own.length < filters.length)
      : calculationWords(node, String(property), style);
  return [measure, ...filterWords(own, style)].join(" ");
}

/** Whether a filter means people who had the event before the period. */
const isReturning = ({ type, value, negation, key }: JsonObject, event: string | null): boolean =>
  type === "behavioral" &&
  value === "performed_event_first_time" &&
  negation === true &&
  key === event;

const CALCULATED: Readonly<Record<string, string>> = {
  ...{ sum: "sum of", avg: "average", min: "smallest", max: "highest", median: "median" },
  ...{ p50: "median", p75: "p75 of", p90: "p90 of", p95: "p95 of", p99: "p99 of" },
};

function calculationWords(node: JsonObject, property: string, style: Style): string {
  const { math = "total", math_property_type: owner } = node;
  const calculated = CALCULATED[String(math)];
  if (owner === "session_properties") return `${calculated?.replace(" of", "")} session length`;
  const type = owner === "person_properties" ? "person" : "event";
  const name = propertyWords({ name: property, type }, style);
  return `${calculated} ${name} of ${eventNoun(eventOf(node), style)}`;
}

function countWords(node: JsonObject, style: Style, isOfReturning: boolean): string {
  const event = eventOf(node);
  const noun = eventNoun(event, style);
  switch (node["math"]) {
    case "dau":
      return `${isOfReturning ? "returning " : ""}${peopleNoun(event, style)}`;
    case "first_time_for_user":
      return event === "$pageview" ? "first time visitors" : `people with their first ${noun}`;
    case "weekly_active":
      return `weekly active ${event === null ? "users" : peopleNoun(event, style)}`;
    case "monthly_active":
      return `monthly active ${event === null ? "users" : peopleNoun(event, style)}`;
    case "unique_session":
      return event === "$pageview" ? "sessions" : `sessions with ${noun}`;
    case "unique_group": {
      const groups = groupNoun(Number(node["math_group_type_index"] ?? 0), style);
      return event === null ? groups : `${groups} with ${noun}`;
    }
    case "hogql":
      return `different ${distinctProperty(String(node["math_hogql"]), style)} of ${noun}`;
    default:
      return noun;
  }
}

const DISTINCT = /^count\(DISTINCT (person\.)?properties\.[`"]?(.+?)[`"]?\)$/;

/** The words of the property whose different values an expression counts. */
function distinctProperty(expression: string, style: Style): string {
  const [, owner = "", name = ""] = DISTINCT.exec(expression) ?? [];
  return propertyWords({ name, type: owner === "" ? "event" : "person" }, style);
}

function formulaWords(formula: string, nodes: JsonObject[], style: Style): string {
  const [over = {}, under = {}] = nodes;
  const text = formula.replace(/\s+/g, "");
  if (text === "A/B*100") return shareWords(over, under, style, nodes.length === 2);
  if (text === "A/B" && nodes.length === 2) return ratioWords(over, under, style);
  const lines = nodes.map(
    (one, at) => `${String.fromCharCode(65 + at)} is ${seriesWords(one, style)}`,
  );
  return `${formula}, where ${lines.join("; ")}`;
}

/** The words of a percentage; `isOfTwo` says that there are no series but these. */
function shareWords(over: JsonObject, under: JsonObject, style: Style, isOfTwo: boolean): string {
  if (isOfTwo && eventOf(over) === eventOf(under) && over["math"] === under["math"]) {
    const all = filtersOf(under["properties"]);
    const extra = filtersOf(over["properties"]).filter(
      (one) => !all.some((other) => Bun.deepEquals(one, other)),
    );
    const isOfBounces = extra.length === 1 && extra[0]?.["key"] === "$is_bounce";
    if (isOfBounces) return "bounce rate";
    return ["share of", seriesWords(under, style), ...filterWords(extra, style)].join(" ");
  }
  if (over["math"] === "unique_session" && eventOf(under) === null) {
    return `share of sessions with ${eventNoun(eventOf(over), style)}`;
  }
  return `${seriesWords(over, style)} as a share of ${seriesWords(under, style)}`;
}

function ratioWords(over: JsonObject, under: JsonObject, style: Style): string {
  const isOfViews = [over, under].every((one) => eventOf(one) === "$pageview");
  if (isOfViews && under["math"] === "unique_session") return "pages per session";
  return `${seriesWords(over, style)} per ${unitWords(under, eventOf(over), style)}`;
}

/** The thing that a ratio is per. */
function unitWords(node: JsonObject, over: string | null, style: Style): string {
  const event = eventOf(node);
  if (node["math"] === "unique_session") return "session";
  if (node["math"] !== "dau") return JSON.stringify(event ?? "event");
  if (event === null) return "active user";
  if (event === "$pageview") return over === "$pageview" ? "user" : "visitor";
  return event === over ? "user" : `person with ${eventNoun(event, style)}`;
}
