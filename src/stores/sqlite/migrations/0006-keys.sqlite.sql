-- When a key was last used, to the hour, and when it was last replaced by a new value.
ALTER TABLE personal_api_key ADD COLUMN last_used_at TEXT;
ALTER TABLE personal_api_key ADD COLUMN last_rolled_at TEXT;

-- Project keys that were replaced, and are accepted until ends_at.
CREATE TABLE former_project_key (
  api_token TEXT PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project (id),
  ends_at TEXT NOT NULL
) WITHOUT ROWID, STRICT;
