import { isObject, type JsonObject, ownValue } from "../../../core/values/json.ts";
import { folded, named, nodesIn } from "./extent.ts";

/** A call as the tree has it, with its arguments. */
export type Call = { name: string; args: readonly JsonObject[]; node: JsonObject };

/** The result of a special call: an expression, another call, or a sentence why it is not taken. */
export type Special =
  | { node: JsonObject }
  | { call: string; args: JsonObject[] }
  | { refused: string };

/** Returns the number that a node is, rounded where it has too many digits; NaN for other nodes. */
export const numberIn = ({ value }: JsonObject): number =>
  // A number of many digits is no number here, but it is written as one.
  Number(JSON.stringify(isObject(value) ? value["value"] : undefined));

type Make = (call: Call) => Special | undefined;

/** Calls whose SQL depends on the number of arguments, or on a text that is written out; names are in lower case. */
export const SPECIAL_CALLS: Readonly<Record<string, Make>> = {
  "&&": between("CONJUNCTION_AND"),
  "||": between("CONJUNCTION_OR"),
  cast({ args: [value, type] }) {
    const name = folded(constantText(type) ?? "").replace(/^nullable\((.*)\)$/, "$1");
    const id = ownValue(HOGQL_TYPES, name) ?? ownValue(PLAIN_TYPES, name);
    if (value === undefined || id === undefined) {
      const known = [...Object.keys(PLAIN_TYPES), ...Object.keys(HOGQL_TYPES)].join(", ");
      return { refused: `CAST takes a value and a type that is written out: one of ${known}.` };
    }
    const cast_type = { id, type_info: null };
    const node = { class: "CAST", type: "OPERATOR_CAST", alias: "", child: value };
    return { node: { ...node, cast_type, try_cast: false } };
  },
  and: joined("CONJUNCTION_AND"),
  or: joined("CONJUNCTION_OR"),
  in: within("COMPARE_IN"),
  notin: within("COMPARE_NOT_IN"),
  "quantiles()": ({ args }) => ({
    call: "quantile_cont",
    args: [args.at(-1) as JsonObject, called("list_value", args.slice(0, -1))],
  }),
  multiif({ args }) {
    if (args.length < 3 || args.length % 2 === 0) {
      return { refused: "multiIf takes pairs of a condition and a value, and one value more." };
    }
    const checks = Array.from({ length: (args.length - 1) / 2 }, (_, at) => ({
      when_expr: args[at * 2] ?? null,
      then_expr: args[at * 2 + 1] ?? null,
    }));
    const rest = { case_checks: checks, else_expr: args.at(-1) ?? null };
    return { node: { class: "CASE", type: "CASE_EXPR", alias: "", ...rest } };
  },
  formatdatetime({ args: [time, format, zone] }) {
    const text = constantText(format);
    if (time === undefined || text === undefined) {
      return { refused: "formatDateTime takes a time, and a format that is written out." };
    }
    const args = zone === undefined ? [time] : [time, zone];
    const zoned = zone === undefined ? "toDateTime" : "toTimeZone";
    return { call: "strftime", args: [called(zoned, args), constant(duckdbFormat(text))] };
  },
  extract({ args: [text, pattern] }) {
    const written = constantText(pattern);
    if (text === undefined || pattern === undefined || written === undefined) {
      return { refused: "extract takes a text, and a pattern that is written out." };
    }
    const group = /(?<!\\)\((?!\?)/.test(written) ? [constant(1)] : [];
    return { call: "regexp_extract", args: [text, pattern, ...group] };
  },
  extracturlparameter({ args: [url, name] }) {
    const written = constantText(name);
    if (url === undefined || written === undefined || !/^[\w-]+$/.test(written)) {
      return { refused: "extractURLParameter takes an address, and a name that is written out." };
    }
    const pattern = constant(`[?&]${written}=([^&#]*)`);
    return { call: "regexp_extract", args: [url, pattern, constant(1)] };
  },
  tojsonstring({ args }) {
    const isColumn = args[0]?.["class"] === "COLUMN_REF";
    return isColumn ? { call: "toString", args: [...args] } : undefined;
  },
  dateadd: moved("+"),
  timestampadd: moved("+"),
  datesub: moved("-"),
  timestampsub: moved("-"),
};

const PLAIN_TYPES: Record<string, string> = {
  ...{ string: "VARCHAR", bool: "BOOLEAN", uuid: "UUID" },
  ...{ date: "DATE", datetime: "TIMESTAMP WITH TIME ZONE" },
};

const MATCHES = new Set(
  `~~ ~~* like_escape ilike_escape regexp_matches regexp_full_match contains starts_with ends_with
  list_contains list_has_any list_has_all |~ |~* match like ilike has hasany hasall`.split(/\s+/),
);

/** Returns whether an expression is a condition, not a column or value that is true or false. */
export const isCondition = ({ class: kind, type, function_name: name = "" }: JsonObject): boolean =>
  ["COMPARISON", "CONJUNCTION", "BETWEEN", "SUBQUERY"].includes(String(kind)) ||
  /^(?:COMPARE_|OPERATOR_(?:NOT|IS_))/.test(String(type)) ||
  MATCHES.has(folded(name));

/** A sign between two conditions; between lists or texts it is DuckDB's own. */
function between(type: string) {
  return ({ args }: Call): Special | undefined =>
    args.length === 2 && args.every(isCondition)
      ? { node: { class: "CONJUNCTION", type, alias: "", children: [...args] } }
      : undefined;
}

function joined(type: string) {
  return ({ args }: Call): Special =>
    args.length === 0
      ? { refused: "Conditions are expected in the brackets." }
      : { node: { class: "CONJUNCTION", type, alias: "", children: [...args] } };
}

function within(type: string) {
  return ({ args: [value, list] }: Call): Special => {
    const isList = isObject(list) && /^(?:row|list_value)$/.test(folded(list["function_name"]));
    if (value === undefined || !isList) {
      return { refused: "in takes a value and a list: write value IN ('a', 'b')." };
    }
    const children = [value, ...nodesIn(list["children"])];
    return { node: { class: "OPERATOR", type, alias: "", children } };
  };
}

const UNIT = /^(second|minute|hour|day|week|month|quarter|year)s?$/;

/** `dateAdd('day', 1, time)`, `dateAdd(DAY, 1, time)` and `dateAdd(time, INTERVAL 1 DAY)`. */
function moved(sign: "+" | "-") {
  return ({ name, args }: Call): Special | undefined => {
    const [first, second, third] = args;
    if (first === undefined || second === undefined) return undefined;
    if (third === undefined) return { call: sign, args: [first, second] };
    const [word = ""] = (first["column_names"] as string[] | undefined) ?? [];
    const [, unit] = UNIT.exec(folded(word || constantText(first))) ?? [];
    // In DuckDB's own dateSub the unit is a text, and the second argument a time.
    const isOfDuckdb = name === "datesub" && word === "";
    if (isOfDuckdb) return undefined;
    if (unit === undefined) return { refused: `${named(word)} is no unit of time, such as day.` };
    const interval = called(`toInterval${unit}`, [second]);
    return { call: sign, args: [third, interval] };
  };
}

/** Codes of ClickHouse that strftime has under another name. */
const CODES: Record<string, string> = {
  ...{ i: "%M", M: "%B", T: "%H:%M:%S", F: "%Y-%m-%d", D: "%m/%d/%y", R: "%H:%M", s: "%S" },
  ...{ W: "%A", h: "%I", c: "%-m", e: "%-d", k: "%-H", l: "%-I", r: "%I:%M:%S %p", n: "\n" },
};

/** Returns a format of formatDateTime as one of strftime. */
const duckdbFormat = (format: string) =>
  format.replace(/%(.)/gs, (all, code: string) => CODES[code] ?? all);

/** Returns the text of a constant; undefined of all else. */
export function constantText(node: JsonObject | undefined): string | undefined {
  if (node?.["class"] !== "CONSTANT" || !isObject(node["value"])) return undefined;
  const { value } = node["value"];
  return typeof value === "string" ? value : undefined;
}

const IDS: Record<string, string> = { string: "VARCHAR", boolean: "BOOLEAN", number: "DOUBLE" };

/** Returns a constant of the tree: a text, a number, a truth value or null. */
export function constant(value: string | number | boolean | null): JsonObject {
  const id = Number.isSafeInteger(value) ? "BIGINT" : IDS[typeof value];
  const type = { id: value === null ? "NULL" : (id ?? ""), type_info: null };
  const rest = value === null ? { is_null: true } : { is_null: false, value };
  const names = { class: "CONSTANT", type: "VALUE_CONSTANT", alias: "", query_location: 0 };
  return { ...names, value: { type, ...rest } };
}

/** Returns a call of the tree. */
export const called = (name: string, args: readonly JsonObject[]): JsonObject => ({
  ...{ class: "FUNCTION", type: "FUNCTION", alias: "", function_name: name, schema: "" },
  ...{ children: [...args], filter: null, distinct: false, is_operator: /^\W/.test(name) },
  order_bys: { type: "ORDER_MODIFIER", orders: [] },
  ...{ export_state: false, catalog: "", query_location: 0 },
});

/** Types of ClickHouse in casts, in lower case, by DuckDB's name. */
export const HOGQL_TYPES: Readonly<Record<string, string>> = {
  ...{ int8: "TINYINT", int16: "SMALLINT", int32: "INTEGER", int64: "BIGINT" },
  ...{ uint8: "UTINYINT", uint16: "USMALLINT", uint32: "UINTEGER", uint64: "UBIGINT" },
  ...{ float32: "FLOAT", float64: "DOUBLE", datetime64: "TIMESTAMP WITH TIME ZONE" },
};
