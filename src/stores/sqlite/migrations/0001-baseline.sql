-- Values of the store itself, such as the last sequence number that was applied.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID, STRICT;

-- Projects.
CREATE TABLE project (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  api_token TEXT NOT NULL UNIQUE,
  timezone TEXT NOT NULL DEFAULT 'UTC',
  created_at TEXT NOT NULL
) STRICT;

-- Replaced project keys, which are accepted until `ends_at`.
CREATE TABLE former_project_key (
  api_token TEXT PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project (id),
  ends_at TEXT NOT NULL
) WITHOUT ROWID, STRICT;

-- Users, and their keys: only hashes of keys are kept.
CREATE TABLE user (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  distinct_id TEXT NOT NULL,
  first_name TEXT NOT NULL DEFAULT '',
  last_name TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL UNIQUE,
  is_email_verified INTEGER NOT NULL DEFAULT 0,
  hedgehog_config TEXT NOT NULL DEFAULT '{}',
  role_at_organization TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE personal_api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES user (id),
  label TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  mask_value TEXT NOT NULL,
  scopes TEXT NOT NULL,
  scoped_teams TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  -- To the hour.
  last_used_at TEXT,
  last_rolled_at TEXT
) STRICT;

-- Persons.
CREATE TABLE person (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES project (id),
  uuid TEXT NOT NULL,
  properties TEXT NOT NULL,
  created_at TEXT NOT NULL,
  is_identified INTEGER NOT NULL DEFAULT 0,
  -- The automatic properties that it has, a bit each, so that most events need not read `properties`.
  auto_properties INTEGER NOT NULL DEFAULT 0,
  -- The version (meta) of the last change: shows which changes the event store may lack.
  version INTEGER NOT NULL,
  -- The e-mail address of `properties`, where it is a text.
  email TEXT,
  UNIQUE (project_id, uuid)
) STRICT;

CREATE INDEX person_newest ON person (project_id, created_at DESC, id DESC);

CREATE INDEX person_email ON person (project_id, email) WHERE email IS NOT NULL;

-- Distinct ids. The lowest `position` is the main id; the others follow in the order they were added.
-- `initial_uuid` is the uuid of the person that had the id before its first merge; null if it never moved.
CREATE TABLE distinct_id (
  project_id INTEGER NOT NULL,
  distinct_id TEXT NOT NULL,
  person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  initial_uuid TEXT,
  PRIMARY KEY (project_id, distinct_id)
) WITHOUT ROWID, STRICT;

CREATE INDEX distinct_id_person ON distinct_id (person_id, position);

