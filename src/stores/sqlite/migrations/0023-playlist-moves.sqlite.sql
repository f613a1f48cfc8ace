-- Where playlists were listed until they changed, so that a walk meets each of them once (decision 56);
-- the oldest go, 1,024 at a time.
CREATE TABLE playlist_move (
  seq INTEGER PRIMARY KEY,
  playlist_id INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  last_modified_at TEXT NOT NULL
) STRICT;

CREATE INDEX playlist_move_playlist ON playlist_move (playlist_id, seq);

CREATE TRIGGER playlist_moved AFTER UPDATE OF name, last_modified_at ON playlist
  WHEN (new.name, new.last_modified_at) IS NOT (old.name, old.last_modified_at)
BEGIN
  INSERT INTO playlist_move (playlist_id, name, last_modified_at)
    VALUES (old.id, old.name, old.last_modified_at);
END;

CREATE TRIGGER playlist_move_logged AFTER INSERT ON playlist_move WHEN new.seq % 1024 = 0 BEGIN
  DELETE FROM playlist_move WHERE seq <= new.seq - 32768;
END;
