import { t } from "elysia";
import { type IsCatchingUp, requireCaughtUp } from "../../core/events/freshness.ts";
import { GROUP_TYPES_MAX, type Group } from "../../core/identity/groups.ts";
import type { DefinitionReads } from "../../core/ports/definitions.ts";
import type { GroupReads } from "../../core/ports/persons/groups.ts";
import { Failure } from "../../core/values/failure.ts";
import { storableText } from "../../core/values/json.ts";
import { cursorPage, pageQuery } from "../../core/values/page.ts";
import { route } from "../operation/route.ts";
import { GroupShape, GroupTypeShape, PageOf, Paging, Text, Whole } from "../operation/schemas.ts";
import { PropertyValuesShape } from "./persons.ts";

const GROUPS = "/api/environments/:project_id/groups/";

const TypeIndex = Whole(0, "The index of the type, 0 to 4.");

type Needs = {
  groups: GroupReads;
  definitions: Pick<DefinitionReads, "groupValues">;
  isCatchingUp: IsCatchingUp;
};

/** Groups, read: contract 6 names no way to read them (decision 27). */
export const groupRoutes = ({ groups, definitions, isCatchingUp }: Needs) => [
  route({
    method: "GET",
    path: GROUPS,
    scope: "group:read",
    operationId: "groups_list",
    summary: "List the groups of a type, in order of their keys.",
    query: t.Object({
      ...Paging,
      group_type_index: TypeIndex,
      search: t.Optional(Text("acme", "A part of the key, in any case.")),
    }),
    status: 200,
    response: PageOf(GroupShape),
    async handle({ project, query, url }) {
      const { search } = query;
      const type_index = typeIndexOf(query);
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
  route({
    method: "GET",
    path: `${GROUPS}find/`,
    scope: "group:read",
    operationId: "groups_find",
    summary: "Read the group of a type with a key.",
    query: t.Object({ group_type_index: TypeIndex, group_key: Text("acme", "The key, exact.") }),
    status: 200,
    response: GroupShape,
    async handle({ project, query }) {
      const group = await groups.find(project, typeIndexOf(query), storableText(query.group_key));
      if (group === undefined) throw new Failure("not_found", "Not found.");
      return group;
    },
  }),
  route({
    method: "GET",
    path: `${GROUPS}values/`,
    scope: "group:read",
    operationId: "groups_values",
    summary: "List the values of a property of groups, the most frequent first.",
    query: t.Object({
      group_type_index: TypeIndex,
      key: Text("plan", "The name of the property."),
      value: t.Optional(Text("pr", "A part of the values, in any case.")),
    }),
    status: 200,
    response: PropertyValuesShape,
    async handle({ project, query, signal }) {
      const type_index = typeIndexOf(query);
      requireCaughtUp(isCatchingUp);
      const asked = { type_index, key: query.key, part: storableText(query.value ?? "") };
      const results = await definitions.groupValues(project, asked, signal);
      return { results, refreshing: false };
    },
  }),
];

function typeIndexOf({ group_type_index }: { group_type_index: number }): number {
  if (group_type_index >= 0 && group_type_index < GROUP_TYPES_MAX) return group_type_index;
  const detail = `An index is 0 to ${GROUP_TYPES_MAX - 1}.`;
  throw new Failure("invalid_input", detail, "group_type_index");
}
