import type { DuckDBConnection } from "@duckdb/node-api";
import { GROUP_TYPES_MAX } from "../domain/group.ts";
import type { JsonObject } from "../domain/json.ts";
import type { PageQuery } from "../domain/page.ts";
import { BLOCK_SEQS, type SeenEntries } from "../domain/seen.ts";
import { type DeadLetter, isAboutTheData, setUnreadableAside } from "./dead-letters.ts";
import { type Duckdb, quoted, readColumns, rows } from "./duckdb.ts";
import { listEvents } from "./event-list.ts";
import { INSERT_LOGS } from "./logs.ts";
import { applyMirror, LINE_BYTES_MAX } from "./mirror.ts";
import { handOnSeen } from "./seen.ts";
import { groupColumn, HOT_PROPERTIES, type MirrorFiles, type Slice } from "./slices.ts";

/** A stored event as the API shows it; `person_id` owns it now, after every merge. */
export type EventRow = {
  uuid: string;
  event: string;
  distinct_id: string;
  person_id: string;
  timestamp: string;
  properties: JsonObject;
};

/** The place of an event in a list: the newest first by `timestamp`, then by `seq`. */
export type EventCursor = { timestamp: string; seq: number };

/** Which events a list asks for; times are ISO 8601 and exclusive. */
export type EventFilter = {
  event?: string | undefined;
  distinct_id?: string | undefined;
  person_id?: string | undefined;
  uuid?: string | undefined;
  after?: string | undefined;
  before?: string | undefined;
};

/**
 * A (project, uuid) that may be stored in a block of sequence numbers; it counts if it arrived at
 * `since` or later (milliseconds since the epoch). `place` is the caller's own number for it.
 */
export type Suspect = {
  place: number;
  project_id: number;
  uuid: string;
  block: number;
  since: number;
};

/** The stored event that a suspect repeats. */
export type KnownEvent = { place: number; event: string; distinct_id: string };

/** The events of every project, in DuckDB. Append-only but for the deletion tasks. */
export type EventStore = {
  /** The last sequence number applied; 0 at first. */
  applied(): Promise<number>;
  /**
   * Applies a slice in one transaction, durable when it resolves, and returns the events that
   * the store could not read: those are in the dead-letter file. Refuses
   * (throws) a slice that was applied before.
   */
  append(slice: Slice): Promise<{ dead: DeadLetter[] }>;
  /** The version of the person store that the mirror is of; 0 at first. */
  mirrorVersion(): Promise<number>;
  /** Brings the mirror to another version, in one transaction. */
  mirror(changes: MirrorFiles): Promise<void>;
  /** Moves what was appended from the write-ahead log into the file; blocks every query. */
  checkpoint(): Promise<void>;
  /** Those suspects that are stored. Cheap when their blocks are few. */
  known(suspects: readonly Suspect[]): Promise<KnownEvent[]>;
  /** Hands on what arrived within so many milliseconds before the event that came last. */
  seen(windowMs: number, take: (chunk: SeenEntries) => Promise<void>): Promise<void>;
  /** Newest first by `timestamp`, then by arrival; those behind `after`. `count` is of all. */
  list(
    project: number,
    filter: EventFilter,
    page: PageQuery & { after?: EventCursor | undefined },
  ): Promise<{ count: number; rows: (EventRow & { seq: number })[] }>;
};

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
  ...Object.fromEntries(HOT_NAMES.map((name) => [name, "VARCHAR"])),
  properties: "JSON",
};

const HOT_COLUMNS = HOT_NAMES.map((name) => `"${name}"`).join(", ");

/** VARCHAR and TRY_CAST, because one value that a typed column refuses would fail the slice. */
const INSERT_SLICE = (path: string) => `
  INSERT INTO events BY NAME SELECT project_id, seq, TRY_CAST(uuid AS UUID) AS uuid, event, distinct_id,
    TRY_CAST(person_id AS UUID) AS person_id, TRY_CAST("timestamp" AS TIMESTAMP) AS "timestamp",
    TRY_CAST(ingested_at AS TIMESTAMP) AS ingested_at, ${HOT_COLUMNS}, properties
  FROM read_json(${quoted(path)}, columns = ${readColumns(READ_COLUMNS)},
    format = 'newline_delimited', maximum_object_size = ${LINE_BYTES_MAX})`;

