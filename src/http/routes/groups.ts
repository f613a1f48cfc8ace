import { t } from "elysia";
import { GROUP_TYPES_MAX, type Group } from "../../core/identity/groups.ts";
import type { GroupReads } from "../../core/ports/groups.ts";
import { Failure } from "../../core/values/failure.ts";
import { cursorPage, pageQuery } from "../../core/values/page.ts";
import { route } from "../operation/route.ts";
import { GroupShape, GroupTypeShape, PageOf, Paging, Text, Whole } from "../operation/schemas.ts";

/** Groups, read: contract 6 names no way to read them (decision 27). */
export const groupRoutes = (groups: GroupReads) => [
  route({
    method: "GET",
    path: "/api/environments/:project_id/groups/",
    scope: "group:read",
    operationId: "groups_list",
    summary: "List the groups of a type, in order of their keys.",
    query: t.Object({
      ...Paging,
      group_type_index: Whole(0, "The index of the type, 0 to 4."),
      search: t.Optional(Text("acme", "A part of the key, in any case.")),
    }),
    status: 200,
    response: PageOf(GroupShape),
    async handle({ project, query, url }) {
      const { group_type_index: type_index, search } = query;
      if (type_index < 0 || type_index >= GROUP_TYPES_MAX) {
        const detail = `An index is 0 to ${GROUP_TYPES_MAX - 1}.`;
        throw new Failure("invalid_input", detail, "group_type_index");
      }
      return cursorPage(url, pageQuery(query), {
        keysOf: ({ group_key }: Group) => [group_key] as const,
        keyTypes: [""],
        read: (part) => groups.list(project, { type_index, search }, part),
      });
    },
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
