import type { BatchEvent } from "../../core/ports/loads.ts";
import { type JsonObject, storableJson } from "../../core/values/json.ts";
import { isoTime } from "../../core/values/time.ts";
import { READ_BYTES_MAX, truncateForQuery } from "./brief-properties.ts";

/*
 * DuckDB reads, writes and sorts 2,048 rows at once, also if they are large. So padding rows follow a
 * large row. They belong to a negative project id, which no query reads (decision 95).
 */

/** Largest line, in bytes, that takes one row. */
const ROW_BYTES_MAX = 2048;

/** Bytes of a larger line for each row that it counts as. */
const BYTES_PER_ROW = 1536;

/** Returns the number of rows that a line of `bytes` takes, with its padding rows. */
export function rowsFor(bytes: number): number {
  return bytes <= ROW_BYTES_MAX ? 1 : Math.ceil(bytes / BYTES_PER_ROW);
}

/** The SQL condition that a row is no padding row. */
export const NOT_PADDING = "project_id > 0";

/** The UUID of a padding row. */
export const NO_UUID = "00000000-0000-0000-0000-000000000000";

/** An SQL order that puts large events and their padding rows together, after all others. */
export const LARGE_LAST = `
  CASE WHEN project_id < 0 OR strlen(coalesce(whole_properties, properties)) > ${ROW_BYTES_MAX}
    THEN seq ELSE 0 END`;

/** Properties that are also columns of `events`: breakdowns by them are four times as fast. */
export const HOT_PROPERTIES = [
  "$session_id",
  "$current_url",
  "$pathname",
  "$host",
  "$referring_domain",
  "$browser",
  "$os",
  "$device_type",
  "$lib",
  "$screen_name",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
] as const;

/** The column of the group keys of a type, by its index. */
export const groupColumn = (type_index: number): string => `$group_${type_index}`;

/** The column of `events` that has a property's text; a group's key counts as one. */
export function eventColumn(property: string): string | undefined {
  const isColumn =
    HOT_PROPERTIES.some((name) => name === property) || /^\$group_[0-4]$/.test(property);
  return isColumn ? property : undefined;
}

/** Converts times of arrival to text. The last text is cached, because events of one request arrive at once. */
function cachedIsoTime(): (ms: number) => string {
  let last = Number.NaN;
  let text = "";
  return (ms) => {
    if (ms !== last) text = isoTime(ms);
    last = ms;
    return text;
  };
}

/**
 * Writes each event as a line, with the fields of ingest before its own. The line is copied as bytes,
 * because decoding and encoding it would double the cost.
 */
export function writeEvents(
  events: readonly BatchEvent[],
  write: (bytes: Uint8Array) => void,
): void {
  const isoTimeOf = cachedIsoTime();
  const lines = lineBuffer(write);
  for (const event of events) {
    const arrived = isoTimeOf(event.arrived_at);
    lines.text(eventHead(event, arrived));
    // The head has the opening brace of the line.
    lines.bytes(event.line.subarray(1));
    lines.text(`\n${paddingEvents(event, arrived, rowsFor(event.line.length) - 1)}`);
  }
  lines.flush();
}

/** Returns the lines of `count` padding rows after an event that arrived at an ISO 8601 time. */
export function paddingEvents(
  { seq, project_id }: Pick<BatchEvent, "seq" | "project_id">,
  arrived: string,
  count: number,
): string {
  if (count === 0) return "";
  const ids = `"seq":${seq},"project_id":${-project_id},"ingested_at":"${arrived}"`;
  const uuids = `"person_id":"${NO_UUID}","uuid":"${NO_UUID}","distinct_id":""`;
  const fields = `"event":"","timestamp":"${arrived}","properties":{}`;
  return `{${ids},${uuids},${fields}}\n`.repeat(count);
}

/**
 * Returns the fields of ingest and the hot properties, which come before the event's own fields; for a large
 * event also the properties that queries read instead of its own. As keys of the line, 21 hot columns cost 12
 * to 16 µs an event in DuckDB. Read by `json_extract_string` with a list of paths, they cost 18 to 22 µs.
 */
function eventHead(batchEvent: BatchEvent, arrived: string): string {
  const { seq, project_id, person_id, event, groups, mark, line } = batchEvent;
  const { properties } = event;
  const brief = line.length > READ_BYTES_MAX ? truncateForQuery(properties) : undefined;
  const hot: JsonObject = {};
  for (const name of HOT_PROPERTIES) {
    const value = properties[name];
    if (value === undefined || value === null) continue;
    if (brief === undefined || JSON.stringify(value).length <= READ_BYTES_MAX) hot[name] = value;
  }
  if (groups !== undefined) {
    for (const [index, key] of Object.entries(groups)) hot[groupColumn(Number(index))] = key;
  }
  const columns = storableJson(hot).slice(1, -1);
  const head = `{"seq":${seq},"project_id":${project_id},"ingested_at":"${arrived}"`;
  const hotFields = columns === "" ? "" : `${columns},`;
  const briefField = brief === undefined ? "" : `"brief":${storableJson(brief)},`;
  return `${head},"person_id":"${person_id}","mark":${mark},${hotFields}${briefField}`;
}

/** Bytes of one write, few enough for the processor's cache. */
const WRITE_BYTES = 1_048_576;

/** One buffer for all writes, because allocating one for each load is slow. */
const shared = Buffer.allocUnsafeSlow(WRITE_BYTES);

/** Collects lines of a file; `flush` writes the last ones. */
export type LineBuffer = {
  /** Adds a text as UTF-8. */
  text(text: string): void;
  bytes(bytes: Uint8Array): void;
  flush(): void;
};

/**
 * Collects lines for `write`, which must not keep the bytes. A thread may use one at a time, from the
 * first text to `flush`.
 */
export function lineBuffer(write: (bytes: Uint8Array) => void): LineBuffer {
  let buffer = shared;
  let used = 0;
  const flush = () => {
    if (used > 0) write(buffer.subarray(0, used));
    used = 0;
  };
  const reserve = (bytes: number) => {
    if (used + bytes > buffer.length) flush();
    if (bytes > buffer.length) buffer = Buffer.allocUnsafeSlow(bytes);
  };
  return {
    text(text) {
      // A UTF-16 unit is at most 3 bytes of UTF-8.
      reserve(text.length * 3);
      used += buffer.write(text, used);
    },
    bytes(bytes) {
      reserve(bytes.length);
      buffer.set(bytes, used);
      used += bytes.length;
    },
    flush,
  };
}
