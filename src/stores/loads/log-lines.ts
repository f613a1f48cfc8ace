import type { LogRecord } from "../../core/logs/record.ts";
import type { Frame } from "../../core/ports/journal.ts";
import { isoTime } from "../../core/values/time.ts";
import { NO_UUID, rowsOf } from "./event-lines.ts";

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
