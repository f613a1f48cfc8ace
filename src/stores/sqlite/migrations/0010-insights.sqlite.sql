CREATE TABLE insight (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES project (id),
  short_id TEXT NOT NULL,
  name TEXT NOT NULL,
  query TEXT NOT NULL,
  created_at TEXT NOT NULL,
  created_by INTEGER NOT NULL REFERENCES user (id),
  UNIQUE (project_id, short_id)
) STRICT;

CREATE INDEX insight_newest ON insight (project_id, id DESC);
