import type { DuckDBConnection } from "@duckdb/node-api";
import { exactJson } from "../../../core/values/json.ts";
import { rows } from "../engine/duckdb.ts";
import { HOGQL_FUNCTIONS, PARTS } from "./hogql/functions.ts";
import { HOGQL_RELATIONS } from "./names.ts";
import { isTime } from "./nodes.ts";
import { isNode, NAME, type Node, nodesIn, rebuilt, refuse } from "./tree.ts";

/** DuckDB's type of times with a zone. */
const ZONED = "TIMESTAMP WITH TIME ZONE";

const NUMBERS = `list_transform($1, hoglet_element -> ${PARTS["NUMBER_"]?.replaceAll("$1", "hoglet_element")})`;
/** The least or the most of a list by number, or by text where there are no numbers. */
const listed = (of: string) => `coalesce(CAST(${of}(${NUMBERS}) AS VARCHAR), ${of}($1))`;
const sorted = (by: string) =>
  `list_transform(${by}(list_zip(${NUMBERS}, $1)), hoglet_pair -> hoglet_pair[2])`;

/** The microsecond at which the hour of a time begins. */
const hourOf = (time: string) =>
  `(epoch_us(CAST(${time} AS TIMESTAMPTZ)) - epoch_us(CAST(CAST(${time} AS TIMESTAMPTZ) AS TIMESTAMP)) % 3600000000)`;

/** Expressions that HogQL becomes, besides its functions. */
const { NUMBER_ = "", INT_ = "", DIGITS_ = "", STRICT_ = "" } = PARTS;
const ITEMS = {
  property: "$1->>$2",
  json: "json_extract($1, $2)",
  parsed: "TRY_CAST($1 AS JSON)",
  whole: INT_,
  // A place in a list, from 1 on, or from -1 at its end; DuckDB counts from 0 in JSON.
  place: "CAST(CASE WHEN $1 > 0 THEN $1 - 1 WHEN $1 < 0 THEN $1 END AS BIGINT)",
  // DuckDB 1.5 fails to plan a part of a tuple that an aggregate or unnest() makes.
  part: "list_extract(list_value($1), 1)[$2]",
  double: NUMBER_,
  digits: DIGITS_,
  // A text that is written out fails where it is no time.
  timed: `coalesce(${PARTS["READ_"]}, CAST($1 AS TIMESTAMPTZ))`,
  time: "TRY_CAST($1 AS TIMESTAMPTZ)",
  instant: "CAST($1 AS TIMESTAMP WITH TIME ZONE)",
  read: "CAST($1 AS TIMESTAMPTZ)",
  utc: "timezone('UTC', $1)",
  moment: "CAST(timezone($2, $1) AS TIMESTAMPTZ)",
  text: "CAST($1 AS VARCHAR)",
  sum: "coalesce($1, 0)",
  truth: "CAST($1 AS BOOLEAN)",
  full: "coalesce($1, '')",
  known: "nullif($1, '')",
  date: "CAST($1 AS DATE)",
  days: "CAST($1 AS INTEGER)",
  seconds: "to_seconds(CAST($1 AS BIGINT))",
  apart: "(epoch_us(CAST($1 AS TIMESTAMPTZ)) - epoch_us(CAST($2 AS TIMESTAMPTZ))) / 1e6",
  hours_apart:
    "CAST(round((epoch_us(CAST($2 AS TIMESTAMPTZ)) - epoch_us(CAST($1 AS TIMESTAMPTZ))) / 3600000000) AS BIGINT)",
  hours: `CAST(round((${hourOf("$2")} - ${hourOf("$1")}) / 3600000000) AS BIGINT)`,
  weeks: "date_diff('day', date_trunc('week', $1), date_trunc('week', $2)) // 7",
  min: listed("list_min"),
  max: listed("list_max"),
  sort: sorted("list_sort"),
  reverse_sort: sorted("list_reverse_sort"),
  strict: STRICT_,
};

type Trees = Readonly<Record<string, Node>>;

/** The trees of what HogQL is rewritten to; those of functions by `name/arguments`, in lower case. */
export type Templates = { timezone: string; items: Trees; relations: Trees; functions: Trees };

