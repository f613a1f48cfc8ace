import { type TSchema, t } from "elysia";
import type { Json } from "../domain/json.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../domain/page.ts";
import { PLAYLIST_TYPES } from "../domain/playlist.ts";

/** Any JSON object. */
export const AnyObject = t.Record(t.String(), t.Unsafe<Json>(t.Unknown()));

/** Any JSON value. */
export const AnyValue = t.Unsafe<Json>(t.Unknown());

const DateTime = t.String({ format: "date-time", description: "ISO 8601, UTC." });
const Uuid = t.String({ format: "uuid" });

/** A person (contract 2.1). */
export const PersonShape = t.Object(
  {
    id: t.Integer(),
    name: t.String(),
    distinct_ids: t.Array(t.String(), { description: "The main one first." }),
    properties: AnyObject,
    created_at: DateTime,
    uuid: Uuid,
  },
  { $id: "Person" },
);

/** What was done to a person. */
export const ActivityShape = t.Object(
  {
    id: t.Integer(),
    user: t.Object({
      first_name: t.String(),
      email: t.Nullable(t.String()),
      is_system: t.Boolean({ description: "An event did it." }),
    }),
    activity: t.String(),
    scope: t.Literal("Person"),
    item_id: t.String({ description: "The integer id of the person." }),
    detail: t.Object({
      id: t.String({ format: "uuid", description: "The uuid of the person." }),
      changes: t.Array(
        t.Object({
          type: t.Literal("Person"),
          action: t.String(),
          field: t.String(),
          before: AnyValue,
          after: AnyValue,
        }),
      ),
      merge: t.Nullable(AnyObject),
      trigger: t.Nullable(AnyObject),
      name: t.String(),
    }),
    created_at: DateTime,
  },
  { $id: "Activity" },
);

/** A deletion of a person's events. */
export const DeletionShape = t.Object(
  {
    id: t.Integer(),
    person_uuid: Uuid,
    created_at: DateTime,
    status: t.String({ enum: ["pending", "completed", "failed", "cancelled"] }),
    delete_verified_at: t.Nullable(DateTime),
    kind: t.String({ enum: ["weekly", "nightly"] }),
    attempts: t.Integer(),
    error: t.Nullable(t.String()),
    counts: t.Nullable(AnyObject),
  },
  { $id: "Deletion" },
);

/** An event as it is stored. */
export const EventShape = t.Object(
  {
    uuid: Uuid,
    event: t.String(),
    distinct_id: t.String(),
    person_id: t.String({ format: "uuid", description: "The person who owns the event now." }),
    timestamp: DateTime,
    properties: AnyObject,
  },
  { $id: "Event" },
);

/** A group. */
export const GroupShape = t.Object(
  {
    group_type_index: t.Integer(),
    group_key: t.String(),
    group_properties: AnyObject,
    created_at: DateTime,
  },
  { $id: "Group" },
);

/** A kind of groups. */
export const GroupTypeShape = t.Object(
  { group_type: t.String(), group_type_index: t.Integer() },
  { $id: "GroupType" },
);

/** A user (contract 2.4). */
export const UserShape = t.Object(
  {
    id: t.Integer(),
    uuid: Uuid,
    distinct_id: t.String(),
    first_name: t.String(),
    last_name: t.String(),
    email: t.String({ format: "email" }),
    is_email_verified: t.Boolean(),
    hedgehog_config: t.Nullable(AnyObject),
    role_at_organization: t.Nullable(t.String()),
  },
  { $id: "User" },
);

/** A session recording playlist (contract 2.3). */
export const PlaylistShape = t.Object(
  {
    id: t.Integer(),
    short_id: t.String(),
    name: t.String(),
    derived_name: t.String(),
    description: t.String(),
    pinned: t.Boolean(),
    created_at: DateTime,
    created_by: UserShape,
    deleted: t.Boolean(),
    filters: t.Unsafe<Json>(t.Unknown()),
    last_modified_at: DateTime,
    last_modified_by: UserShape,
    recordings_counts: t.Record(t.String(), t.Record(t.String(), t.Integer())),
    type: t.String({ enum: [...PLAYLIST_TYPES] }),
  },
  { $id: "Playlist" },
);

/** A recording of a playlist. */
export const PlaylistRecordingShape = t.Object(
  { id: t.String({ description: "The session's id." }), added_at: DateTime },
  { $id: "PlaylistRecording" },
);

/** What there is to tell of a call that has nothing to show. */
export const SuccessShape = t.Object({ success: t.Literal(true) }, { $id: "Success" });

/** An integer of a body: Elysia's own takes texts for one. */
export const BodyInteger = (description?: string) =>
  t.Number({ multipleOf: 1, ...(description === undefined ? {} : { description }) });

/** A personal key. */
export const KeyShape = t.Object(
  {
    id: t.Integer(),
    user_id: t.Integer(),
    label: t.String(),
    value: t.Nullable(t.String({ description: "The key: only in the answer that made it." })),
    mask_value: t.String(),
    scopes: t.Array(t.String()),
    scoped_teams: t.Nullable(t.Array(t.Integer(), { description: "Null for all projects." })),
    created_at: DateTime,
    expires_at: t.Nullable(DateTime),
    last_used_at: t.Nullable(t.String({ format: "date-time", description: "To the hour." })),
    last_rolled_at: t.Nullable(DateTime),
  },
  { $id: "PersonalApiKey" },
);

/** A project. */
export const ProjectShape = t.Object(
  {
    id: t.Integer(),
    uuid: Uuid,
    name: t.String(),
    api_token: t.String({ description: "The project key: public, for capture." }),
    former_api_tokens: t.Array(t.Object({ api_token: t.String(), ends_at: DateTime }), {
      description: "Replaced project keys that are accepted until they end.",
    }),
    timezone: t.String(),
    created_at: DateTime,
  },
  { $id: "Project" },
);

/** A reason why events or log records were dropped or changed, and the newest of them. */
export const WarningShape = t.Object(
  {
    type: t.String(),
    severity: t.String({
      enum: ["error", "warning", "info"],
      description: "error: not stored. warning: stored, but not as sent. info: as it should be.",
    }),
    meaning: t.String(),
    count: t.Integer({ description: "How many events or log records it happened to, ever." }),
    first_at: DateTime,
    last_at: DateTime,
    samples: t.Array(
      t.Object({
        at: DateTime,
        count: t.Integer({ description: "How many of one request; one of them is named." }),
        event_uuid: t.Nullable(Uuid),
        distinct_id: t.Nullable(t.String()),
      }),
      { description: "The newest first. Old ones are forgotten, but stay counted." },
    ),
  },
  { $id: "IngestionWarning" },
);

/** The error envelope. */
export const ProblemShape = t.Object(
  {
    type: t.String(),
    code: t.String(),
    detail: t.String(),
    attr: t.Nullable(t.String()),
  },
  { $id: "Problem" },
);

/** The list envelope (contract 2.2) of a shape. */
export function PageOf<T extends TSchema>(shape: T) {
  const link = t.Nullable(t.String({ format: "uri" }));
  return t.Object(
    {
      count: t.Integer({ description: "All results, on every page." }),
      next: link,
      previous: link,
      results: t.Array(shape),
    },
    { $id: `${shape.$id}Page` },
  );
}

/** `limit` and `offset` of every list. */
export const Paging = {
  limit: t.Optional(
    t.Integer({
      description: `Results per page: ${PAGE_LIMIT_DEFAULT} by default, at most ${PAGE_LIMIT_MAX}.`,
    }),
  ),
  offset: t.Optional(t.Integer({ description: "How many results to pass over." })),
};
