import { isTotal } from "../../queries/display.ts";
import type { JsonObject } from "../../values/json.ts";
import { eventOf, firstText, objectIn, objectsOf } from "./fields.ts";
import { filtersOf, filterWords, isBehavioral, isFirst } from "./filters.ts";
import {
  capitalised,
  eventNoun,
  eventUnit,
  FIRST_TIME,
  groupNoun,
  listed,
  peopleNoun,
  propertyWords,
  type Style,
} from "./names.ts";
import { meanWords, namedInterval } from "./time.ts";

/** The formula of a trend, in any of the forms of clients; undefined without one. */
function formulaOf(query: JsonObject): string | undefined {
  const { formula, formulas, formulaNodes } = objectIn(query, "trendsFilter");
  const [first] = objectsOf(formulaNodes);
  const [listed] = Array.isArray(formulas) ? formulas : [];
  return [formula, listed, first?.["formula"]].find((one) => typeof one === "string");
}

/** Returns the name of the lines of a formula, such as `Bounce rate`; undefined if its series alone could name it. */
export function formulaName(query: JsonObject, style: Style): string | undefined {
  const formula = formulaOf(query);
  if (formula === undefined) return undefined;
  const words = formulaWords(formula, objectsOf(query["series"]), style);
  return words.startsWith(`${formula}, where `) ? undefined : capitalised(words);
}

/** Returns the measure of a trend: `purchases and sign ups per week`. */
export function trendsWords(query: JsonObject, style: Style): string {
  const nodes = objectsOf(query["series"]);
  const filter = objectIn(query, "trendsFilter");
  const formula = formulaOf(query);
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
  const isOfViews = node["math"] === "unique_session" && eventOf(node) === "$pageview";
  const own = filters.filter((one) =>
    isOfViews ? !isBounced(one) : !(isFirst(one, eventOf(node)) && one["negation"] === true),
  );
  const { math_property: property = null } = node;
  const measure =
    property === null || CALCULATED[String(node["math"])] === undefined
      ? countWords(node, style, own.length < filters.length)
      : calculationWords(node, String(property), style);
  return [measure, ...filterWords(own, style)].join(" ");
}

/** Whether a filter is of bounced sessions. */
const isBounced = ({ type, key, operator = "exact", value = null }: JsonObject): boolean =>
  type === "session" && key === "$is_bounce" && operator === "exact" && firstText(value) === "true";

const CALCULATED: Readonly<Record<string, string>> = {
  ...{ sum: "sum of", avg: "average", min: "smallest", max: "highest", median: "median" },
  ...{ p50: "median", p75: "p75 of", p90: "p90 of", p95: "p95 of", p99: "p99 of" },
};

function calculationWords(node: JsonObject, property: string, style: Style): string {
  const { math = "total", math_property_type: owner } = node;
  const calculated = CALCULATED[String(math)];
  if (owner === "session_properties") {
    const event = eventOf(node);
    const name = propertyWords({ name: property, type: "session" }, style);
    return [
      `${calculated} ${name}`,
      ...(event === null ? [] : [`of ${sessionsNoun(event, style)}`]),
    ].join(" ");
  }
  const type = owner === "person_properties" ? "person" : "event";
  const name = propertyWords({ name: property, type }, style);
  return `${calculated} ${name} of ${eventNoun(eventOf(node), style)}`;
}

const sessionsNoun = (event: string | null, style: Style): string =>
  event === null ? "sessions" : `sessions with ${eventNoun(event, style)}`;

function countWords(node: JsonObject, style: Style, isOfSome: boolean): string {
  const event = eventOf(node);
  const noun = eventNoun(event, style);
  switch (node["math"]) {
    case "dau":
      return `${isOfSome ? "returning " : ""}${peopleNoun(event, style)}`;
    case "first_time_for_user":
      return event === "$pageview" ? "first time visitors" : `people with ${noun} ${FIRST_TIME}`;
    case "weekly_active":
    case "monthly_active": {
      const people = event === null ? "users" : peopleNoun(event, style);
      return `${String(node["math"]).replace("_", " ")} ${people}`;
    }
    case "unique_session":
      return isOfSome ? "bounced sessions" : sessionsNoun(event, style);
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
  const ratio = text === "A/B" && nodes.length === 2 ? ratioWords(over, under, style) : undefined;
  if (ratio !== undefined) return ratio;
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
    if (extra.length === 1 && extra.every(isBounced)) return "bounce rate";
    // "Share of people with purchases" is a share of all people.
    const isOfDoers =
      under["math"] === "dau" && /^people with/.test(peopleNoun(eventOf(under), style));
    const limits = all.length > 0 ? [`(${filterWords(all, style).join(" ")})`] : [];
    const whole = seriesWords({ ...under, properties: [] }, style);
    if (!isOfDoers || extra.every(isBehavioral))
      return ["share of", whole, ...limits, ...filterWords(extra, style)].join(" ");
  }
  if (over["math"] === "unique_session" && Bun.deepEquals(under, { ...under, ...ALL_SESSIONS })) {
    const own = filterWords(filtersOf(over["properties"]), style);
    return ["share of", sessionsNoun(eventOf(over), style), ...own].join(" ");
  }
  return `${seriesWords(over, style)} as a share of ${seriesWords(under, style)}`;
}

const ALL_SESSIONS = { event: null, math: "unique_session" };

/** The words of a ratio; undefined if they cannot say what it is per. */
function ratioWords(over: JsonObject, under: JsonObject, style: Style): string | undefined {
  const unit = unitWords(under, eventOf(over), style);
  if (unit === undefined || filtersOf(under["properties"]).length > 0) return undefined;
  if (eventOf(over) === "$pageview" && unit === "session") return "pages per session";
  return `${seriesWords(over, style)} per ${unit}`;
}

/** The thing that a ratio is per: visitors, people with an event, sessions or events. */
function unitWords(node: JsonObject, over: string | null, style: Style): string | undefined {
  const event = eventOf(node);
  switch (node["math"] ?? "total") {
    case "unique_session":
      return event === null ? "session" : `session with ${eventNoun(event, style)}`;
    case "total":
      return eventUnit(event, style);
    case "dau":
      if (event === null) return "active user";
      if (event === "$pageview") return "visitor";
      return event === over ? "user" : `person with ${eventNoun(event, style)}`;
    default:
      return undefined;
  }
}