-- Deleted persons, until the event store has forgotten them, too.
CREATE TABLE person_gone (
  id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT;

-- Events that were stored with the person `overridden_uuid` belong to `person_id`.
CREATE TABLE person_override (
  project_id INTEGER NOT NULL,
  overridden_uuid TEXT NOT NULL,
  person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  PRIMARY KEY (project_id, overridden_uuid)
) WITHOUT ROWID, STRICT;

CREATE INDEX person_override_person ON person_override (person_id);

-- Distinct ids that a split gave to the person `uuid`, until the event store knows.
CREATE TABLE distinct_id_owned (
  project_id INTEGER NOT NULL,
  distinct_id TEXT NOT NULL,
  uuid TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (project_id, distinct_id)
) WITHOUT ROWID, STRICT;

-- Every merge, so that a split can undo it. Both persons are named by uuid: the source is deleted, and
-- a later merge may delete the target. The index also finds the one merge that an activity is about.
CREATE TABLE person_merge (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL,
  target_uuid TEXT NOT NULL,
  target_created_at TEXT NOT NULL,
  target_is_identified INTEGER NOT NULL,
  -- Keys that the target has from the source, a JSON array.
  gained TEXT NOT NULL,
  source_id INTEGER,
  source_uuid TEXT NOT NULL,
  source_properties TEXT NOT NULL,
  source_created_at TEXT NOT NULL,
  source_is_identified INTEGER NOT NULL,
  event_uuid TEXT NOT NULL,
  -- The source's place in the list; null if it was never stored.
  source_listed_at TEXT,
  -- The keys of `gained` that a user has set since, a JSON array: a split leaves them to the target.
  kept TEXT NOT NULL DEFAULT '[]'
) STRICT;

CREATE INDEX person_merge_target ON person_merge (project_id, target_uuid, source_uuid);

-- Groups, and their types.
CREATE TABLE group_type (
  project_id INTEGER NOT NULL,
  type_index INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (project_id, type_index),
  UNIQUE (project_id, name)
) WITHOUT ROWID, STRICT;

CREATE TABLE "group" (
  project_id INTEGER NOT NULL,
  type_index INTEGER NOT NULL,
  key TEXT NOT NULL,
  properties TEXT NOT NULL,
  created_at TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (project_id, type_index, key)
) WITHOUT ROWID, STRICT;

-- How many persons a project has: count(*) over a million persons takes 50 ms.
CREATE TABLE person_count (
  project_id INTEGER PRIMARY KEY REFERENCES project (id),
  count INTEGER NOT NULL
) STRICT;

CREATE TRIGGER person_count_starts AFTER INSERT ON project BEGIN
  INSERT INTO person_count (project_id, count) VALUES (new.id, 0);
END;

-- How many persons a project has from each mark to the next, by `created_at` and id. A page far down the
-- list is found by adding up marks (decision 73). Triggers keep them; a mark of more than 2,048 persons is
-- halved. The first mark stands before all persons. The key of its own makes counting three times faster.
CREATE TABLE person_mark (
  mark INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project (id),
  created_at TEXT NOT NULL,
  id INTEGER NOT NULL,
  persons INTEGER NOT NULL,
  UNIQUE (project_id, created_at, id)
) STRICT;

CREATE TRIGGER person_mark_starts AFTER INSERT ON project BEGIN
  INSERT INTO person_mark (project_id, created_at, id, persons) VALUES (new.id, '', 0, 0);
END;

CREATE TRIGGER person_mark_new AFTER INSERT ON person BEGIN
  UPDATE person_mark SET persons = persons + 1
  WHERE mark = (
    SELECT mark FROM person_mark
    WHERE project_id = new.project_id AND (created_at, id) <= (new.created_at, new.id)
    ORDER BY created_at DESC, id DESC LIMIT 1);
END;

CREATE TRIGGER person_mark_gone AFTER DELETE ON person BEGIN
  UPDATE person_mark SET persons = persons - 1
  WHERE mark = (
    SELECT mark FROM person_mark
    WHERE project_id = old.project_id AND (created_at, id) <= (old.created_at, old.id)
    ORDER BY created_at DESC, id DESC LIMIT 1);
END;

CREATE TRIGGER person_mark_full AFTER UPDATE OF persons ON person_mark WHEN new.persons > 2048
BEGIN
  INSERT INTO person_mark (project_id, created_at, id, persons)
    SELECT project_id, created_at, id, new.persons - 1024 FROM person
    WHERE project_id = new.project_id AND (created_at, id) >= (new.created_at, new.id)
    ORDER BY created_at, id LIMIT 1 OFFSET 1024;
  UPDATE person_mark SET persons = 1024 WHERE mark = new.mark;
END;

-- Former places of persons in the list, with the version (meta) that moved them, so that a walk along the
-- list meets each person once (decision 96). The oldest rows are deleted, 1,024 at a time.
CREATE TABLE person_move (
  seq INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  project_id INTEGER NOT NULL,
  person_id INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX person_move_person ON person_move (person_id, version);

CREATE INDEX person_move_place ON person_move (project_id, created_at DESC, person_id DESC, version);

CREATE TRIGGER person_move_logged AFTER INSERT ON person_move WHEN new.seq % 1024 = 0 BEGIN
  DELETE FROM person_move WHERE seq <= new.seq - 32768;
END;

CREATE TRIGGER person_moved AFTER UPDATE OF created_at ON person
  WHEN new.created_at IS NOT old.created_at
BEGIN
  INSERT INTO person_move (version, project_id, person_id, created_at)
    VALUES (new.version, old.project_id, old.id, old.created_at);
  UPDATE person_mark SET persons = persons - 1
  WHERE mark = (
    SELECT mark FROM person_mark
    WHERE project_id = old.project_id AND (created_at, id) <= (old.created_at, old.id)
    ORDER BY created_at DESC, id DESC LIMIT 1);
  UPDATE person_mark SET persons = persons + 1
  WHERE mark = (
    SELECT mark FROM person_mark
    WHERE project_id = new.project_id AND (created_at, id) <= (new.created_at, new.id)
    ORDER BY created_at DESC, id DESC LIMIT 1);
END;

-- Ingestion warnings: how many of each type.
CREATE TABLE ingestion_warning (
  project_id INTEGER NOT NULL REFERENCES project (id),
  type TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at TEXT NOT NULL,
  last_at TEXT NOT NULL,
  PRIMARY KEY (project_id, type)
) WITHOUT ROWID, STRICT;

-- Ingestion warnings: the newest cases of each type.
CREATE TABLE ingestion_warning_sample (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  at TEXT NOT NULL,
  count INTEGER NOT NULL,
  event_uuid TEXT,
  distinct_id TEXT,
  FOREIGN KEY (project_id, type) REFERENCES ingestion_warning (project_id, type)
) STRICT;

CREATE INDEX ingestion_warning_sample_newest
  ON ingestion_warning_sample (project_id, type, id DESC);

-- Playlists, and the ids of their recordings.
CREATE TABLE playlist (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES project (id),
  short_id TEXT NOT NULL,
  name TEXT NOT NULL,
  derived_name TEXT NOT NULL,
  description TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  -- JSON; its null is NULL.
  filters TEXT,
  type TEXT NOT NULL,
  _create_in_folder TEXT,
  created_at TEXT NOT NULL,
  created_by INTEGER NOT NULL REFERENCES user (id),
  last_modified_at TEXT NOT NULL,
  last_modified_by INTEGER NOT NULL REFERENCES user (id),
  -- How many recordings it has; each change of them updates it.
  recordings INTEGER NOT NULL DEFAULT 0,
  UNIQUE (project_id, short_id)
) STRICT;

CREATE TABLE playlist_recording (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  playlist_id INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
  session_recording_id TEXT NOT NULL,
  added_at TEXT NOT NULL,
  UNIQUE (playlist_id, session_recording_id)
) STRICT;

CREATE INDEX playlist_recording_newest ON playlist_recording (playlist_id, id DESC);

-- Changes of persons, and the user who made them; null for events. Rows outlive the person.
CREATE TABLE activity (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES project (id),
  person_id INTEGER NOT NULL,
  person_uuid TEXT NOT NULL,
  user_id INTEGER REFERENCES user (id),
  activity TEXT NOT NULL,
  detail TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX activity_project ON activity (project_id);

CREATE INDEX activity_person ON activity (project_id, person_uuid);

CREATE INDEX activity_person_id ON activity (project_id, person_id);

-- Finds the person that another was merged into, also where that one was never stored (decision 141).
CREATE INDEX activity_merged ON activity (project_id, json_extract(detail, '$.merge.source'))
  WHERE activity = 'people_merged_into';

-- Events to be deleted: events of the persons `uuids` or with `distinct_ids` (JSON arrays, as they were at
-- the request), up to the sequence number `journal_seq`.
CREATE TABLE deletion_task (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES project (id),
  person_id INTEGER NOT NULL,
  person_uuid TEXT NOT NULL,
  uuids TEXT NOT NULL,
  distinct_ids TEXT NOT NULL,
  -- The person's e-mail address, as it was at the request.
  email TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('weekly', 'nightly')),
  requested_by INTEGER NOT NULL REFERENCES user (id),
  requested_at TEXT NOT NULL,
  journal_seq INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  finished_at TEXT,
  -- A JSON object: how many rows of each kind were deleted.
  counts TEXT,
  started_at TEXT,
  -- The generation of the event store's file in which `counts` are deleted.
  generation INTEGER,
  -- A JSON object: insights and playlists that name the person.
  places TEXT
) STRICT;

CREATE INDEX deletion_task_project ON deletion_task (project_id);

CREATE INDEX deletion_task_person ON deletion_task (project_id, person_uuid);

CREATE INDEX deletion_task_state ON deletion_task (state);

-- Insights that are kept.
CREATE TABLE insight (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES project (id),
  short_id TEXT NOT NULL,
  name TEXT NOT NULL,
  query TEXT NOT NULL,
  -- Hidden, until the next run of the nightly deletions removes it.
  deleted INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  created_by INTEGER NOT NULL REFERENCES user (id),
  UNIQUE (project_id, short_id)
) STRICT;

CREATE INDEX insight_newest ON insight (project_id, id DESC);
