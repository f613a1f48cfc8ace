import { t } from "elysia";
import { checkScope, type Scope } from "../../core/access/key.ts";
import type { Insights } from "../../core/insights/insights.ts";
import type { KeptInsights } from "../../core/insights/kept-insights.ts";
import {
  INSIGHT_DESCRIPTION_CHARS_MAX,
  INSIGHT_NAME_CHARS_MAX,
  INSIGHT_TYPES,
  sourceOf,
} from "../../core/queries/insight.ts";
import { pageQuery } from "../../core/values/page.ts";
import { TextFormat } from "../answer/format.ts";
import { answerText } from "../answer/query-formats.ts";
import {
  AnswerShape,
  InsightShape,
  QUERY,
  TableAnswerShape,
  TagFields,
  TagFilter,
} from "../operation/insight-shapes.ts";
import { route } from "../operation/route.ts";
import { AnyValue, BodyInteger, PageOf, Paging, Text, Whole } from "../operation/schemas.ts";
import { readList, wholeIn } from "../request/parameters.ts";

const ENVIRONMENT = "/api/environments/:project_id/";
const INSIGHTS = `${ENVIRONMENT}insights/` as const;

const INSIGHT_TYPE_NAMES = Object.keys(INSIGHT_TYPES).join(", ");

const QuestionBody = t.Object(
  {
    query: AnyValue(
      QUERY,
      'A `TrendsQuery`, `FunnelsQuery`, `RetentionQuery`, `PathsQuery`, `LifecycleQuery`, `StickinessQuery`, `EventsQuery` or `ActorsQuery`; the latter also needs the scope `person:read`, events `query:read`. Or a question in words, such as `visitors per week by browser last 90 days`, `conversion rate from visit to sign up` or `who signed up but did not buy?`, which becomes one of them; also as `{"kind": "WordsQuery", "query": "…"}`. A name may be in double quotes, as in JSON: `users of "signed up" per week`.',
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

const fields = {
  name: t.Optional(Text("Visitors", `At most ${INSIGHT_NAME_CHARS_MAX} characters.`)),
  description: t.Optional(
    Text("Which browsers to test.", `At most ${INSIGHT_DESCRIPTION_CHARS_MAX} characters.`),
  ),
  ...TagFields,
  favorited: t.Optional(t.Boolean()),
  saved: t.Optional(
    t.Boolean({
      description: "By default true, unless nothing is sent, or only `deleted`.",
    }),
  ),
  dashboards: t.Optional(
    t.Array(BodyInteger(1), { description: "Ids of all dashboards that shall have it." }),
  ),
};

const SAVED_QUERY =
  "A typed query; or `WordsQuery`, `HogQLQuery` or `SQLQuery` with a text as `query`, which is read when it runs.";

const SavedBody = t.Object(
  { ...fields, query: AnyValue(QUERY, SAVED_QUERY) },
  { $id: "InsightSaved", examples: [{ query: QUERY, name: "Visitors by browser" }] },
);

const ChangeBody = t.Optional(
  t.Object(
    {
      ...fields,
      query: t.Optional(AnyValue(QUERY, SAVED_QUERY)),
      deleted: t.Optional(
        t.Boolean({ description: "true deletes the insight, false restores it." }),
      ),
    },
    { $id: "InsightChange", examples: [{ name: "Visitors", favorited: true }] },
  ),
);

const InsightsQuery = t.Object({
  ...Paging,
  search: t.Optional(Text("browser", "A part of name or description, in any case.")),
  short_id: t.Optional(Text("k7mXq2pB")),
  ...TagFilter,
  dashboards: t.Optional(
    Text("[1]", "Only those on all of these dashboards: a JSON list of ids, or one id."),
  ),
  favorited: t.Optional(t.Boolean()),
  saved: t.Optional(t.Boolean({ description: "Whether it is saved or on a dashboard." })),
  created_by: t.Optional(Whole(1, "The id of the user who made it.")),
  deleted: t.Optional(t.Boolean({ description: "By default false." })),
});

const ShortId = t.Object({ short_id: Text("k7mXq2pB", "The short id, or the integer id.") });

/** Insights: questions about events (contract 4.1). */
export const insightRoutes = (insights: Insights) => [
  route({
    method: "POST",
    path: `${ENVIRONMENT}max_tools/create_and_query_insight/`,
    scope: "insight:read",
    operationId: "insights_create_and_query",
    summary: "Answer a question about events, and keep it.",
    query: t.Object(TextFormat),
    body: QuestionBody,
    status: 200,
    empty: true,
    response: t.Union([AnswerShape, TableAnswerShape]),
    async handle({ project, principal, query, body, signal }) {
      const { user_id } = principal;
      const require = (scope: Scope) => checkScope(principal, scope);
      const answer = await insights.ask(project, user_id, body, signal, require);
      if (query.format !== "txt") return answer;
      const { name, query: kept } = answer.insight;
      return answerText(name, answer, sourceOf(kept));
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
          "sign ups per week last 8 weeks",
          "A question in words, or a query as JSON; without it, the answer is a first query over the events.",
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

/** Insights that are kept (contract 4.1). */
const keptRoutes = (insights: KeptInsights) => [
  route({
    method: "GET",
    path: INSIGHTS,
    scope: "insight:read",
    operationId: "insights_list",
    summary: "List insights, the newest first.",
    query: InsightsQuery,
    status: 200,
    response: PageOf(InsightShape),
    handle({ project, query, url }) {
      const { limit, offset, cursor, tags, dashboards, ...others } = query;
      const filter = {
        ...others,
        tags: readList("tags", tags)?.map(String),
        dashboards: readList("dashboards", dashboards)?.map((id) => wholeIn("dashboards", id)),
      };
      return insights.list(project, filter, pageQuery({ limit, offset, cursor }), url);
    },
  }),
  route({
    method: "POST",
    path: INSIGHTS,
    scope: "insight:write",
    operationId: "insights_create",
    summary: "Save a query as an insight, without running it.",
    body: SavedBody,
    status: 201,
    response: InsightShape,
    handle: ({ project, principal, body }) => insights.save(project, principal.user_id, body),
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
    summary: "Change and save an insight; `deleted` deletes and restores it.",
    params: ShortId,
    body: ChangeBody,
    status: 200,
    response: InsightShape,
    handle: ({ project, principal, params, body }) =>
      insights.change({ project, ...params }, principal.user_id, body ?? {}),
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
    async handle({ project, principal, params }) {
      await insights.change({ project, ...params }, principal.user_id, { deleted: true });
      return new Response(null, { status: 204 });
    },
  }),
];
