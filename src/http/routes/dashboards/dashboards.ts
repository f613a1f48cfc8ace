import { t } from "elysia";
import {
  DASHBOARD_DESCRIPTION_CHARS_MAX,
  DASHBOARD_NAME_CHARS_MAX,
  DASHBOARD_TILES_MAX,
  TILE_TEXT_CHARS_MAX,
} from "../../../core/dashboards/dashboard.ts";
import type { Dashboards } from "../../../core/dashboards/dashboards.ts";
import { TEMPLATES } from "../../../core/dashboards/template.ts";
import { pageQuery } from "../../../core/values/page.ts";
import { InsightShape, TagFields, TagFilter, Tags } from "../../operation/insight-shapes.ts";
import { route } from "../../operation/route.ts";
import {
  AnyObject,
  BodyInteger,
  DateTime,
  PageOf,
  Paging,
  PathId,
  Text,
  UserShape,
  Whole,
} from "../../operation/schemas.ts";
import { idIn, readList } from "../../request/parameters.ts";

const DASHBOARDS = "/api/environments/:project_id/dashboards/";
const DASHBOARD = `${DASHBOARDS}:id/` as const;

/** Methods on the path of a dashboard. DELETE is refused without a body, as PostHog has it. */
const ALLOWED = "GET, HEAD, PATCH";

const FILTERS = {
  date_from: "-7d",
  properties: [{ key: "$browser", type: "event", operator: "exact", value: "Firefox" }],
};

const FILTERS_TEXT =
  "`date_from` and `date_to` replace the period of each query, `properties` come in addition to its own.";

const PlaceShape = t.Object(
  { x: BodyInteger(0), y: BodyInteger(0), w: BodyInteger(6), h: BodyInteger(5) },
  {
    description:
      "Column, row, and size, on a grid of 12 columns. Other fields, by which a client draws its grid, are not kept.",
    additionalProperties: t.Unknown(),
  },
);

const LayoutsShape = t.Object(
  { sm: t.Optional(PlaceShape), xs: t.Optional(PlaceShape) },
  { description: "Places on large screens, `sm`, and on small ones, `xs`." },
);

const color = t.Nullable(Text("blue"));

const fieldsShown = {
  id: Whole(1),
  name: Text("Website"),
  description: Text("Visitors of the shop."),
  tags: Tags,
  pinned: t.Boolean(),
  deleted: t.Boolean({ description: "Deleted dashboards are erased in the next night." }),
  filters: AnyObject(FILTERS, FILTERS_TEXT),
  created_at: DateTime,
  created_by: UserShape,
  last_modified_at: DateTime,
  last_modified_by: UserShape,
};

const DashboardRowShape = t.Object(fieldsShown, { $id: "DashboardListed" });

const DashboardShape = t.Object(
  {
    ...fieldsShown,
    tiles: t.Array(
      t.Object(
        {
          id: Whole(1),
          order: Whole(0, "The place among the tiles, from 0."),
          insight: t.Nullable(InsightShape),
          text: t.Nullable(t.Object({ body: Text("# Sales") })),
          layouts: LayoutsShape,
          color,
        },
        { $id: "DashboardTile" },
      ),
      { description: "In the order in which they were added." },
    ),
  },
  { $id: "Dashboard" },
);

const SentTileShape = t.Object(
  {
    id: t.Optional(BodyInteger(1, "The tile to change; without it, a tile is added.")),
    insight: t.Optional(
      t.Nullable(
        t.Union([
          BodyInteger(1, "The integer id of the insight."),
          t.Object({ id: BodyInteger(1) }, { description: "The insight, as it is read." }),
        ]),
      ),
    ),
    text: t.Optional(
      t.Nullable(t.Object({ body: Text("# Sales", `At most ${TILE_TEXT_CHARS_MAX} characters.`) })),
    ),
    layouts: t.Optional(LayoutsShape),
    color: t.Optional(color),
    deleted: t.Optional(t.Boolean({ description: "true removes the tile; its insight stays." })),
  },
  { $id: "DashboardTileSent", examples: [{ text: { body: "# Sales" } }] },
);

