-- The place of a person in the list: `created_at` when it was listed first, and never changed, so that
-- a walk along the list meets it once (decision 56). Renamed in the index, the marks and their
-- triggers; `created_at`, which merges and splits change, is a column without an index.
DROP TRIGGER person_mark_moved;

ALTER TABLE person RENAME COLUMN created_at TO listed_at;
ALTER TABLE person_mark RENAME COLUMN created_at TO listed_at;
ALTER TABLE person ADD COLUMN created_at TEXT NOT NULL DEFAULT '';

UPDATE person SET created_at = listed_at;

-- Where the source was listed; null if it was never stored, or merged by an earlier version. `kept`:
-- those of `gained` that a user has set since, which a split leaves to the target (a JSON array).
ALTER TABLE person_merge ADD COLUMN source_listed_at TEXT;
ALTER TABLE person_merge ADD COLUMN kept TEXT NOT NULL DEFAULT '[]';

-- Also finds the one merge that an activity tells of.
DROP INDEX person_merge_target;
CREATE INDEX person_merge_target ON person_merge (project_id, target_uuid, source_uuid);
