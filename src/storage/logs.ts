import type { LogRecord } from "../domain/log-record.ts";
import { isoTime } from "../domain/time.ts";
import { quoted, readColumns } from "./duckdb.ts";
import type { Frame } from "./journal-frame.ts";

const utf8 = new TextDecoder();

/** A frame's records as lines for DuckDB: each as it stands, what ingest adds in front. */
export function logLines({ project_id, arrived_at, first_seq, count, lines }: Frame): string[] {
  const arrived = `"project_id":${project_id},"ingested_at":"${isoTime(arrived_at)}"`;
  const records = utf8.decode(lines).split("\n").slice(0, count);
  return records.map((line, at) => `{"seq":${first_seq + at},${arrived},${line.slice(1)}\n`);
}

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

/** A line is a record of at most 1 MiB and what ingest adds. */
const LINE_BYTES_MAX = 2_097_152;

/** Stores the lines of a file (decision 36). A time that TRY_CAST refuses fails its line alone. */
export const INSERT_LOGS = (path: string) => `
  INSERT INTO logs BY NAME SELECT * REPLACE (TRY_CAST(uuid AS UUID) AS uuid,
    TRY_CAST("timestamp" AS TIMESTAMP) AS "timestamp",
    TRY_CAST(observed_timestamp AS TIMESTAMP) AS observed_timestamp,
    TRY_CAST(ingested_at AS TIMESTAMP) AS ingested_at)
  FROM read_json(${quoted(path)}, columns = ${readColumns(READ_COLUMNS)},
    format = 'newline_delimited', maximum_object_size = ${LINE_BYTES_MAX})`;
