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
  emptyPart,
  type Part,
  padded,
  pathOf,
  takeUpToRows,
} from "./parts.ts";
import { joinChanges } from "./projection-changes.ts";
import { countProperties, type PropertyCount } from "./property-counts.ts";

/** The load that is being written. */
type Open = {
  first: number;
  last: number;
  events: EventPart;
  counts: PropertyCount[];
  logs: Part;
  projection: ProjectionChanges | null;
};

/** The part of a batch that is in no load yet. */
type Remaining = Omit<BatchContent, "projection">;

type Extended = { load: Open; remaining: Remaining };

/**
 * Writes loads as files, each of one batch, several, or a part of one. DuckDB writes `rowsMax` rows, which
 * are a row group, straight into its file (decision 93); padding rows fill the space of an event that
 * does not fit. The files are not synced, because the journal has the events after a crash.
 */
export function loadFiles(directory: string, rowsMax: number): BulkLoadFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const leftover of readdirSync(directory)) rmSync(join(directory, leftover));
  let open: Open | undefined;
  /** Changes that SQLite has and that no file has, because a write failed. No later call passes them again. */
  let unwritten: ProjectionChanges | null = null;

  const begin = (first: number): Open => {
    const of = (kind: string) => emptyPart(join(directory, `${first}.${kind}.ndjson`));
    const events = { ...of("events"), rowsTaken: 0, end: undefined, historical: false };
    return { first, last: first - 1, events, counts: [], logs: of("logs"), projection: null };
  };
  /** Adds the part of a batch that fits into the load. */
  const extended = (load: Open, { range, events, logs }: Remaining): Extended => {
    const part = takeUpToRows(events, rowsMax - load.events.rowsTaken);
    const later = events.slice(part.length);
    const last = later.length === 0 ? range.last : (part.at(-1)?.seq ?? load.last);
    const taken = logs.filter((frame) => lastSeq(frame) <= last);
    const grown = appendedEvents(load.events, part);
    return {
      load: {
        ...load,
        last,
        events: later.length === 0 ? grown : padded(grown, rowsMax),
        counts: [...load.counts, ...countProperties(part)],
        logs: appended(load.logs, taken.flatMap(logLines)),
      },
      remaining: { range, events: later, logs: logs.slice(taken.length) },
    };
  };
  const putProjection = (name: string, changes: ProjectionStream) =>
    projectionFiles(join(directory, name), changes);
  const finished = ({ first, last, events, counts, logs, projection }: Open): BulkLoad => ({
    first,
    last,
    events: pathOf(events),
    logs: pathOf(logs),
    property_counts: storableJson(counts),
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
    add({ range, events, logs, projection }: BatchContent): BulkLoad[] {
      unwritten = joined(unwritten, projection);
      const full: BulkLoad[] = [];
      let load = open ?? begin(range.first);
      load = { ...load, projection: joined(load.projection, unwritten) };
      let remaining: Remaining = { range, events, logs };
      for (;;) {
        ({ load, remaining } = extended(load, remaining));
        if (load.events.rowsTaken < rowsMax) break;
        full.push(finished(load));
        load = begin(load.last + 1);
        if (remaining.events.length === 0) break;
      }
      if (projectionChars(load.projection) >= PROJECTION_CHARS_MAX) {
        full.push(finished(load));
        load = begin(load.last + 1);
      }
      open = load.last < load.first ? undefined : load;
      unwritten = null;
      return full;
    },

    end,

    endWith(changes: ProjectionChanges): { load: BulkLoad | null; changes: ProjectionFiles } {
      const pending = joined(unwritten, changes) ?? changes;
      unwritten = pending;
      const files = putProjection(`mirror-${pending.version}`, pending);
      const load = end();
      unwritten = null;
      return { load, changes: files };
    },

    writeProjection: (changes: ProjectionStream): ProjectionFiles =>
      putProjection(`mirror-${changes.version}`, changes),

    writeLacking: (version: number, changes: ProjectionStream): ProjectionFiles | null =>
      changes.version === version ? null : putProjection(`mirror-${changes.version}`, changes),
  };
}

/**
 * Removes a load's files, after both stores have it. It is asynchronous, because it takes long to remove a
 * file that the system still writes to disk.
 */
export const removeLoad: RemoveLoad = async ({ events, logs, projection }) => {
  const { persons, overrides, groups, owned } = projection ?? {};
  for (const path of [events, logs, persons, overrides, groups, owned]) {
    if (typeof path === "string") await rm(path, { force: true });
  }
};

/** Characters of changed properties at which a load ends, after the batch that reaches them. */
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
    pathOf(appended(emptyPart(`${start}.${kind}.ndjson`), lines));
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

/** Yields the lines of persons, and notes in `found` which kinds they have. */
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

/** Returns the line of a person, whose properties are JSON already. */
function personLine(person: ProjectedPerson): string {
  const { columns, ...fields } = person;
  return `${storableJson(fields).slice(0, -1)}${columns === "" ? "" : `,${columns}`}}\n`;
}

/** Returns the line of a group, whose properties are JSON already. */
function groupLine({ properties, ...fields }: ProjectedGroup): string {
  return `${storableJson(fields).slice(0, -1)},"properties":${briefText(properties)}}\n`;
}

function goneLine(id: number): string {
  return line({ id, known: true, gone: true });
}

function line(value: JsonObject): string {
  return `${storableJson(value)}\n`;
}
