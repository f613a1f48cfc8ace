import { t } from "elysia";
import { allows, type Principal, type Scope } from "../../core/access/key.ts";
import {
  CLIENT_QUERY_ID_CHARS_MAX,
  type RunningQueries,
} from "../../core/access/running-queries.ts";
import type { Dashboards } from "../../core/dashboards/dashboards.ts";
import { ACTORS_KIND, type ActorsAnswer } from "../../core/insights/actors.ts";
import { CELL_KINDS } from "../../core/insights/cells.ts";
import { insightCsv } from "../../core/insights/csv.ts";
import type { Insights, TimedAnswer } from "../../core/insights/insights.ts";
import { insightTable } from "../../core/insights/text-table.ts";
import type { SqlCell } from "../../core/ports/sql.ts";
import { INSIGHT_TYPES, QUERY_KINDS, sourceOf, WORDS_KIND } from "../../core/queries/insight.ts";
import { LIFECYCLE_STATUSES } from "../../core/queries/lifecycle.ts";
import { missing } from "../../core/queries/query-fields.ts";
import { SQL_FUNCTION_NAMES, SQL_TYPE_NAMES, SQL_VIEWS } from "../../core/sql/allowed.ts";
import { SQL_ATTR } from "../../core/sql/extent.ts";
import {
  jsonOf,
  SQL_ANSWER_BYTES_MAX,
  SQL_BYTES_MAX,
  SQL_RUNNING_MAX,
  type Sql,
  type SqlAnswer,
} from "../../core/sql/sql.ts";
import { csvLine } from "../../core/values/csv.ts";
import { Failure } from "../../core/values/failure.ts";
import { isObject, type Json, type JsonObject } from "../../core/values/json.ts";
import { table as columnsOf } from "../../core/values/table.ts";
import { CSV_HEADERS, plainText, TableFormat } from "../answer/format.ts";
import { ActorsShape, AnswerFields, QUERY } from "../operation/insight-shapes.ts";
import { route } from "../operation/route.ts";
import { AnyObject, AnyValue, BodyInteger, Text, Texts } from "../operation/schemas.ts";

const ENVIRONMENT = "/api/environments/:project_id/";

const SELECT = "SELECT event, count(*) AS events FROM events GROUP BY event ORDER BY events DESC";

const TABLES = Object.entries(SQL_VIEWS)
  .map(([view, columns]) => {
    const described = Object.entries(columns).map(
      ([name, { type, about }]) => `${name} ${type}${about === undefined ? "" : ` (${about})`}`,
    );
    return `\`${view}\`: ${described.join(", ")}.`;
  })
  .join("\n\n");

const SQL_KINDS = ["HogQLQuery", "SQLQuery"] as const;

const KINDS: readonly string[] = [...SQL_KINDS, ...QUERY_KINDS, ACTORS_KIND];

const ofKind = (kinds: readonly string[], rest: JsonObject, required: string[] = []) => ({
  type: "object",
  properties: { kind: { type: "string", enum: [...kinds] }, ...rest },
  required: ["kind", ...required],
  additionalProperties: true,
});

const text = (example: string, description: string) => ({
  type: "string",
  examples: [example],
  description,
});

const anyQuery = { type: "object", additionalProperties: true, examples: [QUERY] };

const oneOf = (...types: string[]) => ({ anyOf: types.map((type) => ({ type })) });

const texts = { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] };

/** The fields that name a number of an answer. */
const CELL_FIELDS = {
  source: anyQuery,
  day: { ...oneOf("string", "integer"), examples: ["2026-11-16"] },
  series: { type: "integer", examples: [0] },
  breakdown: { ...texts, examples: ["Firefox"] },
  compare: { type: "string", enum: ["current", "previous"] },
  interval: { type: "integer", examples: [0] },
  status: { type: "string", enum: [...LIFECYCLE_STATUSES] },
  funnelStep: { type: "integer", examples: [-2] },
  funnelStepBreakdown: { ...texts, examples: ["Firefox"] },
};

const CELL = { kind: "InsightActorsQuery", source: QUERY, day: "2026-11-16", series: 0 };

