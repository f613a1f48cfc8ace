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
const ANNOTATIONS = `${ENVIRONMENT}annotations/`;
const DASHBOARDS = `${ENVIRONMENT}dashboards/`;
const INSIGHT_QUERY = `${ENVIRONMENT}max_tools/create_and_query_insight/`;
const EVENT_NAMES = `${ENVIRONMENT}event_definitions/`;
const KEYS = "/api/personal_api_keys/";
const ORGANIZATIONS = "/api/organizations/";
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

const VIEWS = "session_recording_playlist:read";
const EDITS = "session_recording_playlist:write";
const LIST = "cursor limit offset";
const FOUND = "cursor distinct_id email format limit offset properties search";
const LISTED =
  "created_by cursor date_from date_to deleted limit offset order pinned search short_id type";
const KEPT =
  "created_by cursor dashboards deleted favorited limit offset saved search short_id tags";
const BOARDS = "created_by cursor deleted limit offset pinned search tags";
const NOTES = "cursor dashboard_item date_from date_to deleted limit offset scope";
const EVENTS =
  "after before cursor distinct_id event limit offset orderBy person_id properties uuid";

/** Bodies and queries that try the operations. */
const TREND = { body: { query: { kind: "TrendsQuery", series: [{ event: "tested" }] } } };
const SQL = { body: { query: { kind: "HogQLQuery", query: "SELECT 1" } } };
const NEW_KEY = { body: { label: "ci", scopes: ["personal_api_key:read"] } };
const UNSET = { query: "?$unset=plan" };
const GROUPS = { query: "?group_type_index=0" };
const GROUP = { query: "?group_type_index=0&group_key=acme" };
const NOTE = { body: { also_called: ["order"] } };
const KEY = { query: "?key=plan" };

