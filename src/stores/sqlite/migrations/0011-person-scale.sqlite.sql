-- The e-mail address of `properties`, where it is a text: written with them, so that no trigger has
-- to look into their JSON.
ALTER TABLE person ADD COLUMN email TEXT;

DROP TRIGGER person_email_new;
DROP TRIGGER person_email_changed;

UPDATE person SET email = properties ->> '$.email' WHERE json_type(properties, '$.email') = 'text';

CREATE INDEX person_address ON person (project_id, email) WHERE email IS NOT NULL;

CREATE TRIGGER person_email_new AFTER INSERT ON person WHEN new.email IS NOT NULL
BEGIN
  INSERT INTO person_email (rowid, email) VALUES (new.id, new.email);
END;

CREATE TRIGGER person_email_changed AFTER UPDATE OF email ON person
  WHEN new.email IS NOT old.email
BEGIN
  DELETE FROM person_email WHERE rowid = new.id;
  INSERT INTO person_email (rowid, email) SELECT new.id, new.email WHERE new.email IS NOT NULL;
END;

-- How many persons a project has from each mark on, up to the next, by `created_at` and id: a page
-- far behind is found by adding up marks. Kept by triggers; a mark that has come to
-- more than 2,048 persons is halved. The first mark is before everybody. With a key of its own, so
-- that counting writes nothing but the count: a third of what it takes without.
CREATE TABLE person_mark (
  mark INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES project (id),
  created_at TEXT NOT NULL,
  id INTEGER NOT NULL,
  persons INTEGER NOT NULL,
  UNIQUE (project_id, created_at, id)
) STRICT;

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

CREATE TRIGGER person_mark_starts AFTER INSERT ON project BEGIN
  INSERT INTO person_mark (project_id, created_at, id, persons) VALUES (new.id, '', 0, 0);
END;

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

CREATE TRIGGER person_mark_moved AFTER UPDATE OF created_at ON person
  WHEN new.created_at IS NOT old.created_at
BEGIN
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

CREATE TRIGGER person_mark_full AFTER UPDATE OF persons ON person_mark WHEN new.persons > 2048
BEGIN
  INSERT INTO person_mark (project_id, created_at, id, persons)
    SELECT project_id, created_at, id, new.persons - 1024 FROM person
    WHERE project_id = new.project_id AND (created_at, id) >= (new.created_at, new.id)
    ORDER BY created_at, id LIMIT 1 OFFSET 1024;
  UPDATE person_mark SET persons = 1024 WHERE mark = new.mark;
END;
