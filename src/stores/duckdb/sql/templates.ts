import { isExactNumber, isObject, type Json, type JsonObject } from "../../../core/values/json.ts";
import { SQL_SIZE_MAX } from "./check.ts";
import { nodesIn, refuse } from "./extent.ts";
import { HOGQL_FUNCTIONS } from "./functions.ts";
import { HOGQL_RELATIONS } from "./names.ts";

/** Expressions that HogQL becomes, besides its functions. */
const ITEMS = {
  property: "$1->>$2",
  double: "TRY_CAST($1 AS DOUBLE)",
  time: "TRY_CAST($1 AS TIMESTAMPTZ)",
  instant: "CAST($1 AS TIMESTAMP WITH TIME ZONE)",
  utc: "timezone('UTC', $1)",
  text: "CAST($1 AS VARCHAR)",
  sum: "coalesce($1, 0)",
  shown: "CASE WHEN TRY_CAST($1 AS DOUBLE) IS NULL THEN to_json($1) ELSE CAST($1 AS JSON) END",
} as const;

/** The selections whose trees {@link readTemplates} takes, in this order. */
export const HOGQL_TEMPLATES: readonly string[] = [
  ...Object.values(ITEMS),
  ...Object.values(HOGQL_RELATIONS),
  ...Object.values(HOGQL_FUNCTIONS).flat(),
];

/** The trees of what HogQL is rewritten to. */
export type Templates = {
  isUtc: boolean;
  items: Record<string, JsonObject>;
  relations: ReadonlyMap<string, JsonObject>;
  /** By name in lower case, and number of arguments. */
  functions: ReadonlyMap<string, ReadonlyMap<number, JsonObject>>;
};

/** Reads the trees of {@link HOGQL_TEMPLATES}; `isUtc` whether they are for projects on UTC. */
export function readTemplates(trees: readonly JsonObject[], isUtc: boolean): Templates {
  const selects = trees.map(({ statements }) => nodesIn(statements)[0]?.["node"] as JsonObject);
  let at = 0;
  const next = () => selects[at++] as JsonObject;
  const item = () => nodesIn(next()["select_list"])[0] as JsonObject;
  const items = Object.fromEntries(Object.keys(ITEMS).map((name) => [name, item()]));
  const relations = new Map(
    Object.keys(HOGQL_RELATIONS).map((name) => [name, next()["from_table"] as JsonObject]),
  );
  const functions = Object.entries(HOGQL_FUNCTIONS).map(([name, texts]) => {
    const made = texts.map((sql): [number, JsonObject] => [argumentsOf(sql), item()]);
    return [name.toLowerCase(), new Map(made)] as const;
  });
  return { items, relations, functions: new Map(functions), isUtc };
}

const argumentsOf = (sql: string) =>
  Math.max(0, ...[...sql.matchAll(/\$(\d)/g)].map(([, number]) => Number(number)));

/** Characters of the tree of an argument that a template has twice: it would double with each call around it. */
const REPEATED_CHARS_MAX = 20_000;

/** Returns a function that puts arguments in a template, and refuses a statement `text` that becomes too large. */
export function filler(text: string) {
  let count = 0;
  return (template: JsonObject, args: readonly JsonObject[], at: JsonObject): JsonObject => {
    const used = new Set<number>();
    const argument = (index: number): Json => {
      const arg = args[index] ?? null;
      const isLong = used.has(index) && JSON.stringify(arg).length > REPEATED_CHARS_MAX;
      if (isLong) refuse("An argument is too large: give it a name in a subquery.", at, text);
      used.add(index);
      return arg;
    };
    const fill = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(fill);
      if (!isObject(value) || isExactNumber(value)) return value;
      if (value["class"] === "PARAMETER") return argument(Number(value["identifier"]) - 1);
      return Object.fromEntries(Object.entries(value).map(([field, part]) => [field, fill(part)]));
    };
    count += 1;
    if (count > SQL_SIZE_MAX) refuse("The statement is too large.", at, text);
    const { alias = "", query_location = 0 } = at;
    return { ...(fill(template) as JsonObject), alias, query_location };
  };
}
