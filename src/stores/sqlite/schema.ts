import { getTableColumns } from "drizzle-orm";
import { alias, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ANNOTATION_SCOPES } from "../../core/dashboards/annotation.ts";
import type { Layouts } from "../../core/dashboards/dashboard.ts";
import type { DeletionKind, DeletionState, Places } from "../../core/erasure/deletion.ts";
import type { DescribedKind } from "../../core/events/definition.ts";
import type { ActivityDetail } from "../../core/identity/activity.ts";
import { PLAYLIST_TYPES } from "../../core/playlists/playlist.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";

/** Single facts about the data, such as `applied_seq` of the journal and `version` of the persons. */
export const meta = sqliteTable("meta", {
  key: text().primaryKey(),
  value: text().notNull(),
});

/** Notes of projects on events and properties by name. */
export const definitionNote = sqliteTable(
  "definition_note",
  {
    project_id: integer().notNull(),
    kind: text().$type<DescribedKind>().notNull(),
    name: text().notNull(),
    description: text().notNull(),
    also_called: text({ mode: "json" }).$type<string[]>().notNull(),
    tags: text({ mode: "json" }).$type<string[]>().notNull(),
    verified: integer({ mode: "boolean" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.project_id, table.kind, table.name] })],
);

/** Projects; a row has the fields of `Project`. */
export const project = sqliteTable("project", {
  id: integer().primaryKey({ autoIncrement: true }),
  uuid: text().notNull(),
  name: text().notNull(),
  api_token: text().notNull(),
  timezone: text().notNull(),
  created_at: text().notNull(),
});

/** Project keys that were replaced, and are accepted until `ends_at`. */
export const formerProjectKey = sqliteTable("former_project_key", {
  api_token: text().primaryKey(),
  project_id: integer().notNull(),
  ends_at: text().notNull(),
});

/** Users; a row has the fields of `User`, and the time at which it was made. */
export const user = sqliteTable("user", {
  id: integer().primaryKey({ autoIncrement: true }),
  uuid: text().notNull(),
  distinct_id: text().notNull(),
  first_name: text().notNull(),
  last_name: text().notNull(),
  email: text().notNull(),
  is_email_verified: integer({ mode: "boolean" }).notNull(),
  hedgehog_config: text({ mode: "json" }).$type<JsonObject>().notNull(),
  role_at_organization: text().notNull(),
  created_at: text().notNull(),
});

/** Personal keys: the SHA-256, never the key. */
export const personalApiKey = sqliteTable("personal_api_key", {
  id: integer().primaryKey({ autoIncrement: true }),
  user_id: integer().notNull(),
  label: text().notNull(),
  hash: text().notNull(),
  mask_value: text().notNull(),
  scopes: text({ mode: "json" }).$type<string[]>().notNull(),
  scoped_teams: text({ mode: "json" }).$type<number[]>(),
  created_at: text().notNull(),
  expires_at: text(),
  revoked_at: text(),
  last_used_at: text(),
  last_rolled_at: text(),
});

/** Sessions of the console: SHA-256 of the value in the cookie, and of the key. */
export const consoleSession = sqliteTable("console_session", {
  id: integer().primaryKey({ autoIncrement: true }),
  hash: text().notNull(),
  key_hash: text().notNull(),
  user_id: integer().notNull(),
  method: text({ enum: ["link", "key"] }).notNull(),
  browser: text().notNull(),
  created_at: text().notNull(),
  last_seen_at: text().notNull(),
});

/** Links that sign in to the console once. */
export const consoleLink = sqliteTable("console_link", {
  hash: text().primaryKey(),
  key_hash: text().notNull(),
  ends_at: text().notNull(),
});

/** Persons. */
export const person = sqliteTable("person", {
  id: integer().primaryKey({ autoIncrement: true }),
  project_id: integer().notNull(),
  uuid: text().notNull(),
  properties: text({ mode: "json" }).$type<JsonObject>().notNull(),
  created_at: text().notNull(),
  is_identified: integer({ mode: "boolean" }).notNull(),
  auto_properties: integer().notNull(),
  version: integer().notNull(),
});

/** Distinct ids with their person; `position` 0 is the main id. */
export const distinctId = sqliteTable(
  "distinct_id",
  {
    project_id: integer().notNull(),
    distinct_id: text().notNull(),
    person_id: integer().notNull(),
    position: integer().notNull(),
    initial_uuid: text(),
  },
  (table) => [primaryKey({ columns: [table.project_id, table.distinct_id] })],
);

/** How many persons a project has. */
export const personCount = sqliteTable("person_count", {
  project_id: integer().primaryKey(),
  count: integer().notNull(),
});

/** Total count of each type of warning of a project. */
export const ingestionWarning = sqliteTable(
  "ingestion_warning",
  {
    project_id: integer().notNull(),
    type: text().notNull(),
    count: integer().notNull(),
    first_at: text().notNull(),
    last_at: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.project_id, table.type] })],
);

/** The newest samples of each type of warning of a project. */
export const ingestionWarningSample = sqliteTable("ingestion_warning_sample", {
  id: integer().primaryKey({ autoIncrement: true }),
  project_id: integer().notNull(),
  type: text().notNull(),
  at: text().notNull(),
  count: integer().notNull(),
  event_uuid: text(),
  distinct_id: text(),
});

