import type { BatchEvent } from "../../core/ports/loads.ts";
import { type JsonObject, storableJson } from "../../core/values/json.ts";
import { isoTime } from "../../core/values/time.ts";
import { briefProperties, READ_BYTES_MAX } from "./brief-properties.ts";
import { lineBuffer } from "./line-buffer.ts";

/**
 * DuckDB reads, writes and sorts 2,048 rows at once, however large they are. So what is large takes
 * more rows than one: behind it are blank ones, of a project with a negative number that nobody asks
 * for (decision 95).
 */

/** Bytes of what takes one row. */
const ROW_BYTES_MAX = 2048;

/** Bytes for each of its rows, of what takes more. */
const BYTES_PER_ROW = 1536;

/** How many rows something of so many bytes takes. */
export function rowsOf(bytes: number): number {
  return bytes <= ROW_BYTES_MAX ? 1 : Math.ceil(bytes / BYTES_PER_ROW);
}

/** The condition that a row is not blank. */
export const NOT_BLANK = "project_id > 0";

/** What a blank row has where there must be a UUID. */
export const NO_UUID = "00000000-0000-0000-0000-000000000000";

/** The order of events that are large, and of their blank rows, which stay with them: last. */
export const LARGE_LAST = `
  CASE WHEN project_id < 0 OR strlen(coalesce(whole_properties, properties)) > ${ROW_BYTES_MAX}
    THEN seq ELSE 0 END`;

/** Properties that are columns of `events` too: breakdowns by them are four times as fast. */
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

/** The time of arrival as text: the events of one request share it. */
function arrivedAt(): (ms: number) => string {
  let last = Number.NaN;
  let text = "";
  return (ms) => {
    if (ms !== last) text = isoTime(ms);
    last = ms;
    return text;
  };
}

/**
 * Writes each event as its own line with what ingest adds in front. The line is copied as bytes:
 * made into a text and back, it would cost as much as everything else here.
 */
export function writeEvents(
  events: readonly BatchEvent[],
  write: (bytes: Uint8Array) => void,
): void {
  const iso = arrivedAt();
  const lines = lineBuffer(write);
  for (const event of events) {
    const arrived = iso(event.arrived_at);
    lines.text(eventHead(event, arrived));
    // The line's own brace is the head's.
    lines.bytes(event.line.subarray(1));
    lines.text(`\n${blankEvents(event, arrived, rowsOf(event.line.length) - 1)}`);
  }
  lines.flush();
}

/** Lines of so many blank rows behind an event that arrived at an ISO 8601 time. */
export function blankEvents(
  { seq, project_id }: Pick<BatchEvent, "seq" | "project_id">,
  arrived: string,
  count: number,
): string {
  if (count === 0) return "";
  const place = `"seq":${seq},"project_id":${-project_id},"ingested_at":"${arrived}"`;
  const ids = `"person_id":"${NO_UUID}","uuid":"${NO_UUID}","distinct_id":""`;
  const rest = `"event":"","timestamp":"${arrived}","properties":{}`;
  return `{${place},${ids},${rest}}\n`.repeat(count);
}

/**
 * The event's hot properties and the fields of ingest, in front of its own line; of a large event also
 * the properties that are read in its place. As keys, 21 hot columns take 12 to 16 µs an event in
 * DuckDB; `json_extract_string` takes 18 to 22 µs with a list of paths, and 56 to 71 µs with single ones.
 */
function eventHead(slice: BatchEvent, arrived: string): string {
  const { seq, project_id, person_id, event, groups, mark, line } = slice;
  const brief = line.length > READ_BYTES_MAX ? briefProperties(event.properties) : undefined;
  const properties = brief ?? event.properties;
  const hot: JsonObject = {};
  for (const name of HOT_PROPERTIES) {
    const value = properties[name];
    if (value !== undefined && value !== null) hot[name] = value;
  }
  if (groups !== undefined) {
    for (const [index, key] of Object.entries(groups)) hot[groupColumn(Number(index))] = key;
  }
  const columns = storableJson(hot).slice(1, -1);
  const head = `{"seq":${seq},"project_id":${project_id},"ingested_at":"${arrived}"`;
  const between = columns === "" ? "" : `${columns},`;
  const instead = brief === undefined ? "" : `"brief":${storableJson(brief)},`;
  return `${head},"person_id":"${person_id}","mark":${mark},${between}${instead}`;
}
