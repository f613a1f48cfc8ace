import { t } from "elysia";
import { MERGES_MAX, type PersonMerges } from "../../core/persons/merges.ts";
import type { PersonEdits } from "../../core/persons/person-edits.ts";
import { BULK_PERSONS_MAX } from "../../core/persons/removals.ts";
import { Failure } from "../../core/values/failure.ts";
import { sameJson } from "../../core/values/json.ts";
import { Format, formatted } from "../answer/format.ts";
import { route } from "../operation/route.ts";
import {
  AnyValue,
  BodyInteger,
  DateTime,
  PersonShape,
  SuccessShape,
  Text,
  Texts,
  UUID,
  Uuid,
  Whole,
} from "../operation/schemas.ts";
import { PERSONS, PersonId } from "./persons.ts";

/** Any value, because with the shape of an object Elysia would turn a list into one; the service refuses it. */
const PropertiesBody = t.Object(
  { properties: AnyValue({ plan: "pro" }, "A JSON object.") },
  { $id: "PersonProperties" },
);

/** The contract allows properties here, but the operation does not use them. */
const UnusedBody = t.Optional(
  t.Object({ properties: t.Optional(AnyValue({})) }, { $id: "PersonUnused" }),
);

const SplitBody = t.Optional(
  t.Object(
    {
      main_distinct_id: t.Optional(
        Text(
          "ann",
          "The distinct id that stays, with the ids it had before the merges. All others leave.",
        ),
      ),
      distinct_ids_to_split: t.Optional(
        Texts(
          ["bob"],
          "Only these leave, each with the ids it had before its merge. Not together with main_distinct_id.",
        ),
      ),
    },
    { $id: "PersonSplit", examples: [{ distinct_ids_to_split: ["bob"] }] },
  ),
);

const SUCCESS = { success: true };

const MergeShape = t.Object(
  {
    id: Whole(1),
    at: t.Nullable(DateTime),
    by: t.Object({
      first_name: Text("System"),
      email: t.Nullable(Text("owner@example.com")),
      is_system: t.Boolean({ description: "True, as events make all merges." }),
    }),
    event_uuid: Uuid,
    source: t.Object({
      uuid: Uuid,
      name: Text("anon"),
      distinct_ids: Texts(["anon"], "The ids that it gets back."),
    }),
    undoable: t.Boolean(),
    distinct_ids_to_split: Texts(["anon"], "By these `split` undoes this merge alone."),
    preview: t.Object({
      gives_back: Texts(["plan"], "Names of properties that the person then loses or had before."),
      events: Whole(42, "Events that then belong to the source."),
    }),
  },
  { $id: "PersonMerge" },
);

/** Persons, changed (contract 4.1, 4.4), and their merges, which a split undoes. */
export const personEditRoutes = (edits: PersonEdits, merges: PersonMerges) => [
  ...changeRoutes(edits),
  ...removalRoutes(edits),
  route({
    method: "GET",
    path: `${PERSONS}:id/merges/`,
    scope: "person:read",
    operationId: "persons_merges",
    summary: `List the newest ${MERGES_MAX} merges into a person, with the effect of undoing each.`,
    params: PersonId,
    status: 200,
    response: t.Array(MergeShape),
    handle: ({ project, params, signal }) => merges.list(project, params.id, signal),
  }),
];

/** Returns the names of an address or of a body. Fails `invalid_input` if both have some, and they differ. */
function namesOf(asked: string | undefined, sent: string | string[] | undefined) {
  if (asked === undefined || sent === undefined || sameJson([asked], [sent].flat())) {
    return asked ?? sent;
  }
  const detail = "The address and the body name different properties: write $unset once.";
  throw new Failure("invalid_input", detail, "$unset");
}

