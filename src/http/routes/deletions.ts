import { t } from "elysia";
import { DELETION_STATUSES, type DeletionState, PLACES_MAX } from "../../core/erasure/deletion.ts";
import type { DeletionDesk } from "../../core/erasure/deletions.ts";
import type { PreviewDeletion } from "../../core/persons/deletion-preview.ts";
import type { DeletionReads, DeletionRow } from "../../core/ports/erasure.ts";
import { Failure } from "../../core/values/failure.ts";
import { readId } from "../../core/values/ids.ts";
import { cursorPage, pageQuery } from "../../core/values/page.ts";
import { route } from "../operation/route.ts";
import {
  AnyObject,
  DateTime,
  DeletionShape,
  PageOf,
  Paging,
  PathId,
  Text,
  UUID,
  Uuid,
  Whole,
} from "../operation/schemas.ts";
import { readUuid } from "../request/parameters.ts";
import { PERSONS, PersonId } from "./persons.ts";

const DELETION = `${PERSONS}deletions/:deletion_id/`;

const DeletionId = t.Object({
  deletion_id: PathId("The id of the deletion, as its list has it."),
});

const PlacesShape = t.Object({
  count: Whole(1),
  results: t.Array(
    t.Object({
      kind: t.String({ enum: ["annotation", "dashboard", "insight", "playlist"] }),
      id: Whole(1),
      short_id: t.Optional(Text("k7mXq2pB", "Only of insights and playlists.")),
    }),
    { description: `At most ${PLACES_MAX} of them.` },
  ),
});

/** The receipt that `hoglet deletions receipt` prints. */
const ReceiptShape = t.Object(
  {
    id: Whole(1),
    project_id: Whole(1),
    person_uuid: Uuid,
    kind: t.String({ enum: ["weekly", "nightly"] }),
    requested_by: Whole(1, "The id of the user."),
    requested_by_email: t.Nullable(Text("owner@example.com")),
    requested_at: DateTime,
    state: t.String({ enum: ["queued", "running", "done", "failed", "cancelled"] }),
    attempts: Whole(0),
    error: t.Nullable(Text("The disk is full.", "Why it was put off, or failed.")),
    started_at: t.Nullable(DateTime),
    finished_at: t.Nullable(DateTime),
    counts: t.Nullable(AnyObject({ events: 42 }, "Deleted rows by their kind.")),
    places: t.Nullable(PlacesShape),
  },
  { $id: "DeletionReceipt" },
);

const PreviewShape = t.Object(
  {
    events: Whole(42),
    logs: Whole(0),
    warnings: Whole(0, "Samples of warnings."),
    insights_naming: PlacesShape,
    runs_at: t.Object(
      { weekly: t.Nullable(DateTime), nightly: t.Nullable(DateTime) },
      { description: "A deletion of the person runs weekly, one of its events alone nightly." },
    ),
  },
  { $id: "DeletionPreview" },
);

type Needs = {
  deletions: Pick<DeletionReads, "list">;
  deletionDesk: Pick<DeletionDesk, "receipt" | "cancel">;
  previewDeletion: PreviewDeletion;
};

/** Requested deletions of events, each bounded by arrival at the time of its request (decision 51). */
export const deletionRoutes = (needs: Needs) => [
  ...listRoutes(needs),
  route({
    method: "GET",
    path: DELETION,
    scope: "person:read",
    operationId: "persons_deletions_retrieve",
    summary: "Read the receipt of a deletion.",
    params: DeletionId,
    status: 200,
    response: ReceiptShape,
    handle: ({ project, params }) => needs.deletionDesk.receipt(deletionId(params), project),
  }),
  route({
    method: "POST",
    path: `${DELETION}cancel/`,
    scope: "person:write",
    operationId: "persons_deletions_cancel",
    summary: "Cancel a deletion that has deleted nothing yet.",
    params: DeletionId,
    status: 200,
    response: ReceiptShape,
    handle: ({ project, params }) => needs.deletionDesk.cancel(deletionId(params), project),
  }),
  route({
    method: "GET",
    path: `${PERSONS}:id/deletion_preview/`,
    scope: "person:read",
    operationId: "persons_deletion_preview",
    summary: "Count what a deletion of a person's events would remove now.",
    params: PersonId,
    status: 200,
    response: PreviewShape,
    handle: ({ project, params: { id }, signal }) => needs.previewDeletion(project, { id }, signal),
  }),
  route({
    method: "GET",
    path: `${PERSONS}deletion_preview/`,
    scope: "person:read",
    operationId: "persons_deletion_preview_of_distinct_id",
    summary: "The same for a distinct id, also one without a person.",
    query: t.Object({ distinct_id: Text("ann") }),
    status: 200,
    response: PreviewShape,
    handle: ({ project, query, signal }) => needs.previewDeletion(project, query, signal),
  }),
];

function deletionId({ deletion_id }: { deletion_id: string }): number {
  const id = readId(deletion_id);
  if (id !== undefined) return id;
  throw new Failure("invalid_input", "A whole number is expected.", "deletion_id");
}

const listRoutes = ({ deletions }: Needs) => [
  route({
    method: "GET",
    path: `${PERSONS}deletion_status/`,
    scope: "person:read",
    operationId: "persons_deletion_status",
    summary: "List requested deletions of events, the newest first.",
    query: t.Object({
      ...Paging,
      status: t.Optional(
        t.String({ enum: ["pending", "completed", "failed", "cancelled", "all"] }),
      ),
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
  if (status === "failed" || status === "cancelled") return [status];
  const detail = "A status is pending, completed, failed, cancelled or all.";
  throw new Failure("invalid_choice", detail, "status");
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
