-- Sessions of the console. A session belongs to the value of a key, so it ends when the key is rolled.
CREATE TABLE console_session (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- SHA-256 of the value in the cookie.
  hash TEXT NOT NULL UNIQUE,
  key_hash TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES user (id),
  -- How it began: 'link' or 'key'.
  method TEXT NOT NULL,
  browser TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- To the hour.
  last_seen_at TEXT NOT NULL
) STRICT;
CREATE INDEX console_session_user ON console_session (user_id, id);

-- Links that sign in once. Only hashes of their values are kept.
CREATE TABLE console_link (
  hash TEXT PRIMARY KEY,
  key_hash TEXT NOT NULL,
  ends_at TEXT NOT NULL
) WITHOUT ROWID, STRICT;
