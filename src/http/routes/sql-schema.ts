import { t } from "elysia";
import type { Sql } from "../../core/sql/sql.ts";
import { SQL_VIEWS } from "../../core/sql/tables.ts";
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
  words: SQL_WORDS,
};

/** The names that a SELECT may use. */
export const sqlSchemaRoutes = ({ sql }: { sql: Pick<Sql, "names"> }) => [
  route({
    method: "GET",
    path: "/api/environments/:project_id/query/schema/",
    scope: "query:read",
    operationId: "query_schema",
    summary: "List the tables, columns, types, functions and words of SQL, for editors.",
    status: 200,
    response: SchemaShape,
    handle: async () => ({
      ...SCHEMA,
      types: [...sql.names.types],
      functions: [...sql.names.functions],
    }),
  }),
];
