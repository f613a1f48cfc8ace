import { t } from "elysia";
import { checkScope, type Scope } from "../../core/access/key.ts";
import type { RunningQueries } from "../../core/access/running-queries.ts";
import type { Dashboards } from "../../core/dashboards/dashboards.ts";
import { ACTORS_KIND } from "../../core/insights/actors.ts";
import type { Insights } from "../../core/insights/insights.ts";
import { AROUND, sourceOf } from "../../core/queries/insight.ts";
import { missing } from "../../core/queries/query-fields.ts";
import { readSql } from "../../core/queries/sql-query.ts";
import { isTable } from "../../core/queries/tables/table.ts";
import {
  SQL_ANSWER_BYTES_MAX,
  SQL_ROWS_DEFAULT,
  SQL_RUNNING_MAX,
  type Sql,
} from "../../core/sql/sql.ts";
import { Failure } from "../../core/values/failure.ts";
import { insteadOf } from "../../core/values/instead.ts";
import { isObject, type Json, type JsonObject } from "../../core/values/json.ts";
import { TableFormat } from "../answer/format.ts";
import { listed, table, written } from "../answer/query-formats.ts";
import { ActorsShape, TableShape } from "../operation/insight-shapes.ts";
import {
  AnswerShape,
  KINDS,
  QueryBody,
  ReportShape,
  SQL_KINDS,
} from "../operation/query-shapes.ts";
import { route } from "../operation/route.ts";
import { Text } from "../operation/schemas.ts";

const ENVIRONMENT = "/api/environments/:project_id/";

type QueryNeeds = {
  sql: Sql;
  insights: Insights;
  dashboards: Dashboards;
  runningQueries: RunningQueries;
};

/**
 * Queries whose answers are not kept. SQL of the caller is bounded because it runs in the process that has all
 * projects' events (decision 81).
 */
export const queryRoutes = ({ sql, insights, dashboards, runningQueries }: QueryNeeds) => [
  route({
    method: "POST",
    path: `${ENVIRONMENT}query/`,
    scope: "query:read",
    operationId: "query_create",
    summary: `Run a SELECT over the project, or answer a question about events, and keep nothing. ${SQL_RUNNING_MAX} SELECTs run at a time, and others wait, with answers of at most ${SQL_ANSWER_BYTES_MAX} bytes.`,
    query: t.Object(TableFormat),
    body: QueryBody,
    status: 200,
    response: t.Union([AnswerShape, ReportShape, ActorsShape, TableShape]),
    handle: ({ project, principal, query: { format }, body, signal }) =>
      runningQueries.run(project, body.client_query_id, signal, async (either) => {
        if (body.dashboard !== undefined) checkScope(principal, "dashboard:read");
        const query = await dashboards.filtered(project, body.query, body);
        const kind = kindOf(query);
        if (SQL_KINDS.some((one) => one === kind)) {
          const limit = format === "csv" || format === "txt" ? null : SQL_ROWS_DEFAULT;
          return table(
            await sql.run(project, { ...readSql(sourceOf(query as JsonObject)), limit }, either),
            format,
          );
        }
        const require = (scope: Scope) => checkScope(principal, scope);
        if (kind !== ACTORS_KIND || isTable(query as JsonObject)) {
          return written(await insights.answer(project, query, either, require), format);
        }
        require("person:read");
        return listed(await insights.actors(project, query, either), format);
      }),
  }),
  route({
    method: "DELETE",
    path: `${ENVIRONMENT}query/:client_query_id/`,
    scope: "query:read",
    operationId: "query_destroy",
    summary: "Cancel the running queries that the same key sent with this name; there may be none.",
    params: t.Object({ client_query_id: Text("tile-7") }),
    status: 204,
    response: t.Void(),
    async handle({ project, params, signal }) {
      runningQueries.cancel(project, params.client_query_id, signal);
      return new Response(null, { status: 204 });
    },
  }),
];

const NOT_A_QUERY =
  'A query is an object: write {"query": {"kind": "HogQLQuery", "query": "SELECT …"}}, or the kind WordsQuery for a question in words.';

/** Returns the kind of a query. Fails on kinds that are not known. */
function kindOf(sent: Json): string {
  if (!isObject(sent)) throw new Failure("invalid_input", NOT_A_QUERY, "query");
  const { kind } = sourceOf(sent);
  if (kind === undefined) throw missing("query__kind");
  if (typeof kind === "string" && KINDS.includes(kind)) return kind;
  const detail = `${insteadOf("kind", kind)}One of ${KINDS.join(", ")} is expected.${AROUND}`;
  throw new Failure("invalid_choice", detail, "query__kind");
}
