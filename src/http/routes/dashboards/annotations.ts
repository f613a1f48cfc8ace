import { t } from "elysia";
import { ANNOTATION_CHARS_MAX, ANNOTATION_SCOPES } from "../../../core/dashboards/annotation.ts";
import type { Annotations } from "../../../core/dashboards/annotations.ts";
import { pageQuery } from "../../../core/values/page.ts";
import { route } from "../../operation/route.ts";
import {
  BodyInteger,
  DateTime,
  PageOf,
  Paging,
  PathId,
  Text,
  UserShape,
  Whole,
} from "../../operation/schemas.ts";
import { idIn } from "../../request/parameters.ts";

const ANNOTATIONS = "/api/environments/:project_id/annotations/";
const ANNOTATION = `${ANNOTATIONS}:id/` as const;

const Scope = t.String({
  enum: [...ANNOTATION_SCOPES],
  description: "About the project, or about one insight.",
});

const item = "The integer id of the insight, with the scope `dashboard_item` alone.";

const AnnotationShape = t.Object(
  {
    id: Whole(1),
    content: Text("New prices"),
    date_marker: DateTime,
    scope: Scope,
    dashboard_item: t.Nullable(Whole(1, item)),
    deleted: t.Boolean({ description: "Deleted annotations are erased in the next night." }),
    created_at: DateTime,
    created_by: UserShape,
    updated_at: DateTime,
  },
  { $id: "Annotation" },
);

const fields = {
  date_marker: t.Optional(
    Text(
      "2026-11-21T12:00:00Z",
      "ISO 8601, or an age such as -1d. Without a zone, it is on the project's clock.",
    ),
  ),
  scope: t.Optional(Scope),
  dashboard_item: t.Optional(t.Nullable(BodyInteger(1, item))),
};

const content = Text("New prices", `At most ${ANNOTATION_CHARS_MAX} characters.`);

const DraftBody = t.Object(
  { content, ...fields },
  { $id: "AnnotationDraft", examples: [{ content: "New prices" }] },
);

const ChangeBody = t.Optional(
  t.Object(
    {
      content: t.Optional(content),
      ...fields,
      deleted: t.Optional(
        t.Boolean({ description: "true deletes the annotation, false restores it." }),
      ),
    },
    { $id: "AnnotationChange", examples: [{ content: "New prices" }] },
  ),
);

const AnnotationsQuery = t.Object({
  ...Paging,
  scope: t.Optional(Scope),
  dashboard_item: t.Optional(Whole(1, "The integer id of an insight.")),
  date_from: t.Optional(Text("-7d", "Of this time or later: ISO 8601, or an age such as -7d.")),
  date_to: t.Optional(Text("2026-11-30", "Of this time or day, or earlier.")),
  deleted: t.Optional(t.Boolean({ description: "By default false." })),
});

const Id = t.Object({ id: PathId("The id of the annotation.") });

/** Annotations, with PostHog's names. */
export const annotationRoutes = (annotations: Annotations) => [
  route({
    method: "GET",
    path: ANNOTATIONS,
    scope: "annotation:read",
    operationId: "annotations_list",
    summary: "List annotations, the latest first.",
    query: AnnotationsQuery,
    status: 200,
    response: PageOf(AnnotationShape),
    handle({ project, query, url }) {
      const { limit, offset, cursor, ...asked } = query;
      return annotations.list(project, asked, pageQuery({ limit, offset, cursor }), url);
    },
  }),
  route({
    method: "POST",
    path: ANNOTATIONS,
    scope: "annotation:write",
    operationId: "annotations_create",
    summary: "Make an annotation; by default it is of now.",
    body: DraftBody,
    status: 201,
    response: AnnotationShape,
    handle: ({ project, principal, body }) => annotations.create(project, principal.user_id, body),
  }),
  route({
    method: "GET",
    path: ANNOTATION,
    scope: "annotation:read",
    operationId: "annotations_retrieve",
    summary: "Get an annotation.",
    params: Id,
    status: 200,
    response: AnnotationShape,
    handle: ({ project, params }) => annotations.get({ project, id: idIn(params.id) }),
  }),
  route({
    method: "PATCH",
    path: ANNOTATION,
    scope: "annotation:write",
    operationId: "annotations_partial_update",
    summary: "Change an annotation; `deleted` deletes and restores it.",
    params: Id,
    body: ChangeBody,
    status: 200,
    response: AnnotationShape,
    handle: ({ project, params, body }) =>
      annotations.change({ project, id: idIn(params.id) }, body ?? {}),
  }),
  route({
    method: "DELETE",
    path: ANNOTATION,
    scope: "annotation:write",
    operationId: "annotations_destroy",
    summary: "Always refused: an annotation is deleted by PATCH.",
    params: Id,
    status: 405,
    response: t.Void(),
    handle: async () => new Response(null, { status: 405, headers: { allow: "GET, PATCH" } }),
  }),
];
