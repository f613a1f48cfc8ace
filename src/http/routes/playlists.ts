import { t } from "elysia";
import {
  PLAYLIST_CHARS_MAX,
  PLAYLIST_FILTERS_BYTES_MAX,
  PLAYLIST_ORDERS,
  PLAYLIST_TYPES,
} from "../../core/playlists/playlist.ts";
import type { Playlists } from "../../core/playlists/playlists.ts";
import { Failure } from "../../core/values/failure.ts";
import { INSTEAD } from "../../core/values/instead.ts";
import { pageQuery } from "../../core/values/page.ts";
import { route } from "../operation/route.ts";
import {
  AnyValue,
  PageLink,
  PageOf,
  Paging,
  PlaylistRecordingShape,
  PlaylistShape,
  SuccessShape,
  Text,
  Whole,
} from "../operation/schemas.ts";

/** Fails `not_found` for a path of PostHog in the place of a recording. */
function checkRecording(id: string): void {
  if (Object.hasOwn(INSTEAD.path, `session_recording_playlists/recordings/${id}`)) {
    throw new Failure("not_found", "Not found.");
  }
}

const PLAYLISTS = "/api/environments/:project_id/session_recording_playlists/";
const PLAYLIST = `${PLAYLISTS}:short_id/` as const;
const RECORDING = `${PLAYLIST}recordings/:session_recording_id/` as const;

/** Methods on the path of a playlist. DELETE is refused without a body (contract 4.4). */
const ALLOWED = "GET, HEAD, PATCH";

const ShortId = t.Object({ short_id: Text("k7mXq2pB") });
const Recording = t.Object({
  ...ShortId.properties,
  session_recording_id: Text("0193a5b1-7f3c", "The id of the session; it need not exist."),
});

const text = (name: keyof typeof PLAYLIST_CHARS_MAX, example: string) =>
  t.Optional(Text(example, `At most ${PLAYLIST_CHARS_MAX[name]} characters.`));

const nullable = (name: "name" | "derived_name", example: string) =>
  t.Optional(
    t.Nullable(Text(example, `At most ${PLAYLIST_CHARS_MAX[name]} characters; null empties it.`)),
  );

const fields = {
  name: nullable("name", "Lost carts"),
  derived_name: nullable("derived_name", "Left the checkout"),
  description: text("description", "Visitors who left without paying."),
  pinned: t.Optional(t.Boolean()),
  deleted: t.Optional(t.Boolean({ description: "true deletes the playlist, false restores it." })),
  filters: t.Optional(
    AnyValue({ duration: 60 }, `Any JSON, at most ${PLAYLIST_FILTERS_BYTES_MAX} bytes.`),
  ),
  _create_in_folder: text("_create_in_folder", "Checkout"),
};
const FieldsBody = t.Optional(
  t.Object(fields, {
    $id: "PlaylistFields",
    examples: [{ name: "Lost carts", pinned: true }],
  }),
);
const DraftBody = t.Optional(
  t.Object(
    {
      ...fields,
      type: t.Optional(
        t.String({
          description:
            "By default collection. `filters` needs filters and takes no recordings; `collection` must not have filters if it is sent. It cannot be changed later.",
          enum: [...PLAYLIST_TYPES],
        }),
      ),
    },
    {
      $id: "PlaylistDraft",
      examples: [{ name: "Lost carts", description: "Visitors who left without paying." }],
    },
  ),
);

/** Recordings as clients of this API expect them: a list with `has_next` and `version` (decision 45). */
const RecordingsShape = t.Object(
  {
    results: t.Array(PlaylistRecordingShape),
    has_next: t.Boolean(),
    next: PageLink,
    version: t.Literal(4),
  },
  { $id: "PlaylistRecordings" },
);

