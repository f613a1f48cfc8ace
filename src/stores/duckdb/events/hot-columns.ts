import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { MaterializedColumns } from "../../../core/ports/hot-columns.ts";
import { type Duckdb, ROW_GROUP_ROWS, rows } from "../engine/duckdb.ts";
import { pointer, textIn } from "../lists/property-filter.ts";

/** Most properties with a column, `promoted_1` and so on, because each costs time per event (decisions 87 and 184). */
export const MATERIALIZED_MAX = 8;

/** Days in which uses count. A property that is not queried for so long loses its column. */
export const USE_DAYS = 30;

/** Queries after which a property gets a column. */
export const USE_QUERIES_MIN = 10;

/** Different days on which these queries must run. */
export const USE_DAYS_MIN = 2;

/** Total seconds of queries after which a property gets a column, even on one day. */
export const USE_SECONDS_MIN = 60;

/** Most properties whose use is stored: those with the most seconds of queries. */
export const USED_MAX = 1000;

const columnName = (slot: DuckDBValue | undefined) => `promoted_${Number(slot)}`;

/** SQL of all columns of a table except the materialized ones. */
export const WITHOUT_MATERIALIZED = "COLUMNS(lambda name: NOT starts_with(name, 'promoted_'))";

/** Returns the names of the columns that are complete in the caller's transaction, by property. */
export async function readableColumns(
  connection: DuckDBConnection,
): Promise<ReadonlyMap<string, string>> {
  const sql = "SELECT key, slot FROM promoted WHERE whole_seq IS NOT NULL";
  const found = await rows(connection, sql);
  return new Map(found.map(({ key, slot }) => [String(key), columnName(slot)]));
}

/** Returns SQL of the materialized columns of new events, and its parameters. */
export async function materializedTexts(
  connection: DuckDBConnection,
): Promise<{ sql: string; values: Record<string, string> }> {
  const found = await rows(connection, "SELECT key, slot FROM promoted");
  const values: Record<string, string> = {};
  const texts = found.map(({ key, slot }) => {
    values[columnName(slot)] = pointer(String(key));
    return `, ${textIn(`$${columnName(slot)}`)} AS ${columnName(slot)}`;
  });
  return { sql: texts.join(""), values };
}

/**
 * Returns the statement that drops columns from a rewritten file that were incomplete when its copy began, at
 * the event `$mark`. Some of their rows may have been copied before they were filled.
 */
export function forgetUnfilled(catalog: string): string {
  return `DELETE FROM ${catalog}.promoted WHERE whole_seq IS NULL OR whole_seq >= $mark::BIGINT`;
}

const ADD_USES = `
  INSERT INTO property_use
  SELECT key, $day::DATE, queries, seconds FROM (SELECT unnest(from_json($uses,
    '[{"key": "VARCHAR", "queries": "INTEGER", "seconds": "DOUBLE"}]'), recursive := true))`;

const JOIN_USES = `
  CREATE OR REPLACE TEMP TABLE used AS
  SELECT key, day, sum(queries)::INTEGER AS queries, sum(seconds) AS seconds FROM property_use
  WHERE day > $day::DATE - ${USE_DAYS} AND key IN (
    SELECT key FROM property_use WHERE day > $day::DATE - ${USE_DAYS}
    GROUP BY key ORDER BY sum(seconds) DESC, key LIMIT ${USED_MAX})
  GROUP BY key, day`;

const UNUSED = "DELETE FROM promoted WHERE key NOT IN (SELECT key FROM property_use)";

// Columns are filled one at a time.
const CHOOSE = `
  INSERT INTO promoted
  SELECT slot, key, (SELECT coalesce(max(rowid) + 1, 0) FROM events), 0, NULL
  FROM (SELECT min(slot) AS slot FROM range(1, ${MATERIALIZED_MAX} + 1) AS slots(slot)
    WHERE slot NOT IN (SELECT slot FROM promoted)),
  (SELECT key FROM property_use WHERE key NOT IN (SELECT key FROM promoted) GROUP BY key
    HAVING (sum(queries) >= ${USE_QUERIES_MIN} AND count(*) >= ${USE_DAYS_MIN})
      OR sum(seconds) >= ${USE_SECONDS_MIN}
    ORDER BY sum(seconds) DESC, key LIMIT 1)
  WHERE slot IS NOT NULL AND NOT EXISTS (FROM promoted WHERE whole_seq IS NULL)`;

const UNFILLED = `
  SELECT slot, key, filled::DOUBLE AS filled, rows_end::DOUBLE AS rows_end FROM promoted
  WHERE whole_seq IS NULL ORDER BY slot LIMIT 1`;

// Fills every row, because the column may still have values of an earlier property.
const FILL = (name: string) => `
  UPDATE events SET ${name} = ${textIn("$pointer")}
  WHERE rowid >= $start::BIGINT AND rowid < $end::BIGINT`;

const FILLED = `
  UPDATE promoted SET filled = $end::BIGINT, whole_seq = CASE WHEN $end::BIGINT >= rows_end
    THEN (SELECT value FROM meta WHERE key = 'applied_seq') END
  WHERE slot = $slot::INTEGER`;

/** Materializes properties as columns; each step fills `stepRows` rows in one transaction. */
export function materializedColumns(
  duckdb: Duckdb,
  stepRows = ROW_GROUP_ROWS,
): MaterializedColumns {
  return {
    note: (uses, day) =>
      duckdb.write(async (connection) => {
        const list = [...uses].map(([key, use]) => ({ key, ...use }));
        await connection.run(ADD_USES, { day, uses: JSON.stringify(list) });
        await connection.run(JOIN_USES, { day });
        await connection.run("DELETE FROM property_use");
        await connection.run("INSERT INTO property_use BY NAME FROM temp.used");
      }),

    choose: () =>
      duckdb.write(async (connection) => {
        await connection.run(UNUSED);
        await connection.run(CHOOSE);
        return (await rows(connection, UNFILLED)).length > 0;
      }),

    async fill() {
      const isMore = await duckdb.writeWhenIdle(async (connection) => {
        const [next] = await rows(connection, UNFILLED);
        if (next === undefined) return false;
        const [start, rowsEnd] = [Number(next["filled"]), Number(next["rows_end"])];
        const end = Math.min(start + stepRows, rowsEnd);
        const values = { pointer: pointer(String(next["key"])), start, end };
        if (start < end) await connection.run(FILL(columnName(next["slot"])), values);
        await connection.run(FILLED, { end, slot: Number(next["slot"]) });
        return end < rowsEnd;
      });
      return isMore ?? true;
    },
  };
}
