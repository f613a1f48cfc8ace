import { type TSchema, t } from "elysia";
import { PLAYLIST_TYPES } from "../../core/playlists/playlist.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../core/values/page.ts";

/** An example of a shape, with what it means. */
export const of = <T>(example: T, description?: string) => ({
  examples: [example],
  ...(description === undefined ? {} : { description }),
});

/** A text with an example, which the OpenAPI document shows. */
export const Text = (example: string, description?: string) => t.String(of(example, description));

/** A whole number with an example. */
export const Whole = (example: number, description?: string) => t.Integer(of(example, description));

/** An id in a path: an integer, or a text of one of these shapes. Elysia does not check it; the service does. */
export const PathId = (description: string, ...others: JsonObject[]) =>
  t.Unsafe<string>(t.Unknown({ anyOf: [{ type: "integer" }, ...others], ...of(1, description) }));

/** An integer in a body, with an example. Elysia's own integer would also take a text. */
export const BodyInteger = (example: number, description?: string) =>
  t.Number({ multipleOf: 1, ...of(example, description) });

/** A list of texts with an example. */
export const Texts = (example: string[], description?: string) =>
  t.Array(t.String(), of(example, description));

/** Any JSON value with an example. */
export const AnyValue = (example: Json, description?: string) =>
  t.Unsafe<Json>(t.Unknown(of(example, description)));

/** Any JSON object with an example. */
export const AnyObject = (example: JsonObject, description?: string) =>
  t.Record(t.String(), t.Unsafe<Json>(t.Unknown()), of(example, description));

/** A time with an example. */
export const DateTime = t.String({
  format: "date-time",
  ...of("2026-11-21T12:00:00.000000Z", "ISO 8601, UTC."),
});
/** The uuid in examples: the person of `ann` in project 1. */
export const UUID = "fe27503b-3771-5a01-819d-96bf829dfb35";
/** A uuid with an example. */
export const Uuid = t.String({ format: "uuid", ...of(UUID) });
const PROPERTIES = { email: "ann@example.com", plan: "pro" };

/** A person (contract 2.1). */
export const PersonShape = t.Object(
  {
    id: Whole(1),
    name: Text("ann@example.com"),
    distinct_ids: Texts(["ann"], "The main one first."),
    properties: AnyObject(PROPERTIES),
    created_at: DateTime,
    uuid: Uuid,
  },
  { $id: "Person" },
);

/** A change of a person. */
export const ActivityShape = t.Object(
  {
    id: Whole(1),
    user: t.Object({
      first_name: Text("Owner"),
      email: t.Nullable(Text("owner@example.com")),
      is_system: t.Boolean({ description: "True if an event made the change." }),
    }),
    activity: Text("updated"),
    scope: t.Literal("Person"),
    item_id: Text("1", "The integer id of the person."),
    detail: t.Object({
      id: t.String({ format: "uuid", ...of(UUID, "The uuid of the person.") }),
      changes: t.Array(
        t.Object({
          type: t.Literal("Person"),
          action: Text("changed"),
          field: Text("properties"),
          before: AnyValue({ plan: "free" }),
          after: AnyValue({ plan: "pro" }),
        }),
      ),
      merge: t.Nullable(
        AnyObject({ type: "Person", source: { uuid: UUID }, target: { uuid: UUID } }),
      ),
      trigger: t.Nullable(AnyObject({ job_type: "event", job_id: UUID })),
      name: Text(UUID),
    }),
    created_at: DateTime,
  },
  { $id: "Activity" },
);

/** A deletion of a person's events. */
export const DeletionShape = t.Object(
  {
    id: Whole(1),
    person_uuid: Uuid,
    created_at: DateTime,
    status: t.String({ enum: ["pending", "completed", "failed", "cancelled"] }),
    delete_verified_at: t.Nullable(DateTime),
    kind: t.String({ enum: ["weekly", "nightly"] }),
    attempts: Whole(0),
    error: t.Nullable(Text("The disk is full.")),
    counts: t.Nullable(AnyObject({ events: 42 })),
  },
  { $id: "Deletion" },
);

/** An event as it is stored. */
export const EventShape = t.Object(
  {
    uuid: Uuid,
    event: Text("signed up"),
    distinct_id: Text("ann"),
    person_id: t.String({ format: "uuid", ...of(UUID, "The person who owns the event now.") }),
    timestamp: DateTime,
    properties: AnyObject({ plan: "pro" }),
  },
  { $id: "Event" },
);

/** A group. */
export const GroupShape = t.Object(
  {
    group_type_index: Whole(0),
    group_key: Text("acme"),
    group_properties: AnyObject({ name: "Acme" }),
    created_at: DateTime,
  },
  { $id: "Group" },
);

