-- The address of a person in lower case, for counting those that have a part. The mirror
-- is filled again from the person store.
ALTER TABLE persons ADD COLUMN email VARCHAR;

DELETE FROM persons;
DELETE FROM person_distinct_ids;
DELETE FROM person_overrides;
DELETE FROM groups;
UPDATE meta SET value = 0 WHERE key = 'mirror_version';
