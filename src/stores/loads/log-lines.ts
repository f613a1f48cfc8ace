import type { LogRecord } from "../../core/logs/record.ts";
import type { Frame } from "../../core/ports/journal.ts";
import { isoTime } from "../../core/values/time.ts";
import { quoted, readColumns } from "../duckdb/engine/duckdb.ts";
import { NO_UUID, rowsOf } from "./blank-rows.ts";

const utf8 = new TextDecoder();

/**
 * A frame's records as lines for DuckDB: each as it stands, what ingest adds in front, and blank rows
 * behind a large one.
 */
export function logLines({ project_id, arrived_at, first_seq, count, lines }: Frame): string[] {
  const time = isoTime(arrived_at);
  const head = (seq: number, project: number) =>
    `{"seq":${seq},"project_id":${project},"ingested_at":"${time}",`;
  const blank = JSON.stringify(blankRecord(time)).slice(1);
  const records = utf8.decode(lines).split("\n").slice(0, count);
  return records.map((line, at) => {
    const seq = first_seq + at;
    const more = rowsOf(line.length) - 1;
    const blanks = more === 0 ? "" : `${head(seq, -project_id)}${blank}\n`.repeat(more);
    return `${head(seq, project_id)}${line.slice(1)}\n${blanks}`;
  });
}

/** What a blank row has of a record. */
const blankRecord = (time: string): Record<keyof LogRecord, string | number | object> => ({
  uuid: NO_UUID,
  timestamp: time,
  observed_timestamp: time,
  trace_id: "",
  span_id: "",
  trace_flags: 0,
  severity_text: "",
  severity_number: 0,
  level: "",
  service_name: "",
  event_name: "",
  body: "",
  attributes: {},
  resource_attributes: {},
  instrumentation_scope: {},
});

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
