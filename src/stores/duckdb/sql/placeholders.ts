import type { SqlQuery } from "../../../core/ports/sql.ts";
import { periodOf } from "../../../core/queries/period.ts";
import { SQL_VIEWS } from "../../../core/sql/tables.ts";
import { Failure } from "../../../core/values/failure.ts";
import {
  isExactNumber,
  isObject,
  type Json,
  type JsonObject,
  ownValue,
} from "../../../core/values/json.ts";
import {
  checkFilters,
  type FilterGroup,
  filterGroup,
  filtersIn,
  isGroup,
  type PropertyFilter,
  propertyFilter,
} from "../../../core/values/property-filter.ts";
import { passesIn } from "../lists/property-filter.ts";
import { called, constant } from "./special-calls.ts";

/** A value of a request, in the place of a name in braces. */
type Values = Map<string, JsonObject>;

/** Names in braces, and the values that the request has for them. */
export type Placeholders = {
  /** Returns SQL with a parameter in the place of each value. Fails `invalid_input` if there is no value. */
  fill(name: string): string;
  /** Puts the values in the tree of a statement. */
  bound(tree: Json): Json;
};

/** Bounds of all time: a range of the request that has no beginning or no end. */
const ALWAYS = { from: "1970-01-01", to: "9999-12-31" };

const bad = (detail: string, field = "query") =>
  new Failure("invalid_input", detail, `query__${field}`);

/** Reads the values of a request. Fails `invalid_input` on values that are not understood. */
export function placeholders(query: SqlQuery): Placeholders {
  const values: Values = new Map();
  const bind = (value: Json): string => {
    const name = `v${values.size}`;
    values.set(name, nodeOf(value));
    return `$${name}`;
  };
  const range = rangeOf(query);
  const known: Readonly<Record<string, () => Json>> = {
    "filters.dateRange.from": () => range.from ?? ALWAYS.from,
    "filters.dateRange.to": () => range.to ?? ALWAYS.to,
  };
  return {
    fill(name) {
      if (name !== "filters")
        return bind((ownValue(known, name) ?? (() => sentFor(name, query)))());
      const conditions = query.filters === undefined ? [] : conditionsOf(query, range, bind);
      return conditions.length === 0 ? "true" : `(${conditions.join(" AND ")})`;
    },
    bound: (tree) => withValues(tree, values),
  };
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

function withValues(value: Json, values: Values): Json {
  if (Array.isArray(value)) return value.map((part) => withValues(part, values));
  if (!isObject(value) || isExactNumber(value)) return value;
  if (value["class"] === "PARAMETER") return values.get(String(value["identifier"])) ?? value;
  const isStatement = Array.isArray(value["named_param_map"]);
  const fields = Object.entries(value).map(([field, part]) => [field, withValues(part, values)]);
  const node: JsonObject = Object.fromEntries(fields);
  return isStatement ? { ...node, named_param_map: [] } : node;
}

function nodeOf(value: Json): JsonObject {
  if (Array.isArray(value)) return called("list_value", value.map(nodeOf));
  if (isObject(value))
    throw bad("A value is a text, a number, true, false, null, or a list of these.", "values");
  return constant(value);
}

/** The range of time on the clock of the project: from a time on, and before another. */
function rangeOf({ filters, moment }: SqlQuery): { from?: string; to?: string } {
  const range = isObject(filters) ? (filters["dateRange"] ?? {}) : {};
  if (filters !== undefined && !isObject(filters)) throw bad("An object is expected.", "filters");
  if (!isObject(range)) throw bad("A range of dates is an object.", "filters__dateRange");
  const { date_from = null, date_to = null, explicitDate = false } = range;
  if ([date_from, date_to].some((one) => one !== null && typeof one !== "string")) {
    throw bad("A date is a text, such as -7d or 2026-11-21.", "filters__dateRange");
  }
  if (date_from === null && date_to === null) return {};
  const asked = {
    date_from: date_from === null || date_from === "all" ? ALWAYS.from : String(date_from),
    date_to: date_to === null ? null : String(date_to),
    explicitDate: explicitDate === true,
  };
  const { from, before } = periodOf(asked, { interval: null, ...moment });
  return {
    ...(asked.date_from === ALWAYS.from ? {} : { from: wall(from) }),
    ...(date_to === null ? {} : { to: wall(before) }),
  };
}

const wall = (time: string) => time.replace("T", " ").replace("Z", "");

type Bind = (value: Json) => string;
const FILTERS = ["dateRange", "properties", "filterTestAccounts"];

/** SQL of the filters of a request, with parameters in the place of their values. */
function conditionsOf(
  { filters, moment }: SqlQuery,
  { from, to }: { from?: string; to?: string },
  bind: Bind,
): string[] {
  const given = filters as JsonObject;
  const unknown = Object.keys(given).find((name) => !FILTERS.includes(name));
  if (unknown !== undefined)
    throw bad(`One of ${FILTERS.join(", ")} is expected.`, `filters__${unknown}`);
  if (given["filterTestAccounts"] === true) {
    throw bad(
      "There is no list of test accounts: put its conditions in `properties`.",
      "filters__filterTestAccounts",
    );
  }
  const attr = "query__filters__properties";
  const types = ["event", "person", "session", "group"] as const;
  const read = (filter: Json): Owned => {
    if (isObject(filter) && (filter["type"] === "hogql" || filter["type"] === "cohort")) {
      throw new Failure(
        "invalid_input",
        `A filter of the type ${filter["type"]} is not taken: write its condition in the SQL.`,
        attr,
      );
    }
    const { type, filter: one } = propertyFilter(filter, { types, ...moment, attr });
    const index = isObject(filter) ? Number(filter["group_type_index"] ?? 0) : 0;
    return { ...one, of: type === "group" ? `group_${index}` : type };
  };
  const sent = given["properties"] ?? [];
  const list = isObject(sent) ? [sent] : sent;
  const group = filterGroup({ type: "AND", values: list }, attr, read);
  checkFilters(filtersIn(group), attr);
  return [
    ...(from === undefined ? [] : [`timestamp >= ${bind(from)}`]),
    ...(to === undefined ? [] : [`timestamp < ${bind(to)}`]),
    ...(group.of.length === 0 ? [] : [ofGroup(group, bind)]),
  ];
}

/** A filter with the relation that has its property. */
type Owned = PropertyFilter & { of: string };

const ofGroup = ({ any, of }: FilterGroup<Owned>, bind: Bind): string =>
  `(${of.map((one) => (isGroup(one) ? ofGroup(one, bind) : ofFilter(one, bind))).join(any ? " OR " : " AND ")})`;

function ofFilter({ of, ...filter }: Owned, bind: Bind): string {
  return passesIn(propertyOf(of, filter.key, bind), filter, (value, type = "VARCHAR") =>
    type === "VARCHAR" ? bind(value) : `CAST(${bind(value)} AS ${type})`,
  );
}

function propertyOf(of: string, key: string, bind: Bind): string {
  if (of === "session") {
    if (!Object.hasOwn(SQL_VIEWS["sessions"] ?? {}, key)) {
      throw bad("There is no such property of sessions.", "filters__properties");
    }
    return `session."${key}"`;
  }
  return `${of === "event" ? "" : `${of}.`}properties[${bind(key)}]`;
}
