-- The address as it is searched (decision 107): `folded` of it, written with the properties, so that the index of its parts, the
-- log of changes and the walk along it have what the query is folded to. Those with other letters than ASCII's
-- are folded behind this.
ALTER TABLE person ADD COLUMN address TEXT;

DROP TRIGGER person_email_new;
DROP TRIGGER person_email_changed;
DROP TRIGGER person_email_gone;

UPDATE person SET address = lower(substr(email, 1, 1000)) WHERE email IS NOT NULL;

DROP TABLE person_email;
CREATE VIRTUAL TABLE person_email
  USING fts5 (address, tokenize = 'trigram case_sensitive 1', columnsize = 0);

-- Else a deleted address stays in the index until its part is written anew.
INSERT INTO person_email (person_email, rank) VALUES ('secure-delete', 1);
