import { SQL_VIEWS } from "../../src/core/sql/tables.ts";
import { SQL_FUNCTION_NAMES, SQL_TYPE_NAMES } from "../../src/stores/duckdb/sql/allowed.ts";
import { HOGQL_FUNCTIONS, PARTS, RENAMED } from "../../src/stores/duckdb/sql/hogql/functions.ts";
import {
  HOGQL_COLUMNS_REFUSED,
  HOGQL_REFUSED,
  HOGQL_SYNTAX_REFUSED,
} from "../../src/stores/duckdb/sql/hogql/refused.ts";
import { code, listed, pageOf, table } from "./markdown.ts";

/** The page of tables, columns, functions and HogQL. */
export function sqlColumnsPage(): string {
  const views = Object.entries(SQL_VIEWS).flatMap(([view, columns]) => [
    `## ${view}`,
    table(
      ["column", "type", "meaning"],
      Object.entries(columns).map(([name, { type, about = "" }]) => [code(name), type, about]),
    ),
  ]);
  return pageOf(
    "# SQL columns",
    '[SQL](insights.md#sql) reads these tables of one project. Times are on the clock of the project. A column whose name begins with `$` may have double quotes: `"$browser"`. A column without a meaning is the field or property of its name.',
    ...views,
    "## Functions",
    listed(SQL_FUNCTION_NAMES),
    "## Types of CAST",
    SQL_TYPE_NAMES,
    ...hogql(),
  );
}

/** For the pages: calls whose SQL is made by `SPECIAL_CALLS`, and what they become. */
const SPECIAL_SQL = {
  "&&": ["(a = 1) && (b = 2)", "(a = 1) AND (b = 2)"],
  "||": ["(a = 1) || (b = 2)", "(a = 1) OR (b = 2)"],
  cast: ["CAST(a, 'Float64')", "CAST(a AS DOUBLE)"],
  and: ["and(a, b, c)", "a AND b AND c"],
  or: ["or(a, b, c)", "a OR b OR c"],
  in: ["in(a, ['x', 'y'])", "a IN ('x', 'y')"],
  notin: ["notIn(a, ['x', 'y'])", "a NOT IN ('x', 'y')"],
  multiif: ["multiIf(a, x, b, y, z)", "CASE WHEN a THEN x WHEN b THEN y ELSE z END"],
  formatdatetime: ["formatDateTime(a, '%F %H:%i')", "strftime(a, '%Y-%m-%d %H:%M')"],
  extractall: ["extractAll(a, '[0-9]+')", "regexp_extract_all(a, '[0-9]+')"],
  extract: ["extract(a, 'id=([0-9]+)')", "regexp_extract(a, 'id=([0-9]+)', 1)"],
  extracturlparameter: ["extractURLParameter(a, 'q')", "regexp_extract(a, '[?&]q=([^&#]*)', 1)"],
  tojsonstring: ["toJSONString(a)", "CAST(to_json(a) AS VARCHAR)"],
  round: ["round(a, 2)", "round(a, 2), halves to even"],
  todecimal64: ["toDecimal64(a, 2)", "TRY_CAST(a AS DECIMAL(38, 2))"],
  date_trunc: ["dateTrunc('week', a)", "toMonday(a)"],
  tostartofinterval: ["toStartOfInterval(a, INTERVAL 2 WEEK)", "CAST(time_bucket(…) AS DATE)"],
  count: ["count(DISTINCT a, b)", "count(DISTINCT (a, b))"],
  arrayreduce: ["arrayReduce('max', a)", "list_max(a)"],
  dateadd: ["dateAdd('day', 7, a)", "a + to_days(7)"],
  timestampadd: ["timestampAdd(a, INTERVAL 7 DAY)", "a + INTERVAL 7 DAY"],
  datesub: ["dateSub(DAY, 7, a)", "a - to_days(7)"],
  timestampsub: ["timestampSub(a, INTERVAL 7 DAY)", "a - INTERVAL 7 DAY"],
} as const;

const LETTERS = ["", "a", "b", "c"];

/** Names on the page for SQL that reads a number or a time. */
const NUMBERS = [
  [PARTS["JSON_NUMBER_"], "number(json_extract_string($1, $2))"],
  [PARTS["JSON_INT_"], "whole(json_extract_string($1, $2))"],
  [PARTS["NUMBER_"], "number($1)"],
  [PARTS["INT_"], "whole($1)"],
  [PARTS["READ_"], "time($1)"],
] as const;

/** SQL of a function with `a` for its first argument. */
const lettered = (text: string) =>
  NUMBERS.reduce((sql, [part = "", name]) => sql.replaceAll(part, name), text).replace(
    /\$(\d)/g,
    (_, at) => LETTERS[Number(at)] ?? "",
  );

function callOf(name: string, sql: string): string {
  const count = Math.max(0, ...[...sql.matchAll(/\$(\d)/g)].map(([, at]) => Number(at)));
  if (name === "|||") return "a ?? b";
  if (name === "JSONExtract()") return `JSONExtract(${count > 1 ? "a, b" : "a"}, 'Array(String)')`;
  if (name.endsWith("()")) return `${name.slice(0, -2)}(a)(b)`;
  return `${name}(${LETTERS.slice(1, count + 1).join(", ")})`;
}

