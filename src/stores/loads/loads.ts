import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type {
  BatchContent,
  BulkLoad,
  BulkLoadFiles,
  ProjectionFiles,
  RemoveLoad,
} from "../../core/ports/loads.ts";
import type {
  ProjectedGroup,
  ProjectedPerson,
  ProjectionChanges,
  ProjectionStream,
} from "../../core/ports/projection.ts";
import { type JsonObject, storableJson } from "../../core/values/json.ts";
import { lastSeq } from "../journal/segment.ts";
import { briefText } from "./brief-properties.ts";
import { logLines } from "./log-lines.ts";
import {
  appended,
  appendedEvents,
  type EventPart,
  filled,
  fitting,
  type Part,
  pathOf,
} from "./parts.ts";
import { joinChanges } from "./projection-changes.ts";

/** The load that is being made. Of a file, only the first `bytes` count: what failed is behind. */
type Open = {
  first: number;
  last: number;
  events: EventPart;
  logs: Part;
  projection: ProjectionChanges | null;
};

/** What of a slice is in no load yet. */
type Rest = Omit<BatchContent, "projection">;

/**
 * Writes loads as files, of one slice or of many, of a slice's part where it fills one: DuckDB puts
 * `rowsMax` rows of events, a row group of its own, straight into its file (decision 93). What does
 * not fit any more leaves blank rows there. The files are not synced: after a crash the journal makes
 * them again.
 */
export function loadFiles(directory: string, rowsMax: number): BulkLoadFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const leftover of readdirSync(directory)) rmSync(join(directory, leftover));
  let open: Open | undefined;
  /** Changes that SQLite has and no file holds yet: writing failed, and nobody makes them again. */
  let unwritten: ProjectionChanges | null = null;

  const begin = (first: number): Open => {
    const part = (kind: string) => ({
      path: join(directory, `${first}.${kind}.ndjson`),
      bytes: 0,
      rows: 0,
    });
    const events = { ...part("events"), rowsTaken: 0, end: undefined, historical: false };
    return { first, last: first - 1, events, logs: part("logs"), projection: null };
  };
  /** The load with what fits of a slice, and the rest. */
  const extended = (making: Open, { range, events, logs }: Rest): { making: Open; rest: Rest } => {
    const part = fitting(events, rowsMax - making.events.rowsTaken);
    const later = events.slice(part.length);
    const last = later.length === 0 ? range.last : (part.at(-1)?.seq ?? making.last);
    const taken = logs.filter((frame) => lastSeq(frame) <= last);
    const grown = appendedEvents(making.events, part);
    return {
      making: {
        ...making,
        last,
        events: later.length === 0 ? grown : filled(grown, rowsMax),
        logs: appended(making.logs, taken.flatMap(logLines)),
      },
      rest: { range, events: later, logs: logs.slice(taken.length) },
    };
  };
  const putProjection = (name: string, changes: ProjectionStream) =>
    projectionFiles(join(directory, name), changes);
  const finished = ({ first, last, events, logs, projection }: Open): BulkLoad => ({
    first,
    last,
    events: pathOf(events),
    logs: pathOf(logs),
    count: events.rows + logs.rows,
    historical: events.historical,
    large: events.rowsTaken > events.rows,
    projection: projection && putProjection(String(first), projection),
  });
  const end = (): BulkLoad | null => {
    const load = open === undefined ? null : finished(open);
    open = undefined;
    return load;
  };

  return {
    /**
     * Adds a slice and returns the loads that it fills, with events or with persons. If it throws, only the
     * slice's changes of the projection were added, and they go with the next write.
     */
    add({ range, events, logs, projection }: BatchContent): BulkLoad[] {
      unwritten = joined(unwritten, projection);
      const full: BulkLoad[] = [];
      let making = open ?? begin(range.first);
      making = { ...making, projection: joined(making.projection, unwritten) };
      let rest: Rest = { range, events, logs };
      for (;;) {
        ({ making, rest } = extended(making, rest));
        if (making.events.rowsTaken < rowsMax) break;
        full.push(finished(making));
        making = begin(making.last + 1);
        if (rest.events.length === 0) break;
      }
      if (projectionChars(making.projection) >= PROJECTION_CHARS_MAX) {
        full.push(finished(making));
        making = begin(making.last + 1);
      }
      open = making.last < making.first ? undefined : making;
      unwritten = null;
      return full;
    },

    /** Ends the load that is being made; null if there is none. */
    end,

    /**
     * Ends the load that is being made, and writes changes to go behind it. If it throws, nothing
     * has ended, and the changes go with whatever is written next.
     */
    endWith(changes: ProjectionChanges): { load: BulkLoad | null; changes: ProjectionFiles } {
      const behind = joined(unwritten, changes) ?? changes;
      unwritten = behind;
      const files = putProjection(`mirror-${behind.version}`, behind);
      const load = end();
      unwritten = null;
      return { load, changes: files };
    },

    /** Writes changes to the projection that come with no events. */
    writeProjection: (changes: ProjectionStream): ProjectionFiles =>
      putProjection(`mirror-${changes.version}`, changes),

    /** The same of what a projection of a version lacks; null if that is nothing. */
    writeLacking: (version: number, changes: ProjectionStream): ProjectionFiles | null =>
      changes.version === version ? null : putProjection(`mirror-${changes.version}`, changes),
  };
}

