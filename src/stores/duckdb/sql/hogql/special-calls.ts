import { ownValue } from "../../../../core/values/json.ts";
import { isDecimal, isList } from "../nodes.ts";
import {
  called,
  caseOf,
  columnOf,
  constant,
  constantText,
  folded,
  lastName,
  type Node,
  namesOf,
  nodesIn,
  numberIn,
  operator,
  rebuilt,
  refuse,
} from "../tree.ts";
import { HOGQL_RENAMED } from "./functions.ts";
import { type Make, TIME_CALLS } from "./special-times.ts";

const zero = constant(0);

/** Calls whose SQL depends on the number of arguments, or on a text that is written out; names are in lower case. */
export const SPECIAL_CALLS: Readonly<Record<string, Make>> = {
  "&&": between("CONJUNCTION_AND"),
  "||": between("CONJUNCTION_OR"),
  and: joined("CONJUNCTION_AND"),
  or: joined("CONJUNCTION_OR"),
  not: (args) => operator("OPERATOR_NOT", [operator("CONJUNCTION_AND", [constant(true), ...args])]),
  // The parser makes a IN [1, 2] a call.
  contains: ([list, value]) =>
    value !== undefined && list?.function_name === "list_value"
      ? operator("COMPARE_IN", [value, ...nodesIn(list.children)])
      : undefined,
  in: within("COMPARE_IN"),
  notin: within("COMPARE_NOT_IN"),
  cast([value, type], at) {
    const name = folded(constantText(type) ?? "").replace(/^nullable\((.*)\)$/, "$1");
    const id = ownValue(PLAIN_TYPES, name) ?? ownValue(HOGQL_TYPES, name);
    if (value === undefined || id === undefined) {
      const known = [...Object.keys(PLAIN_TYPES), ...Object.keys(HOGQL_TYPES)].join(", ");
      const detail = `CAST takes a value and a type that is written out: one of ${known}.`;
      return refuse(detail, at);
    }
    const cast_type = { id, type_info: null };
    const node = { class: "CAST", type: "OPERATOR_CAST", alias: "", child: value, cast_type };
    return { ...node, try_cast: false };
  },
  "quantile()": (args, at) => void checkLevels(args.slice(0, -1), at),
  "quantiles()"(args, at) {
    checkLevels(args.slice(0, -1), at);
    return called("quantile_cont", [...args.slice(-1), called("list_value", args.slice(0, -1))]);
  },
  jsonextract(args, at) {
    const type = folded(constantText(args.at(-1)));
    const [, of] =
      /^(?:nullable\()?(array\((?:nullable\()?string\)|string|u?int|float|bool)/.exec(type) ?? [];
    if (of === undefined || args.length < 2) return refuse(JSON_TYPES, at);
    return called(of.startsWith("array") ? "JSONExtract()" : `JSONExtract${of}`, args.slice(0, -1));
  },
  multiif(args, at) {
    const [rest] = args.slice(-1);
    if (rest === undefined || args.length < 3 || args.length % 2 === 0) {
      return refuse("multiIf takes pairs of a condition and a value, and one value more.", at);
    }
    const pairs = args.flatMap((when, index): [Node, Node][] => {
      const then = args[index + 1];
      return index % 2 === 0 && then !== undefined ? [[when, then]] : [];
    });
    return caseOf(pairs, rest);
  },
  extract([text, pattern], at) {
    const written = constantText(pattern);
    if (text === undefined || pattern === undefined || written === undefined) {
      return refuse("extract takes a text, and a pattern that is written out.", at);
    }
    return called("regexp_extract", [text, pattern, ...groupOf(written)]);
  },
  extractall([text, pattern], at) {
    const written = constantText(pattern);
    if (text === undefined || pattern === undefined || written === undefined) {
      return refuse("extractAll takes a text, and a pattern that is written out.", at);
    }
    return called("regexp_extract_all", [text, pattern, ...groupOf(written)]);
  },
  extracturlparameter([url, name], at) {
    const written = constantText(name);
    if (url === undefined || written === undefined || !/^[\w-]+$/.test(written)) {
      return refuse("extractURLParameter takes an address, and a name that is written out.", at);
    }
    const pattern = constant(`[?&]${written}=([^&#]*)`);
    return called("regexp_extract", [url, pattern, constant(1)]);
  },
  round([value, digits = zero]) {
    // Of whole numbers and decimals, halves go away from zero; of floating ones to even.
    if (value === undefined || !(numberIn(digits) >= 0) || isDecimal(value)) return undefined;
    return called("roundBankers", digits === zero ? [value] : [value, digits]);
  },
  todecimal: decimal,
  todecimal32: decimal,
  todecimal64: decimal,
  todecimal128: decimal,
  count: (args, at) => (at["distinct"] === true ? uniqOf(args) : undefined),
  ...TIME_CALLS,
  ...Object.fromEntries(
    ["uniq", "uniqexact", "uniqhll12", "uniqcombined", "uniqcombined64", "countdistinct"].map(
      (name) => [name, uniqOf],
    ),
  ),
  arrayreduce([name, list], at) {
    const [, of] = /^(sum|avg|min|max|median|count|uniq)$/.exec(constantText(name) ?? "") ?? [];
    if (of === undefined || list === undefined) {
      return refuse(
        "arrayReduce takes 'sum', 'avg', 'min', 'max', 'median', 'count' or 'uniq'.",
        at,
      );
    }
    return called(of === "uniq" ? "list_unique" : `list_${of}`, [list]);
  },
  list_intersect([first, ...lists]) {
    if (first === undefined || lists.length < 2) return undefined;
    return lists.reduce((all, list) => called("list_intersect", [all, list]), first);
  },
  tostring: ([value], at) =>
    value !== undefined && isList(value)
      ? refuse(
          "toString takes no list: write arrayStringConcat(list, ','), or toJSONString(list).",
          at,
        )
      : undefined,
  tojsonstring: (args) => (args[0]?.class === "COLUMN_REF" ? called("toString", args) : undefined),
};

function checkLevels(levels: Node[], at: Node): void {
  const isLevel = (level: Node) => numberIn(level) >= 0 && numberIn(level) <= 1;
  if (levels.every(isLevel)) return;
  refuse("A level of a quantile is a number from 0 to 1: the median is quantile(0.5)(x).", at);
}

const JSON_TYPES =
  "JSONExtract takes JSON, keys in it, and a type: 'String', 'Int64', 'Float64', 'Bool' or 'Array(String)'.";

/** Returns the number of the group of a pattern that is extracted, where it has one. */
const groupOf = (pattern: string): Node[] => (/(?<!\\)\((?!\?)/.test(pattern) ? [constant(1)] : []);

const PLAIN_TYPES: Record<string, string> = {
  ...{ string: "VARCHAR", bool: "BOOLEAN", uuid: "UUID" },
  ...{ date: "DATE", datetime: "TIMESTAMP WITH TIME ZONE" },
};

/** Different values of several expressions together, where none is missing. */
function uniqOf(args: Node[]): Node | undefined {
  if (args.length < 2) return undefined;
  const filter = operator(
    "CONJUNCTION_AND",
    args.map((arg) => operator("OPERATOR_IS_NOT_NULL", [arg])),
  );
  return { ...called("count", [called("row", args)]), distinct: true, filter };
}

function decimal([value, scale]: Node[], at: Node): Node {
  const places = numberIn(scale);
  if (value === undefined || !(places >= 0 && places <= 18)) {
    return refuse(
      "toDecimal takes a value, and a number of digits up to 18: toDecimal64(x, 2).",
      at,
    );
  }
  const type_info = { type: "DECIMAL_TYPE_INFO", alias: "", width: 38, scale: places };
  const cast_type = { id: "DECIMAL", type_info };
  const node = { class: "CAST", type: "OPERATOR_CAST", alias: "", child: value, cast_type };
  return { ...node, try_cast: true };
}

/** Types of ClickHouse in casts, in lower case, by DuckDB's name. */
const HOGQL_TYPES: Readonly<Record<string, string>> = {
  ...{ int8: "TINYINT", int16: "SMALLINT", int32: "INTEGER", int64: "BIGINT" },
  ...{ uint8: "UTINYINT", uint16: "USMALLINT", uint32: "UINTEGER", uint64: "UBIGINT" },
  ...{ float32: "FLOAT", float64: "DOUBLE", datetime64: "TIMESTAMP WITH TIME ZONE" },
};

/** Returns a cast whose type of ClickHouse is that of DuckDB. */
export function withType(node: Node): Node {
  const id = ownValue(HOGQL_TYPES, folded(node.cast_type?.type_info?.["name"]));
  return id === undefined ? node : { ...node, cast_type: { id, type_info: null } };
}

const MATCHES =
  /^(?:~~\*?|i?like(?:_escape)?|regexp_(?:full_)?match(?:es)?|contains|(?:starts|ends)_with|list_contains|(?:list_)?has_?(?:any|all)?|\|~\*?|match)$/;

/** Returns whether an expression is a condition, not a column or value that is true or false. */
export const isCondition = ({ class: kind, type, function_name: name = "" }: Node): boolean =>
  ["COMPARISON", "CONJUNCTION", "BETWEEN", "SUBQUERY"].includes(String(kind)) ||
  /^(?:COMPARE_|OPERATOR_(?:NOT|IS_))/.test(String(type)) ||
  MATCHES.test(folded(name));

/** A sign between two conditions; between lists or texts it is DuckDB's own. */
function between(type: string): Make {
  return (args) =>
    args.length === 2 && args.every(isCondition) ? operator(type, args) : undefined;
}

function joined(type: string): Make {
  return (args, at) =>
    args.length === 0
      ? refuse("Conditions are expected in the brackets.", at)
      : operator(type, args);
}

function within(type: string): Make {
  return ([value, list], at) => {
    if (value === undefined || !/^(?:row|list_value)$/.test(folded(list?.function_name))) {
      return refuse("in takes a value and a list: write value IN ('a', 'b').", at);
    }
    return operator(type, [value, ...nodesIn(list?.children)]);
  };
}

const OF_LISTS =
  /^array(?:map|filter|exists|all|count|sum|avg|min|max|sort|reversesort|first|firstindex|last)$/;
const OF_FIRST = /^array(?:filter|sort|reversesort|first|last)$/;

/** Returns a call whose lambda has a name for each of several lists as one with a lambda of pairs. */
export function zipped(node: Node): Node {
  const [lambda, ...lists] = nodesIn(node.children);
  const name = folded(node.function_name);
  if (lambda?.class !== "LAMBDA" || lists.length < 2 || !OF_LISTS.test(name)) return node;
  const names = nodesIn((lambda["lhs"] as Node).children).map(lastName);
  const pair = columnOf("hoglet_pair");
  const partOf = (at: number) => operator("ARRAY_EXTRACT", [pair, constant(at + 1)]);
  const expr = rebuilt(lambda["expr"], (one) => {
    const at = namesOf(one).length === 1 ? names.indexOf(lastName(one)) : -1;
    return at < 0 ? one : { ...partOf(at), alias: one.alias };
  });
  const made = { ...node, children: [{ ...lambda, lhs: pair, expr }, called("list_zip", lists)] };
  if (!OF_FIRST.test(name)) return made;
  const isOne = !/filter|sort/.test(name);
  const first = isOne
    ? called("tupleElement", [made, constant(1)])
    : called("arrayMap", [{ ...lambda, lhs: pair, expr: partOf(0) }, made]);
  return { ...first, alias: node.alias ?? "" };
}

/** Returns a call with the name that DuckDB has for its function. */
export function renamed(node: Node): Node {
  const name = folded(node.function_name);
  if (node["distinct"] === true && /^grouparray(?:\(\))?$/.test(name)) {
    return { ...node, distinct: false, function_name: name.replace("array", "uniqarray") };
  }
  return { ...node, function_name: HOGQL_RENAMED.get(name) ?? name };
}
