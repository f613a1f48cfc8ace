import type { DuckDBConnection } from "@duckdb/node-api";
import { rows } from "../engine/duckdb.ts";
import { propertyCounts } from "../lists/definitions.ts";

/*
 * The table `property_counts` says how many events have a property. A load adds rows, because an UPDATE
 * waits until no read runs. The rows of a property add up to its count.
 */

/**
 * Counts properties of events by name, without the type of their values: texts of a megabyte are not copied
 * for each name then.
 */
const namesOf = (events: string, where: string) => `
  SELECT project_id, name, NULL::VARCHAR AS property_type, count(*) AS count, max(seen) AS last_seen
  FROM (SELECT project_id, "timestamp" AS seen,
      unnest(list_distinct(json_keys(coalesce(whole_properties, properties)))) AS name
    FROM ${events} WHERE ${where})
  GROUP BY project_id, name`;

/** Counts the properties of events that fulfil a condition; those of large events without a type. */
const eventCounts = (where: string) => `
  ${propertyCounts(`
    SELECT project_id, "timestamp" AS seen, properties FROM events
    WHERE whole_properties IS NULL AND (${where})`)}
  UNION ALL BY NAME ${namesOf("events", `whole_properties IS NOT NULL AND (${where})`)}`;

const ADD = `
  INSERT INTO property_counts BY NAME
  SELECT project_id, name, property_type, sum(count)::BIGINT AS count,
    max(TRY_CAST(last_seen AS TIMESTAMP)) AS last_seen
  FROM (SELECT unnest(from_json($counts, '[{"project_id": "INTEGER",
    "name": "VARCHAR", "property_type": "VARCHAR", "count": "BIGINT", "last_seen": "VARCHAR"}]'),
    recursive := true))
  GROUP BY ALL`;

/** Adds the counts of a load, which are the JSON of a list of `PropertyCount`. */
export async function addPropertyCounts(connection: DuckDBConnection, counts: string) {
  await connection.run(ADD, { counts });
}

/** Adds the counts of stored events, for example those above a sequence number. */
export async function recountProperties(connection: DuckDBConnection, where: string) {
  await connection.run(`INSERT INTO property_counts BY NAME ${eventCounts(where)}`);
}

/** Returns SQL that adds up the rows of each property and type. */
const summed = (counts: string) => `
  SELECT project_id, name, property_type, sum(count)::BIGINT AS count, max(last_seen) AS last_seen
  FROM ${counts} GROUP BY project_id, name, property_type
  HAVING sum(count) <> 0`;

/** Rows are joined when there are more than this plus twice the rows that the last join left. */
const LOOSE_ROWS_MAX = 50_000;

/** Joins the rows of each property once there are many, in the transaction of a load. */
export function joinPropertyCounts(looseRowsMax = LOOSE_ROWS_MAX) {
  let rowsMax = looseRowsMax;
  return async (connection: DuckDBConnection): Promise<void> => {
    const count = async () => {
      const [row] = await rows(connection, "SELECT count(*) AS count FROM property_counts");
      return Number(row?.["count"]);
    };
    if ((await count()) <= rowsMax) return;
    await connection.run(`CREATE OR REPLACE TEMP TABLE joined AS ${summed("property_counts")}`);
    await connection.run("DELETE FROM property_counts");
    await connection.run("INSERT INTO property_counts BY NAME FROM temp.joined");
    await connection.run("DROP TABLE temp.joined");
    rowsMax = looseRowsMax + 2 * (await count());
  };
}

/** The table for the counts of erased events, during a rewrite. */
export const ERASED_PROPERTIES = `
  CREATE TEMP TABLE erased_properties (project_id INTEGER, name VARCHAR, property_type VARCHAR,
    count BIGINT, last_seen TIMESTAMP)`;

/** Counts the properties of the erased events in a range of rowids; `temp.doomed` has their rowids. */
export const countErased = (catalog: string) => `
  INSERT INTO temp.erased_properties BY NAME ${namesOf(
    `${catalog}.events`,
    `rowid >= $start::BIGINT AND rowid < $end::BIGINT AND rowid IN
       (SELECT row FROM temp.doomed WHERE row >= $start::BIGINT AND row < $end::BIGINT)`,
  )}`;

/**
 * Returns the counts without those of erased events. The types of the others stay as they were. A name that no
 * event has any more is left out.
 */
export const countsWithoutErased = (catalog: string) => `
  FROM (${summed(`(
    SELECT * FROM ${catalog}.property_counts UNION ALL BY NAME
    SELECT * REPLACE (-count AS count) FROM temp.erased_properties)`)})
  QUALIFY sum(count) OVER (PARTITION BY project_id, name) > 0`;
