import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { ErasedRows, Erasing } from "../../../core/ports/erasure.ts";
import type { EraseOptions } from "../../../core/ports/events.ts";
import { LARGE_LAST } from "../../loads/event-lines.ts";
import { type Duckdb, ROW_GROUP_ROWS, rows } from "../engine/duckdb.ts";
import { isOutOfMemory } from "../engine/faults.ts";
import type { Names, Part } from "../engine/generations.ts";
import { LOG_OWNERS, MAY_HAVE_OWNER } from "../lists/logs.ts";
import { omittedAfter } from "../lists/omitted-properties.ts";
import { readErasedEntries } from "./dedup-replay.ts";
import { forgetUnfilled } from "./hot-columns.ts";
import { metaOf } from "./projection.ts";
import { countErased, countsWithoutErased, ERASED_PROPERTIES } from "./property-counts.ts";

/** The distinct ids that the tasks delete. */
const TARGETS = `
  CREATE TEMP TABLE target (task INTEGER, project_id INTEGER, seq BIGINT, distinct_id VARCHAR)`;
const ADD_TARGETS = `
  INSERT INTO temp.target SELECT unnest(from_json($targets,
    '[{"task": "INTEGER", "project_id": "INTEGER", "seq": "BIGINT", "distinct_id": "VARCHAR"}]'),
    recursive := true)`;

/** Fewest rows of one copy, even if memory is short: the rows that the engine handles at once. */
const COPIED_ROWS_MIN = 2048;

/** Targets of one statement. */
const TARGETS_MAX = 10_000;

const BY_ID = `
  CREATE TEMP TABLE by_id AS
  SELECT project_id, distinct_id, max(seq) AS seq, arg_max(task, seq) AS task FROM temp.target
  GROUP BY ALL`;

const doomedEvents = ({ from }: Names) => `
  CREATE TEMP TABLE doomed AS
  SELECT events.rowid AS row, uuid, events.project_id, events.seq, ingested_at, task
  FROM ${from}.events JOIN temp.by_id
    ON by_id.project_id = events.project_id AND by_id.distinct_id = events.distinct_id
  WHERE events.seq <= by_id.seq`;

// A record of several persons is listed once.
const doomedLogs = ({ from }: Names) => `
  CREATE TEMP TABLE doomed_log AS
  SELECT row, owned.project_id, owned.seq, min(task) AS task
  FROM (SELECT rowid AS row, project_id, seq, unnest(${LOG_OWNERS}) AS distinct_id
    FROM ${from}.logs WHERE ${MAY_HAVE_OWNER}) AS owned
  JOIN temp.by_id ON by_id.project_id = owned.project_id AND owned.seq <= by_id.seq
    AND by_id.distinct_id = owned.distinct_id
  GROUP BY ALL`;

// Padding rows go with the large row before them, and where it is gone already. They have no task.
const doomedPadding = ({ from }: Names, { table, doomed }: Pick<Copied, "table" | "doomed">) => `
  INSERT INTO temp.${doomed} BY NAME
  WITH padding AS MATERIALIZED (
    SELECT rowid AS row, seq, -project_id AS project_id FROM ${from}.${table} WHERE project_id < 0)
  SELECT row FROM padding ANTI JOIN (
    SELECT large.seq, large.project_id
    FROM ${from}.${table} AS large SEMI JOIN padding USING (seq, project_id)
    WHERE large.rowid NOT IN (SELECT row FROM temp.${doomed})) AS kept USING (seq, project_id)`;

const COUNTS = `
  SELECT task, count(*) FILTER (is_event)::INTEGER AS events,
    count(*) FILTER (NOT is_event)::INTEGER AS logs
  FROM (SELECT task, true AS is_event FROM temp.doomed
    UNION ALL SELECT task, false FROM temp.doomed_log) WHERE task IS NOT NULL GROUP BY task`;

// Copies one row group at a time, so that memory holds only one and ingest goes on in between.
const copyRows = ({ from, to }: Names, { table, doomed, order }: Copied) => `
  INSERT INTO ${to}.${table} BY NAME SELECT * FROM ${from}.${table}
  WHERE rowid >= $start::BIGINT AND rowid < $end::BIGINT AND seq <= $mark::BIGINT
    AND rowid NOT IN
      (SELECT row FROM temp.${doomed} WHERE row >= $start::BIGINT AND row < $end::BIGINT)
  ${order}`;

