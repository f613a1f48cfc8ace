import { PERSON_NAMESPACE } from "../domain/person.ts";
import { countIn } from "./archive-erase.ts";
import type { ArchivedFile, ArchiveFiles } from "./archive-files.ts";
import { NOT_BLANK } from "./blank-rows.ts";
import { type Duckdb, quoted, rows } from "./duckdb.ts";
import type { TakenRows } from "./lost-rows.ts";

/** Makes the event store anew from the archive: what came later is in the journal (decision 64). */
export type Restore = {
  /** Whether the store is one that was being made, and is not whole. */
  isUnfinished(): Promise<boolean>;
  /** Empties the store, which counts as unfinished from now on, and sets its mark. */
  begin(): Promise<void>;
  /** Puts a file's rows in. Throws if they are not as many as they were. */
  load(file: ArchivedFile): Promise<void>;
  /** The same of rows that were taken from another event store. */
  add(taken: TakenRows): Promise<void>;
  /** Gives each event to whom its distinct id means in the mirror, which must be up to date. */
  assign(): Promise<void>;
  end(): Promise<void>;
};

const TABLES = [
  "events",
  "logs",
  "persons",
  "person_distinct_ids",
  "person_overrides",
  "groups",
  "promoted",
  "property_use",
] as const;

/** What `personUuid` makes of the columns `project_id` and `distinct_id`: a UUID of version 5. */
const PERSON_UUID = `(
  WITH named AS (SELECT sha1(from_hex('${PERSON_NAMESPACE.replaceAll("-", "")}')
    || encode(stored.project_id || ':' || stored.distinct_id)) AS hash)
  SELECT (hash[1:12] || '5' || hash[14:16]
    || translate(hash[17], '0123456789abcdef', '89ab89ab89ab89ab') || hash[18:32])::UUID FROM named)`;

/**
 * The archive has whom an event belonged to when it was archived. Merges since then are overrides,
 * but splits and deletions have rewritten events: as a slice that is replayed, each belongs to whom
 * its distinct id means, and where that is nobody, to whom it would make.
 */
const ASSIGN = `
  UPDATE events SET person_id = wrong.owner FROM (
    SELECT DISTINCT stored.project_id, stored.distinct_id, stored.person_id,
      coalesce(mirror.person_id, ${PERSON_UUID}) AS owner
    FROM (SELECT DISTINCT project_id, distinct_id, person_id FROM events WHERE ${NOT_BLANK}) AS stored
    LEFT JOIN person_distinct_ids AS mirror USING (project_id, distinct_id)
    LEFT JOIN person_overrides AS moved
      ON moved.project_id = stored.project_id AND moved.old_person_id = stored.person_id
    WHERE coalesce(moved.person_id, stored.person_id) <> owner
  ) AS wrong
  WHERE events.project_id = wrong.project_id AND events.distinct_id = wrong.distinct_id
    AND events.person_id = wrong.person_id`;

/** The event store in `duckdb`, made anew from the archive in `files`. */
export function restoreOf(duckdb: Duckdb, files: ArchiveFiles): Restore {
  const insert = ({ kind, rows: expected, path }: TakenRows, source: string) =>
    duckdb.write(async (connection) => {
      const count = await countIn(connection, source);
      if (count !== expected) throw new Error(`${path} has ${count} rows instead of ${expected}`);
      await connection.run(`INSERT INTO ${kind} BY NAME SELECT * FROM ${source}`);
    });

  return {
    isUnfinished: () =>
      duckdb.read(async (connection) => {
        const found = await rows(connection, "SELECT key FROM meta WHERE key = 'restoring'");
        return found.length > 0;
      }),

    begin: () =>
      duckdb.write(async (connection) => {
        for (const table of TABLES) await connection.run(`DELETE FROM ${table}`);
        await connection.run("DELETE FROM meta");
        await connection.run(
          `INSERT INTO meta VALUES
             ('applied_seq', $last::BIGINT), ('mirror_version', 0), ('restoring', 1)`,
          { last: files.manifest().last },
        );
      }),

    load: (file) => insert(file, files.source([file])),

    add: (taken) => insert(taken, `read_parquet(${quoted(taken.path)})`),

    assign: () => duckdb.writeInPlace(async (connection) => void (await connection.run(ASSIGN))),

    async end() {
      await duckdb.write(async (connection) => {
        await connection.run("DELETE FROM meta WHERE key = 'restoring'");
      });
      await duckdb.checkpoint();
    },
  };
}
