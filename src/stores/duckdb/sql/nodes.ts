import { isObject, type Json, type JsonObject, ownValue } from "../../../core/values/json.ts";
import { folded, nodesIn } from "./extent.ts";
import { constant, constantText, HOGQL_TYPES, numberIn } from "./special-calls.ts";

const NUMBERS = /^(?:INTEGER|BIGINT|DECIMAL|DOUBLE|HUGEINT)$/;

const NUMBER_FUNCTIONS = new Set(
  `count count_star sum avg median quantile_cont len length round floor ceil abs date_diff datediff
  + - * / % //`.split(/\s+/),
);

/** Returns whether an expression is a number by its own words. */
export function isNumber(node: JsonObject): boolean {
  if (node["class"] === "CONSTANT") return NUMBERS.test(typeOf(node["value"], "type"));
  if (node["class"] === "CAST") return NUMBERS.test(typeOf(node, "cast_type"));
  const isCall =
    node["class"] === "FUNCTION" && NUMBER_FUNCTIONS.has(folded(node["function_name"]));
  return isCall && !isTime(node);
}

const TIME_COLUMNS = /^(?:timestamp|ingested_at|.*created_at|\$(?:start|end)_timestamp)$/;

const TIME_FUNCTIONS = new Set(
  `now today current_date get_current_timestamp date_trunc datetrunc time_bucket timezone to_seconds
  to_minutes to_hours to_days to_weeks to_months to_quarters to_years`.split(/\s+/),
);

/** Returns whether an expression is a time or an interval by its own words. */
export function isTime(node: JsonObject): boolean {
  if (node["class"] === "COLUMN_REF") {
    return TIME_COLUMNS.test(lastName(node));
  }
  if (node["class"] === "CAST") {
    return /^(?:TIMESTAMP|DATE$|INTERVAL)/.test(typeOf(node, "cast_type"));
  }
  const name = node["class"] === "FUNCTION" ? folded(node["function_name"]) : "";
  const isSum = name === "+" || name === "-";
  return TIME_FUNCTIONS.has(name) || (isSum && nodesIn(node["children"]).some(isTime));
}

/** Returns whether an expression is `TIMESTAMP '…'`, with or without an interval. */
export function isPlainTime(node: JsonObject): boolean {
  if (node["class"] === "CAST") {
    const { child } = node;
    return (
      typeOf(node, "cast_type") === "TIMESTAMP" && isObject(child) && child["class"] === "CONSTANT"
    );
  }
  return (
    /^[+-]$/.test(String(node["function_name"])) && nodesIn(node["children"]).some(isPlainTime)
  );
}

function typeOf(node: Json | undefined, field: string): string {
  const type = isObject(node) ? node[field] : undefined;
  return isObject(type) ? String(type["id"]) : "";
}

/** Returns whether an expression is the column that says whether a session bounced. */
export const isBounce = (node: JsonObject): boolean => lastName(node).endsWith("$is_bounce");

/** Returns a cast whose type of ClickHouse is that of DuckDB. */
export function withType(node: JsonObject): JsonObject {
  const type = node["cast_type"];
  const info = isObject(type) ? type["type_info"] : undefined;
  const id = isObject(info) ? ownValue(HOGQL_TYPES, folded(info["name"])) : undefined;
  return id === undefined ? node : { ...node, cast_type: { id, type_info: null } };
}

const namesOf = (node: JsonObject | undefined) =>
  node?.["class"] === "COLUMN_REF" ? (node["column_names"] as string[]) : [];

/** Returns the last part of a name of a column, in lower case. */
export const lastName = (node: JsonObject | undefined) => folded(namesOf(node).at(-1) ?? "");

/** Returns whether an expression is NULL. */
export const isNull = ({ value }: JsonObject): boolean =>
  isObject(value) && value["is_null"] === true;

/** Returns the first of two expressions that is known, with the name and place of the second. */
export function both(first: JsonObject, second: JsonObject): JsonObject {
  const { alias = "", query_location = 0 } = second;
  const children = [first, second].map((one) => ({ ...one, alias: "" }));
  return { class: "OPERATOR", type: "OPERATOR_COALESCE", alias, query_location, children };
}

/** Returns NOT of a condition; it is true where the condition is not known. */
export function negated(left: JsonObject, at: JsonObject): JsonObject {
  const { alias = "", query_location = 0 } = at;
  const type = "COMPARE_DISTINCT_FROM";
  const right = constant(true);
  return { class: "COMPARISON", type, alias, query_location, left: { ...left, alias: "" }, right };
}

const NEGATIVE = new Map([
  ["!~~", "~~"],
  ["!~~*", "~~*"],
  ["not_like_escape", "like_escape"],
  ["not_ilike_escape", "ilike_escape"],
]);
const ESCAPED = new Map([
  ["~~", "like_escape"],
  ["~~*", "ilike_escape"],
]);

