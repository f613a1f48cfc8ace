-- Persons are listed by `created_at` (decision 56), and their addresses are folded otherwise (decision 107).
-- The mirror is filled again from the person store.
ALTER TABLE persons DROP COLUMN listed_at;

DELETE FROM persons;
DELETE FROM person_distinct_ids;
DELETE FROM person_overrides;
DELETE FROM groups;
UPDATE meta SET value = 0 WHERE key = 'mirror_version';
