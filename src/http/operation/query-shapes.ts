import { t } from "elysia";
import { CLIENT_QUERY_ID_CHARS_MAX } from "../../core/access/running-queries.ts";
import { ACTORS_KIND } from "../../core/insights/actors.ts";
import { CELL_KINDS } from "../../core/insights/cells.ts";
import {
  INSIGHT_TYPES,
  NODE_KINDS,
  QUERY_KINDS,
  TABLE_KINDS,
  WORDS_KIND,
} from "../../core/queries/insight.ts";
import { LIFECYCLE_STATUSES } from "../../core/queries/lifecycle.ts";
import { SQL_BYTES_MAX, SQL_ROWS_DEFAULT } from "../../core/sql/sql.ts";
import { SQL_VIEWS } from "../../core/sql/tables.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { AnswerFields, QUERY } from "./insight-shapes.ts";
import { AnyObject, AnyValue, BodyInteger, of, Text, Texts } from "./schemas.ts";

const SELECT = "SELECT event, count(*) AS events FROM events GROUP BY event ORDER BY events DESC";

const TABLES = Object.entries(SQL_VIEWS)
  .map(([view, columns]) => {
    const described = Object.entries(columns).map(
      ([name, { type, about }]) => `${name} ${type}${about === undefined ? "" : ` (${about})`}`,
    );
    return `\`${view}\`: ${described.join(", ")}.`;
  })
  .join("\n\n");

/** Kinds of queries that are SQL. */
export const SQL_KINDS = ["HogQLQuery", "SQLQuery"] as const;

/** Kinds of queries that are answered. */
export const KINDS: readonly string[] = [...SQL_KINDS, ...QUERY_KINDS, ...TABLE_KINDS];

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
  funnelTrendsEntrancePeriodStart: { type: "string", examples: ["2026-11-16"] },
  funnelTrendsDropOff: { type: "boolean", examples: [false] },
};

const CELL = { kind: "InsightActorsQuery", source: QUERY, day: "2026-11-16", series: 0 };

const list = (...example: string[]) => ({
  ...{ type: "array", items: { type: "string" }, examples: [example] },
});

/** The fields of a list of persons or events. */
const TABLE_FIELDS = {
  select: {
    ...list("person", "created_at", "properties.plan"),
    description:
      "Columns. Of persons: `person`, `id`, `email`, `created_at`, `properties.NAME`, or `count()` alone. Of events: `*`, `event`, `person`, `person_id`, `distinct_id`, `timestamp`, `uuid`, `properties.NAME`, `person.properties.NAME`; with `count()`, `min(timestamp)` or `max(timestamp)` there is a row for each combination of the others.",
  },
  search: text("ann@", "Of persons: a part of the e-mail address, or a whole distinct id."),
  properties: {
    ...{ type: "array", items: { type: "object", additionalProperties: true } },
    description:
      "Filters. Of events the `type` may be `event_metadata`, whose `key` is `event`, `distinct_id` or `person_id`.",
  },
  where: { ...list("timestamp >= '2026-11-01'"), description: "Comparisons of `timestamp`." },
  event: text("purchase", "The name of the events."),
  events: list("purchase", "signup"),
  personId: { ...oneOf("string", "integer"), description: "The uuid or the integer id." },
  after: text("-30d", "As `date_from`; by default `-24h`."),
  before: text("2026-11-21", "As `date_to`."),
  orderBy: list("created_at DESC"),
  limit: { type: "integer", examples: [100], description: "At most 1000." },
  offset: { type: "integer", examples: [0] },
};

/** How clients of PostHog say whether an answer may be an earlier one. */
const REFRESH = `async async_except_on_cache_miss blocking force_async force_blocking force_cache
  lazy_async`.split(/\s+/);

/** The body of a request that runs a query. */
export const QueryBody = t.Object(
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
                `One SELECT in HogQL or DuckDB's dialect over these tables of the project, at most ${SQL_BYTES_MAX} bytes. Dates and hours are on the clock of the project. Without LIMIT it has ${SQL_ROWS_DEFAULT} rows.\n\n${TABLES}\n\nThe functions and types are at \`query/schema/\`.`,
              ),
              filters: {
                type: "object",
                additionalProperties: true,
                examples: [{ dateRange: { date_from: "-7d" }, properties: [] }],
                description:
                  "The filters that `{filters}` and `{filters.dateRange.from}` stand for.",
              },
              variables: {
                type: "object",
                additionalProperties: true,
                examples: [{ "1": { code_name: "plan", value: "pro" } }],
                description: "Values of names such as `{variables.plan}`.",
              },
              values: {
                type: "object",
                additionalProperties: true,
                examples: [{ plan: "pro" }],
                description: "Values of names such as `{plan}`.",
              },
            },
            ["query"],
          ),
          ofKind(
            [WORDS_KIND],
            { query: text("sign ups per week", "The question, as one would ask it.") },
            ["query"],
          ),
          ofKind(Object.values(INSIGHT_TYPES), {}),
          ofKind(NODE_KINDS.map(String), { source: anyQuery }, ["source"]),
          ofKind([...TABLE_KINDS], TABLE_FIELDS),
          ofKind(
            [ACTORS_KIND],
            {
              source: {
                ...ofKind(CELL_KINDS, CELL_FIELDS, ["source"]),
                examples: [CELL],
                description:
                  "A query, and the number of its answer whose persons are asked for. `InsightActorsQuery`: of trends `series`, `day` (without it the whole period), `breakdown`, `compare`; of lifecycle `day`, `status`; of retention `interval` (the line, from 0 on) and `day` (the column, from 0 on); of paths `pathStartKey` and `pathEndKey` in `pathsFilter`. `FunnelsActorsQuery`: `funnelStep` (from 1 on; from -2 on the persons lost there), `funnelStepBreakdown`; over time `funnelTrendsEntrancePeriodStart`, with `funnelTrendsDropOff` for persons who did not convert. `StickinessActorsQuery`: `series`, `day` (the number of intervals).",
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
    refresh: t.Optional(
      t.Unsafe<Json>(
        t.Union([t.Boolean(), t.Null(), ...REFRESH.map((one) => t.Literal(one))], {
          examples: ["blocking"],
          description: "Taken from clients of PostHog: each answer is new, and comes at once.",
        }),
      ),
    ),
    async: t.Optional(t.Nullable(t.Boolean(of(false, "The same.")))),
    name: t.Optional(t.Nullable(Text("tile", "A client's note on the query, which is not kept."))),
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

/** The answer to SQL. */
export const AnswerShape = t.Object(
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
    limit: t.Integer({
      examples: [100],
      description: "The most rows of this answer: those of LIMIT, the default, or the maximum.",
    }),
    offset: t.Integer({ examples: [0] }),
    hasMore: t.Boolean({
      examples: [false],
      description: "Whether there are more rows: ask with LIMIT and OFFSET.",
    }),
  },
  { $id: "QueryAnswer" },
);

/** The answer to a question about events. */
export const ReportShape = t.Object(AnswerFields, { $id: "InsightReport" });
