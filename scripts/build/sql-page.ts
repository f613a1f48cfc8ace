import { SQL_FUNCTION_NAMES, SQL_TYPE_NAMES, SQL_VIEWS } from "../../src/core/sql/allowed.ts";
import { SPECIAL_SQL } from "../../src/core/sql/hogql-calls.ts";
import { HOGQL_FUNCTIONS, HOGQL_REFUSED } from "../../src/core/sql/hogql-functions.ts";
import { HOGQL_SYNTAX_REFUSED } from "../../src/core/sql/hogql-text.ts";
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
    '[SQL](insights.md#sql) reads these tables of one project. Times are in UTC. A column whose name begins with `$` may have double quotes: `"$browser"`. A column without a meaning is the field or property of its name.',
    ...views,
    "## Functions",
    listed(SQL_FUNCTION_NAMES),
    "## Types of CAST",
    SQL_TYPE_NAMES,
    ...hogql(),
  );
}

const LETTERS = ["", "a", "b", "c"];

/** SQL of a function with `a` for its first argument. */
const lettered = (sql: string) => sql.replace(/\$(\d)/g, (_, at) => LETTERS[Number(at)] ?? "");

function callOf(name: string, sql: string): string {
  const count = Math.max(0, ...[...sql.matchAll(/\$(\d)/g)].map(([, at]) => Number(at)));
  if (name === "|||") return "a ?? b";
  if (name === "quantile()") return "quantile(a)(b)";
  return `${name}(${LETTERS.slice(1, count + 1).join(", ")})`;
}

function hogql(): string[] {
  const functions = Object.entries(HOGQL_FUNCTIONS).flatMap(([name, sql]) =>
    [sql].flat().map((one) => [callOf(name, one), lettered(one)]),
  );
  const taken = [...functions, ...Object.values(SPECIAL_SQL)]
    .toSorted(([a = ""], [b = ""]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map(([call = "", sql = ""]) => [code(call), sql.startsWith("from ") ? sql : code(sql)]);
  const names = [
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
    ["events.person_id = persons.id", "`id` is `uuid` where it is compared with `person_id`"],
    ["events.created_at", "`ingested_at`"],
    ["elements_chain", "`properties.$elements_chain`"],
  ].map(([name = "", meaning = ""]) => [code(name), meaning]);
  const syntax = Object.values(HOGQL_SYNTAX_REFUSED).map((sentence) => `- ${sentence}`);
  return [
    "## HogQL",
    "HogQL as people paste it is rewritten to DuckDB's SQL, which then passes the same checks. A statement may end with a semicolon and have comments. `sum`, `avg` and the like take a property as a number, and a property is compared with a number or a time as one.",
    "### Names",
    table(["HogQL", "meaning"], names),
    "### Functions that are taken",
    "Aggregates take `If` and a condition as the last argument: `sumIf(a, b)`, `uniqIf(a, b)`, `medianIf(a, b)`. All [functions](#functions) of DuckDB above are taken as they are.",
    table(["HogQL", "runs as"], taken),
    "### Functions that are refused",
    table(
      ["HogQL", "instead"],
      Object.entries(HOGQL_REFUSED).map(([name, advice]) => [code(name), advice]),
    ),
    [
      ...syntax,
      "- `{filters}` and `{variables.x}` are filled in by PostHog: write the condition.",
    ].join("\n"),
  ];
}