const QueryBody = t.Object(
  {
    query: t.Unsafe<Json>(
      t.Unknown({
        description:
          "SQL, a question about events as `create_and_query_insight` takes it, a question in words, or the persons of a number of an answer, which also needs the scope `person:read`. Nothing is kept.",
        anyOf: [
          ofKind(
            SQL_KINDS,
            {
              query: text(
                SELECT,
                `One SELECT in DuckDB's dialect over these tables of the project, at most ${SQL_BYTES_MAX} bytes. Times are UTC.\n\n${TABLES}\n\nFunctions: ${SQL_FUNCTION_NAMES.join(", ")}.\n\nTypes of CAST: ${SQL_TYPE_NAMES}.`,
              ),
            },
            ["query"],
          ),
          ofKind(
            [WORDS_KIND],
            { query: text("weekly users of signup", "The question, as one would ask it.") },
            ["query"],
          ),
          ofKind(Object.values(INSIGHT_TYPES), {}),
          ofKind(["InsightVizNode"], { source: anyQuery }, ["source"]),
          ofKind(
            [ACTORS_KIND],
            {
              source: {
                ...ofKind(CELL_KINDS, CELL_FIELDS, ["source"]),
                examples: [CELL],
                description:
                  "A query, and the number of its answer whose persons are asked for. `InsightActorsQuery`: of trends `series`, `day` (without it the whole period), `breakdown`, `compare`; of lifecycle `day`, `status`; of retention `interval` (the line, from 0 on) and `day` (the column, from 0 on); of paths `pathStartKey` and `pathEndKey` in `pathsFilter`. `FunnelsActorsQuery`: `funnelStep` (from 1 on; from -2 on the persons lost there), `funnelStepBreakdown`. `StickinessActorsQuery`: `series`, `day` (the number of intervals).",
              },
              limit: { type: "integer", examples: [100], description: "At most 1000." },
              offset: { type: "integer", examples: [0] },
              search: text("ann@", "A part of the e-mail address, or a whole distinct id."),
            },
            ["source"],
          ),
        ],
      }),
    ),
    client_query_id: t.Optional(
      Text(
        "tile-7",
        `The caller's name for the query, by which it can be cancelled; at most ${CLIENT_QUERY_ID_CHARS_MAX} characters.`,
      ),
    ),
    dashboard: t.Optional(
      BodyInteger(
        1,
        "The id of a dashboard, whose filters are put over the query; SQL stays as it is. It needs the scope `dashboard:read`.",
      ),
    ),
    filters_override: t.Optional(
      AnyObject(
        { date_from: "-30d" },
        "Filters as a dashboard has them; each replaces the one of the dashboard.",
      ),
    ),
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

const ReportShape = t.Object(AnswerFields, { $id: "InsightReport" });

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
    summary: `Run a SELECT over the project, or answer a question about events, and keep nothing. ${SQL_RUNNING_MAX} SELECTs run at a time, with answers of at most ${SQL_ANSWER_BYTES_MAX} bytes.`,
    query: t.Object(TableFormat),
    body: QueryBody,
    status: 200,
    response: t.Union([AnswerShape, ReportShape, ActorsShape]),
    handle: ({ project, principal, query: { format }, body, signal }) =>
      runningQueries.run(project, body.client_query_id, signal, async (either) => {
        if (body.dashboard !== undefined) checkScope(principal, "dashboard:read");
        const query = await dashboards.filtered(project, body.query, body);
        const kind = kindOf(query);
        if (SQL_KINDS.some((one) => one === kind)) {
          return table(await sql.run(project, sqlIn(query), either), format);
        }
        if (kind !== ACTORS_KIND) {
          return written(await insights.answer(project, query, either), format);
        }
        checkScope(principal, "person:read");
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

/** Fails `permission_denied` if a key lacks a scope that only a part of the operation needs. */
function checkScope(principal: Principal, scope: Scope): void {
  if (allows(principal, scope)) return;
  throw new Failure("permission_denied", `The API key lacks the scope '${scope}'.`);
}

/** Returns the kind of a query. Fails on kinds that are not known. */
function kindOf(sent: Json): string {
  if (!isObject(sent)) throw new Failure("invalid_input", "An object is expected.", "query");
  const { kind } = sourceOf(sent);
  if (kind === undefined) throw missing("query__kind");
  if (typeof kind === "string" && KINDS.includes(kind)) return kind;
  throw new Failure("invalid_choice", `One of ${KINDS.join(", ")} is expected.`, "query__kind");
}

/** Returns the statement of a query in SQL. */
function sqlIn(sent: Json): string {
  const { query } = sourceOf(sent as JsonObject);
  if (query === undefined) throw missing(SQL_ATTR);
  if (typeof query === "string") return query;
  throw new Failure("invalid_input", "SQL is a text.", SQL_ATTR);
}

type Format = "json" | "csv" | "txt" | undefined;

function written(answer: TimedAnswer, format: Format): Response | TimedAnswer {
  if (format === "csv") return new Response(insightCsv(answer), { headers: CSV_HEADERS });
  if (format !== "txt") return answer;
  return plainText(insightTable("", String(answer.query["kind"]), answer));
}

/** Persons as they are, or as a table with their names. */
function listed(answer: ActorsAnswer, format: Format): Response | ActorsAnswer {
  if (format !== "csv" && format !== "txt") return answer;
  const heads = ["uuid", "name", "count", "last_at"];
  const rows = answer.results.map(([person, count, last_at]) => [
    ...[person?.uuid ?? "", person?.name ?? "(no profile)"],
    ...[String(count), last_at],
  ]);
  return format === "csv"
    ? new Response([heads, ...rows].map(csvLine).join(""), { headers: CSV_HEADERS })
    : plainText(`${columnsOf(heads, rows).join("\n")}\n`);
}

function table(answer: SqlAnswer, format: Format): Response {
  if (format !== "csv" && format !== "txt") return json(answer);
  const rows = answer.results.map((row) => row.map(cell));
  if (format === "csv") {
    return new Response([answer.columns, ...rows].map(csvLine).join(""), { headers: CSV_HEADERS });
  }
  const texts = rows.map((row) => row.map((value) => String(plainOf(value) ?? "")));
  return plainText(`${columnsOf(answer.columns, texts).join("\n")}\n`);
}

/** Writes JSON by hand, because a number may have more digits than JavaScript keeps. */
function json({ results, ...answer }: SqlAnswer): Response {
  const rows = results.map((row) => `[${row.map(jsonOf).join(",")}]`);
  const { columns, types, hogql } = answer;
  const [names, kinds, sql] = [columns, types, hogql].map((part) => JSON.stringify(part));
  const text = `{"columns":${names},"types":${kinds},"results":[${rows.join(",")}],"hogql":${sql}}`;
  return new Response(text, { headers: { "content-type": "application/json" } });
}

const plainOf = (value: ReturnType<typeof cell>) =>
  typeof value === "object" && value !== null ? value.digits : value;

const cell = (value: SqlCell) =>
  typeof value === "object" && value !== null && "json" in value ? value.json : value;
