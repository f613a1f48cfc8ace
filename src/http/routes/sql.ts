import { t } from "elysia";
import type { SqlCell } from "../../core/ports/sql.ts";
import { SQL_FUNCTION_NAMES, SQL_TYPE_NAMES, SQL_VIEWS } from "../../core/sql/allowed.ts";
import {
  jsonOf,
  SQL_ANSWER_BYTES_MAX,
  SQL_BYTES_MAX,
  SQL_RUNNING_MAX,
  type Sql,
  type SqlAnswer,
} from "../../core/sql/sql.ts";
import { csvLine } from "../../core/values/csv.ts";
import { CSV_HEADERS, Format } from "../answer/format.ts";
import { route } from "../operation/route.ts";
import { AnyValue, Text, Texts } from "../operation/schemas.ts";

const SELECT = "SELECT event, count(*) AS events FROM events GROUP BY event ORDER BY events DESC";

const TABLES = Object.entries(SQL_VIEWS)
  .map(([view, columns]) => {
    const described = Object.entries(columns).map(
      ([name, { type, about }]) => `${name} ${type}${about === undefined ? "" : ` (${about})`}`,
    );
    return `\`${view}\`: ${described.join(", ")}.`;
  })
  .join("\n\n");

const QueryBody = t.Object(
  {
    query: t.Object({
      kind: t.Union([t.Literal("HogQLQuery"), t.Literal("SQLQuery")], {
        description: "Both have the same meaning.",
      }),
      query: Text(
        SELECT,
        `One SELECT in DuckDB's dialect over these tables of the project, at most ${SQL_BYTES_MAX} bytes. Times are UTC.\n\n${TABLES}\n\nFunctions: ${SQL_FUNCTION_NAMES.join(", ")}.\n\nTypes of CAST: ${SQL_TYPE_NAMES}.`,
      ),
    }),
  },
  { $id: "QueryAsked", examples: [{ query: { kind: "HogQLQuery", query: SELECT } }] },
);

const AnswerShape = t.Object(
  {
    columns: Texts(["event", "events"]),
    types: t.Array(t.Array(t.String()), {
      examples: [
        [
          ["event", "VARCHAR"],
          ["events", "BIGINT"],
        ],
      ],
      description: "The name and DuckDB's type of each column.",
    }),
    results: t.Array(t.Array(AnyValue(42)), {
      examples: [[["$pageview", 42]]],
      description:
        "Rows. A number with more digits than JSON parsers keep is a text: an integer from 2^53, a DECIMAL of more than 15 digits. Columns of type JSON are as they are stored.",
    }),
    hogql: Text(SELECT, "The statement as it was run."),
  },
  { $id: "QueryAnswer" },
);

const SchemaShape = t.Object(
  {
    tables: t.Array(
      t.Object({
        name: Text("events"),
        columns: t.Array(
          t.Object({
            name: Text("event"),
            type: Text("VARCHAR"),
            about: t.Nullable(Text("the name of the event")),
          }),
        ),
      }),
    ),
    types: Texts(["VARCHAR"], "Types of CAST."),
    functions: Texts(["count"]),
    words: Texts(["SELECT"]),
  },
  { $id: "SqlSchema" },
);

/** SQL of the caller, bounded because it runs in the process that has all projects' events (decision 81). */
export const queryRoutes = (sql: Sql) => [
  route({
    method: "POST",
    path: "/api/environments/:project_id/query/",
    scope: "query:read",
    operationId: "query_create",
    summary: `Run a SELECT over the project: ${SQL_RUNNING_MAX} at a time, answers of at most ${SQL_ANSWER_BYTES_MAX} bytes.`,
    query: t.Object(Format),
    body: QueryBody,
    status: 200,
    response: AnswerShape,
    async handle({ project, query: { format }, body, signal }) {
      const answer = await sql.run(project, body.query.query, signal);
      if (format !== "csv") return json(answer);
      const lines = [answer.columns, ...answer.results.map((row) => row.map(cell))].map(csvLine);
      return new Response(lines.join(""), { headers: CSV_HEADERS });
    },
  }),
  route({
    method: "GET",
    path: "/api/environments/:project_id/query/schema/",
    scope: "query:read",
    operationId: "query_schema",
    summary: "List the tables, columns, types, functions and words of SQL, for editors.",
    status: 200,
    response: SchemaShape,
    handle: async () => SCHEMA,
  }),
];

/** Words of SELECT, for completion. */
const SQL_WORDS =
  `SELECT DISTINCT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET WITH AS UNION ALL EXCEPT INTERSECT
  JOIN INNER LEFT RIGHT FULL CROSS ON USING CASE WHEN THEN ELSE END AND OR NOT IN IS NULL BETWEEN LIKE ILIKE
  EXISTS ASC DESC NULLS FIRST LAST OVER PARTITION FILTER QUALIFY CAST TRY_CAST INTERVAL TRUE FALSE`
    .trim()
    .split(/\s+/);

const SCHEMA = {
  tables: Object.entries(SQL_VIEWS).map(([name, columns]) => ({
    name,
    columns: Object.entries(columns).map(([column, { type, about }]) => {
      return { name: column, type, about: about ?? null };
    }),
  })),
  types: SQL_TYPE_NAMES.split(", "),
  functions: SQL_FUNCTION_NAMES,
  words: SQL_WORDS,
};

/** Writes JSON by hand, because a number may have more digits than JavaScript keeps. */
function json({ results, ...answer }: SqlAnswer): Response {
  const rows = results.map((row) => `[${row.map(jsonOf).join(",")}]`);
  const { columns, types, hogql } = answer;
  const [names, kinds, sql] = [columns, types, hogql].map((part) => JSON.stringify(part));
  const text = `{"columns":${names},"types":${kinds},"results":[${rows.join(",")}],"hogql":${sql}}`;
  return new Response(text, { headers: { "content-type": "application/json" } });
}

const cell = (value: SqlCell) =>
  typeof value === "object" && value !== null && "json" in value ? value.json : value;
