CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE project (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  api_token TEXT NOT NULL UNIQUE,
  timezone TEXT NOT NULL DEFAULT 'UTC',
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE user (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  distinct_id TEXT NOT NULL,
  first_name TEXT NOT NULL DEFAULT '',
  last_name TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL UNIQUE,
  is_email_verified INTEGER NOT NULL DEFAULT 0,
  hedgehog_config TEXT,
  role_at_organization TEXT,
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
  revoked_at TEXT
) STRICT;

CREATE TABLE person (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES project (id),
  uuid TEXT NOT NULL,
  properties TEXT NOT NULL,
  created_at TEXT NOT NULL,
  is_identified INTEGER NOT NULL DEFAULT 0,
  -- Which properties it has from its events, a bit each: saves reading them for most events.
  lifted INTEGER NOT NULL DEFAULT 0,
  -- Changed in the transaction of this version (meta): what the event store's mirror may lack.
  version INTEGER NOT NULL,
  UNIQUE (project_id, uuid)
) STRICT;

CREATE INDEX person_newest ON person (project_id, created_at DESC, id DESC);

-- position: the least is the main id, the others follow in the order they were attached.
-- home: the uuid of the person it belonged to before the first merge; null if it is still there.
CREATE TABLE distinct_id (
  project_id INTEGER NOT NULL,
  distinct_id TEXT NOT NULL,
  person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  home TEXT,
  PRIMARY KEY (project_id, distinct_id)
) WITHOUT ROWID, STRICT;

CREATE INDEX distinct_id_person ON distinct_id (person_id, position);

-- Persons that are gone, so that the event store's mirror can forget them too.
CREATE TABLE person_gone (
  id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT;

-- Events that were stored with old_uuid belong to person_id now.
CREATE TABLE person_override (
  project_id INTEGER NOT NULL,
  old_uuid TEXT NOT NULL,
  person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  PRIMARY KEY (project_id, old_uuid)
) WITHOUT ROWID, STRICT;

CREATE INDEX person_override_person ON person_override (person_id);

-- Events of a distinct id that a split gave to the person uuid, until the event store knows.
CREATE TABLE distinct_id_owned (
  project_id INTEGER NOT NULL,
  distinct_id TEXT NOT NULL,
  uuid TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (project_id, distinct_id)
) WITHOUT ROWID, STRICT;

-- Every merge, so that a split can undo it. Both sides are named by uuid: the source is gone, and
-- the target may go in a later merge.
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
  event_uuid TEXT NOT NULL
) STRICT;

CREATE INDEX person_merge_target ON person_merge (project_id, target_uuid);

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

-- count(*) over a million persons takes 50 ms, so it is kept by whoever adds or removes persons.
CREATE TABLE person_count (
  project_id INTEGER PRIMARY KEY REFERENCES project (id),
  count INTEGER NOT NULL
) STRICT;

CREATE TRIGGER person_count_starts AFTER INSERT ON project BEGIN
  INSERT INTO person_count (project_id, count) VALUES (new.id, 0);
END;
