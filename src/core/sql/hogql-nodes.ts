import { isObject, type Json, type JsonObject, ownValue } from "../values/json.ts";
import { folded, nodesIn } from "./extent.ts";
import { constant, constantText, HOGQL_TYPES, numberIn } from "./hogql-calls.ts";
import { type From, isOf, tablesIn } from "./hogql-names.ts";

const NUMBERS = /^(?:INTEGER|BIGINT|DECIMAL|DOUBLE|HUGEINT)$/;

/** Returns whether an expression is a number that is written out. */
export const isNumber = (node: JsonObject): boolean =>
  node["class"] === "CONSTANT" && NUMBERS.test(typeOf(node["value"], "type"));

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

const lastName = (node: JsonObject | undefined) => folded(namesOf(node).at(-1) ?? "");

const isIdOfPersons = (node: JsonObject | undefined, from: From) =>
  lastName(node) === "id" && isOf("persons", namesOf(node).slice(0, -1), from);

const withUuid = (node: JsonObject): JsonObject => ({
  ...node,
  column_names: [...namesOf(node).slice(0, -1), "uuid"],
});

/** Compares `person_id` with the `uuid` of persons where a query names their `id`, as PostHog's is a uuid. */
export function ofSamePersons(
  [left, right]: readonly [JsonObject, JsonObject],
  from: From,
): readonly [JsonObject, JsonObject] {
  if (lastName(left) === "person_id" && isIdOfPersons(right, from)) return [left, withUuid(right)];
  if (lastName(right) === "person_id" && isIdOfPersons(left, from)) return [withUuid(left), right];
  return [left, right];
}

/** Does the same for `person_id IN (SELECT id FROM persons)`, and the other way round. */
export function withUuids(node: JsonObject, from: From): JsonObject {
  const { child, subquery } = node;
  const inner = isObject(subquery) ? subquery["node"] : undefined;
  const [item, ...others] = isObject(inner) ? nodesIn(inner["select_list"]) : [];
  if (!isObject(child) || !isObject(inner) || item === undefined || others.length > 0) return node;
  const own: From = { tables: tablesIn(inner["from_table"]), relations: new Set() };
  if (lastName(child) === "person_id" && isIdOfPersons(item, own)) {
    const select_list = [withUuid(item)];
    return { ...node, subquery: { ...(subquery as JsonObject), node: { ...inner, select_list } } };
  }
  const isOfEvents = lastName(item) === "person_id" && isIdOfPersons(child, from);
  return isOfEvents ? { ...node, child: withUuid(child) } : node;
}

/** Returns the place of a list that a number of ClickHouse means, as a key of JSON: from 1 on. */
export function placeIn(node: JsonObject | undefined): string | undefined {
  if (node === undefined || !isNumber(node)) return undefined;
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
