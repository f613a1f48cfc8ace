import { t } from "elysia";
import { DELETION_STATUSES, type DeletionState } from "../../core/erasure/deletion.ts";
import type { DeletionReads, DeletionRow } from "../../core/ports/erasure.ts";
import { Failure } from "../../core/values/failure.ts";
import { cursorPage, pageQuery } from "../../core/values/page.ts";
import { route } from "../operation/route.ts";
import { DeletionShape, PageOf, Paging, Text, UUID } from "../operation/schemas.ts";
import { readUuid } from "../request/parameters.ts";
import { PERSONS } from "./persons.ts";

/** Requested deletions of events, each bounded by arrival at the time of its request (decision 51). */
export const deletionRoutes = (deletions: Pick<DeletionReads, "list">) => [
  route({
    method: "GET",
    path: `${PERSONS}deletion_status/`,
    scope: "person:read",
    operationId: "persons_deletion_status",
    summary: "List requested deletions of events, the newest first.",
    query: t.Object({
      ...Paging,
      status: t.Optional(t.String({ enum: ["pending", "completed", "all"] })),
      person_uuid: t.Optional(Text(UUID)),
    }),
    status: 200,
    response: PageOf(DeletionShape),
    async handle({ project, query: { status, person_uuid, ...paging }, url }) {
      const filter = {
        states: statesOf(status),
        person_uuid: readUuid("person_uuid", person_uuid),
      };
      const page = await cursorPage(url, pageQuery(paging), {
        keysOf: ({ id }: DeletionRow) => [id] as const,
        keyTypes: [0],
        read: (part) => deletions.list(project, filter, part),
      });
      return { ...page, results: page.results.map(deletionResponse) };
    },
  }),
];

function statesOf(status = "all"): readonly DeletionState[] | undefined {
  if (status === "all") return undefined;
  if (status === "pending" || status === "completed") return DELETION_STATUSES[status];
  throw new Failure("invalid_choice", "A status is pending, completed or all.", "status");
}

function deletionResponse(row: DeletionRow) {
  const { id, person_uuid, requested_at, state, finished_at, kind, attempts, error, counts } = row;
  const [status = state] =
    Object.entries(DELETION_STATUSES).find(([, states]) => states.some((one) => one === state)) ??
    [];
  return {
    id,
    person_uuid,
    created_at: requested_at,
    status,
    delete_verified_at: state === "done" ? finished_at : null,
    kind,
    attempts,
    error,
    counts,
  };
}
