INSERT INTO person_email (rowid, address) SELECT id, address FROM person WHERE address IS NOT NULL;

-- Addresses in the order of the list, past everybody who has none.
CREATE INDEX person_addressed ON person (project_id, created_at DESC, id DESC, address)
  WHERE address IS NOT NULL;

DELETE FROM person_email_log;
INSERT INTO person_email_log (version)
  SELECT coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'version'), 0);

CREATE TRIGGER person_address_new AFTER INSERT ON person WHEN new.address IS NOT NULL
BEGIN
  INSERT INTO person_email (rowid, address) VALUES (new.id, new.address);
  INSERT INTO person_email_log (version, project_id, new)
    VALUES (new.version, new.project_id, new.address);
END;

CREATE TRIGGER person_address_changed AFTER UPDATE OF address ON person
  WHEN new.address IS NOT old.address
BEGIN
  DELETE FROM person_email WHERE rowid = new.id;
  INSERT INTO person_email (rowid, address)
    SELECT new.id, new.address WHERE new.address IS NOT NULL;
  INSERT INTO person_email_log (version, project_id, old, new)
    VALUES (new.version, new.project_id, old.address, new.address);
END;

CREATE TRIGGER person_address_gone AFTER DELETE ON person WHEN old.address IS NOT NULL
BEGIN
  DELETE FROM person_email WHERE rowid = old.id;
  INSERT INTO person_email_log (version, project_id, old)
    SELECT CAST(value AS INTEGER), old.project_id, old.address FROM meta WHERE key = 'version';
END;
