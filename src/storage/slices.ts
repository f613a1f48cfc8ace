import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { CapturedEvent } from "../domain/event.ts";
import { type JsonObject, storableJson } from "../domain/json.ts";
import { isoTime } from "../domain/time.ts";
import type { MirrorGroup } from "./groups.ts";
import type { MirrorChanges } from "./identity.ts";
import type { Frame } from "./journal-frame.ts";
import { logLines } from "./logs.ts";

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

/** One event on its way into the event store. */
export type SliceEvent = {
  seq: number;
  project_id: number;
  /** Milliseconds since the epoch. */
  arrived_at: number;
  /** The person at ingest: a uuid that an override may redirect later. */
  person_id: string;
  event: CapturedEvent;
  /** The keys of its groups, by the index of their type. */
  groups: Readonly<Record<number, string>> | undefined;
  /** Whether it was sent as a historical migration. */
  historical: boolean;
  /** The event's JSON in UTF-8, as it stands in the journal, without its line feed. */
  line: Uint8Array;
};

/** A person to be put in the mirror. */
export type MirrorPerson = {
  project_id: number;
  id: number;
  uuid: string;
  created_at: string;
  /** JSON text. */
  properties: string;
  /** Distinct ids to be put in the mirror with it. */
  distinct_ids: string[];
  /** Those of them that the mirror may hold already, as another person's. */
  moved: string[];
  /** Whether the mirror may hold the person already. */
  known: boolean;
};

/** Events of `old_person_id` belong to `person_id` now; both are uuids. */
export type MirrorOverride = { project_id: number; old_person_id: string; person_id: string };

/** Events of a distinct id belong to the person `person_id` now. */
export type MirrorOwned = { project_id: number; distinct_id: string; person_id: string };

/** Changes to the mirror, written for DuckDB to read; null where there is nothing of a kind. */
export type MirrorFiles = {
  /** The version of the person store that the mirror has with them. */
  version: number;
  persons: string | null;
  /** Whether the mirror may hold some of the persons, or of their distinct ids. */
  known: boolean;
  moved: boolean;
  overrides: string | null;
  groups: string | null;
  owned: string | null;
};

/** A part of the journal, written for DuckDB to read: applied in one transaction. */
export type Slice = {
  /** The first and last sequence number; the slice may have holes (duplicates). */
  first: number;
  last: number;
  /** Paths of NDJSON files; null when there is nothing in them. */
  events: string | null;
  logs: string | null;
  /** How many events and log records there are to store. */
  count: number;
  /** Null if the mirror is ahead of this slice already. */
  mirror: MirrorFiles | null;
};

/** The files of a slice; each may be missing. */
export type SliceFiles = Pick<Slice, "events" | "logs" | "mirror">;

/** What goes into a slice. */
export type SliceContent = {
  range: { first: number; last: number };
  events: SliceEvent[];
  /** Frames of the kind `logs`. */
  logs: Frame[];
  mirror: MirrorChanges | null;
};

/** Lines that are joined for one write, so that a slice is never in memory as one text. */
const LINES_PER_WRITE = 2000;

/** Bytes of events that are gathered for one write. */
const WRITE_BYTES = 4 * 1024 * 1024;

