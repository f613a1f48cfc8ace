-- Notes of projects on events and properties by name; the name need not occur.
CREATE TABLE definition_note (
  project_id INTEGER NOT NULL REFERENCES project (id),
  -- 'event', 'event_property' or 'person_property'.
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  -- A JSON list of the project's own words for it.
  also_called TEXT NOT NULL,
  PRIMARY KEY (project_id, kind, name)
) WITHOUT ROWID, STRICT;
