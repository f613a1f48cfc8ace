import { HOGQL_FUNCTIONS, RENAMED } from "./functions.ts";

/** Functions of ClickHouse that have the same name in DuckDB. */
const SAME =
  `abs acos asin atan atan2 avg cbrt ceil coalesce concat corr cos count degrees dense_rank exp
  first_value floor gcd greatest hex if lag last_value lcm lead least left length ln log log10 log2 lower ltrim max
  md5 median min nth_value now pi position pow radians range rank replace reverse right round row_number rtrim sign
  sin sqrt substring sum tan today translate trim trunc upper`.split(/\s+/);

/** Names of functions that a failure may offer. */
export const HOGQL_NAMES: readonly string[] = [
  ...new Set([...SAME, ...Object.keys(HOGQL_FUNCTIONS), ...RENAMED.map(([name]) => name)]),
].filter((name) => /^[a-zA-Z]\w*$/.test(name));

/** Names of ClickHouse for DuckDB's functions and operators, where it has another. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(HOGQL_FUNCTIONS).flatMap(([name, texts]): [string, string][] => {
    const [, called = name] = /^(?:coalesce\()?(\w+)\(/.exec(texts.at(-1) ?? "") ?? [];
    return name.endsWith("()") || /^(?:TRY_)?CAST$/.test(called) ? [] : [[called, name]];
  }),
  ...RENAMED.map(([name, to]): [string, string] => [to, name]),
  ...SAME.map((name): [string, string] => [name, name]),
  ...([
    ["~~", "LIKE"],
    ["!~~", "NOT LIKE"],
    ["~~*", "ILIKE"],
    ["//", "intDiv"],
    ["len", "length"],
    ["strlen", "length"],
  ] as [string, string][]),
  ...([
    ["list_aggr", "arrayReduce"],
    ["date_diff", "dateDiff"],
  ] as [string, string][]),
]);

const OWN_TYPES: readonly [RegExp, string][] = [
  [/\b(?:VARCHAR|STRING_LITERAL)\b/g, "String"],
  [/\bU?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?(?:\d+|_LITERAL)?\b|\bBIGNUM\b/g, "Int64"],
  [/\b(?:DOUBLE|FLOAT)\b/g, "Float64"],
  [/\bDECIMAL(?:\(\d+,\d+\))?/g, "Decimal"],
  [/\bBOOL(?:EAN)?\b/g, "Bool"],
  [/\bTIMESTAMP(?:_\w+| WITH TIME ZONE)?/g, "DateTime"],
  [/\bDATE\b/g, "Date"],
  [/\bINTERVAL\b/g, "Interval"],
  [/\bSTRUCT\([^()]*\)/g, "Tuple"],
  [/\b(\w+)\[\]/g, "Array($1)"],
];

/** Returns what DuckDB says with the names of functions and types that HogQL has. */
export const inHogql = (text: string): string =>
  OWN_TYPES.reduce(
    (said, [type, name]) => said.replace(type, name),
    text.replace(/\w+|[^\w\s'"(),]+/g, (word) => OWN_NAMES.get(word) ?? word),
  );
