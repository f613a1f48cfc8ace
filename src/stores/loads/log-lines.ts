import type { LogRecord } from "../../core/logs/record.ts";
import type { Frame } from "../../core/ports/journal.ts";
import { isoTime } from "../../core/values/time.ts";
import { NO_UUID, rowsFor } from "./event-lines.ts";

const utf8 = new TextDecoder();

/**
 * Returns a frame's records as lines for DuckDB: the fields of ingest, the record as it is, and padding
 * rows after a large one.
 */
export function logLines({ project_id, arrived_at, first_seq, count, lines }: Frame): string[] {
  const time = isoTime(arrived_at);
  const head = (seq: number, project: number) =>
    `{"seq":${seq},"project_id":${project},"ingested_at":"${time}",`;
  const padding = JSON.stringify(paddingRecord(time)).slice(1);
  const records = utf8.decode(lines).split("\n").slice(0, count);
  return records.map((line, index) => {
    const seq = first_seq + index;
    const more = rowsFor(line.length) - 1;
    const paddingRows = more === 0 ? "" : `${head(seq, -project_id)}${padding}\n`.repeat(more);
    return `${head(seq, project_id)}${line.slice(1)}\n${paddingRows}`;
  });
}

/** The fields of a record in a padding row. */
const paddingRecord = (time: string): Record<keyof LogRecord, string | number | object> => ({
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