/** Every management operation: one that has no row here fails the test of the table. */
export const OPERATIONS: Row[] = [
  ["POST", `${ENVIRONMENT}logs/query/`, "error_tracking:read", 200, "", { body: { query: {} } }],
  ["POST", INSIGHT_QUERY, "insight:read", 200, "format", TREND],
  ["GET", `${ENVIRONMENT}query/draft_sql/`, "insight:read", 200, "prompt"],
  ["POST", `${ENVIRONMENT}query/read/`, "insight:read", 200, "", TREND],
  ["GET", PERSONS, "person:read", 200, FOUND],
  ["GET", PERSON, "person:read", 200, "format"],
  ["PATCH", PERSON, "person:write", 200, "format", { body: { properties: {} } }],
  ["DELETE", PERSON, "person:write", 204, "delete_events format keep_person"],
  ["GET", `${PERSON}activity/`, "activity_log:read", 200, "cursor format limit page"],
  ["POST", `${PERSON}delete_events/`, "person:write", 200, "format"],
  ["POST", `${PERSON}delete_property/`, "person:write", 201, "$unset format", UNSET],
  ["GET", PLAYLISTS, VIEWS, 200, LISTED],
  ["POST", PLAYLISTS, EDITS, 201, "", { body: { name: "carts" } }],
  ["GET", PLAYLIST, VIEWS, 200, ""],
  ["PATCH", PLAYLIST, EDITS, 200, "", { body: { pinned: true } }],
  ["DELETE", PLAYLIST, EDITS, 405, ""],
  ["GET", `${PLAYLIST}recordings/`, VIEWS, 200, LIST],
  ["POST", RECORDING, EDITS, 200, ""],
  ["DELETE", RECORDING, EDITS, 204, ""],
  ["GET", INSIGHTS, "insight:read", 200, KEPT],
  ["POST", INSIGHTS, "insight:write", 201, "", TREND],
  ["GET", `${INSIGHTS}:short_id/`, "insight:read", 200, ""],
  ["PATCH", `${INSIGHTS}:short_id/`, "insight:write", 200, "", { body: { name: "visits" } }],
  ["DELETE", `${INSIGHTS}:short_id/`, "insight:write", 204, ""],
  ["GET", ANNOTATIONS, "annotation:read", 200, NOTES],
  ["POST", ANNOTATIONS, "annotation:write", 201, "", { body: { content: "prices" } }],
  ["GET", `${ANNOTATIONS}:id/`, "annotation:read", 200, ""],
  ["PATCH", `${ANNOTATIONS}:id/`, "annotation:write", 200, "", { body: { content: "x" } }],
  ["DELETE", `${ANNOTATIONS}:id/`, "annotation:write", 405, ""],
  ["GET", DASHBOARDS, "dashboard:read", 200, BOARDS],
  ["POST", DASHBOARDS, "dashboard:write", 201, "", { body: { use_template: "website" } }],
  ["GET", `${DASHBOARDS}:id/`, "dashboard:read", 200, ""],
  ["PATCH", `${DASHBOARDS}:id/`, "dashboard:write", 200, "", { body: { pinned: true } }],
  ["DELETE", `${DASHBOARDS}:id/`, "dashboard:write", 405, ""],
  ["GET", `${PERSONS}values/`, "person:read", 200, "key value", KEY],
  ["GET", `${PERSONS}activity/`, "activity_log:read", 200, "cursor format limit page"],
  ["GET", `${PERSONS}deletion_status/`, "person:read", 200, `${LIST} person_uuid status`],
  ["GET", `${PERSONS}deletions/:deletion_id/`, "person:read", 200, ""],
  ["POST", `${PERSONS}deletions/:deletion_id/cancel/`, "person:write", 200, ""],
  [
    "GET",
    `${PERSONS}deletion_preview/`,
    "person:read",
    200,
    "distinct_id",
    { query: "?distinct_id=ann" },
  ],
  ["GET", `${PERSON}deletion_preview/`, "person:read", 200, ""],
  ["GET", `${PERSON}merges/`, "person:read", 200, ""],
  ["POST", `${PERSONS}bulk_delete/`, "person:write", 202, "", { body: { distinct_ids: ["ann"] } }],
  [
    "POST",
    `${PERSON}update_property/`,
    "person:write",
    202,
    "format",
    { body: { key: "n", value: 1 } },
  ],
  ["POST", `${PERSON}split/`, "person:write", 201, "", { body: { main_distinct_id: "ann" } }],
  ["GET", `${ENVIRONMENT}events/`, "query:read", 200, EVENTS],
  ["GET", `${ENVIRONMENT}events/values/`, "query:read", 200, "event_name key value", KEY],
  ["GET", `${ENVIRONMENT}events/live/`, "query:read", 200, "distinctId eventType"],
  ["GET", `${ENVIRONMENT}query/schema/`, "query:read", 200, ""],
  ["GET", `${ENVIRONMENT}groups/find/`, "group:read", 200, "group_key group_type_index", GROUP],
  [
    "GET",
    `${ENVIRONMENT}groups/values/`,
    "group:read",
    200,
    "group_type_index key value",
    { query: "?group_type_index=0&key=plan" },
  ],
  ["GET", `${ENVIRONMENT}events/:uuid/`, "query:read", 200, ""],
  ["POST", `${ENVIRONMENT}query/`, "query:read", 200, "format", SQL],
  ["POST", `${ENVIRONMENT}query/stream/`, "query:read", 200, "", { body: { queries: [SQL.body] } }],
  ["DELETE", `${ENVIRONMENT}query/:client_query_id/`, "query:read", 204, ""],
  ["GET", EVENT_NAMES, "event_definition:read", 200, `${LIST} search`],
  ["GET", `${EVENT_NAMES}:name/`, "event_definition:read", 200, "name"],
  ["PATCH", `${EVENT_NAMES}:name/`, "event_definition:write", 200, "", NOTE],
  ["GET", `${ENVIRONMENT}property_definitions/:name/`, "property_definition:read", 200, "type"],
  [
    "PATCH",
    `${ENVIRONMENT}property_definitions/:name/`,
    "property_definition:write",
    200,
    "type",
    NOTE,
  ],
  [
    "GET",
    `${ENVIRONMENT}property_definitions/`,
    "property_definition:read",
    200,
    "cursor event_names exclude_core_properties filter_by_event_names limit offset properties search type",
  ],
  [
    "GET",
    `${ENVIRONMENT}groups/`,
    "group:read",
    200,
    "cursor group_type_index limit offset search",
    GROUPS,
  ],
  ["GET", `${ENVIRONMENT}groups_types/`, "group:read", 200, ""],
  ["GET", `${ENVIRONMENT}ingestion_warnings/`, "project:read", 200, `${LIST} type`],
  ["GET", "/api/projects/", "project:read", 200, LIST],
  ["POST", "/api/projects/", "project:write", 201, "", { body: { name: "Shop" } }],
  ["GET", PROJECT, "project:read", 200, ""],
  ["GET", `${PROJECT}status/`, "project:read", 200, ""],
  ["PATCH", PROJECT, "project:write", 200, "", { body: { name: "Shop" } }],
  ["PATCH", `${PROJECT}reset_token/`, "project:write", 200, ""],
  ["GET", KEYS, "personal_api_key:read", 200, ""],
  ["POST", KEYS, "personal_api_key:write", 201, "", NEW_KEY],
  ["GET", `${KEYS}:id/`, "personal_api_key:read", 200, ""],
  ["PATCH", `${KEYS}:id/`, "personal_api_key:write", 200, "", { body: { label: "cd" } }],
  ["DELETE", `${KEYS}:id/`, "personal_api_key:write", 204, ""],
  ["POST", `${KEYS}:id/roll/`, "personal_api_key:write", 200, ""],
  ["GET", "/api/users/@me/", "user:read", 200, ""],
  ["GET", ORGANIZATIONS, "project:read", 200, "limit offset"],
  ["GET", `${ORGANIZATIONS}:organization_id/`, "project:read", 200, ""],
  ["GET", `${ORGANIZATIONS}:organization_id/projects/`, "project:read", 200, LIST],
  ["GET", `${ORGANIZATIONS}:organization_id/projects/:project_id/`, "project:read", 200, ""],
  ["GET", "/metrics", "project:read", 200, ""],
];

