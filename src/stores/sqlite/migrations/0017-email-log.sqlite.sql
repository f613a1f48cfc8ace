-- The last addresses that came, changed or went, so that a number of persons with a part in theirs is
-- brought up to date and not counted again. It has all changes after the version of its
-- first row; a row without a project is no change. Kept by triggers; the oldest go, 1,024 at a time.
CREATE TABLE person_email_log (
  seq INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  project_id INTEGER,
  old TEXT,
  new TEXT
) STRICT;

INSERT INTO person_email_log (version)
  SELECT coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'version'), 0);

CREATE TRIGGER person_email_logged AFTER INSERT ON person_email_log WHEN new.seq % 1024 = 0 BEGIN
  DELETE FROM person_email_log WHERE seq <= new.seq - 12288;
END;

-- Addresses in the order of the list, past everybody who has none.
CREATE INDEX person_addressed ON person (project_id, listed_at DESC, id DESC, email)
  WHERE email IS NOT NULL;

-- The index takes what is looked at of an address: its first 1,000 characters, İ as i.
UPDATE person_email SET email = replace(substr(email, 1, 1000), 'İ', 'i')
  WHERE length(email) > 1000 OR instr(email, 'İ') > 0;

DROP TRIGGER person_email_new;
DROP TRIGGER person_email_changed;
DROP TRIGGER person_email_gone;

CREATE TRIGGER person_email_new AFTER INSERT ON person WHEN new.email IS NOT NULL
BEGIN
  INSERT INTO person_email (rowid, email)
    VALUES (new.id, replace(substr(new.email, 1, 1000), 'İ', 'i'));
  INSERT INTO person_email_log (version, project_id, new)
    VALUES (new.version, new.project_id, substr(new.email, 1, 1000));
END;

CREATE TRIGGER person_email_changed AFTER UPDATE OF email ON person
  WHEN new.email IS NOT old.email
BEGIN
  DELETE FROM person_email WHERE rowid = new.id;
  INSERT INTO person_email (rowid, email)
    SELECT new.id, replace(substr(new.email, 1, 1000), 'İ', 'i') WHERE new.email IS NOT NULL;
  INSERT INTO person_email_log (version, project_id, old, new)
    VALUES (new.version, new.project_id, substr(old.email, 1, 1000), substr(new.email, 1, 1000));
END;

CREATE TRIGGER person_email_gone AFTER DELETE ON person WHEN old.email IS NOT NULL
BEGIN
  DELETE FROM person_email WHERE rowid = old.id;
  INSERT INTO person_email_log (version, project_id, old)
    SELECT CAST(value AS INTEGER), old.project_id, substr(old.email, 1, 1000)
    FROM meta WHERE key = 'version';
END;
