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
} from "../../core/ports/persons/projection.ts";
import { type JsonObject, storableJson } from "../../core/values/json.ts";
import { lastSeq } from "../journal/segment.ts";
import { READ_CHARS_MAX, truncateForQuery } from "./brief-properties.ts";
import { NO_UUID, rowsFor } from "./event-lines.ts";
import { logLines } from "./log-lines.ts";
import {
  addPadding,
  appendEvents,
  appendLines,
  type EventPart,
  emptyPart,
  type Part,
  pathOf,
  takeUpToRows,
} from "./parts.ts";
import { joinChanges } from "./projection-changes.ts";
import { countProperties, type PropertyCount } from "./property-counts.ts";

/** The load that is being written. */
type OpenLoad = {
  first: number;
  last: number;
  events: EventPart;
  counts: PropertyCount[];
  logs: Part;
  projection: ProjectionChanges | null;
};

/** The part of a batch that is in no load yet. */
type Remaining = Omit<BatchContent, "projection">;

type Extended = { load: OpenLoad; remaining: Remaining };

/**
 * Writes loads as files, each of one batch, several, or a part of one. DuckDB writes `rowsMax` rows, which
 * are a row group, straight into its file (decision 93); padding rows fill the space of an event that
 * does not fit. The files are not synced, because the journal has the events after a crash.
 */
export function loadFiles(directory: string, rowsMax: number): BulkLoadFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const leftover of readdirSync(directory)) rmSync(join(directory, leftover));
  let open: OpenLoad | undefined;
  /** Changes that the person store has, but no file, because a write failed. Callers pass them only once. */
  let unwritten: ProjectionChanges | null = null;

  const begin = (first: number): OpenLoad => {
    const part = (kind: string) => emptyPart(join(directory, `${first}.${kind}.ndjson`));
    const nothing = { rowsTaken: 0, longest: 0, end: undefined, historical: false };
    const events = { ...part("events"), ...nothing };
    return { first, last: first - 1, events, counts: [], logs: part("logs"), projection: null };
  };
  /** Adds the part of a batch that fits into the load. */
  const extend = (load: OpenLoad, { range, events, logs }: Remaining): Extended => {
    const part = takeUpToRows(events, rowsMax - load.events.rowsTaken);
    const later = events.slice(part.length);
    const last = later.length === 0 ? range.last : (part.at(-1)?.seq ?? load.last);
    const takenLogs = logs.filter((frame) => lastSeq(frame) <= last);
    const extendedEvents = appendEvents(load.events, part);
    return {
      load: {
        ...load,
        last,
        events: later.length === 0 ? extendedEvents : addPadding(extendedEvents, rowsMax),
        counts: [...load.counts, ...countProperties(part)],
        logs: appendLines(load.logs, takenLogs.flatMap(logLines)),
      },
      remaining: { range, events: later, logs: logs.slice(takenLogs.length) },
    };
  };
  const writeProjection = (name: string, changes: ProjectionStream) =>
    projectionFiles(join(directory, name), changes);
  const finish = ({ first, last, events, counts, logs, projection }: OpenLoad): BulkLoad => ({
    first,
    last,
    events: pathOf(events),
    logs: pathOf(logs),
    property_counts: storableJson(counts),
    count: events.rows + logs.rows,
    ...{ historical: events.historical, longest: events.longest },
    large: events.rowsTaken > events.rows,
    projection: projection && writeProjection(String(first), projection),
  });
  const end = (): BulkLoad | null => {
    const load = open === undefined ? null : finish(open);
    open = undefined;
    return load;
  };

  return {
    add({ range, events, logs, projection }: BatchContent): BulkLoad[] {
      unwritten = joinIfAny(unwritten, projection);
      const full: BulkLoad[] = [];
      let load = open ?? begin(range.first);
      load = { ...load, projection: joinIfAny(load.projection, unwritten) };
      let remaining: Remaining = { range, events, logs };
      for (;;) {
        ({ load, remaining } = extend(load, remaining));
        if (load.events.rowsTaken < rowsMax) break;
        full.push(finish(load));
        load = begin(load.last + 1);
        if (remaining.events.length === 0) break;
      }
      if (projectionChars(load.projection) >= PROJECTION_CHARS_MAX) {
        full.push(finish(load));
        load = begin(load.last + 1);
      }
      open = load.last < load.first ? undefined : load;
      unwritten = null;
      return full;
    },

    end,

    endWith(changes: ProjectionChanges): { load: BulkLoad | null; changes: ProjectionFiles } {
      const pending = joinIfAny(unwritten, changes) ?? changes;
      unwritten = pending;
      const files = writeProjection(`mirror-${pending.version}`, pending);
      const load = end();
      unwritten = null;
      return { load, changes: files };
    },

    writeProjection: (changes: ProjectionStream): ProjectionFiles =>
      writeProjection(`mirror-${changes.version}`, changes),

    writeLacking: (version: number, changes: ProjectionStream): ProjectionFiles | null =>
      changes.version === version ? null : writeProjection(`mirror-${changes.version}`, changes),
  };
}

