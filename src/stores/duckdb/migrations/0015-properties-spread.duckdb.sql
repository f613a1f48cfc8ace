-- Properties of persons are spread over columns by their names, so that a filter reads few others;
-- null where there are none. The mirror is filled again from the person store.
DROP TABLE persons;
CREATE TABLE persons (
  project_id INTEGER NOT NULL,
  id BIGINT NOT NULL,
  uuid UUID NOT NULL,
  created_at TIMESTAMP NOT NULL,
  -- The place in the list (decision 56).
  listed_at TIMESTAMP NOT NULL,
  properties_0 JSON,
  properties_1 JSON,
  properties_2 JSON,
  properties_3 JSON,
  properties_4 JSON,
  properties_5 JSON,
  properties_6 JSON,
  properties_7 JSON,
  properties_8 JSON,
  properties_9 JSON,
  properties_10 JSON,
  properties_11 JSON,
  properties_12 JSON,
  properties_13 JSON,
  properties_14 JSON,
  properties_15 JSON
);

DELETE FROM person_distinct_ids;
DELETE FROM person_overrides;
DELETE FROM groups;
UPDATE meta SET value = 0 WHERE key = 'mirror_version';
