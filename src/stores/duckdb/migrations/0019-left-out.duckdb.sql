-- The names of the properties that the mirror lacks of a person, a JSON list, or null (decision 95). The
-- mirror is filled again from the person store.
ALTER TABLE persons ADD COLUMN left_out VARCHAR;

DELETE FROM persons;
DELETE FROM person_distinct_ids;
DELETE FROM person_overrides;
DELETE FROM groups;
UPDATE meta SET value = 0 WHERE key = 'mirror_version';
