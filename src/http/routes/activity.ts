import { t } from "elysia";
import type { Activities } from "../../core/persons/activity-log.ts";
import { csv, Format, paged } from "../answer/format.ts";
import { route } from "../operation/route.ts";
import { ActivityShape, PageLink, Paging, Whole } from "../operation/schemas.ts";
import { PERSONS, PersonId } from "./persons.ts";

const ActivityQuery = t.Object({
  ...Format,
  limit: t.Optional(Whole(10, "Results per page: 10 by default, at most 100.")),
  page: t.Optional(Whole(1, "The number of the page, from 1.")),
  cursor: Paging.cursor,
});

const ActivityPageShape = t.Object(
  {
    results: t.Array(ActivityShape),
    next: PageLink,
    previous: PageLink,
    total_count: Whole(1),
  },
  { $id: "ActivityPage" },
);

/** Activity of persons (contract 4.1), also of deleted ones, about whom operators ask too (decision 50). */
export const activityRoutes = (activities: Activities) => [
  route({
    method: "GET",
    path: `${PERSONS}activity/`,
    scope: "activity_log:read",
    operationId: "persons_activity",
    summary: "List changes of persons, the newest first.",
    query: ActivityQuery,
    status: 200,
    response: ActivityPageShape,
    async handle({ project, query: { format, ...paging }, url }) {
      if (format === "csv") return csv(await activities.csv(project, undefined, paging));
      const { page, rest } = await activities.list(project, undefined, paging, url);
      return rest === undefined ? page : paged(page, rest);
    },
  }),
  route({
    method: "GET",
    path: `${PERSONS}:id/activity/`,
    scope: "activity_log:read",
    operationId: "persons_activity_retrieve",
    summary: "List changes of a person, also of a deleted one, the newest first.",
    params: PersonId,
    query: ActivityQuery,
    status: 200,
    empty: true,
    response: ActivityPageShape,
    async handle({ project, params, query: { format, ...paging }, url }) {
      if (format === "csv") return csv(await activities.csv(project, params.id, paging));
      const { page, rest } = await activities.list(project, params.id, paging, url);
      return rest === undefined ? page : paged(page, rest);
    },
  }),
];
