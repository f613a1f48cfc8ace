import type { SqlQuery } from "../../../core/ports/sql.ts";
import { metadataFilter, OWNERS } from "../../../core/queries/known-property.ts";
import { periodOf } from "../../../core/queries/period.ts";
import { SQL_VIEWS } from "../../../core/sql/tables.ts";
import { Failure } from "../../../core/values/failure.ts";
import { isObject, type Json, type JsonObject, ownValue } from "../../../core/values/json.ts";
import {
  checkFilters,
  filterGroup,
  filtersIn,
  isDotted,
  type PropertyFilter,
  propertyFilter,
} from "../../../core/values/property-filter.ts";
import { quoted } from "../engine/duckdb.ts";
import { groupMet, passesIn } from "../lists/property-filter.ts";
import { readableSql } from "./hogql/text.ts";
import { tokensOf } from "./hogql/tokens.ts";
import { ROW_TIME } from "./names.ts";

/** Bounds of all time: a range of the request that has no beginning or no end. */
const ALWAYS = { from: "1970-01-01", to: "9999-12-31" };

const bad = (detail: string, field = "query") =>
  new Failure("invalid_input", detail, `query__${field}`);

/**
 * Returns a function that makes SQL of what a request has for a name in braces, and one that fails where the request
 * has something for a name that was not asked for. Values become constants. Fails `invalid_input` on values that are not understood, and on a name without a value.
 */
export function placeholders(query: SqlQuery) {
  const range = rangeOf(query);
  const conditions = query.filters === undefined ? [] : conditionsOf(query, range);
  const used = new Set<string>();
  const fill = (name: string): string => {
    used.add(name);
    if (/^filters[.]dateRange[.](?:from|to)$/.test(name)) return boundOf(name, query, range);
    if (name !== "filters") return constantOf(sentFor(name, query));
    return conditions.length === 0 ? "true" : `(${conditions.join(" AND ")})`;
  };
  return { fill, checkUsed: () => checkUsed(query, conditions.length > 0, used) };
}

/** Fails on what a request has for names that the statement has not. */
function checkUsed(query: SqlQuery, hasFilters: boolean, used: ReadonlySet<string>): void {
  if (hasFilters && ![...used].some((name) => /^filters(?:[.]|$)/.test(name))) {
    throw bad("The SQL has no {filters}: write it in WHERE, or send no `filters`.", "filters");
  }
  const { values, variables } = query;
  const codes = Object.values(isObject(variables) ? variables : {}).map((one) => {
    const code = isObject(one) ? one["code_name"] : undefined;
    if (typeof code === "string") return `variables.${code}`;
    throw bad("A variable has a `code_name` and a `value`.", "variables");
  });
  const names = Object.keys(isObject(values) ? values : {});
  const unused = [...names, ...codes].find((name) => !used.has(name));
  if (unused === undefined) return;
  const field = names.includes(unused) ? "values" : "variables";
  throw bad(`The SQL has no {${unused}}: write it there, or leave its value out.`, field);
}

/** A bound of the range of a request, which has one; one that is open is of all time. */
function boundOf(name: string, { filters }: SqlQuery, { from, to }: Range): string {
  const range = isObject(filters) && isObject(filters["dateRange"]) ? filters["dateRange"] : {};
  if ((range["date_from"] ?? range["date_to"] ?? null) === null) {
    throw bad(
      `{${name}} has no value: send \`filters\` with a \`dateRange\` in the query, such as {"date_from": "-7d"}, or write {filters}, which is true without them.`,
    );
  }
  return constantOf(name.endsWith("from") ? (from ?? ALWAYS.from) : (to ?? ALWAYS.to));
}

/** The value that a request has for a name, of `variables` or of `values`. */
function sentFor(name: string, { variables, values }: SqlQuery): Json {
  const [first, code = ""] = name.split(".");
  const all = isObject(variables) ? Object.values(variables).filter(isObject) : [];
  const found = first === "variables" ? all.find((one) => one["code_name"] === code) : undefined;
  if (found !== undefined) return found["isNull"] === true ? null : (found["value"] ?? null);
  const value = isObject(values) ? ownValue(values, name) : undefined;
  if (value !== undefined) return value;
  const where = first === "variables" ? "`variables` with a `code_name` and a `value`" : "`values`";
  throw bad(`{${name}} has no value: send ${where} in the query, or write the value in its place.`);
}

