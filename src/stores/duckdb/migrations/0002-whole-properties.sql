-- The names of properties that rows omit, because the event, person or group is large (decision 95). `owner` is
-- the name of the event, or the index of the type of the group. A name may stay after its last row changed.
CREATE TABLE omitted_properties (
  project_id INTEGER NOT NULL,
  kind VARCHAR NOT NULL,
  owner VARCHAR NOT NULL,
  name VARCHAR NOT NULL
);

INSERT INTO omitted_properties
SELECT DISTINCT project_id, 'event', event, name FROM (
  SELECT project_id, event, kept, unnest(names) AS name FROM (
    SELECT project_id, event, json_keys(properties) AS kept, json_keys(whole_properties) AS names
    FROM events WHERE whole_properties IS NOT NULL))
WHERE NOT list_contains(kept, name);

-- Sessions are joined by this column alone.
UPDATE events SET "$session_id" = json_extract_string(whole_properties, '/$session_id')
WHERE whole_properties IS NOT NULL AND "$session_id" IS NULL;

-- The projection is copied again from SQLite, now with all properties of large persons and groups.
DROP TABLE persons;
DROP TABLE groups;
DELETE FROM person_distinct_ids;
DELETE FROM person_overrides;
UPDATE meta SET value = 0 WHERE key = 'mirror_version';

CREATE TABLE persons (
  project_id INTEGER NOT NULL,
  id BIGINT NOT NULL,
  uuid UUID NOT NULL,
  created_at TIMESTAMP NOT NULL,
  -- Properties are spread over columns by their names, so that a filter reads few others (decision 100).
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
  properties_15 JSON,
  -- The e-mail address as it is searched.
  email VARCHAR,
  -- All properties of a large person, whose other columns are truncated (decision 95); else null.
  whole_properties JSON USING COMPRESSION zstd
);

CREATE TABLE groups (
  project_id INTEGER NOT NULL,
  type_index INTEGER NOT NULL,
  key VARCHAR NOT NULL,
  created_at TIMESTAMP NOT NULL,
  properties JSON NOT NULL,
  -- All properties of a large group, whose `properties` are truncated; else null.
  whole_properties JSON USING COMPRESSION zstd
);