/** The uuid of no event. */
const ABSENT = "0193a5b1-7f3c-4d21-8a01-2d9c3f1e5b78";

/** A path with ids in it: of a project, of its person of the distinct id `ann`, of the key that asks. */
export function concrete(path: string, ids: Partial<Made> = {}): string {
  const { project = "1", playlist = "x", insight = "x", event = ABSENT } = ids;
  const { deletion = "999", dashboard = "1", annotation = "1" } = ids;
  return path
    .replace(":project_id", project)
    .replace(":id", () => {
      if (path.startsWith(KEYS)) return "@current";
      if (path.startsWith(DASHBOARDS)) return dashboard;
      return path.startsWith(ANNOTATIONS) ? annotation : personUuid(Number(project), "ann");
    })
    .replace(":short_id", path.startsWith(INSIGHTS) ? insight : playlist)
    .replace(":name", () => (path.startsWith(EVENT_NAMES) ? "$groupidentify" : "$group_type"))
    .replace(":organization_id", "@current")
    .replace(":session_recording_id", "r")
    .replace(":deletion_id", deletion)
    .replace(":uuid", event);
}

/** Ids of things that operations are about. */
type Made = {
  [kind in
    | ("project" | "playlist" | "insight" | "event")
    | ("deletion" | "dashboard" | "annotation")]: string;
};

/**
 * Makes what operations are about: an event, a group, a person with a merge to undo and a deletion that
 * waits, a playlist with a recording, an insight, a
 * dashboard, an annotation.
 */
export async function something(app: TestProject): Promise<Made> {
  const merge = { event: "$create_alias", distinct_id: "new", properties: { alias: "ann" } };
  const seen = event();
  const $group_set = { plan: "pro" };
  const group = {
    event: "$groupidentify",
    properties: { $group_type: "company", $group_key: "acme", $group_set },
  };
  await app.capture(batch(seen, event({ distinct_id: "new" }), event(merge), event(group)));
  const project = String(app.id);
  const made = await app.ask("POST", concrete(PLAYLISTS, { project }));
  const { short_id: playlist } = made.body as { short_id: string };
  await app.ask("POST", concrete(RECORDING, { project, playlist }));
  const asked = await app.ask("POST", concrete(INSIGHT_QUERY, { project }), {
    body: { query: { kind: "TrendsQuery", series: [{}] } },
    headers: { prefer: "return=representation" },
  });
  const { insight } = asked.body as { insight: { short_id: string } };
  await app.ask("POST", `${concrete(PERSON, { project })}delete_events/`);
  const queued = await app.get("/persons/deletion_status/?limit=1");
  const [deletion] = (queued.body as { results: { id: number }[] }).results;
  const [dashboard, annotation] = await Promise.all(
    [[DASHBOARDS, { name: "Sales" }] as const, [ANNOTATIONS, { content: "prices" }] as const].map(
      async ([path, sent]) => {
        const { body } = await app.ask("POST", concrete(path, { project }), { body: sent });
        return String((body as { id: number }).id);
      },
    ),
  );
  return {
    ...{ project, playlist, insight: insight.short_id, event: seen.uuid },
    ...{ dashboard: dashboard ?? "", annotation: annotation ?? "" },
    deletion: String(deletion?.id),
  };
}

/** Paths of operations that take something away that others are about. */
const TAKES_AWAY = /delete|split|cancel|reset_token/;

/**
 * Gives each operation a project with {@link something}: a new one if it takes something away, else one that it
 * shares.
 */
export function projectsOf(newProject: () => Promise<TestProject>) {
  const made = async () => {
    const own = await newProject();
    return { own, ids: await something(own) };
  };
  let common: ReturnType<typeof made> | undefined;
  return ([method, path, , success]: Readonly<Row>) => {
    if (success < 400 && (method === "DELETE" || TAKES_AWAY.test(path))) return made();
    common ??= made();
    return common;
  };
}

/** A new personal key, for everything unless `draft` says otherwise. */
export async function keyWith({ app }: TestProject, draft: object): Promise<string> {
  return (await app.keys.create({ label: "test", scopes: ["*"], ...draft })).value;
}
