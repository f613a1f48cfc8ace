import { t } from "elysia";
import type { Groups } from "../../core/persons/groups.ts";
import { pageQuery } from "../../core/values/page.ts";
import { route } from "../operation/route.ts";
import { GroupShape, GroupTypeShape, PageOf, Paging, Text, Whole } from "../operation/schemas.ts";

/** Groups, read: contract 6 names no way to read them (decision 27). */
export const groupRoutes = (groups: Groups) => [
  route({
    method: "GET",
    path: "/api/environments/:project_id/groups/",
    scope: "group:read",
    operationId: "groups_list",
    summary: "List the groups of a type, in order of their keys.",
    query: t.Object({
      ...Paging,
      group_type_index: Whole(0, "The index of the type, 0 to 4."),
      search: t.Optional(Text("acme", "Part of the key, in any case.")),
    }),
    status: 200,
    response: PageOf(GroupShape),
    handle: ({ project, query, url }) => groups.list(project, query, pageQuery(query), url),
  }),
  route({
    method: "GET",
    path: "/api/environments/:project_id/groups_types/",
    scope: "group:read",
    operationId: "groups_types_list",
    summary: "List the group types of the project.",
    status: 200,
    response: t.Array(GroupTypeShape),
    handle: ({ project }) => groups.types(project),
  }),
];
