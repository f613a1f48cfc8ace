import { readFileSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { GROUP_TYPES_MAX } from "../../../core/identity/groups.ts";
import type { LogRecord } from "../../../core/logs/record.ts";
import type { DeadLetter, EventStore } from "../../../core/ports/events.ts";
import type { BulkLoad, ProjectionFiles } from "../../../core/ports/loads.ts";
import { groupColumn, HOT_PROPERTIES, LARGE_LAST, NOT_PADDING } from "../../loads/event-lines.ts";
import { type Duckdb, quoted, readColumns, rows } from "../engine/duckdb.ts";
import { runOnEngineThreads } from "../engine/engine-threads.ts";
import { noteOmitted } from "../lists/omitted-properties.ts";
import { isAboutTheData, moveToDeadLetters } from "./dead-letters.ts";
import { readDedupEntries } from "./dedup-replay.ts";
import { eventErasure } from "./erase.ts";
import { materializedTexts } from "./hot-columns.ts";
import {
  applyChanges,
  isInPlace,
  LINE_BYTES_MAX,
  type MetaKey,
  metaOf,
  setMeta,
} from "./projection.ts";
import { addPropertyCounts, joinPropertyCounts, recountProperties } from "./property-counts.ts";

const HOT_NAMES = [
  ...HOT_PROPERTIES,
  ...Array.from({ length: GROUP_TYPES_MAX }, (_, index) => groupColumn(index)),
];

const READ_COLUMNS = {
  seq: "BIGINT",
  project_id: "INTEGER",
  ingested_at: "VARCHAR",
  person_id: "VARCHAR",
  uuid: "VARCHAR",
  event: "VARCHAR",
  distinct_id: "VARCHAR",
  timestamp: "VARCHAR",
  mark: "USMALLINT",
  ...Object.fromEntries(HOT_NAMES.map((name) => [name, "VARCHAR"])),
  properties: "JSON",
  brief: "JSON",
};

const HOT_COLUMNS = HOT_NAMES.map((name) => `"${name}"`).join(", ");

/** UTF-8 bytes of what ingest adds to a long event: its brief properties and hot columns. */
const HEAD_BYTES_MAX = 1_048_576;

/**
 * Reads VARCHAR and casts with TRY_CAST, because a value that a typed column refuses would fail the load.
 * Historical events are ordered by time, so that queries of a period skip row groups. Others are ordered by
 * person, which takes less space (decision 93).
 */
const INSERT_EVENTS = (
  path: string,
  {
    historical,
    large,
    longest,
    promoted = "",
  }: Pick<BulkLoad, "historical" | "large" | "longest"> & { promoted?: string },
) => `
  INSERT INTO events BY NAME SELECT project_id, seq, TRY_CAST(uuid AS UUID) AS uuid, event, distinct_id,
    TRY_CAST(person_id AS UUID) AS person_id, TRY_CAST("timestamp" AS TIMESTAMP) AS "timestamp",
    TRY_CAST(ingested_at AS TIMESTAMP) AS ingested_at, mark, ${HOT_COLUMNS}${promoted}, properties, whole_properties
  FROM (SELECT * REPLACE (coalesce(brief, properties) AS properties),
      CASE WHEN brief IS NOT NULL THEN properties END AS whole_properties
    FROM read_json(${quoted(path)}, columns = ${readColumns(READ_COLUMNS)},
      format = 'newline_delimited', maximum_object_size = ${Math.max(LINE_BYTES_MAX, longest + HEAD_BYTES_MAX)}))
  ORDER BY ${large ? `${LARGE_LAST}, ` : ""}${historical ? '"timestamp"' : "person_id"}, seq`;

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

const LOG_COLUMNS = {
  seq: "BIGINT",
  project_id: "INTEGER",
  ingested_at: "VARCHAR",
  ...RECORD_COLUMNS,
};

/** UTF-8 bytes of a line: a record of at most 1 MiB and the fields that ingest adds. */
const LOG_BYTES_MAX = 2_097_152;

/** Returns the statement that stores the lines of a file. TRY_CAST lets an invalid time fail only its line. */
const INSERT_LOGS = (path: string) => `
  INSERT INTO logs BY NAME SELECT * REPLACE (TRY_CAST(uuid AS UUID) AS uuid,
    TRY_CAST("timestamp" AS TIMESTAMP) AS "timestamp",
    TRY_CAST(observed_timestamp AS TIMESTAMP) AS observed_timestamp,
    TRY_CAST(ingested_at AS TIMESTAMP) AS ingested_at)
  FROM read_json(${quoted(path)}, columns = ${readColumns(LOG_COLUMNS)},
    format = 'newline_delimited', maximum_object_size = ${LOG_BYTES_MAX})`;

/** The event store on DuckDB. `deadLetters` is the path of the file for unreadable lines. */
export function eventStore(duckdb: Duckdb, deadLetters: string): EventStore {
  const meta = (key: MetaKey) => duckdb.read((connection) => metaOf(connection, key));
  const erasure = eventErasure(duckdb);
  const joinCounts = joinPropertyCounts();
  const noteOwners = (changes: ProjectionFiles | null) => {
    if (typeof changes?.owned === "string") erasure.noteOwners(readFileSync(changes.owned, "utf8"));
  };
  const writeOnce = repeatable(duckdb);
  const apply = (load: BulkLoad) =>
    writeOnce(["applied_seq", load.last], load.projection, async (connection) => {
      await applyLoad(connection, load);
      await joinCounts(connection);
      noteOwners(load.projection);
    });
  const takeDeadLetters = async ({ events, logs, ...how }: BulkLoad): Promise<DeadLetter[]> => [
    ...(await moveToDeadLetters(duckdb, events, {
      deadLetters,
      type: "unreadable_event",
      insert: (path) => INSERT_EVENTS(path, how),
    })),
    ...(await moveToDeadLetters(duckdb, logs, {
      deadLetters,
      type: "unreadable_log",
      insert: INSERT_LOGS,
    })),
  ];
  return {
    applied: () => meta("applied_seq"),
    projectionVersion: () => meta("mirror_version"),
    applyProjection: (changes) =>
      writeOnce(["mirror_version", changes.version], changes, async (connection) => {
        await applyChanges(connection, changes);
        noteOwners(changes);
      }),
    erase: erasure.erase,
    clearRemains: duckdb.clearRemains,
    needsReordering: erasure.needsReordering,
    releaseCache: () => duckdb.releaseCache(),

    async append(load) {
      try {
        await apply(load);
        return { dead: [] };
      } catch (error) {
        const dead = isAboutTheData(error) ? await takeDeadLetters(load) : [];
        if (dead.length === 0) throw error;
        await apply({ ...load, property_counts: null });
        return { dead };
      }
    },

    checkpoint: () => duckdb.checkpoint(),

    readDedupEntries: (windowMs, take) =>
      duckdb.read((connection) => readDedupEntries(connection, windowMs, take)),

    counts: () =>
      duckdb.read(async (connection) => {
        const [row] = await rows(
          connection,
          `SELECT (SELECT count(*) FROM events WHERE ${NOT_PADDING})::DOUBLE AS events,
             (SELECT count(*) FROM logs WHERE ${NOT_PADDING})::DOUBLE AS logs`,
        );
        return { events: Number(row?.["events"]), logs: Number(row?.["logs"]) };
      }),
  };
}

/** The key of `meta` that a change sets, and its value. */
type MetaValue = [key: MetaKey, value: number];

/**
 * Makes writes that may be repeated. If memory is short, a commit may report an error and still take effect, so
 * a repeated write first checks whether it is done.
 */
function repeatable(duckdb: Pick<Duckdb, "writeFirst" | "writeInPlace">) {
  /** The last write, until it has succeeded. */
  let unconfirmed = "";
  return async (
    [key, value]: MetaValue,
    projection: ProjectionFiles | null,
    work: (connection: DuckDBConnection) => Promise<void>,
  ) => {
    const write = isInPlace(projection) ? duckdb.writeInPlace : duckdb.writeFirst;
    const name = `${key} ${value}`;
    let isRepeated = unconfirmed === name;
    unconfirmed = name;
    await write(async (connection) => {
      if (isRepeated && (await metaOf(connection, key)) === value) return;
      isRepeated = true;
      await work(connection);
    });
    unconfirmed = "";
  };
}

async function applyLoad(connection: DuckDBConnection, load: BulkLoad): Promise<void> {
  const { first, last, events, logs, property_counts, projection } = load;
  if ((await metaOf(connection, "applied_seq")) >= first) {
    throw new Error(`A load up to ${last} was applied before`);
  }
  await setMeta(connection, "applied_seq", last);
  if (events !== null) {
    const { sql: promoted, values } = await materializedTexts(connection);
    await runOnEngineThreads(connection, INSERT_EVENTS(events, { ...load, promoted }), { values });
    if (property_counts !== null) await addPropertyCounts(connection, property_counts);
    else await recountProperties(connection, `seq BETWEEN ${first} AND ${last}`);
    if (load.large)
      await noteOmitted(connection, "event", { where: `seq BETWEEN ${first} AND ${last}` });
  }
  if (logs !== null) await runOnEngineThreads(connection, INSERT_LOGS(logs));
  if (projection !== null) await applyChanges(connection, projection);
}