const FORGET_ORDERED = ({ to }: Names) => `DELETE FROM ${to}.meta WHERE key = 'ordered_seq'`;
const NOTE_ORDERED = ({ to }: Names) =>
  `INSERT INTO ${to}.meta VALUES ('ordered_seq', $mark::BIGINT)`;

const SET_OWNERS = ({ to }: Names) => `
  UPDATE ${to}.events SET person_id = moved.person_id::UUID FROM
    (SELECT unnest(from_json($moved,
      '[{"project_id": "INTEGER", "distinct_id": "VARCHAR", "person_id": "VARCHAR"}]'),
      recursive := true)) AS moved
  WHERE events.project_id = moved.project_id AND events.distinct_id = moved.distinct_id`;

/** Runs a statement as one part of the rewrite. */
type Run = (sql: string, values?: Record<string, DuckDBValue>) => Promise<unknown>;

type Copied = { table: string; doomed: string; order: string };

/**
 * Tables that are copied in parts, the table of their erased rows, and the order within a part. Events are
 * ordered by day and then by person: an event takes 147 bytes that way instead of 185 (decision 93).
 */
const COPIED: readonly Copied[] = [
  {
    table: "events",
    doomed: "doomed",
    order: `ORDER BY ${LARGE_LAST}, date_trunc('day', "timestamp"), person_id, seq`,
  },
  { table: "logs", doomed: "doomed_log", order: "ORDER BY seq" },
];

/** Counts all events, and the events since the last rewrite. */
const LOOSE = `
  SELECT count(*)::DOUBLE AS events, (SELECT count(*) FROM events WHERE seq >
    (SELECT coalesce(max(value), 0) FROM meta WHERE key = 'ordered_seq'))::DOUBLE AS loose
  FROM events`;

/** Events since the last rewrite that make another one worth it, in number and as a share of all. */
const LOOSE_MIN = 4 * ROW_GROUP_ROWS;
const LOOSE_SHARE = 1 / 4;

/** Tables that are not copied as a whole; the new file has its own schema version. */
const NOT_COPIED_WHOLE = [
  ...COPIED.map(({ table }) => table),
  ...["migration", "property_counts", "omitted_properties"],
];

/**
 * Deletes events by a rewrite of the others, because freed blocks keep deleted rows (decision 60). The others
 * stay unchanged, even if they mention a deleted person.
 */
export function eventErasure(duckdb: Duckdb) {
  /** New owners of distinct ids since the copy began, from splits and deletions, as JSON. */
  let newOwners: string[] | undefined;

  return {
    /** Returns whether so many events came since the last rewrite that another one is worth it. */
    needsReordering: () =>
      duckdb.read(async (connection) => {
        const [row] = await rows(connection, LOOSE);
        const [events, loose] = [Number(row?.["events"]), Number(row?.["loose"])];
        return loose >= LOOSE_MIN && loose >= events * LOOSE_SHARE;
      }),

    /** Notes distinct ids whose events have a new person, in the transaction of that change. */
    noteOwners(lines: string): void {
      newOwners?.push(`[${lines.trim().split("\n").join(",")}]`);
    },

    /** Erases the events of tasks. Fails if events up to their `journal_seq` are not stored yet. */
    async erase(tasks: readonly Erasing[], options: EraseOptions): Promise<void> {
      // The sequence number of the last event when the copy began.
      let mark = 0;
      let erased: ErasedRows = new Map();
      try {
        await duckdb.rewrite({
          async begin(connection, { from }) {
            mark = await metaOf(connection, "applied_seq", from);
            newOwners = [];
          },
          async copy(connection, names, part) {
            checkStored(tasks, mark);
            erased = await part(() => findDoomed(connection, names, tasks));
            if (erased.size === 0 && !options.isPurging) return false;
            for (const copied of COPIED)
              await copyTable(connection, names, { ...copied, mark, part, ...options });
            return true;
          },
          async catchUp(connection, names, part) {
            const run = (sql: string, values = {}) => part(() => connection.run(sql, values));
            for (const ids of newOwners ?? []) await run(SET_OWNERS(names), { moved: ids });
            await copyLater(connection, names, { mark, run });
            await run(FORGET_ORDERED(names));
            await run(NOTE_ORDERED(names), { mark });
            for (const copied of COPIED)
              await part(() => checkAllCopied(connection, names, copied));
          },
          prepareSwap: (generation) => options.ready(erased, generation),
          done: (connection) => readErasedEntries(connection, options.forget),
        });
      } finally {
        newOwners = undefined;
      }
    },
  };
}

