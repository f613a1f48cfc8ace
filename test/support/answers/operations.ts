import { personUuid } from "../../../src/core/identity/person.ts";
import { batch, event } from "../data/build-records.ts";
import type { TestProject } from "../start/app.ts";

const PERSONS = "/api/environments/:project_id/persons/";
const PERSON = `${PERSONS}:id/`;
const PLAYLISTS = "/api/environments/:project_id/session_recording_playlists/";
const PLAYLIST = `${PLAYLISTS}:short_id/`;
const RECORDING = `${PLAYLIST}recordings/:session_recording_id/`;
const ENVIRONMENT = "/api/environments/:project_id/";
const INSIGHTS = `${ENVIRONMENT}insights/`;
const KEYS = "/api/personal_api_keys/";
const PROJECT = "/api/projects/:project_id/";

/** A management operation: `parameters` are those of its query; `asked` is what it is tried with. */
export type Row = [
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  scope: string,
  success: number,
  parameters: string,
  asked?: { query?: string; body?: object },
];

/** The operations of contract 4.1, in its order. */
const OF_CONTRACT: Row[] = [
  [
    "POST",
    "/api/environments/:project_id/logs/query/",
    "error_tracking:read",
    200,
    "",
    { body: { query: {} } },
  ],
  [
    "POST",
    `${ENVIRONMENT}max_tools/create_and_query_insight/`,
    "insight:read",
    200,
    "format",
    { body: { query: { kind: "TrendsQuery", series: [{ event: "tested" }] } } },
  ],
  ["GET", `${ENVIRONMENT}query/draft_sql/`, "insight:read", 200, "prompt"],
  [
    "GET",
    PERSONS,
    "person:read",
    200,
    "cursor distinct_id email format limit offset properties search",
  ],
  ["GET", PERSON, "person:read", 200, "format"],
  ["PATCH", PERSON, "person:write", 200, "format", { body: { properties: {} } }],
  ["DELETE", PERSON, "person:write", 204, "delete_events format keep_person"],
  ["GET", `${PERSON}activity/`, "activity_log:read", 200, "cursor format limit page"],
  ["POST", `${PERSON}delete_events/`, "person:write", 200, "format"],
  [
    "POST",
    `${PERSON}delete_property/`,
    "person:write",
    201,
    "$unset format",
    { query: "?$unset=plan" },
  ],
  [
    "GET",
    PLAYLISTS,
    "session_recording_playlist:read",
    200,
    "created_by cursor date_from date_to limit offset order pinned search short_id type",
  ],
  ["POST", PLAYLISTS, "session_recording_playlist:write", 201, "", { body: { name: "carts" } }],
  ["GET", PLAYLIST, "session_recording_playlist:read", 200, ""],
  ["PATCH", PLAYLIST, "session_recording_playlist:write", 200, "", { body: { pinned: true } }],
  ["DELETE", PLAYLIST, "session_recording_playlist:write", 405, ""],
  ["GET", `${PLAYLIST}recordings/`, "session_recording_playlist:read", 200, "cursor limit offset"],
  ["POST", RECORDING, "session_recording_playlist:write", 200, ""],
  ["DELETE", RECORDING, "session_recording_playlist:write", 204, ""],
];