const fields = {
  name: t.Optional(Text("Website", `At most ${DASHBOARD_NAME_CHARS_MAX} characters.`)),
  description: t.Optional(
    Text("Visitors of the shop.", `At most ${DASHBOARD_DESCRIPTION_CHARS_MAX} characters.`),
  ),
  ...TagFields,
  pinned: t.Optional(t.Boolean()),
  filters: t.Optional(AnyObject(FILTERS, FILTERS_TEXT)),
  tiles: t.Optional(
    t.Array(SentTileShape, {
      description: `A tile that is not sent stays. At most ${DASHBOARD_TILES_MAX} tiles.`,
    }),
  ),
};

const DraftBody = t.Optional(
  t.Object(
    {
      ...fields,
      use_template: t.Optional(
        t.String({ enum: [...TEMPLATES], description: "Makes tiles with insights of their own." }),
      ),
    },
    { $id: "DashboardDraft", examples: [{ name: "Website", use_template: "website" }] },
  ),
);

const ChangeBody = t.Optional(
  t.Object(
    {
      ...fields,
      deleted: t.Optional(
        t.Boolean({ description: "true deletes the dashboard, false restores it." }),
      ),
    },
    { $id: "DashboardChange", examples: [{ pinned: true }] },
  ),
);

const DashboardsQuery = t.Object({
  ...Paging,
  search: t.Optional(Text("shop", "A part of name or description, in any case.")),
  ...TagFilter,
  pinned: t.Optional(t.Boolean()),
  created_by: t.Optional(Whole(1, "The id of the user who made it.")),
  deleted: t.Optional(t.Boolean({ description: "By default false." })),
});

const Id = t.Object({ id: PathId("The id of the dashboard.") });

/** Dashboards, with PostHog's names. */
export const dashboardRoutes = (dashboards: Dashboards) => [
  route({
    method: "GET",
    path: DASHBOARDS,
    scope: "dashboard:read",
    operationId: "dashboards_list",
    summary:
      "List dashboards, the newest first. The first list of a project with events makes one.",
    query: DashboardsQuery,
    status: 200,
    response: PageOf(DashboardRowShape),
    handle({ project, principal, query, url, signal }) {
      const { limit, offset, cursor, tags, ...others } = query;
      const filter = { ...others, tags: readList("tags", tags)?.map(String) };
      const asking = { project, user: principal.user_id, signal };
      return dashboards.list(asking, filter, pageQuery({ limit, offset, cursor }), url);
    },
  }),
  route({
    method: "POST",
    path: DASHBOARDS,
    scope: "dashboard:write",
    operationId: "dashboards_create",
    summary: "Make a dashboard.",
    body: DraftBody,
    status: 201,
    response: DashboardShape,
    handle: ({ project, principal, body, signal }) =>
      dashboards.create({ project, user: principal.user_id, signal }, body ?? {}),
  }),
  route({
    method: "GET",
    path: DASHBOARD,
    scope: "dashboard:read",
    operationId: "dashboards_retrieve",
    summary: "Read a dashboard with its tiles. POST `…/query/` answers the query of a tile.",
    params: Id,
    status: 200,
    response: DashboardShape,
    handle: ({ project, params, signal }) =>
      dashboards.get({ project, id: idIn(params.id) }, signal),
  }),
  route({
    method: "PATCH",
    path: DASHBOARD,
    scope: "dashboard:write",
    operationId: "dashboards_partial_update",
    summary: "Change a dashboard and its tiles; `deleted` deletes and restores it.",
    params: Id,
    body: ChangeBody,
    status: 200,
    response: DashboardShape,
    handle: ({ project, principal, params, body }) =>
      dashboards.change({ project, id: idIn(params.id) }, principal.user_id, body ?? {}),
  }),
  route({
    method: "DELETE",
    path: DASHBOARD,
    scope: "dashboard:write",
    operationId: "dashboards_destroy",
    summary: "Always refused: a dashboard is deleted by PATCH.",
    params: Id,
    status: 405,
    response: t.Void(),
    handle: async () => new Response(null, { status: 405, headers: { allow: ALLOWED } }),
  }),
];
