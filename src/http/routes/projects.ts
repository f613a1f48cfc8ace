import { t } from "elysia";
import {
  GRACE_HOURS_DEFAULT,
  GRACE_HOURS_MAX,
  PROJECT_NAME_CHARS_MAX,
} from "../../core/access/project.ts";
import type { Projects } from "../../core/access/projects.ts";
import { pageQuery } from "../../core/values/page.ts";
import { route } from "../operation/route.ts";
import { BodyInteger, PageOf, Paging, ProjectShape, Text } from "../operation/schemas.ts";

const PROJECTS = "/api/projects/";

const name = Text("Shop", `At most ${PROJECT_NAME_CHARS_MAX} characters.`);
const timezone = t.Optional(
  Text("Europe/Berlin", "The IANA name of the time zone in which days and weeks begin."),
);
const ProjectDraft = t.Object(
  { name, timezone },
  { $id: "ProjectDraft", examples: [{ name: "Shop" }] },
);
const ProjectChanges = t.Object({ name: t.Optional(name), timezone }, { $id: "ProjectChanges" });
const TokenReset = t.Optional(
  t.Object(
    {
      grace_hours: t.Optional(
        BodyInteger(
          GRACE_HOURS_DEFAULT,
          `Hours for which earlier keys are still accepted: ${GRACE_HOURS_DEFAULT} by default, at most ${GRACE_HOURS_MAX}.`,
        ),
      ),
    },
    { $id: "TokenReset" },
  ),
);

/** Projects (contract 4). Apps update late, so a rotated key works for some hours more (decision 52). */
export const projectRoutes = (projects: Projects) => [
  route({
    method: "GET",
    path: PROJECTS,
    scope: "project:read",
    operationId: "projects_list",
    summary: "List the projects that the key may see.",
    query: t.Object(Paging),
    status: 200,
    response: PageOf(ProjectShape),
    handle: ({ principal, query, url }) => projects.list(principal, pageQuery(query), url),
  }),
  route({
    method: "POST",
    path: PROJECTS,
    scope: "project:write",
    operationId: "projects_create",
    summary: "Make a project; its key is in the answer.",
    body: ProjectDraft,
    status: 201,
    response: ProjectShape,
    handle: ({ principal, body: { name, timezone } }) =>
      projects.create({ name, timezone }, principal),
  }),
  route({
    method: "GET",
    path: `${PROJECTS}:project_id/`,
    scope: "project:read",
    operationId: "projects_retrieve",
    summary: "Read a project.",
    status: 200,
    response: ProjectShape,
    handle: ({ project }) => projects.get(project),
  }),
  route({
    method: "PATCH",
    path: `${PROJECTS}:project_id/`,
    scope: "project:write",
    operationId: "projects_update",
    summary: "Rename a project, or give it another time zone.",
    body: ProjectChanges,
    status: 200,
    response: ProjectShape,
    handle: ({ project, body }) => projects.change(project, body),
  }),
  route({
    method: "PATCH",
    path: `${PROJECTS}:project_id/reset_token/`,
    scope: "project:write",
    operationId: "projects_reset_token",
    summary: "Give a project a new project key; the old one is accepted for a while.",
    body: TokenReset,
    status: 200,
    response: ProjectShape,
    handle: ({ project, body }) => projects.rotateKey(project, { grace_hours: body?.grace_hours }),
  }),
];
