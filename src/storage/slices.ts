import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { CapturedEvent } from "../domain/event.ts";
import { type JsonObject, storableJson } from "../domain/json.ts";
import { isoTime } from "../domain/time.ts";
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
  "$group_0",
  "$group_1",
  "$group_2",
  "$group_3",
  "$group_4",
] as const;

/** One event on its way into the event store. */
export type SliceEvent = {
  seq: number;
  project_id: number;
  /** Milliseconds since the epoch. */
  arrived_at: number;
  /** The person at ingest: a uuid that an override may redirect later. */
  person_id: string;
  event: CapturedEvent;
  /** The event's JSON, as it stands in the journal. */
  line: string;
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

/** Changes to the mirror, written for DuckDB to read; null where there is nothing of a kind. */
export type MirrorFiles = {
  /** The version of the person store that the mirror has with them. */
  version: number;
  persons: string | null;
  /** Whether the mirror may hold some of the persons, or of their distinct ids. */
  known: boolean;
  moved: boolean;
  overrides: string | null;
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
  const putMirror = (name: string, changes: MirrorChanges): MirrorFiles => {
    const { version, persons, gone, overrides } = changes;
    const lines = [...persons.map(personLine), ...gone.map(goneLine)];
    return {
      version,
      persons: put(`${name}.persons.ndjson`, lines),
      known: gone.length > 0 || persons.some(({ known }) => known),
      moved: persons.some(({ moved }) => moved.length > 0),
      overrides: put(`${name}.overrides.ndjson`, overrides.map(line)),
    };
  };
  return {
    write({ range, events, logs, mirror }: SliceContent): Slice {
      const name = `${range.first}-${range.last}`;
      const iso = arrivedAt();
      const lines = events.map((event) => eventLine(event, iso));
      const records = logs.flatMap(logLines);
      return {
        ...range,
        events: put(`${name}.events.ndjson`, lines),
        logs: put(`${name}.logs.ndjson`, records),
        count: lines.length + records.length,
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
  for (const path of [events, logs, mirror?.persons, mirror?.overrides]) {
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

/** The event's own line, its hot properties and what ingest adds in front (decision 19). */
function eventLine(slice: SliceEvent, iso: (ms: number) => string): string {
  const { seq, project_id, arrived_at, person_id, event, line } = slice;
  const hot: JsonObject = {};
  for (const name of HOT_PROPERTIES) {
    const value = event.properties[name];
    if (value !== undefined && value !== null) hot[name] = value;
  }
  const columns = storableJson(hot).slice(1, -1);
  const head = `{"seq":${seq},"project_id":${project_id},"ingested_at":"${iso(arrived_at)}"`;
  const between = columns === "" ? "" : `${columns},`;
  return `${head},"person_id":"${person_id}",${between}${line.slice(1)}\n`;
}

function personLine(person: MirrorPerson): string {
  const { properties, ...rest } = person;
  return `${storableJson(rest).slice(0, -1)},"properties":${properties}}\n`;
}

function goneLine(id: number): string {
  return line({ id, known: true, gone: true });
}

function line(value: JsonObject): string {
  return `${storableJson(value)}\n`;
}
