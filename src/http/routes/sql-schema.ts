import { t } from "elysia";
import { SQL_FUNCTION_NAMES, SQL_TYPE_NAMES, SQL_VIEWS } from "../../core/sql/allowed.ts";
import { route } from "../operation/route.ts";
import { Text, Texts } from "../operation/schemas.ts";

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

/** The names that a SELECT may use. */
export const sqlSchemaRoutes = () => [
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
