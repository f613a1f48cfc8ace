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
  UNIQUE (project_id, uuid)
) STRICT;

CREATE INDEX person_newest ON person (project_id, created_at DESC, id DESC);

-- position: 0 is the main id, the others follow in the order they were attached.
CREATE TABLE distinct_id (
  project_id INTEGER NOT NULL,
  distinct_id TEXT NOT NULL,
  person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  PRIMARY KEY (project_id, distinct_id)
) WITHOUT ROWID, STRICT;

CREATE INDEX distinct_id_person ON distinct_id (person_id, position);

-- count(*) over a million persons takes 50 ms, so it is kept by whoever adds or removes persons.
CREATE TABLE person_count (
  project_id INTEGER PRIMARY KEY REFERENCES project (id),
  count INTEGER NOT NULL
) STRICT;

CREATE TRIGGER person_count_starts AFTER INSERT ON project BEGIN
  INSERT INTO person_count (project_id, count) VALUES (new.id, 0);
END;
