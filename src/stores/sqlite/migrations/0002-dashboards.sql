-- Insights: those that are saved stay. Of the others, the oldest are removed where there are too many.
ALTER TABLE insight ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE insight ADD COLUMN favorited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE insight ADD COLUMN saved INTEGER NOT NULL DEFAULT 0;
ALTER TABLE insight ADD COLUMN last_modified_at TEXT NOT NULL DEFAULT '';
ALTER TABLE insight ADD COLUMN last_modified_by INTEGER REFERENCES user (id);
UPDATE insight SET last_modified_at = created_at, last_modified_by = created_by;

CREATE INDEX insight_unsaved ON insight (project_id, id DESC) WHERE saved = 0;

-- Dashboards, and their tiles: an insight or a text each.
CREATE TABLE dashboard (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES project (id),
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  -- Hidden, until the next run of the nightly deletions removes it.
  deleted INTEGER NOT NULL DEFAULT 0,
  -- A JSON object: filters for the queries of all tiles.
  filters TEXT NOT NULL,
  created_at TEXT NOT NULL,
  created_by INTEGER NOT NULL REFERENCES user (id),
  last_modified_at TEXT NOT NULL,
  last_modified_by INTEGER NOT NULL REFERENCES user (id)
) STRICT;

CREATE INDEX dashboard_newest ON dashboard (project_id, id DESC);

CREATE TABLE dashboard_tile (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  dashboard_id INTEGER NOT NULL REFERENCES dashboard (id) ON DELETE CASCADE,
  insight_id INTEGER REFERENCES insight (id) ON DELETE CASCADE,
  body TEXT,
  -- A JSON object: its place on screens of each size.
  layouts TEXT NOT NULL,
  color TEXT,
  CHECK ((insight_id IS NULL) <> (body IS NULL)),
  UNIQUE (dashboard_id, insight_id)
) STRICT;

CREATE INDEX dashboard_tile_insight ON dashboard_tile (insight_id) WHERE insight_id IS NOT NULL;

-- Annotations: notes on a time, of the project or of one insight.
CREATE TABLE annotation (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES project (id),
  content TEXT NOT NULL,
  date_marker TEXT NOT NULL,
  scope TEXT NOT NULL,
  dashboard_item INTEGER REFERENCES insight (id) ON DELETE SET NULL,
  -- Hidden, until the next run of the nightly deletions removes it.
  deleted INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  created_by INTEGER NOT NULL REFERENCES user (id),
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX annotation_newest ON annotation (project_id, date_marker DESC, id DESC);

CREATE INDEX annotation_item ON annotation (dashboard_item) WHERE dashboard_item IS NOT NULL;