const known = new Map<boolean, Omit<Templates, "timezone">>();

/** Returns the trees, which are the same for each statement but for whether the project is on UTC. */
export async function templatesOf(
  connection: DuckDBConnection,
  timezone: string,
): Promise<Templates> {
  const isUtc = timezone === "UTC";
  const templates = known.get(isUtc) ?? (await readTemplates(connection, isUtc));
  known.set(isUtc, templates);
  return { ...templates, timezone };
}

const TREES_OF_TEXTS = `SELECT json_serialize_sql('SELECT ' || sql)::VARCHAR AS tree
  FROM (SELECT unnest(from_json($texts::JSON, '["VARCHAR"]')) AS sql)`;

/** SQL of a project on UTC, whose times are TIMESTAMP. A text has its offset read as TIMESTAMPTZ alone does. */
const inUtc = (sql: string) =>
  sql
    .replace(/((?:TRY_)?CAST)\((\$\d) AS TIMESTAMPTZ\)/g, `$1($1($2 AS ${ZONED}) AS TIMESTAMP)`)
    .replaceAll("TIMESTAMPTZ", "TIMESTAMP");

/** Returns a cast to TIMESTAMP without another in it, where the value is a time already: it is slower. */
function plainCast(cast: Node): Node {
  const inner = cast["child"];
  const value = isNode(inner) && inner.cast_type?.id === ZONED ? inner["child"] : undefined;
  const isPlain = cast.cast_type?.id === "TIMESTAMP" && isNode(value) && isTime(value);
  return isPlain ? { ...cast, child: value } : cast;
}

async function readTemplates(connection: DuckDBConnection, isUtc: boolean) {
  const read = async (named: Readonly<Record<string, string>>, part: (select: Node) => Node) => {
    const texts = JSON.stringify(Object.values(named));
    const trees = await rows(connection, TREES_OF_TEXTS, {
      texts: isUtc ? inUtc(texts) : texts,
    });
    const selects = trees.map(({ tree }) => selectIn(exactJson(String(tree)) as Node));
    return Object.fromEntries(
      Object.keys(named).map((name, index) => [name, part(selects[index] ?? {})]),
    );
  };
  const functions = Object.entries(HOGQL_FUNCTIONS).flatMap(([name, texts]) =>
    texts.map((sql) => [`${name.toLowerCase()}/${argumentsOf(sql)}`, sql] as const),
  );
  const first = (select: Node) => nodesIn(select["select_list"])[0] ?? {};
  return {
    items: await read(ITEMS, first),
    relations: await read(HOGQL_RELATIONS, (select) => placeless(select["from_table"] as Node)),
    functions: await read(Object.fromEntries(functions), first),
  };
}

/** Returns a tree without its places, which are those of the text of a template. */
const placeless = (tree: Node): Node => rebuilt(tree, (node) => ({ ...node, query_location: 0 }));

const selectIn = (tree: Node) => nodesIn(tree["statements"])[0]?.["node"] as Node;

const argumentsOf = (sql: string) =>
  Math.max(0, ...[...sql.matchAll(/\$(\d)/g)].map(([, number]) => Number(number)));

/** Characters of the tree of an argument that a template has twice: it would double with each call around it. */
const REPEATED_CHARS_MAX = 20_000;

/** Puts arguments in a template, which gets the name and the place of `at`. */
export function filled(template: Node | undefined, args: readonly Node[], at: Node): Node {
  const used = new Set<unknown>();
  const { alias = "", query_location = 0 } = at;
  const node = rebuilt(template ?? {}, (part) => {
    // The parts of a template have the place of the call that it stands for.
    if (part.class === "CAST") return plainCast({ ...part, query_location });
    if (part.class !== "PARAMETER")
      return { ...part, ...("query_location" in part ? { query_location } : {}) };
    const arg = args[Number(part["identifier"]) - 1] ?? null;
    if (used.has(arg) && JSON.stringify(arg).length > REPEATED_CHARS_MAX) {
      refuse("An argument is too large: give it a name in a subquery.", at);
    }
    used.add(arg);
    return arg;
  });
  return { ...node, alias, query_location, [NAME]: undefined };
}
