import { PERSON_NAMESPACE } from "../../core/identity/person.ts";
import type { ArchiveFiles, Counting, Restore, TakenRows } from "../../core/ports/archive.ts";
import { type Duckdb, quoted, ROW_GROUP_ROWS, rows } from "../duckdb/engine/duckdb.ts";
import { metaOf } from "../duckdb/events/projection.ts";
import { recountProperties } from "../duckdb/events/property-counts.ts";
import { noteOmitted } from "../duckdb/lists/omitted-properties.ts";
import { NOT_PADDING } from "../loads/event-lines.ts";
import { isReadable } from "./check.ts";
import { countIn } from "./erase.ts";

const TABLES = [
  "events",
  "logs",
  "persons",
  "person_distinct_ids",
  "person_overrides",
  "groups",
  "promoted",
  "property_use",
  "property_counts",
  "omitted_properties",
] as const;

/** SQL of `personUuid` for the columns `project_id` and `distinct_id`: a UUID of version 5. */
const PERSON_UUID = `(
  WITH named AS (SELECT sha1(from_hex('${PERSON_NAMESPACE.replaceAll("-", "")}')
    || encode(stored.project_id || ':' || stored.distinct_id)) AS hash)
  SELECT (hash[1:12] || '5' || hash[14:16]
    || translate(hash[17], '0123456789abcdef', '89ab89ab89ab89ab') || hash[18:32])::UUID FROM named)`;

/**
 * The archive has the person that an event had when it was archived. Later merges are overrides, but later
 * splits and deletions changed the events themselves. So each event gets the person of its distinct id, as in
 * a replay. An unknown distinct id gets the person that it would make.
 */
const ASSIGN = `
  UPDATE events SET person_id = wrong.owner FROM (
    SELECT DISTINCT stored.project_id, stored.distinct_id, stored.person_id,
      coalesce(projection.person_id, ${PERSON_UUID}) AS owner
    FROM (SELECT DISTINCT project_id, distinct_id, person_id FROM events WHERE ${NOT_PADDING}) AS stored
    LEFT JOIN person_distinct_ids AS projection USING (project_id, distinct_id)
    LEFT JOIN person_overrides AS moved
      ON moved.project_id = stored.project_id AND moved.old_person_id = stored.person_id
    WHERE coalesce(moved.person_id, stored.person_id) <> owner
  ) AS wrong
  WHERE events.project_id = wrong.project_id AND events.distinct_id = wrong.distinct_id
    AND events.person_id = wrong.person_id`;

/** Restores the event store in `duckdb` from the archive in `files`. */
export function restoreOf(duckdb: Duckdb, files: ArchiveFiles): Restore {
  const insert = (taken: TakenRows, source: string, those: string) =>
    duckdb.write(async (connection) => {
      const { kind, rows: expected, path } = taken;
      const count = await countIn(connection, source);
      if (count !== expected) throw new Error(`${path} has ${count} rows instead of ${expected}`);
      await connection.run(`INSERT INTO ${kind} BY NAME SELECT * FROM ${source} ${those}`);
    });

  return {
    isUnfinished: () =>
      duckdb.read(async (connection) => (await metaOf(connection, "restoring")) > 0),

    begin: (mark = files.state().last) =>
      duckdb.write(async (connection) => {
        for (const table of TABLES) await connection.run(`DELETE FROM ${table}`);
        await connection.run("DELETE FROM meta");
        await connection.run(
          `INSERT INTO meta VALUES
             ('applied_seq', $mark::BIGINT), ('mirror_version', 0), ('restoring', 1)`,
          { mark },
        );
      }),

    async load(file, counting) {
      try {
        await insert(file, files.source([file]), `WHERE ${countingIn(counting)}`);
        return true;
      } catch (error) {
        // DuckDB has many errors for damage, and some contain stored text.
        if (await isReadable(files.directory, file)) throw error;
        return false;
      }
    },

    add: (taken) =>
      insert(
        taken,
        `read_parquet(${quoted(taken.path)})`,
        `ANTI JOIN (SELECT DISTINCT seq FROM ${taken.kind}) AS held USING (seq)`,
      ),

    assign: () => duckdb.writeInPlace(async (connection) => void (await connection.run(ASSIGN))),

    async end() {
      const last = await duckdb.read(async (connection) => {
        const [row] = await rows(connection, "SELECT max(rowid) AS last FROM events");
        return Number(row?.["last"] ?? -1);
      });
      // In parts, because the properties of large events take much memory.
      for (let start = 0; start <= last; start += ROW_GROUP_ROWS) {
        const part = `rowid >= ${start} AND rowid < ${start + ROW_GROUP_ROWS}`;
        await duckdb.write(async (connection) => {
          await recountProperties(connection, part);
          await noteOmitted(connection, "event", { where: part });
        });
      }
      await duckdb.write(async (connection) => {
        await connection.run("DELETE FROM meta WHERE key = 'restoring'");
      });
      await duckdb.checkpoint();
    },
  };
}

const countingIn = ({ mark, gaps }: Counting): string =>
  [`seq <= ${mark}`, ...gaps.map(({ first, last }) => `seq BETWEEN ${first} AND ${last}`)].join(
    " OR ",
  );