function checkStored(tasks: readonly Erasing[], mark: number): void {
  if (tasks.every(({ journal_seq }) => journal_seq <= mark)) return;
  throw new Error("Events that are to be deleted are not stored yet");
}

async function findDoomed(
  connection: DuckDBConnection,
  names: Names,
  tasks: readonly Erasing[],
): Promise<ErasedRows> {
  await connection.run(TARGETS);
  const targets = tasks.flatMap(({ id: task, project_id, journal_seq: seq, distinct_ids }) =>
    distinct_ids.map((distinct_id) => ({ task, project_id, seq, distinct_id })),
  );
  for (let at = 0; at < targets.length; at += TARGETS_MAX) {
    const page = JSON.stringify(targets.slice(at, at + TARGETS_MAX));
    await connection.run(ADD_TARGETS, { targets: page });
  }
  for (const sql of [BY_ID, doomedEvents(names), doomedLogs(names), ERASED_PROPERTIES]) {
    await connection.run(sql);
  }
  for (const copied of COPIED) await connection.run(doomedPadding(names, copied));
  const counts = await rows(connection, COUNTS);
  return new Map(
    counts.map(({ task, events, logs }) => [
      Number(task),
      { events: Number(events), logs: Number(logs) },
    ]),
  );
}

async function copyTable(
  connection: DuckDBConnection,
  names: Names,
  {
    mark,
    part,
    stopped,
    ...of
  }: Copied & { mark: number; part: Part } & Pick<EraseOptions, "stopped">,
): Promise<void> {
  const [row] = await part(() =>
    rows(connection, `SELECT max(rowid) AS last FROM ${names.from}.${of.table}`),
  );
  const last = Number(row?.["last"] ?? -1);
  const copy = (order: string, start: number, end: number) =>
    part(async () => {
      if (of.table === "events") await connection.run(countErased(names.from), { start, end });
      await connection.run(copyRows(names, { ...of, order }), { start, end, mark });
    });
  // A part that lacks memory is copied in halves, and unsorted.
  const copyInParts = async (order: string, start: number, count: number): Promise<void> => {
    try {
      await copy(order, start, start + count);
    } catch (error) {
      if (!isOutOfMemory(error) || count <= COPIED_ROWS_MIN) throw error;
      const half = Math.ceil(count / 2);
      await copyInParts("", start, half);
      await copyInParts("", start + half, count - half);
    }
  };
  for (let start = 0; start <= last; start += names.rows) {
    if (stopped()) throw new Error("The server is stopping");
    await copyInParts(of.order, start, names.rows);
  }
}

/** Copies the rows that came after the mark, and the small tables, which may have changed since. */
async function copyLater(
  connection: DuckDBConnection,
  { from, to }: Names,
  { mark, run }: { mark: number; run: Run },
): Promise<void> {
  for (const { table } of COPIED) {
    await run(
      `INSERT INTO ${to}.${table} BY NAME SELECT * FROM ${from}.${table} WHERE seq > $mark::BIGINT`,
      { mark },
    );
  }
  const tables = await rows(
    connection,
    "SELECT table_name AS name FROM duckdb_tables() WHERE database_name = $from AND NOT internal",
    { from },
  );
  for (const { name } of tables) {
    if (typeof name !== "string" || NOT_COPIED_WHOLE.includes(name)) continue;
    await run(`DELETE FROM ${to}."${name}"`);
    await run(`INSERT INTO ${to}."${name}" BY NAME SELECT * FROM ${from}."${name}"`);
  }
  await run(`DELETE FROM ${to}.property_counts`);
  await run(`INSERT INTO ${to}.property_counts BY NAME ${countsWithoutErased(from)}`);
  await run(`DELETE FROM ${to}.omitted_properties`);
  await run(`INSERT INTO ${to}.omitted_properties BY NAME ${omittedAfter({ from, to })}`);
  await run(forgetUnfilled(to), { mark });
}

/** Fails if a row is missing, because the rewrite removes the old file. */
async function checkAllCopied(
  connection: DuckDBConnection,
  { from, to }: Names,
  { table, doomed }: Copied,
): Promise<void> {
  const [row] = await rows(
    connection,
    `SELECT (SELECT count(*) FROM ${from}.${table}) - (SELECT count(*) FROM temp.${doomed})
       - (SELECT count(*) FROM ${to}.${table}) AS lacking`,
  );
  if (Number(row?.["lacking"]) !== 0)
    throw new Error(`Rows of ${table} were not copied as they are`);
}
