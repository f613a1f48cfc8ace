import { t } from "elysia";
import type { Deletions } from "../../core/erasure/deletions.ts";
import { pageQuery } from "../../core/values/page.ts";
import { route } from "../operation/route.ts";
import { DeletionShape, PageOf, Paging, Text, UUID } from "../operation/schemas.ts";
import { PERSONS } from "./persons.ts";

/** Requested deletions of events, each bounded by arrival at the time of its request (decision 51). */
export const deletionRoutes = (deletions: Deletions) => [
  route({
    method: "GET",
    path: `${PERSONS}deletion_status/`,
    scope: "person:read",
    operationId: "persons_deletion_status",
    summary: "List the deletions of events that were asked for, the newest first.",
    query: t.Object({
      ...Paging,
      status: t.Optional(t.String({ enum: ["pending", "completed", "all"] })),
      person_uuid: t.Optional(Text(UUID)),
    }),
    status: 200,
    response: PageOf(DeletionShape),
    handle({ project, query, url }) {
      const { limit, offset, cursor, ...filter } = query;
      return deletions.list(project, filter, pageQuery({ limit, offset, cursor }), url);
    },
  }),
];