/** Returns a value as a constant of SQL, or a list of them; the SQL that runs is written from the parse tree. */
function constantOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(constantOf).join(", ")}]`;
  if (isObject(value) || (typeof value === "string" && value.includes("\0"))) {
    throw bad("A value is a text, a number, true, false, null, or a list of these.", "values");
  }
  if (typeof value === "string") return quoted(value);
  const isPlain = typeof value !== "number" || Number.isSafeInteger(value);
  return isPlain ? `(${value})` : `CAST('${value}' AS DOUBLE)`;
}

/** A range of time on the clock of the project: from a time on, and before another. */
type Range = { from?: string; to?: string };

function rangeOf({ filters, moment }: SqlQuery): Range {
  const range = isObject(filters) ? (filters["dateRange"] ?? {}) : {};
  if (!isObject(range)) throw bad("A range of dates is an object.", "filters__dateRange");
  checkFields(range, ["date_from", "date_to", "explicitDate"], "filters__dateRange");
  const { date_from = null, date_to = null, explicitDate = false } = range;
  if ([date_from, date_to].some((one) => one !== null && typeof one !== "string")) {
    throw bad("A date is a text, such as -7d or 2026-11-21.", "filters__dateRange");
  }
  if (typeof explicitDate !== "boolean") {
    throw bad("true or false is expected.", "filters__dateRange__explicitDate");
  }
  if (date_from === null && date_to === null) return {};
  const asked = {
    date_from: date_from === null || date_from === "all" ? ALWAYS.from : String(date_from),
    date_to: date_to === null ? null : String(date_to),
    explicitDate,
  };
  const { from, before } = periodOf(asked, { interval: null, ...moment });
  return {
    ...(asked.date_from === ALWAYS.from ? {} : { from: wall(from) }),
    ...(date_to === null ? {} : { to: wall(before) }),
  };
}

const wall = (time: string) => time.replace("T", " ").replace("Z", "");

/** Fails on an unknown field; for one about time says how to write a period. */
function checkFields(given: JsonObject, known: readonly string[], attr: string): void {
  const unknown = Object.keys(given).find((name) => given[name] !== null && !known.includes(name));
  if (unknown === undefined) return;
  const isOfTime = /date|created|_(?:at|after|before)$|^(?:after|before)$/i.test(unknown);
  const range = isOfTime
    ? ' Write a range of time as "dateRange": {"date_from": "-7d", "date_to": null}.'
    : "";
  throw bad(`One of ${known.join(", ")} is expected.${range}`, `${attr}__${unknown}`);
}

const FILTERS = ["dateRange", "properties", "filterTestAccounts"];

/** SQL of the filters of a request. */
function conditionsOf({ filters, moment }: SqlQuery, { from, to }: Range): string[] {
  const given = filters as JsonObject;
  checkFields(given, FILTERS, "filters");
  const tests = given["filterTestAccounts"] ?? false;
  if (typeof tests !== "boolean") {
    throw bad("true or false is expected.", "filters__filterTestAccounts");
  }
  if (tests) {
    throw bad(
      "There is no list of test accounts: put its conditions in `properties`.",
      "filters__filterTestAccounts",
    );
  }
  const attr = "query__filters__properties";
  const read = (filter: Json): Owned => {
    if (isObject(filter) && filter["type"] === "hogql") {
      return { key: conditionIn(filter["key"], attr), not: false, test: { is: "set" }, of: HOGQL };
    }
    const { type, filter: one } = propertyFilter(filter, { types: OWNERS, ...moment, attr });
    if (type === "event_metadata") return { ...metadataFilter(one, attr), of: type };
    const index = isObject(filter) ? Number(filter["group_type_index"] ?? 0) : 0;
    return { ...one, of: type === "group" ? `group_${index}` : type };
  };
  const sent = given["properties"] ?? [];
  const list = isObject(sent) ? [sent] : sent;
  const group = filterGroup({ type: "AND", values: list }, attr, read);
  checkFilters(filtersIn(group), attr);
  return [
    ...(from === undefined ? [] : [`"${ROW_TIME}" >= ${constantOf(from)}`]),
    ...(to === undefined ? [] : [`"${ROW_TIME}" < ${constantOf(to)}`]),
    ...(group.of.length === 0 ? [] : [groupMet(group, passed)]),
  ];
}

/** The owner of a filter that is a condition in HogQL. */
const HOGQL = "hogql";

/** Returns a condition of the request as SQL. Fails where its brackets or quotes are not closed. */
function conditionIn(key: Json | undefined, attr: string): string {
  const detail = "The key of a filter of the type hogql is one condition, such as event = 'order'.";
  if (typeof key !== "string") throw new Failure("invalid_input", detail, attr);
  const tokens = tokensOf(key);
  let depth = 0;
  for (const { kind, word } of tokens) {
    if (word === "(" || word === "[") depth += 1;
    if (word === ")" || word === "]") depth -= 1;
    if (depth < 0 || (kind === "sign" && /^['"`;{}]$/.test(word)) || word === "/*") {
      throw new Failure("invalid_input", detail, attr);
    }
  }
  if (depth !== 0 || tokens.length < 2) throw new Failure("invalid_input", detail, attr);
  return `(${readableSql(key, () => "NULL").written.sql}\n)`;
}

/** A filter with the relation that has its property. */
type Owned = PropertyFilter & { of: string };

function passed({ of, ...filter }: Owned): string {
  if (of === HOGQL) return filter.key;
  return passesIn(propertyOf(of, filter.key), filter, (value, type = "VARCHAR") =>
    type === "VARCHAR" ? constantOf(value) : `CAST(${constantOf(value)} AS ${type})`,
  );
}

function propertyOf(of: string, key: string): string {
  if (of === "event_metadata") return `CAST(${key} AS VARCHAR)`;
  if (of !== "session") {
    const at = (keys: string[]) =>
      `${of === "event" ? "" : `${of}.`}properties${keys.map((one) => `[${constantOf(one)}]`).join("")}`;
    return isDotted(key) ? `coalesce(${at([key])}, ${at(key.split("."))})` : at([key]);
  }
  if (Object.hasOwn(SQL_VIEWS["sessions"] ?? {}, key)) return `session."${key}"`;
  throw bad("There is no such property of sessions.", "filters__properties");
}