/** Syntax and names of PostHog that are taken, with what they mean. */
const TAKEN = [
  [
    "properties.plan",
    "a property of an event, `properties['$feature/x']` and `properties.a.b` too",
  ],
  [
    "person.properties.email",
    "a property of the person now; also `person.id`, `person.created_at`",
  ],
  ["session.$session_duration", "a column of `sessions`, of the session of an event"],
  ["group_0.properties.name", "a property of the group of the first type"],
  ["events.created_at", "`ingested_at`"],
  ["elements_chain", "`properties.$elements_chain`, or an empty text"],
  [
    "properties.tags[1], properties.tags[-1], properties.steps[n].kind",
    "a value of a list: the first is 1, the last is -1, another is null",
  ],
  [
    "SELECT upper(event) AS event … WHERE, GROUP BY, HAVING, ORDER BY event",
    "the selected expression, in those after it too; `events.event` is the column, and so is `event` in WHERE where `max(event) AS event` is selected",
  ],
  [
    "length(a)",
    "the bytes of a text; `lengthUTF8` counts characters, as do `substring`, `position`, `left`, `right` and `reverse`, with and without `UTF8`",
  ],
  ["a.2, tupleElement(a, 2)", "the second part of a tuple"],
  ["arrayJoin(list)", "a row for each value of a list, before GROUP BY"],
  ["toDate(a) + 7, toDate(a) + INTERVAL 1 MONTH", "a date; a number is added to a time as seconds"],
  ["dateDiff('week', a, b)", "how many Mondays are crossed; as many years, months, days or hours"],
  [
    "properties.a != 'x', NOT IN, NOT LIKE, NOT ILIKE, !~, NOT …, not(…)",
    "true for a missing property",
  ],
  ["notIn(properties.a, ['x'])", "as in ClickHouse, not true for a missing property"],
  [
    "ORDER BY properties.a, max(properties.a), arraySort(groupArray(properties.a))",
    "by number, then by text: 9, 20, 100, abc",
  ],
  [
    "properties.a > '9', BETWEEN '9' AND '20'",
    "by number, as `gt` of a filter: of another text it is not true; `> 'b'` compares texts",
  ],
  ["a =~ 'x', a !~ 'x', a =~* 'x'", "a regular expression that finds a part"],
  [
    "{filters}",
    "`filters` of the request: `dateRange` and `properties`, also of the type `hogql`; true without them. Without it in the SQL they are refused",
  ],
  ["{filters.dateRange.from}, {filters.dateRange.to}", "the bounds of `filters.dateRange`"],
  ["{variables.plan}", "the value of `variables` with that `code_name`"],
  ["{plan}", "the value in `values` of the request"],
  ["FROM events ARRAY JOIN list AS x, LEFT ARRAY JOIN", "a row for each value of a list"],
  ["LIMIT 3 BY event, LIMIT 10, 20", "the first rows of each; `LIMIT 20 OFFSET 10`"],
  ["PREWHERE a WHERE b", "`WHERE a AND b`"],
  ["numbers(10), range(1, 11)", "at most 4,096 numbers, written out"],
  ["arrayMap((x, y) -> x * y, a, b)", "a name for each list, and no other column in what it makes"],
  ["'it\\'s', '\\n'", "escapes of ClickHouse"],
];

function hogql(): string[] {
  const functions = Object.entries(HOGQL_FUNCTIONS).flatMap(([name, sql]) =>
    sql.map((one) => [callOf(name, one), lettered(one)]),
  );
  const renamed = RENAMED.map(([name, to]) => [
    name,
    `the function ${to.replace(/^hoglet_.*/, "of that name")}`,
  ]);
  const taken = [...functions, ...Object.values(SPECIAL_SQL), ...renamed]
    .toSorted(([a = ""], [b = ""]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map(([call = "", sql = ""]) => [code(call), sql.startsWith("the ") ? sql : code(sql)]);
  const refused = [...Object.entries(HOGQL_REFUSED), ...Object.entries(HOGQL_COLUMNS_REFUSED)];
  return [
    "## HogQL",
    "HogQL as people paste it is rewritten to DuckDB's SQL, which then passes the same checks. A statement may end with a semicolon and have comments. Dates, hours, weeks and times without a zone are on the clock of the project; a time is shown with its offset, one of `toTimeZone(timestamp, 'Asia/Kolkata')` or `toStartOfDay(timestamp, 'Asia/Kolkata')` with that of the other zone; comparisons are of the moment. Without LIMIT an answer has the first 100 rows, with LIMIT at most those of `--query-rows`; `hasMore` says whether there are others.",
    "### Names and syntax",
    table(
      ["HogQL", "meaning"],
      TAKEN.map(([name = "", meaning = ""]) => [code(name), meaning]),
    ),
    "### Functions that are taken",
    "Aggregates take `If` and a condition as the last argument: `sumIf(a, b)`, `uniqIf(a, b)`, `groupArrayIf(a, b)`. All [functions](#functions) of DuckDB above are taken as they are. TIMESTAMPTZ is TIMESTAMP in a project on UTC. `number(a)` is the number in a text as insights read it: digits with a sign, a point and an exponent, such as `-1.5` or `1e3`, and null for ` 20 `, `1,000`, `.5` and `NaN`. `whole(a)` is it without its fraction. `time(a)` is the time in a text, else null. There, 9 or 10 digits are seconds since 1970, and 12 or 13 are milliseconds.",
    table(["HogQL", "runs as"], taken),
    "### Refused names and syntax",
    table(
      ["HogQL", "instead"],
      refused.map(([name, advice]) => [code(name), advice]),
    ),
    HOGQL_SYNTAX_REFUSED.map(([, advice]) => `- ${advice}`).join("\n"),
  ];
}