/** Writes slices as files. They are not synced: after a crash the journal makes them again. */
export function sliceFiles(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const leftover of readdirSync(directory)) rmSync(join(directory, leftover));
  const put = (name: string, lines: string[]): string | null => {
    if (lines.length === 0) return null;
    const path = join(directory, name);
    const file = openSync(path, "w", 0o600);
    try {
      for (let at = 0; at < lines.length; at += LINES_PER_WRITE) {
        writeSync(file, lines.slice(at, at + LINES_PER_WRITE).join(""));
      }
    } finally {
      closeSync(file);
    }
    return path;
  };
  const putEvents = (name: string, events: readonly SliceEvent[]): string | null => {
    if (events.length === 0) return null;
    const path = join(directory, name);
    const file = openSync(path, "w", 0o600);
    try {
      writeEvents(events, (bytes) => writeSync(file, bytes));
    } finally {
      closeSync(file);
    }
    return path;
  };
  const putMirror = (name: string, changes: MirrorChanges): MirrorFiles => {
    const { version, persons, gone, overrides, groups, owned } = changes;
    const lines = [...persons.map(propertiedLine), ...gone.map(goneLine)];
    return {
      version,
      persons: put(`${name}.persons.ndjson`, lines),
      known: gone.length > 0 || persons.some(({ known }) => known),
      moved: persons.some(({ moved }) => moved.length > 0),
      overrides: put(`${name}.overrides.ndjson`, overrides.map(line)),
      groups: put(`${name}.groups.ndjson`, groups.map(propertiedLine)),
      owned: put(`${name}.owned.ndjson`, owned.map(line)),
    };
  };
  return {
    write({ range, events, logs, mirror }: SliceContent): Slice {
      const name = `${range.first}-${range.last}`;
      const records = logs.flatMap(logLines);
      return {
        ...range,
        events: putEvents(`${name}.events.ndjson`, inOrder(events)),
        logs: put(`${name}.logs.ndjson`, records),
        count: events.length + records.length,
        mirror: mirror && putMirror(name, mirror),
      };
    },
    /** Writes changes to the mirror that come with no events. */
    writeMirror: (changes: MirrorChanges): MirrorFiles =>
      putMirror(`mirror-${changes.version}`, changes),
  };
}

/**
 * Removes a slice's files, once both stores have it. Asynchronous: the system may take long to
 * let go of a file that it is still writing to disk.
 */
export async function removeSlice({ events, logs, mirror }: SliceFiles): Promise<void> {
  const { persons, overrides, groups, owned } = mirror ?? {};
  for (const path of [events, logs, persons, overrides, groups, owned]) {
    if (typeof path === "string") await rm(path, { force: true });
  }
}

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

/** A migration is stored by time, so that queries of a period skip the rest of it (contract 4.5.3). */
function inOrder(events: readonly SliceEvent[]): readonly SliceEvent[] {
  if (!events.some(({ historical }) => historical)) return events;
  return events.toSorted((a, b) => (a.event.timestamp < b.event.timestamp ? -1 : 1));
}

/**
 * Writes each event as its own line with what ingest adds in front. The line is copied as bytes:
 * made into a text and back, it would cost as much as everything else here.
 */
function writeEvents(events: readonly SliceEvent[], write: (bytes: Uint8Array) => void): void {
  const iso = arrivedAt();
  let buffer = Buffer.allocUnsafe(WRITE_BYTES);
  let used = 0;
  const flush = () => {
    write(buffer.subarray(0, used));
    used = 0;
  };
  for (const event of events) {
    const head = eventHead(event, iso);
    const bytesMax = head.length * 3 + event.line.length;
    if (used + bytesMax > buffer.length) flush();
    if (bytesMax > buffer.length) buffer = Buffer.allocUnsafe(bytesMax);
    used += buffer.write(head, used);
    // The line's own brace is the head's.
    buffer.set(event.line.subarray(1), used);
    used += event.line.length;
    buffer[used - 1] = LINE_FEED;
  }
  flush();
}

const LINE_FEED = 0x0a;

/** The event's hot properties and what ingest adds, in front of its own line (decision 19). */
function eventHead(slice: SliceEvent, iso: (ms: number) => string): string {
  const { seq, project_id, arrived_at, person_id, event, groups } = slice;
  const hot: JsonObject = {};
  for (const name of HOT_PROPERTIES) {
    const value = event.properties[name];
    if (value !== undefined && value !== null) hot[name] = value;
  }
  if (groups !== undefined) {
    for (const [index, key] of Object.entries(groups)) hot[groupColumn(Number(index))] = key;
  }
  const columns = storableJson(hot).slice(1, -1);
  const head = `{"seq":${seq},"project_id":${project_id},"ingested_at":"${iso(arrived_at)}"`;
  const between = columns === "" ? "" : `${columns},`;
  return `${head},"person_id":"${person_id}",${between}`;
}

/** A line of a person or group, whose properties are JSON already. */
function propertiedLine(row: MirrorPerson | MirrorGroup): string {
  const { properties, ...rest } = row;
  return `${storableJson(rest).slice(0, -1)},"properties":${properties}}\n`;
}

function goneLine(id: number): string {
  return line({ id, known: true, gone: true });
}

function line(value: JsonObject): string {
  return `${storableJson(value)}\n`;
}