const changeRoutes = (edits: PersonEdits) => [
  route({
    method: "PATCH",
    path: `${PERSONS}:id/`,
    scope: "person:write",
    operationId: "persons_partial_update",
    summary: "Set properties of a person; its other properties stay.",
    params: PersonId,
    query: t.Object(Format),
    body: PropertiesBody,
    status: 200,
    response: PersonShape,
    async handle({ project, params, query: { format }, body, principal }) {
      const person = await edits.update(project, params.id, body.properties, principal);
      return formatted(format, person, 200);
    },
  }),
  route({
    method: "POST",
    path: `${PERSONS}:id/update_property/`,
    scope: "person:write",
    operationId: "persons_update_property",
    summary: "Set one property of a person.",
    params: PersonId,
    query: t.Object(Format),
    body: t.Object({ key: Text("plan"), value: AnyValue("pro") }, { $id: "PersonProperty" }),
    status: 202,
    empty: true,
    response: PersonShape,
    async handle({ project, params, query: { format }, body, principal }) {
      const { key, value } = body;
      const person = await edits.set(project, params.id, { key, value }, principal);
      return formatted(format, person, 200);
    },
  }),
  route({
    method: "POST",
    path: `${PERSONS}:id/delete_property/`,
    scope: "person:write",
    operationId: "persons_delete_property",
    summary: "Remove a property of a person.",
    params: PersonId,
    query: t.Object({
      ...Format,
      $unset: t.Optional(Text("plan", "The name of the property.")),
    }),
    body: t.Optional(
      t.Object(
        {
          $unset: t.Optional(
            t.Union([
              Text("plan", "The name, unless the query has one."),
              Texts(["plan"], "Several names."),
            ]),
          ),
          properties: t.Optional(AnyValue({})),
        },
        { $id: "PersonUnset", examples: [{ $unset: "plan" }] },
      ),
    ),
    status: 201,
    response: SuccessShape,
    async handle({ project, params, query: { format, $unset }, body, principal }) {
      await edits.unset(project, params.id, namesOf($unset, body?.$unset), principal);
      return formatted(format, SUCCESS, 201);
    },
  }),
  route({
    method: "POST",
    path: `${PERSONS}:id/split/`,
    scope: "person:write",
    operationId: "persons_split",
    summary: "Undo merges: the persons that were merged into this one are restored.",
    params: PersonId,
    body: SplitBody,
    status: 201,
    response: SuccessShape,
    async handle({ project, params, body, principal }) {
      await edits.split(project, params.id, body ?? {}, principal);
      return SUCCESS;
    },
  }),
];

const DeletedShape = t.Object(
  {
    persons_found: Whole(
      1,
      "With delete_events, an id that events or logs have and no person has counts as one, too.",
    ),
    ids_not_found: Whole(0, "Ids that nothing has. If that is all of them, the answer is 404."),
    persons_deleted: Whole(1),
    events_queued_for_deletion: Whole(1, "The number of persons, and of ids without one."),
    recordings_queued_for_deletion: Whole(0, "Always 0: no recordings are kept."),
    deletion_errors: t.Array(t.Object({ person_uuid: Text(UUID) }), {
      description: "Always empty: all are deleted, or the request fails.",
      examples: [[]],
    }),
  },
  { $id: "PersonsDeleted" },
);

const removalRoutes = (edits: PersonEdits) => [
  route({
    method: "POST",
    path: `${PERSONS}bulk_delete/`,
    scope: "person:write",
    operationId: "persons_bulk_delete",
    summary: `Delete up to ${BULK_PERSONS_MAX} persons, or the events of ids without a person; unknown ids are counted.`,
    body: t.Object(
      {
        ids: t.Optional(
          t.Array(t.Union([BodyInteger(1), t.String()]), {
            description: "Integer ids or uuids.",
            examples: [[1, UUID]],
          }),
        ),
        distinct_ids: t.Optional(Texts(["ann"], "Instead of ids.")),
        delete_events: t.Optional(t.Boolean({ description: "Delete their events, too." })),
        keep_person: t.Optional(
          t.Boolean({
            description: "Keep the persons: only their events are deleted. It needs delete_events.",
          }),
        ),
      },
      { $id: "PersonBulkDelete", examples: [{ ids: [1], delete_events: false }] },
    ),
    status: 202,
    response: DeletedShape,
    handle: ({ project, body, ...by }) => edits.removeMany(project, body, by),
  }),
  route({
    method: "DELETE",
    path: `${PERSONS}:id/`,
    scope: "person:write",
    operationId: "persons_destroy",
    summary: "Delete a person; its events stay unless `delete_events` is true.",
    params: PersonId,
    query: t.Object({
      ...Format,
      delete_events: t.Optional(
        t.Boolean({ description: "Queue the deletion of its events, on Sunday at 05:00 UTC." }),
      ),
      keep_person: t.Optional(
        t.Boolean({
          description: "Keep the person: only its events are deleted. It needs delete_events.",
        }),
      ),
    }),
    status: 204,
    empty: true,
    response: SuccessShape,
    async handle({ project, params, query: { format, ...options }, ...by }) {
      await edits.remove(project, params.id, options, by);
      return formatted(format, SUCCESS, 200);
    },
  }),
  route({
    method: "POST",
    path: `${PERSONS}:id/delete_events/`,
    scope: "person:write",
    operationId: "persons_delete_events",
    summary: "Queue the deletion of all events of a person for the next night; the person stays.",
    params: PersonId,
    query: t.Object(Format),
    body: UnusedBody,
    status: 200,
    empty: true,
    response: SuccessShape,
    async handle({ project, params, query: { format }, ...by }) {
      await edits.removeEvents(project, params.id, by);
      return formatted(format, SUCCESS, 200);
    },
  }),
];