/** Session recording playlists. */
export const playlist = sqliteTable("playlist", {
  id: integer().primaryKey({ autoIncrement: true }),
  project_id: integer().notNull(),
  short_id: text().notNull(),
  name: text().notNull(),
  derived_name: text().notNull(),
  description: text().notNull(),
  pinned: integer({ mode: "boolean" }).notNull(),
  deleted: integer({ mode: "boolean" }).notNull(),
  filters: text({ mode: "json" }).$type<Json>(),
  type: text({ enum: PLAYLIST_TYPES }).notNull(),
  _create_in_folder: text(),
  created_at: text().notNull(),
  created_by: integer().notNull(),
  last_modified_at: text().notNull(),
  last_modified_by: integer().notNull(),
  recordings: integer().notNull().default(0),
});

/** Recordings of playlists. */
export const playlistRecording = sqliteTable("playlist_recording", {
  id: integer().primaryKey({ autoIncrement: true }),
  playlist_id: integer().notNull(),
  session_recording_id: text().notNull(),
  added_at: text().notNull(),
});

/** Changes of persons and the user who made them: `user_id` is null for events. */
export const activity = sqliteTable("activity", {
  id: integer().primaryKey({ autoIncrement: true }),
  project_id: integer().notNull(),
  person_id: integer().notNull(),
  person_uuid: text().notNull(),
  user_id: integer(),
  activity: text().notNull(),
  detail: text({ mode: "json" }).$type<ActivityDetail>().notNull(),
  created_at: text().notNull(),
});

/** Requests to delete the events of a person, also finished ones. */
export const deletionTask = sqliteTable("deletion_task", {
  id: integer().primaryKey({ autoIncrement: true }),
  project_id: integer().notNull(),
  person_id: integer().notNull(),
  person_uuid: text().notNull(),
  uuids: text({ mode: "json" }).$type<string[]>().notNull(),
  distinct_ids: text({ mode: "json" }).$type<string[]>().notNull(),
  email: text(),
  kind: text().$type<DeletionKind>().notNull(),
  requested_by: integer().notNull(),
  requested_at: text().notNull(),
  journal_seq: integer().notNull(),
  state: text().$type<DeletionState>().notNull(),
  attempts: integer().notNull(),
  error: text(),
  finished_at: text(),
  counts: text({ mode: "json" }).$type<Record<string, number>>(),
  started_at: text(),
  generation: integer(),
  places: text({ mode: "json" }).$type<Places>(),
});

/** Insights: questions about events that are kept. */
export const insight = sqliteTable("insight", {
  id: integer().primaryKey({ autoIncrement: true }),
  project_id: integer().notNull(),
  short_id: text().notNull(),
  name: text().notNull(),
  description: text().notNull().default(""),
  query: text({ mode: "json" }).$type<JsonObject>().notNull(),
  tags: text({ mode: "json" }).$type<string[]>().notNull().default([]),
  favorited: integer({ mode: "boolean" }).notNull().default(false),
  saved: integer({ mode: "boolean" }).notNull().default(false),
  deleted: integer({ mode: "boolean" }).notNull().default(false),
  created_at: text().notNull(),
  created_by: integer().notNull(),
  last_modified_at: text().notNull(),
  last_modified_by: integer().notNull(),
});

/** Dashboards; `filters` are for the queries of all tiles. */
export const dashboard = sqliteTable("dashboard", {
  id: integer().primaryKey({ autoIncrement: true }),
  project_id: integer().notNull(),
  name: text().notNull(),
  description: text().notNull(),
  tags: text({ mode: "json" }).$type<string[]>().notNull().default([]),
  pinned: integer({ mode: "boolean" }).notNull(),
  deleted: integer({ mode: "boolean" }).notNull().default(false),
  filters: text({ mode: "json" }).$type<JsonObject>().notNull(),
  created_at: text().notNull(),
  created_by: integer().notNull(),
  last_modified_at: text().notNull(),
  last_modified_by: integer().notNull(),
});

/** Tiles of dashboards: an insight or a text each. */
export const dashboardTile = sqliteTable("dashboard_tile", {
  id: integer().primaryKey({ autoIncrement: true }),
  dashboard_id: integer().notNull(),
  insight_id: integer(),
  body: text(),
  layouts: text({ mode: "json" }).$type<Layouts>().notNull(),
  color: text(),
});

/** Annotations: notes on a time. */
export const annotation = sqliteTable("annotation", {
  id: integer().primaryKey({ autoIncrement: true }),
  project_id: integer().notNull(),
  content: text().notNull(),
  date_marker: text().notNull(),
  scope: text({ enum: ANNOTATION_SCOPES }).notNull(),
  dashboard_item: integer(),
  deleted: integer({ mode: "boolean" }).notNull().default(false),
  created_at: text().notNull(),
  created_by: integer().notNull(),
  updated_at: text().notNull(),
});

/** The user who made a record, for joins. */
export const creator = alias(user, "creator");

/** The user who changed a record last, for joins. */
export const modifier = alias(user, "modifier");

const { created_at: _creator, ...creatorColumns } = getTableColumns(creator);
const { created_at: _modifier, ...modifierColumns } = getTableColumns(modifier);

/** The columns of the user who made a record, as answers have them. */
export const CREATED_BY = creatorColumns;

/** The columns of the user who changed a record last, as answers have them. */
export const LAST_MODIFIED_BY = modifierColumns;