/** Returns a LIKE whose pattern has the escapes of ClickHouse, and whether it was NOT LIKE. */
export function likeOf(node: JsonObject): { like: JsonObject; isNegative: boolean } {
  const name = folded(node["function_name"]);
  const positive = NEGATIVE.get(name) ?? name;
  const args = nodesIn(node["children"]);
  const isEscaped = ESCAPED.has(positive) && /\\[%_\\]/.test(constantText(args[1]) ?? "");
  const children = isEscaped ? [...args, constant("\\")] : args;
  const function_name = isEscaped ? (ESCAPED.get(positive) ?? "") : positive;
  const like = { ...node, function_name, children, is_operator: false };
  return { like: positive === name && !isEscaped ? node : like, isNegative: NEGATIVE.has(name) };
}

/** Returns `numbers(3)` of FROM as a range with a column of that name. */
export function numbersTable(table: JsonObject): JsonObject {
  const call = table["function"];
  if (!isObject(call) || folded(call["function_name"]) !== "numbers") return table;
  const [from, count] = nodesIn(call["children"]);
  const end = Number(from && numberIn(from)) + Number(count && numberIn(count));
  const children =
    count === undefined || from === undefined ? [from ?? null] : [from, constant(end)];
  const column_name_alias = table["column_name_alias"];
  const names =
    Array.isArray(column_name_alias) && column_name_alias.length > 0
      ? column_name_alias
      : ["number"];
  const alias = table["alias"] || "numbers";
  return {
    ...table,
    alias,
    function: { ...call, function_name: "range", children },
    column_name_alias: names,
  };
}

const OF_ROWS = {
  ...{ class: "WINDOW", type: "WINDOW_ROW_NUMBER", alias: "", query_location: 0 },
  ...{ function_name: "row_number", schema: "", catalog: "", children: [], arg_orders: [] },
  ...{ start: "UNBOUNDED_PRECEDING", end: "CURRENT_ROW_RANGE", start_expr: null, end_expr: null },
  ...{ offset_expr: null, default_expr: null, filter_expr: null, ignore_nulls: false },
  ...{ distinct: false, exclude_clause: "NO_OTHER" },
};

/** Returns a SELECT whose LIMIT … BY, which its ORDER BY has as a call, is a condition on numbers of rows. */
export function limitedBy(node: JsonObject): JsonObject {
  const modifiers = nodesIn(node["modifiers"]).map((one) => ({
    ...one,
    orders: nodesIn(one["orders"]),
  }));
  const isLimit = (order: JsonObject) =>
    isObject(order["expression"]) && folded(order["expression"]["function_name"]) === "limit by";
  const limit = modifiers.flatMap(({ orders }) => orders).find(isLimit);
  if (limit === undefined) return node;
  const [most, skipped, ...partitions] = nodesIn((limit["expression"] as JsonObject)["children"]);
  const orders = modifiers.flatMap((one) => one.orders).filter((order) => !isLimit(order));
  const window = { ...OF_ROWS, partitions, orders };
  const compared = (type: string, right: JsonObject) => ({
    ...{ class: "COMPARISON", type, alias: "", query_location: 0, left: window, right },
  });
  const from = numberIn(skipped ?? {});
  const to = constant(from + numberIn(most ?? {}));
  const conditions = [
    ...(isObject(node["qualify"]) ? [node["qualify"]] : []),
    ...(from > 0 ? [compared("COMPARE_GREATERTHAN", constant(from))] : []),
    compared("COMPARE_LESSTHANOREQUALTO", to),
  ];
  const [qualify] =
    conditions.length === 1
      ? conditions
      : [{ class: "CONJUNCTION", type: "CONJUNCTION_AND", alias: "", children: conditions }];
  const rest = nodesIn(node["modifiers"]).flatMap((one) => {
    if (one["type"] !== "ORDER_MODIFIER") return [one];
    return orders.length === 0 ? [] : [{ ...one, orders }];
  });
  return { ...node, modifiers: rest, qualify: qualify ?? null };
}

/** Returns the place of a list that a number of ClickHouse means, as a key of JSON: from 1 on. */
export function placeIn(node: JsonObject | undefined): string | undefined {
  if (node?.["class"] !== "CONSTANT") return undefined;
  const place = numberIn(node);
  return Number.isInteger(place) && place > 0 ? String(BigInt(place) - 1n) : undefined;
}

const escaped = (name: string) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Returns the constant text that finds nested keys in JSON. */
export const pointer = (path: readonly string[]): JsonObject =>
  constant(path.map(escaped).join(""));

/** Makes the keys of a JSONExtract… one path. Keys that are not written out stay. */
export function withKeys([json, ...keys]: readonly JsonObject[]): readonly JsonObject[] {
  const path = keys.map((one) => constantText(one) ?? placeIn(one));
  const isKnown = path.length > 0 && path.every((one) => one !== undefined);
  return json === undefined ? [] : [json, ...(isKnown ? [pointer(path as string[])] : keys)];
}
