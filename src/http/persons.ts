import { t } from "elysia";
import { pageQuery } from "../domain/page.ts";
import type { Persons } from "../services/persons.ts";
import { route } from "./route.ts";
import { PageOf, Paging, PersonShape, SuccessShape } from "./schemas.ts";

const PERSONS = "/api/environments/:project_id/persons/";
const PersonId = t.Object({
  id: t.String({ description: "The integer id of the person, or its uuid." }),
});

const SplitBody = t.Optional(
  t.Object(
    {
      main_distinct_id: t.Optional(
        t.String({ description: "Stays, with the ids it came with. By default all merges go." }),
      ),
      distinct_ids_to_split: t.Optional(
        t.Array(t.String(), {
          description: "Only these leave, with what came with them. Not with main_distinct_id.",
        }),
      ),
    },
    { $id: "PersonSplit" },
  ),
);

/** Persons (contract 4.1, 4.2). */
export const personRoutes = (persons: Persons) => [
  route({
    method: "GET",
    path: PERSONS,
    scope: "person:read",
    operationId: "persons_list",
    summary: "List persons, the newest first.",
    query: t.Object({
      ...Paging,
      distinct_id: t.Optional(t.String({ description: "Filter by distinct id, exact." })),
    }),
    status: 200,
    response: PageOf(PersonShape),
    handle: ({ project, query, url }) => persons.list(project, query, pageQuery(query), url),
  }),
  route({
    method: "GET",
    path: `${PERSONS}:id/`,
    scope: "person:read",
    operationId: "persons_retrieve",
    summary: "Read a person.",
    params: PersonId,
    status: 200,
    response: PersonShape,
    handle: ({ project, params }) => persons.get(project, params.id),
  }),
  route({
    method: "POST",
    path: `${PERSONS}:id/split/`,
    scope: "person:write",
    operationId: "persons_split",
    summary: "Undo merges: those who were merged into a person come back as they were.",
    params: PersonId,
    body: SplitBody,
    status: 201,
    response: SuccessShape,
    async handle({ project, params, body }) {
      await persons.split(project, params.id, body ?? {});
      return { success: true };
    },
  }),
];
