-- Numbers by key: the last stored sequence number, and the version of the person projection.
CREATE TABLE meta (key VARCHAR, value BIGINT);

INSERT INTO meta VALUES ('applied_seq', 0), ('mirror_version', 0);

-- The table has no key and no index, because they cost two thirds of the load rate. Rows come in the order
-- of ingest, so queries by `seq` or `ingested_at` skip row groups.
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
  -- The properties that queries see.
  properties JSON NOT NULL USING COMPRESSION zstd,
  -- 16 bits of a hash of name, distinct id and properties. They show whether a repeated uuid came with another event.
  mark USMALLINT,
  -- Columns for properties that queries read often (decision 87); the table `promoted` names the properties.
  promoted_1 VARCHAR,
  promoted_2 VARCHAR,
  promoted_3 VARCHAR,
  promoted_4 VARCHAR,
  promoted_5 VARCHAR,
  promoted_6 VARCHAR,
  promoted_7 VARCHAR,
  promoted_8 VARCHAR,
  -- All properties of a large event, whose `properties` are truncated (decision 95); else null.
  whole_properties JSON USING COMPRESSION zstd
);

-- The projection of SQLite's persons, for queries that join events with persons.
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
  -- A JSON list of the keys that the projection omits of the person, or null.
  left_out VARCHAR
);

CREATE TABLE person_distinct_ids (
  project_id INTEGER NOT NULL,
  distinct_id VARCHAR NOT NULL,
  person_id UUID NOT NULL
);

-- Events that were stored with `old_person_id` belong to `person_id`.
CREATE TABLE person_overrides (
  project_id INTEGER NOT NULL,
  old_person_id UUID NOT NULL,
  person_id UUID NOT NULL
);

-- The projection of groups.
CREATE TABLE groups (
  project_id INTEGER NOT NULL,
  type_index INTEGER NOT NULL,
  key VARCHAR NOT NULL,
  created_at TIMESTAMP NOT NULL,
  properties JSON NOT NULL
);

-- Log records (OTLP), in the order of arrival as events are. Texts are empty where the sender
-- gave no value; `level` is never empty.
CREATE TABLE logs (
  project_id INTEGER NOT NULL,
  seq BIGINT NOT NULL,
  uuid UUID NOT NULL,
  "timestamp" TIMESTAMP NOT NULL,
  observed_timestamp TIMESTAMP NOT NULL,
  ingested_at TIMESTAMP NOT NULL,
  trace_id VARCHAR NOT NULL,
  span_id VARCHAR NOT NULL,
  trace_flags UTINYINT NOT NULL,
  severity_text VARCHAR NOT NULL,
  severity_number UTINYINT NOT NULL,
  level VARCHAR NOT NULL,
  service_name VARCHAR NOT NULL,
  event_name VARCHAR NOT NULL,
  body VARCHAR NOT NULL,
  attributes JSON NOT NULL USING COMPRESSION zstd,
  resource_attributes JSON NOT NULL,
  instrumentation_scope JSON NOT NULL
);

-- The column promoted_<slot> has the text of the property `key`. Events that come after its row was added get
-- the text at once. Older events, before the rowid `rows_end`, are filled in steps; rows before `filled` are done.
-- Queries may read the column once `whole_seq` is set, to the last event at that time.
CREATE TABLE promoted (
  slot INTEGER NOT NULL,
  key VARCHAR NOT NULL,
  rows_end BIGINT NOT NULL,
  filled BIGINT NOT NULL,
  whole_seq BIGINT
);

-- The number of queries that read a property of events, by day, and their total time.
CREATE TABLE property_use (
  key VARCHAR NOT NULL,
  day DATE NOT NULL,
  queries INTEGER NOT NULL,
  seconds DOUBLE NOT NULL
);

-- The number of events with a property, by the type of its value. Each load adds rows. The rows of a property
-- add up to its count.
CREATE TABLE property_counts (
  project_id INTEGER NOT NULL,
  name VARCHAR NOT NULL,
  property_type VARCHAR,
  count BIGINT NOT NULL,
  last_seen TIMESTAMP NOT NULL
);