const PlaylistsQuery = t.Object({
  ...Paging,
  created_by: t.Optional(Whole(1, "The id of the user who made it.")),
  short_id: t.Optional(Text("k7mXq2pB")),
  search: t.Optional(Text("cart", "A part of name or derived name, in any case.")),
  pinned: t.Optional(t.Boolean()),
  type: t.Optional(t.String({ enum: [...PLAYLIST_TYPES] })),
  deleted: t.Optional(t.Boolean({ description: "By default false." })),
  date_from: t.Optional(
    Text("-7d", "Last modified at this time or later: ISO 8601, or an age such as -7d."),
  ),
  date_to: t.Optional(
    Text(
      "2026-11-30",
      "Last modified at this time or day, or earlier. Days are in the project's time zone.",
    ),
  ),
  order: t.Optional(
    t.String({
      description: "By default -last_modified_at.",
      enum: PLAYLIST_ORDERS.flatMap((order) => [order, `-${order}`]),
    }),
  ),
});

/** Session recording playlists (contract 4.1, 4.3). */
export const playlistRoutes = (playlists: Playlists) => [
  route({
    method: "GET",
    path: PLAYLISTS,
    scope: "session_recording_playlist:read",
    operationId: "playlists_list",
    summary: "List playlists, the last modified first.",
    query: PlaylistsQuery,
    status: 200,
    response: PageOf(PlaylistShape),
    handle({ project, query, url }) {
      const { limit, offset, cursor, ...filter } = query;
      return playlists.list(project, filter, pageQuery({ limit, offset, cursor }), url);
    },
  }),
  route({
    method: "POST",
    path: PLAYLISTS,
    scope: "session_recording_playlist:write",
    operationId: "playlists_create",
    summary: "Make a playlist.",
    body: DraftBody,
    status: 201,
    response: PlaylistShape,
    handle: ({ project, principal, body }) =>
      playlists.create(project, principal.user_id, body ?? {}),
  }),
  route({
    method: "GET",
    path: PLAYLIST,
    scope: "session_recording_playlist:read",
    operationId: "playlists_retrieve",
    summary: "Read a playlist.",
    params: ShortId,
    status: 200,
    response: PlaylistShape,
    handle: ({ project, params }) => playlists.get({ project, ...params }),
  }),
  route({
    method: "PATCH",
    path: PLAYLIST,
    scope: "session_recording_playlist:write",
    operationId: "playlists_partial_update",
    summary: "Change a playlist; `deleted` deletes and restores it.",
    params: ShortId,
    body: FieldsBody,
    status: 200,
    response: PlaylistShape,
    handle: ({ project, principal, params, body }) =>
      playlists.change({ project, ...params }, principal.user_id, body ?? {}),
  }),
  route({
    method: "DELETE",
    path: PLAYLIST,
    scope: "session_recording_playlist:write",
    operationId: "playlists_destroy",
    summary: "Always refused: a playlist is deleted by PATCH.",
    params: ShortId,
    status: 405,
    response: t.Void(),
    handle: async () => new Response(null, { status: 405, headers: { allow: ALLOWED } }),
  }),
  ...recordingRoutes(playlists),
];

const recordingRoutes = (playlists: Playlists) => [
  route({
    method: "GET",
    path: `${PLAYLIST}recordings/`,
    scope: "session_recording_playlist:read",
    operationId: "playlists_recordings_list",
    summary: "List the recordings of a playlist, the last added first.",
    params: ShortId,
    query: t.Object(Paging),
    status: 200,
    empty: true,
    response: RecordingsShape,
    handle: ({ project, params, query, url }) =>
      playlists.recordings({ project, ...params }, pageQuery(query), url),
  }),
  route({
    method: "POST",
    path: RECORDING,
    scope: "session_recording_playlist:write",
    operationId: "playlists_recordings_create",
    summary: "Add a recording to a playlist, unless it is there.",
    params: Recording,
    body: FieldsBody,
    status: 200,
    empty: true,
    response: SuccessShape,
    async handle({ project, params: { short_id, session_recording_id }, body }) {
      checkRecording(session_recording_id);
      await playlists.attach({ project, short_id }, session_recording_id, body ?? {});
      return { success: true };
    },
  }),
  route({
    method: "DELETE",
    path: RECORDING,
    scope: "session_recording_playlist:write",
    operationId: "playlists_recordings_destroy",
    summary: "Remove a recording from a playlist.",
    params: Recording,
    status: 204,
    empty: true,
    response: SuccessShape,
    async handle({ project, params: { short_id, session_recording_id } }) {
      checkRecording(session_recording_id);
      await playlists.detach({ project, short_id }, session_recording_id);
      return { success: true };
    },
  }),
];
