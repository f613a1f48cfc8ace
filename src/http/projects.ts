import { t } from "elysia";
import { page, pageQuery } from "../domain/page.ts";
import type { Projects } from "../services/projects.ts";
import { route } from "./route.ts";
import { PageOf, Paging, ProjectShape } from "./schemas.ts";

/** Projects (contract 4: the listing that tells the project's id). */
export const projectRoutes = (projects: Projects) => [
  route({
    method: "GET",
    path: "/api/projects/",
    scope: "project:read",
    operationId: "projects_list",
    summary: "List the projects that the key may see.",
    query: t.Object(Paging),
    status: 200,
    response: PageOf(ProjectShape),
    async handle({ principal, query, url }) {
      const asked = pageQuery(query);
      const { count, rows } = await projects.list(principal, asked);
      return page(url, asked, count, rows);
    },
  }),
  route({
    method: "GET",
    path: "/api/projects/:project_id/",
    scope: "project:read",
    operationId: "projects_retrieve",
    summary: "Read a project.",
    status: 200,
    response: ProjectShape,
    handle: ({ project }) => projects.get(project),
  }),
];
