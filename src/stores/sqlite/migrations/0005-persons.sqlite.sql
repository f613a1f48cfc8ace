-- E-mail addresses, for search by any part of them and for exact match. Kept by triggers, so that
-- whoever writes persons need not know; a person whose address stays costs two looks into the JSON.
CREATE VIRTUAL TABLE person_email USING fts5 (email, tokenize = 'trigram', columnsize = 0);

-- Else a deleted address stays in the index until its part is written anew.
INSERT INTO person_email (person_email, rank) VALUES ('secure-delete', 1);

INSERT INTO person_email (rowid, email)
  SELECT id, properties ->> '$.email' FROM person WHERE json_type(properties, '$.email') = 'text';

CREATE TRIGGER person_email_new AFTER INSERT ON person
  WHEN json_type(new.properties, '$.email') = 'text'
BEGIN
  INSERT INTO person_email (rowid, email) VALUES (new.id, new.properties ->> '$.email');
END;

CREATE TRIGGER person_email_changed AFTER UPDATE OF properties ON person
  WHEN new.properties -> '$.email' IS NOT old.properties -> '$.email'
BEGIN
  DELETE FROM person_email WHERE rowid = new.id;
  INSERT INTO person_email (rowid, email)
    SELECT new.id, new.properties ->> '$.email'
    WHERE json_type(new.properties, '$.email') = 'text';
END;

CREATE TRIGGER person_email_gone AFTER DELETE ON person BEGIN
  DELETE FROM person_email WHERE rowid = old.id;
END;

-- What was done to persons, and by whom: null for events. Outlives the person.
CREATE TABLE activity (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES project (id),
  person_id INTEGER NOT NULL,
  person_uuid TEXT NOT NULL,
  user_id INTEGER REFERENCES user (id),
  activity TEXT NOT NULL,
  detail TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX activity_project ON activity (project_id);
CREATE INDEX activity_person ON activity (project_id, person_uuid);
CREATE INDEX activity_person_id ON activity (project_id, person_id);

-- Events to be deleted: those of the persons `uuids` or with `distinct_ids` (JSON arrays, as they
-- were when it was asked for) up to the sequence number `journal_seq`. `counts` is a JSON object of
-- what was deleted.
CREATE TABLE deletion_task (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER NOT NULL REFERENCES project (id),
  person_id INTEGER NOT NULL,
  person_uuid TEXT NOT NULL,
  uuids TEXT NOT NULL,
  distinct_ids TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('weekly', 'nightly')),
  requested_by INTEGER NOT NULL REFERENCES user (id),
  requested_at TEXT NOT NULL,
  journal_seq INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  finished_at TEXT,
  counts TEXT
) STRICT;

CREATE INDEX deletion_task_project ON deletion_task (project_id);
CREATE INDEX deletion_task_person ON deletion_task (project_id, person_uuid);
