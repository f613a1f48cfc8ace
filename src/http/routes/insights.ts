import { t } from "elysia";
import type { Insights } from "../../core/insights/insights.ts";
import { insightTable } from "../../core/insights/text-table.ts";
import { INSIGHT_NAME_CHARS_MAX, INSIGHT_TYPES } from "../../core/queries/insight.ts";
import { pageQuery } from "../../core/values/page.ts";
import { AnswerShape, InsightShape, QUERY } from "../operation/insight-shapes.ts";
import { route } from "../operation/route.ts";
import { AnyValue, PageOf, Paging, Text } from "../operation/schemas.ts";

const ENVIRONMENT = "/api/environments/:project_id/";
const INSIGHTS = `${ENVIRONMENT}insights/` as const;

const INSIGHT_TYPE_NAMES = Object.keys(INSIGHT_TYPES).join(", ");

const QuestionBody = t.Object(
  {
    query: AnyValue(
      QUERY,
      'A `TrendsQuery`, `FunnelsQuery`, `RetentionQuery`, `PathsQuery`, `LifecycleQuery` or `StickinessQuery`. Or a question in words: `weekly unique users of $pageview by $browser last 90 days`, `funnel $pageview then signup within 7 days`, `retention of signup by $browser weekly`, `paths from /pricing`, `lifecycle of $pageview`, `stickiness of $pageview`. A name may be in double quotes, as in JSON: `weekly users of "signed up"`.',
    ),
    insight_type: t.Optional(
      Text("trends", `One of ${INSIGHT_TYPE_NAMES}; the query must be of it.`),
    ),
    name: t.Optional(
      Text(
        "Visitors by browser",
        `At most ${INSIGHT_NAME_CHARS_MAX} characters; by default it describes the query.`,
      ),
    ),
  },
  { $id: "InsightAsked", examples: [{ query: QUERY, name: "Visitors by browser" }] },
);

const ShortId = t.Object({ short_id: Text("k7mXq2pB") });

/** Insights: questions about events (contract 4.1). */
export const insightRoutes = (insights: Insights) => [
  route({
    method: "POST",
    path: `${ENVIRONMENT}max_tools/create_and_query_insight/`,
    scope: "insight:read",
    operationId: "insights_create_and_query",
    summary: "Answer a question about events, and keep it.",
    query: t.Object({
      format: t.Optional(
        t.Union([t.Literal("json"), t.Literal("txt")], {
          description: "By default json; txt is a table with a bar in each row.",
        }),
      ),
    }),
    body: QuestionBody,
    status: 200,
    empty: true,
    response: AnswerShape,
    async handle({ project, principal, query, body, signal }) {
      const answer = await insights.ask(project, principal.user_id, body, signal);
      if (query.format !== "txt") return answer;
      const { name, query: kept } = answer.insight;
      return new Response(insightTable(name, String(kept["kind"]), answer), {
        headers: { "content-type": "text/plain; charset=utf-8" },
      });
    },
  }),
  route({
    method: "GET",
    path: `${ENVIRONMENT}query/draft_sql/`,
    scope: "insight:read",
    operationId: "query_draft_sql",
    summary: "Draft SQL for `…/query/`: for a question, or a first query over the events.",
    query: t.Object({
      prompt: t.Optional(
        Text(
          "weekly unique users of signup last 90 days",
          "A question in words; without it, the answer is a first query over the events.",
        ),
      ),
    }),
    status: 200,
    empty: true,
    response: t.Object(
      { sql: Text("SELECT event, count(*) FROM events …", "`…/query/` runs it without a change.") },
      { $id: "DraftSql" },
    ),
    handle: ({ project, query, signal }) => insights.draft(project, query.prompt, signal),
  }),
  ...keptRoutes(insights),
];

/** Reads and changes of insights that are kept. */
const keptRoutes = (insights: Insights) => [
  route({
    method: "GET",
    path: INSIGHTS,
    scope: "insight:read",
    operationId: "insights_list",
    summary: "List insights, the newest first.",
    query: t.Object(Paging),
    status: 200,
    response: PageOf(InsightShape),
    handle: ({ project, query, url }) => insights.list(project, pageQuery(query), url),
  }),
  route({
    method: "GET",
    path: `${INSIGHTS}:short_id/`,
    scope: "insight:read",
    operationId: "insights_retrieve",
    summary: "Read an insight.",
    params: ShortId,
    status: 200,
    response: InsightShape,
    handle: ({ project, params }) => insights.get(project, params.short_id),
  }),
  route({
    method: "PATCH",
    path: `${INSIGHTS}:short_id/`,
    scope: "insight:write",
    operationId: "insights_partial_update",
    summary: "Rename an insight; `deleted` deletes and restores it.",
    params: ShortId,
    body: t.Optional(
      t.Object(
        {
          name: t.Optional(Text("Visitors", `At most ${INSIGHT_NAME_CHARS_MAX} characters.`)),
          deleted: t.Optional(t.Boolean()),
        },
        { $id: "InsightChange" },
      ),
    ),
    status: 200,
    response: InsightShape,
    handle: ({ project, params, body }) => insights.change(project, params.short_id, body ?? {}),
  }),
  route({
    method: "DELETE",
    path: `${INSIGHTS}:short_id/`,
    scope: "insight:write",
    operationId: "insights_destroy",
    summary: "Delete an insight; until the next night PATCH restores it.",
    params: ShortId,
    status: 204,
    response: t.Void(),
    async handle({ project, params }) {
      await insights.change(project, params.short_id, { deleted: true });
      return new Response(null, { status: 204 });
    },
  }),
];
