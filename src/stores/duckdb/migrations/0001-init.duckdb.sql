CREATE TABLE meta (key VARCHAR, value BIGINT);

INSERT INTO meta VALUES ('applied_seq', 0), ('mirror_version', 0);

-- No key and no index: they cost two thirds of the load rate. Rows are in ingest order, so that
-- seq and ingested_at prune by row group.
CREATE TABLE events (
  project_id INTEGER NOT NULL,
  seq BIGINT NOT NULL,
  uuid UUID NOT NULL,
  event VARCHAR NOT NULL,
  distinct_id VARCHAR NOT NULL,
  person_id UUID NOT NULL,
  "timestamp" TIMESTAMP NOT NULL,
  ingested_at TIMESTAMP NOT NULL,
  "$session_id" VARCHAR,
  "$current_url" VARCHAR,
  "$pathname" VARCHAR,
  "$host" VARCHAR,
  "$referring_domain" VARCHAR,
  "$browser" VARCHAR,
  "$os" VARCHAR,
  "$device_type" VARCHAR,
  "$lib" VARCHAR,
  "$screen_name" VARCHAR,
  utm_source VARCHAR,
  utm_medium VARCHAR,
  utm_campaign VARCHAR,
  utm_content VARCHAR,
  utm_term VARCHAR,
  "$group_0" VARCHAR,
  "$group_1" VARCHAR,
  "$group_2" VARCHAR,
  "$group_3" VARCHAR,
  "$group_4" VARCHAR,
  properties JSON NOT NULL USING COMPRESSION zstd
);

-- The mirror of SQLite's persons, for queries that join events with persons.
CREATE TABLE persons (
  project_id INTEGER NOT NULL,
  id BIGINT NOT NULL,
  uuid UUID NOT NULL,
  created_at TIMESTAMP NOT NULL,
  properties JSON NOT NULL USING COMPRESSION zstd
);

CREATE TABLE person_distinct_ids (
  project_id INTEGER NOT NULL,
  distinct_id VARCHAR NOT NULL,
  person_id UUID NOT NULL
);

-- Events of old_person_id belong to person_id now.
CREATE TABLE person_overrides (
  project_id INTEGER NOT NULL,
  old_person_id UUID NOT NULL,
  person_id UUID NOT NULL
);

-- The mirror of groups.
CREATE TABLE groups (
  project_id INTEGER NOT NULL,
  type_index INTEGER NOT NULL,
  key VARCHAR NOT NULL,
  created_at TIMESTAMP NOT NULL,
  properties JSON NOT NULL
);
