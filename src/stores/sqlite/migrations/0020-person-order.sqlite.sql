-- Persons are listed by `created_at` again, which merges and splits change; what a walk needs to meet each
-- of them once is in `person_move` (decision 56).
DROP TRIGGER person_mark_new;
DROP TRIGGER person_mark_gone;
DROP TRIGGER person_mark_full;
DROP INDEX person_newest;
DROP INDEX person_addressed;

UPDATE person SET listed_at = created_at WHERE listed_at <> created_at;
ALTER TABLE person DROP COLUMN created_at;
ALTER TABLE person RENAME COLUMN listed_at TO created_at;

CREATE INDEX person_newest ON person (project_id, created_at DESC, id DESC);

DELETE FROM person_mark;
ALTER TABLE person_mark RENAME COLUMN listed_at TO created_at;

INSERT INTO person_mark (project_id, created_at, id, persons)
  SELECT project_id, iif(first = 1, '', created_at), iif(first = 1, 0, id), persons
  FROM (
    SELECT project_id, created_at, id, min(n) AS first, count(*) AS persons
    FROM (
      SELECT project_id, created_at, id,
        row_number() OVER (PARTITION BY project_id ORDER BY created_at, id) AS n
      FROM person
    )
    GROUP BY project_id, (n - 1) / 1024
  );

INSERT OR IGNORE INTO person_mark (project_id, created_at, id, persons)
  SELECT id, '', 0, 0 FROM project;

CREATE TRIGGER person_mark_new AFTER INSERT ON person BEGIN
  UPDATE person_mark SET persons = persons + 1
  WHERE mark = (
    SELECT mark FROM person_mark
    WHERE project_id = new.project_id AND (created_at, id) <= (new.created_at, new.id)
    ORDER BY created_at DESC, id DESC LIMIT 1);
END;

CREATE TRIGGER person_mark_gone AFTER DELETE ON person BEGIN
  UPDATE person_mark SET persons = persons - 1
  WHERE mark = (
    SELECT mark FROM person_mark
    WHERE project_id = old.project_id AND (created_at, id) <= (old.created_at, old.id)
    ORDER BY created_at DESC, id DESC LIMIT 1);
END;

CREATE TRIGGER person_mark_full AFTER UPDATE OF persons ON person_mark WHEN new.persons > 2048
BEGIN
  INSERT INTO person_mark (project_id, created_at, id, persons)
    SELECT project_id, created_at, id, new.persons - 1024 FROM person
    WHERE project_id = new.project_id AND (created_at, id) >= (new.created_at, new.id)
    ORDER BY created_at, id LIMIT 1 OFFSET 1024;
  UPDATE person_mark SET persons = 1024 WHERE mark = new.mark;
END;

-- Where persons were listed until the change of this version (meta); the oldest go, 1,024 at a time.
CREATE TABLE person_move (
  seq INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  project_id INTEGER NOT NULL,
  person_id INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX person_move_person ON person_move (person_id, version);
CREATE INDEX person_move_place ON person_move (project_id, created_at DESC, person_id DESC, version);

CREATE TRIGGER person_move_logged AFTER INSERT ON person_move WHEN new.seq % 1024 = 0 BEGIN
  DELETE FROM person_move WHERE seq <= new.seq - 32768;
END;

CREATE TRIGGER person_moved AFTER UPDATE OF created_at ON person
  WHEN new.created_at IS NOT old.created_at
BEGIN
  INSERT INTO person_move (version, project_id, person_id, created_at)
    VALUES (new.version, old.project_id, old.id, old.created_at);
  UPDATE person_mark SET persons = persons - 1
  WHERE mark = (
    SELECT mark FROM person_mark
    WHERE project_id = old.project_id AND (created_at, id) <= (old.created_at, old.id)
    ORDER BY created_at DESC, id DESC LIMIT 1);
  UPDATE person_mark SET persons = persons + 1
  WHERE mark = (
    SELECT mark FROM person_mark
    WHERE project_id = new.project_id AND (created_at, id) <= (new.created_at, new.id)
    ORDER BY created_at DESC, id DESC LIMIT 1);
END;
