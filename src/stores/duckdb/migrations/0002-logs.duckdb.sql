-- Log records (OTLP), in the order of arrival as events are. Texts are empty where the sender
-- gave none; level is never empty.
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