/** A type of groups. */
export const GroupTypeShape = t.Object(
  { group_type: Text("company"), group_type_index: Whole(0) },
  { $id: "GroupType" },
);

/** A user (contract 2.4). */
export const UserShape = t.Object(
  {
    id: Whole(1),
    uuid: Uuid,
    distinct_id: Text(UUID),
    first_name: Text("Owner"),
    last_name: Text("of the shop"),
    email: t.String({ format: "email", ...of("owner@example.com") }),
    is_email_verified: t.Boolean(),
    hedgehog_config: AnyObject({ color: "green" }),
    role_at_organization: Text("engineering"),
  },
  { $id: "User" },
);

/** A session recording playlist (contract 2.3). */
export const PlaylistShape = t.Object(
  {
    id: Whole(1),
    short_id: Text("k7mXq2pB"),
    name: Text("Lost carts"),
    derived_name: Text("Left the checkout"),
    description: Text("Visitors who left without paying."),
    pinned: t.Boolean(),
    created_at: DateTime,
    created_by: UserShape,
    deleted: t.Boolean(of(false)),
    filters: AnyValue({ duration: 60 }),
    last_modified_at: DateTime,
    last_modified_by: UserShape,
    recordings_counts: t.Record(
      t.String(),
      t.Record(t.String(), t.Integer()),
      of({
        collection: { count: 1, watched_count: 0 },
        saved_filters: { count: 0, watched_count: 0 },
      }),
    ),
    type: t.String({ enum: [...PLAYLIST_TYPES] }),
  },
  { $id: "Playlist" },
);

/** A recording of a playlist. */
export const PlaylistRecordingShape = t.Object(
  { id: Text("0193a5b1-7f3c", "The session's id."), added_at: DateTime },
  { $id: "PlaylistRecording" },
);

/** The answer of an operation without a result. */
export const SuccessShape = t.Object({ success: t.Literal(true) }, { $id: "Success" });

/** A project. */
export const ProjectShape = t.Object(
  {
    id: Whole(1),
    uuid: Uuid,
    organization: Uuid,
    name: Text("Shop"),
    api_token: Text("phc_…", "The project key: public, for capture."),
    former_api_tokens: t.Array(t.Object({ api_token: Text("phc_…"), ends_at: DateTime }), {
      description: "Earlier project keys that are still accepted, each until it ends.",
    }),
    timezone: Text("UTC"),
    created_at: DateTime,
  },
  { $id: "Project" },
);

/** A reason for which events or log records were dropped or changed, with its newest samples. */
export const WarningShape = t.Object(
  {
    type: Text("duplicate_uuid"),
    severity: t.String({
      enum: ["error", "warning", "info"],
      description: "error: not stored. warning: stored, but not as sent. info: stored as intended.",
    }),
    meaning: Text("The uuid was of another event: not stored."),
    count: Whole(3, "How many events or log records, since the project exists."),
    first_at: DateTime,
    last_at: DateTime,
    samples: t.Array(
      t.Object({
        at: DateTime,
        count: Whole(1, "How many events of one request; the sample names one of them."),
        event_uuid: t.Nullable(Uuid),
        distinct_id: t.Nullable(Text("ann")),
      }),
      { description: "The newest first. Old samples are removed, but stay in `count`." },
    ),
  },
  { $id: "IngestionWarning" },
);

/** The error envelope. */
export const ProblemShape = t.Object(
  {
    type: Text("validation_error"),
    code: Text("invalid_input"),
    detail: Text("A whole number is expected."),
    attr: t.Nullable(Text("limit", "The invalid field, if there is one.")),
  },
  { $id: "Problem" },
);

/** The address of another page; null if no such page exists. */
export const pageLink = (path: string) =>
  t.Nullable(t.String({ format: "uri", ...of(`http://localhost:8000${path}`) }));

/** A link to another page; the OpenAPI document shows an address of the same list. */
export const PageLink = pageLink("/");

/** The envelope of a list (contract 2.2). */
export function PageOf<T extends TSchema>(shape: T) {
  return t.Object(
    {
      count: Whole(1, "Number of all results, on every page."),
      next: PageLink,
      previous: PageLink,
      results: t.Array(shape),
    },
    { $id: `${shape.$id}Page` },
  );
}

/** Parameters of the pages of a list. */
export const Paging = {
  limit: t.Optional(
    Whole(100, `Results per page: ${PAGE_LIMIT_DEFAULT} by default, at most ${PAGE_LIMIT_MAX}.`),
  ),
  offset: t.Optional(Whole(0, "Number of results to skip.")),
  cursor: t.Optional(
    Text(
      "[42]",
      "Position of the page, taken from `next`: no row is skipped or repeated when others come or go.",
    ),
  ),
};
