import type { LogRecord } from "../../../core/logs/record.ts";
import { quoted, readColumns } from "../engine/duckdb.ts";

const RECORD_COLUMNS: Record<keyof LogRecord, string> = {
  uuid: "VARCHAR",
  timestamp: "VARCHAR",
  observed_timestamp: "VARCHAR",
  trace_id: "VARCHAR",
  span_id: "VARCHAR",
  trace_flags: "INTEGER",
  severity_text: "VARCHAR",
  severity_number: "INTEGER",
  level: "VARCHAR",
  service_name: "VARCHAR",
  event_name: "VARCHAR",
  body: "VARCHAR",
  attributes: "JSON",
  resource_attributes: "JSON",
  instrumentation_scope: "JSON",
};

const READ_COLUMNS = {
  seq: "BIGINT",
  project_id: "INTEGER",
  ingested_at: "VARCHAR",
  ...RECORD_COLUMNS,
};

/** UTF-8 bytes of a line: a record of at most 1 MiB and the fields that ingest adds. */
const LINE_BYTES_MAX = 2_097_152;

/** Returns the statement that stores the lines of a file (decision 36). An invalid time makes only its line unreadable. */
export const INSERT_LOGS = (path: string) => `
  INSERT INTO logs BY NAME SELECT * REPLACE (TRY_CAST(uuid AS UUID) AS uuid,
    TRY_CAST("timestamp" AS TIMESTAMP) AS "timestamp",
    TRY_CAST(observed_timestamp AS TIMESTAMP) AS observed_timestamp,
    TRY_CAST(ingested_at AS TIMESTAMP) AS ingested_at)
  FROM read_json(${quoted(path)}, columns = ${readColumns(READ_COLUMNS)},
    format = 'newline_delimited', maximum_object_size = ${LINE_BYTES_MAX})`;
