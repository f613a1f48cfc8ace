-- How often, for ever.
CREATE TABLE ingestion_warning (
  project_id INTEGER NOT NULL REFERENCES project (id),
  type TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at TEXT NOT NULL,
  last_at TEXT NOT NULL,
  PRIMARY KEY (project_id, type)
) WITHOUT ROWID, STRICT;

-- To whom, lately.
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
