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
  -- How many it has, kept by whoever adds or removes one.
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
