import { SQL_VIEWS, type SqlColumn } from "../../../core/sql/tables.ts";
import { ALL_PROPERTIES } from "../../loads/person-columns.ts";
import { sessionsOf } from "../lists/sessions.ts";

/**
 * Matches a statement that may read the persons of events: by name, or by a star, a natural join or other names of columns.
 * A product is no star: a value or a call follows its sign.
 */
const MAY_READ_PERSONS =
  /person_id|\*(?! (?:["'(\d-]|(?!exclude|replace|rename)[a-z_]\w*\())|natural|columns|\bas (?:\w+|"[^"]*") ?\(/i;

/** SQL of the columns that a view computes, by view. */
const COMPUTED: Record<string, Record<string, string>> = {
  events: { person_id: "coalesce(moved.person_id, stored.person_id)" },
  persons: { id: "stored.uuid", properties: ALL_PROPERTIES },
};

/**
 * Returns statements that make the tables a statement may read. Outside UTC their times have a zone, so that the engine
 * reads dates and hours of them on the clock of its session.
 */
export function viewsOf(
  project: number,
  { catalog, timezone }: { catalog: string; timezone: string },
  statement: string,
): string[] {
  const hasPersons = MAY_READ_PERSONS.test(statement);
  const isUtc = timezone === "UTC";
  const zoned = (type: string, sql: string) =>
    type === "TIMESTAMP" && !isUtc ? `make_timestamptz(epoch_us(${sql}))` : sql;
  // The connection has no current database, so a statement finds only these temporary views. To make all of them takes
  // 10 ms, so only views with a name in the statement are made.
  // Without use for persons, a statement over ten million events saves half of its time by not looking them up.
  const rowsOf = (name: string, columns: Record<string, SqlColumn>, isPlain = isUtc) => {
    const selected = Object.entries(columns).map(([column, { type }]) => {
      const computed = name === "events" && !hasPersons ? undefined : COMPUTED[name]?.[column];
      const sql = computed ?? `stored."${column}"`;
      return `${isPlain ? sql : zoned(type, sql)} AS "${column}"`;
    });
    const overrides =
      name !== "events" || !hasPersons
        ? ""
        : `LEFT JOIN (${overridesOf(project, catalog)}) AS moved
            ON moved.old_person_id = stored.person_id`;
    return `SELECT ${selected.join(", ")}
      FROM ${catalog}.main."${name}" AS stored ${overrides} WHERE stored.project_id = ${project}`;
  };
  const named = Object.entries(SQL_VIEWS).filter(([name]) =>
    statement.toLowerCase().includes(name),
  );
  return named.map(([name, columns]) => {
    const events = () => rowsOf("events", SQL_VIEWS["events"] ?? {}, true);
    const ofSessions = () => {
      const sql = sessionsOf(events, Object.keys(columns));
      const own = Object.entries(columns).map(
        ([column, { type }]) => `${zoned(type, `"${column}"`)} AS "${column}"`,
      );
      return isUtc ? sql : `SELECT ${own.join(", ")} FROM (${sql})`;
    };
    const sql = name === "sessions" ? ofSessions() : rowsOf(name, columns);
    return `CREATE TEMP VIEW "${name}" AS ${sql}`;
  });
}

/**
 * Returns SQL of the overrides, with a row of nulls, so that it is never empty. After a join with an empty table
 * DuckDB expects no rows, and sums in 64 bits without a check for overflow: 20 times 2^63 - 1 was -20.
 */
function overridesOf(project: number, catalog: string): string {
  return `SELECT old_person_id, person_id FROM ${catalog}.main.person_overrides
    WHERE project_id = ${project} UNION ALL SELECT NULL, NULL`;
}
