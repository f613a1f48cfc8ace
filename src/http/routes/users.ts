import { t } from "elysia";
import { ORGANIZATION } from "../../core/access/organization.ts";
import type { Projects, ShownProject } from "../../core/access/projects.ts";
import type { UserReads } from "../../core/ports/access.ts";
import { Failure } from "../../core/values/failure.ts";
import { page, pageQuery } from "../../core/values/page.ts";
import { route } from "../operation/route.ts";
import { PageOf, Paging, ProjectShape, Text, UserShape, UUID, Uuid } from "../operation/schemas.ts";

const OrganizationShape = t.Object({ id: Uuid, name: Text("Hoglet") }, { $id: "Organization" });

/** The owner of a key, with the organization and a project that the key may see, for which tools look first. */
const OwnerShape = t.Object(
  {
    ...UserShape.properties,
    organization: OrganizationShape,
    organizations: t.Array(OrganizationShape),
    team: t.Nullable(
      t.Pick(ProjectShape, ["id", "uuid", "organization", "name", "timezone"], {
        description: "The project of `@current`.",
      }),
    ),
  },
  { $id: "Owner" },
);

type Needs = { users: Pick<UserReads, "find">; projects: Pick<Projects, "current" | "get"> };

/** Users. The answer holds an e-mail address, so even the own user takes a scope (decision 46). */
export const userRoutes = ({ users, projects }: Needs) => [
  route({
    method: "GET",
    path: "/api/users/@me/",
    scope: "user:read",
    operationId: "users_me",
    summary: "Read the owner of the key.",
    status: 200,
    response: OwnerShape,
    async handle({ principal }) {
      const { user_id } = principal;
      const user = await users.find(user_id);
      if (user === undefined)
        throw new Error(`A key belongs to user ${user_id}, who does not exist`);
      const current = projects.current(principal);
      const team = current === undefined ? null : teamOf(await projects.get(current));
      return { ...user, organization: ORGANIZATION, organizations: [ORGANIZATION], team };
    },
  }),
];

/** A project without its keys, which take another scope. */
const teamOf = ({ id, uuid, organization, name, timezone }: ShownProject) => {
  return { id, uuid, organization, name, timezone };
};

const ORGANIZATIONS = "/api/organizations/";
const ONE = `${ORGANIZATIONS}:organization_id/` as const;
const Id = t.Object({ organization_id: Text(UUID, "The id of the organization, or `@current`.") });

/** The one organization, for tools that begin with it. */
export const organizationRoutes = (projects: Pick<Projects, "list" | "get">) => [
  route({
    method: "GET",
    path: ORGANIZATIONS,
    scope: "project:read",
    operationId: "organizations_list",
    summary: "List the one organization, which stands for the server.",
    query: t.Object({ limit: Paging.limit, offset: Paging.offset }),
    status: 200,
    response: PageOf(OrganizationShape),
    async handle({ query, url }) {
      const asked = pageQuery(query);
      return page(url, asked, 1, asked.offset === 0 ? [ORGANIZATION] : []);
    },
  }),
  route({
    method: "GET",
    path: ONE,
    scope: "project:read",
    operationId: "organizations_retrieve",
    summary: "Read the organization.",
    params: Id,
    status: 200,
    response: OrganizationShape,
    handle: async ({ params }) => organizationOf(params),
  }),
  route({
    method: "GET",
    path: `${ONE}projects/:project_id/`,
    scope: "project:read",
    operationId: "organizations_projects_retrieve",
    summary: "Read a project, as `GET /api/projects/<project_id>/` does.",
    params: Id,
    status: 200,
    response: ProjectShape,
    async handle({ project, params }) {
      organizationOf(params);
      return projects.get(project);
    },
  }),
  route({
    method: "GET",
    path: `${ONE}projects/`,
    scope: "project:read",
    operationId: "organizations_projects_list",
    summary: "List the projects that the key may see, as `GET /api/projects/` does.",
    params: Id,
    query: t.Object(Paging),
    status: 200,
    response: t.Object(PageOf(ProjectShape).properties, { $id: "OrganizationProjectPage" }),
    async handle({ principal, params, query, url }) {
      organizationOf(params);
      return projects.list(principal, pageQuery(query), url);
    },
  }),
];

function organizationOf({ organization_id: id }: { organization_id: string }) {
  if (id === "@current" || id === ORGANIZATION.id) return ORGANIZATION;
  throw new Failure("not_found", "Not found. GET /api/organizations/ has the one organization.");
}