/**
 * Removes a load's files, once both stores have it. Asynchronous: the system may take long to
 * let go of a file that it is still writing to disk.
 */
export const removeLoad: RemoveLoad = async ({ events, logs, projection }) => {
  const { persons, overrides, groups, owned } = projection ?? {};
  for (const path of [events, logs, persons, overrides, groups, owned]) {
    if (typeof path === "string") await rm(path, { force: true });
  }
};

/** Characters of the properties that a load changes in the projection; it ends behind the slice that reaches them. */
const PROJECTION_CHARS_MAX = 16_777_216;

function projectionChars(changes: ProjectionChanges | null): number {
  if (changes === null) return 0;
  const { persons, groups } = changes;
  return (
    persons.reduce((sum, { columns }) => sum + columns.length, 0) +
    groups.reduce((sum, { properties }) => sum + properties.length, 0)
  );
}

function joined(
  before: ProjectionChanges | null,
  after: ProjectionChanges | null,
): ProjectionChanges | null {
  return before === null || after === null ? (before ?? after) : joinChanges(before, after);
}

/** Writes changes to the projection as files whose paths begin with `start`. */
function projectionFiles(start: string, changes: ProjectionStream): ProjectionFiles {
  const { version, deleted = false, overrides, groups, owned } = changes;
  const put = (kind: string, lines: Iterable<string>): string | null =>
    pathOf(appended({ path: `${start}.${kind}.ndjson`, bytes: 0, rows: 0 }, lines));
  const found = { known: false, gone: false, moved: false };
  const persons = put("persons", personLines(changes, found));
  return {
    version,
    persons,
    known: found.known || found.gone,
    deleted: deleted && found.gone,
    moved: found.moved,
    overrides: put("overrides", Iterator.from(overrides).map(line)),
    groups: put("groups", Iterator.from(groups).map(groupLine)),
    owned: put("owned", Iterator.from(owned).map(line)),
  };
}

/** What the lines are of is in `found` when they have been taken. */
function* personLines(
  { persons, gone }: Pick<ProjectionStream, "persons" | "gone">,
  found: { known: boolean; gone: boolean; moved: boolean },
): Iterable<string> {
  for (const person of persons) {
    found.known ||= person.known;
    found.moved ||= person.moved.length > 0;
    yield personLine(person);
  }
  for (const id of gone) {
    found.gone = true;
    yield goneLine(id);
  }
}

/** A line of a person, whose properties are JSON already. */
function personLine(person: ProjectedPerson): string {
  const { columns, ...rest } = person;
  return `${storableJson(rest).slice(0, -1)}${columns === "" ? "" : `,${columns}`}}\n`;
}

/** The same of a group. */
function groupLine({ properties, ...rest }: ProjectedGroup): string {
  return `${storableJson(rest).slice(0, -1)},"properties":${briefText(properties)}}\n`;
}

function goneLine(id: number): string {
  return line({ id, known: true, gone: true });
}

function line(value: JsonObject): string {
  return `${storableJson(value)}\n`;
}
