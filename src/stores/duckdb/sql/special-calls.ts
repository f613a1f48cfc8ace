import { ownValue } from "../../../core/values/json.ts";
import {
  called,
  caseOf,
  constant,
  constantText,
  folded,
  type Node,
  named,
  namesOf,
  nodesIn,
  operator,
  refuse,
} from "./tree.ts";

/** Makes the expression or the call that a call becomes; undefined if it is an ordinary one. */
type Make = (args: Node[], at: Node) => Node | undefined;

/** Calls whose SQL depends on the number of arguments, or on a text that is written out; names are in lower case. */
export const SPECIAL_CALLS: Readonly<Record<string, Make>> = {
  "&&": between("CONJUNCTION_AND"),
  "||": between("CONJUNCTION_OR"),
  and: joined("CONJUNCTION_AND"),
  or: joined("CONJUNCTION_OR"),
  not: (args) => operator("OPERATOR_NOT", [operator("CONJUNCTION_AND", [constant(true), ...args])]),
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
  "quantiles()": (args) =>
    called("quantile_cont", [...args.slice(-1), called("list_value", args.slice(0, -1))]),
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
  formatdatetime([time, format, zone], at) {
    const text = constantText(format);
    if (time === undefined || text === undefined) {
      return refuse("formatDateTime takes a time, and a format that is written out.", at);
    }
    const zoned =
      zone === undefined ? called("toDateTime", [time]) : called("toTimeZone", [time, zone]);
    return called("strftime", [zoned, constant(duckdbFormat(text))]);
  },
  extract([text, pattern], at) {
    const written = constantText(pattern);
    if (text === undefined || pattern === undefined || written === undefined) {
      return refuse("extract takes a text, and a pattern that is written out.", at);
    }
    const group = /(?<!\\)\((?!\?)/.test(written) ? [constant(1)] : [];
    return called("regexp_extract", [text, pattern, ...group]);
  },
  extracturlparameter([url, name], at) {
    const written = constantText(name);
    if (url === undefined || written === undefined || !/^[\w-]+$/.test(written)) {
      return refuse("extractURLParameter takes an address, and a name that is written out.", at);
    }
    const pattern = constant(`[?&]${written}=([^&#]*)`);
    return called("regexp_extract", [url, pattern, constant(1)]);
  },
  tojsonstring: (args) => (args[0]?.class === "COLUMN_REF" ? called("toString", args) : undefined),
  dateadd: moved("+"),
  timestampadd: moved("+"),
  datesub: moved("-"),
  timestampsub: moved("-"),
};

const PLAIN_TYPES: Record<string, string> = {
  ...{ string: "VARCHAR", bool: "BOOLEAN", uuid: "UUID" },
  ...{ date: "DATE", datetime: "TIMESTAMP WITH TIME ZONE" },
};

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

const UNIT = /^(second|minute|hour|day|week|month|quarter|year)s?$/;

/** `dateAdd('day', 1, time)`, `dateAdd(DAY, 1, time)` and `dateAdd(time, INTERVAL 1 DAY)`. */
function moved(sign: "+" | "-"): Make {
  return ([first, second, third], at) => {
    if (first === undefined || second === undefined) return undefined;
    if (third === undefined) return called(sign, [first, second]);
    const [word = ""] = namesOf(first);
    // In DuckDB's own dateSub the unit is a text, and the second argument a time.
    if (at.function_name === "datesub" && word === "") return undefined;
    const [, unit] = UNIT.exec(folded(word || constantText(first))) ?? [];
    if (unit === undefined) return refuse(`${named(word)} is no unit of time, such as day.`, at);
    return called(sign, [third, called(`toInterval${unit}`, [second])]);
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