/**
 * Removes a load's files, after both stores have it. It is asynchronous, because the removal takes long while
 * the system still writes a file to disk.
 */
export const removeLoad: RemoveLoad = async ({ events, logs, projection }) => {
  const { persons, overrides, groups, owned } = projection ?? {};
  for (const path of [events, logs, persons, overrides, groups, owned]) {
    if (typeof path === "string") await rm(path, { force: true });
  }
};

/** Characters of changed properties at which a load ends, with the batch that reaches them. */
const PROJECTION_CHARS_MAX = 16_777_216;

function projectionChars(changes: ProjectionChanges | null): number {
  if (changes === null) return 0;
  const { persons, groups } = changes;
  return (
    persons.reduce((sum, { columns }) => sum + columns.length, 0) +
    groups.reduce((sum, { properties }) => sum + properties.length, 0)
  );
}

function joinIfAny(
  before: ProjectionChanges | null,
  after: ProjectionChanges | null,
): ProjectionChanges | null {
  return before === null || after === null ? (before ?? after) : joinChanges(before, after);
}

/** Writes changes to the projection as files whose paths begin with `start`. */
function projectionFiles(start: string, changes: ProjectionStream): ProjectionFiles {
  const { version, deleted = false, overrides, groups, owned } = changes;
  const write = (kind: string, lines: Iterable<string>): string | null =>
    pathOf(appendLines(emptyPart(`${start}.${kind}.ndjson`), lines));
  const kinds = { known: false, gone: false, moved: false, large: false };
  const persons = write("persons", personLines(changes, kinds));
  return {
    version,
    persons,
    large: kinds.large,
    known: kinds.known || kinds.gone,
    deleted: deleted && kinds.gone,
    moved: kinds.moved,
    overrides: write("overrides", Iterator.from(overrides).map(line)),
    groups: write("groups", Iterator.from(groups).map(groupLine)),
    owned: write("owned", Iterator.from(owned).map(line)),
  };
}

/** Yields the lines of persons, and notes in `kinds` which kinds of changes they have. */
function* personLines(
  { persons, gone }: Pick<ProjectionStream, "persons" | "gone">,
  kinds: { known: boolean; gone: boolean; moved: boolean; large: boolean },
): Iterable<string> {
  for (const person of persons) {
    kinds.known ||= person.known;
    kinds.moved ||= person.moved.length > 0;
    kinds.large ||= person.columns.length > READ_CHARS_MAX;
    yield personLine(person);
  }
  for (const id of gone) {
    kinds.gone = true;
    yield goneLine(id);
  }
}

/** Returns the line of a person, whose properties are JSON already; padding rows with its id follow a large one. */
function personLine(person: ProjectedPerson): string {
  const { columns, ...fields } = person;
  const { project_id, id, created_at } = fields;
  const one = `${storableJson(fields).slice(0, -1)}${columns === "" ? "" : `,${columns}`}}\n`;
  return padded(one, columns, { project_id: -project_id, id, uuid: NO_UUID, created_at });
}

/** Returns the line of a group, whose properties are JSON already; padding rows with its key follow a large one. */
function groupLine({ properties, ...fields }: ProjectedGroup): string {
  const head = storableJson(fields).slice(0, -1);
  if (properties.length <= READ_CHARS_MAX) return `${head},"properties":${properties}}\n`;
  const brief = storableJson(truncateForQuery(JSON.parse(properties)));
  const one = `${head},"properties":${brief},"whole_properties":${properties}}\n`;
  return padded(one, properties, { ...fields, project_id: -fields.project_id, properties: {} });
}

/** Returns a line with its padding rows, if its properties are large (decision 95). */
function padded(one: string, properties: string, padding: JsonObject): string {
  if (properties.length <= READ_CHARS_MAX) return one;
  return one + line(padding).repeat(rowsFor(Buffer.byteLength(one)) - 1);
}

function goneLine(id: number): string {
  return line({ id, known: true, gone: true });
}

function line(value: JsonObject): string {
  return `${storableJson(value)}\n`;
}