/** Every management operation: one that has no row here fails the test of the table. */
export const OPERATIONS: Row[] = [
  ...OF_CONTRACT,
  ["GET", INSIGHTS, "insight:read", 200, "cursor limit offset"],
  ["GET", `${INSIGHTS}:short_id/`, "insight:read", 200, ""],
  ["GET", `${PERSONS}values/`, "person:read", 200, "key value", { query: "?key=plan" }],
  ["GET", `${PERSONS}activity/`, "activity_log:read", 200, "cursor format limit page"],
  [
    "GET",
    `${PERSONS}deletion_status/`,
    "person:read",
    200,
    "cursor limit offset person_uuid status",
  ],
  ["POST", `${PERSONS}bulk_delete/`, "person:write", 202, "", { body: { ids: [1] } }],
  [
    "POST",
    `${PERSON}update_property/`,
    "person:write",
    202,
    "format",
    { body: { key: "n", value: 1 } },
  ],
  ["POST", `${PERSON}split/`, "person:write", 201, ""],
  [
    "GET",
    "/api/environments/:project_id/events/",
    "query:read",
    200,
    "after before cursor distinct_id event limit offset person_id uuid",
  ],
  [
    "POST",
    `${ENVIRONMENT}query/`,
    "query:read",
    200,
    "format",
    { body: { query: { kind: "HogQLQuery", query: "SELECT 1" } } },
  ],
  [
    "GET",
    `${ENVIRONMENT}event_definitions/`,
    "event_definition:read",
    200,
    "cursor limit offset search",
  ],
  [
    "GET",
    `${ENVIRONMENT}property_definitions/`,
    "property_definition:read",
    200,
    "cursor limit offset search type",
  ],
  [
    "GET",
    "/api/environments/:project_id/groups/",
    "group:read",
    200,
    "cursor group_type_index limit offset search",
    { query: "?group_type_index=0" },
  ],
  ["GET", "/api/environments/:project_id/groups_types/", "group:read", 200, ""],
  [
    "GET",
    "/api/environments/:project_id/ingestion_warnings/",
    "project:read",
    200,
    "cursor limit offset type",
  ],
  ["GET", "/api/projects/", "project:read", 200, "cursor limit offset"],
  ["POST", "/api/projects/", "project:write", 201, "", { body: { name: "Shop" } }],
  ["GET", PROJECT, "project:read", 200, ""],
  ["PATCH", PROJECT, "project:write", 200, "", { body: { name: "Shop" } }],
  ["PATCH", `${PROJECT}reset_token/`, "project:write", 200, ""],
  ["GET", KEYS, "personal_api_key:read", 200, ""],
  [
    "POST",
    KEYS,
    "personal_api_key:write",
    201,
    "",
    { body: { label: "ci", scopes: ["personal_api_key:read"] } },
  ],
  ["GET", `${KEYS}:id/`, "personal_api_key:read", 200, ""],
  ["PATCH", `${KEYS}:id/`, "personal_api_key:write", 200, "", { body: { label: "cd" } }],
  ["DELETE", `${KEYS}:id/`, "personal_api_key:write", 204, ""],
  ["POST", `${KEYS}:id/roll/`, "personal_api_key:write", 200, ""],
  ["GET", "/api/users/@me/", "user:read", 200, ""],
  ["GET", "/metrics", "project:read", 200, ""],
];

/** A path with ids in it: of a project, of its person of the distinct id `ann`, of the key that asks. */
export function concrete(
  path: string,
  { project = "1", playlist = "x", insight = "x" } = {},
): string {
  const ann = personUuid(Number(project), "ann");
  return path
    .replace(":project_id", project)
    .replace(":id", path.startsWith(KEYS) ? "@current" : ann)
    .replace(":short_id", path.startsWith(INSIGHTS) ? insight : playlist)
    .replace(":session_recording_id", "r");
}

/**
 * Makes what operations are about: a person with a merge to undo, a playlist with a recording, an
 * insight.
 */
export async function something(
  app: TestProject,
): Promise<{ project: string; playlist: string; insight: string }> {
  const merge = { event: "$create_alias", distinct_id: "new", properties: { alias: "ann" } };
  await app.capture(batch(event(), event({ distinct_id: "new" }), event(merge)));
  const project = String(app.id);
  const made = await app.ask("POST", concrete(PLAYLISTS, { project }));
  const { short_id: playlist } = made.body as { short_id: string };
  await app.ask("POST", concrete(RECORDING, { project, playlist }));
  const asked = await app.ask(
    "POST",
    concrete(`${ENVIRONMENT}max_tools/create_and_query_insight/`, { project }),
    {
      body: { query: { kind: "TrendsQuery", series: [{}] } },
      headers: { prefer: "return=representation" },
    },
  );
  const { insight } = asked.body as { insight: { short_id: string } };
  return { project, playlist, insight: insight.short_id };
}

/** A new personal key, for everything unless `draft` says otherwise. */
export async function keyWith({ app }: TestProject, draft: object): Promise<string> {
  return (await app.keys.create({ label: "test", scopes: ["*"], ...draft })).value;
}