const ADVANCE = `
  UPDATE meta SET value = $last::BIGINT WHERE key = 'applied_seq' AND value < $first::BIGINT
  RETURNING value`;

/** One run of blocks at a time, so that the scan skips every row group outside of it. */
const KNOWN = `
  SELECT suspect.place, any_value(event) AS event, any_value(distinct_id) AS distinct_id
  FROM (SELECT unnest(from_json($suspects::JSON,
    '[{"place": "INTEGER", "project_id": "INTEGER", "uuid": "UUID", "since": "DOUBLE"}]'),
    recursive := true)
  ) AS suspect JOIN events USING (project_id, uuid)
  WHERE seq >= $from::BIGINT AND seq < $to::BIGINT AND epoch_us(ingested_at) >= since * 1000
  GROUP BY suspect.place`;

/** The event store on DuckDB. `deadLetters` is the path of the file for unreadable lines. */
export function eventStore(duckdb: Duckdb, deadLetters: string): EventStore {
  const meta = (key: string) =>
    duckdb.read(async (connection) => {
      const [row] = await rows(connection, "SELECT value FROM meta WHERE key = $key", { key });
      return Number(row?.["value"] ?? 0);
    });
  const setAside = async ({ events, logs }: Slice): Promise<DeadLetter[]> => [
    ...(await setUnreadableAside(duckdb, events, {
      deadLetters,
      type: "unreadable_event",
      insert: INSERT_SLICE,
    })),
    ...(await setUnreadableAside(duckdb, logs, {
      deadLetters,
      type: "unreadable_log",
      insert: INSERT_LOGS,
    })),
  ];
  return {
    applied: () => meta("applied_seq"),
    mirrorVersion: () => meta("mirror_version"),
    mirror: (changes) => duckdb.write((connection) => applyMirror(connection, changes)),

    async append(slice) {
      try {
        await duckdb.write((connection) => applySlice(connection, slice));
        return { dead: [] };
      } catch (error) {
        const dead = isAboutTheData(error) ? await setAside(slice) : [];
        if (dead.length === 0) throw error;
        await duckdb.write((connection) => applySlice(connection, slice));
        return { dead };
      }
    },

    checkpoint: () => duckdb.checkpoint(),

    async known(suspects) {
      const found: KnownEvent[] = [];
      for (const run of runsOf(suspects)) {
        const from = BigInt(Math.min(...run.map(({ block }) => block)) * BLOCK_SEQS);
        const to = BigInt((Math.max(...run.map(({ block }) => block)) + 1) * BLOCK_SEQS);
        const values = { suspects: JSON.stringify(run), from, to };
        const known = await duckdb.read((connection) => rows(connection, KNOWN, values));
        for (const { place, event, distinct_id } of known) {
          found.push({
            place: Number(place),
            event: String(event),
            distinct_id: String(distinct_id),
          });
        }
      }
      return found;
    },

    seen: (windowMs, take) => duckdb.read((connection) => handOnSeen(connection, windowMs, take)),

    list: (project, filter, page) =>
      duckdb.read((connection) => listEvents(connection, project, filter, page)),
  };
}

/** Suspects by runs of adjacent blocks: a gap of one costs less to scan than another query. */
function runsOf(suspects: readonly Suspect[]): Suspect[][] {
  const runs: Suspect[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const suspect of suspects.toSorted((a, b) => a.block - b.block)) {
    if (suspect.block > last + 2) runs.push([]);
    runs.at(-1)?.push(suspect);
    last = suspect.block;
  }
  return runs;
}

async function applySlice(connection: DuckDBConnection, slice: Slice): Promise<void> {
  const { first, last, events, logs, mirror } = slice;
  const advanced = await rows(connection, ADVANCE, { first, last });
  if (advanced.length !== 1) throw new Error(`Slice up to ${last} was applied before`);
  if (events !== null) await connection.run(INSERT_SLICE(events));
  if (logs !== null) await connection.run(INSERT_LOGS(logs));
  if (mirror !== null) await applyMirror(connection, mirror);
}
