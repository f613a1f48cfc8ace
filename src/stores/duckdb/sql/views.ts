import { SQL_VIEWS, type SqlColumn } from "../../../core/sql/tables.ts";
import { SPREAD_PROPERTIES } from "../../loads/person-columns.ts";
import { eventColumnOf, type Omitted, wholeOf } from "../lists/omitted-properties.ts";
import { sessionsOf } from "../lists/sessions.ts";
import { LIST_MACROS } from "./hogql/functions.ts";

/**
 * Matches a statement that may read the persons of events: by name, or by a star, a natural join or other names of columns.
 * A product is no star: a value or a call follows its sign.
 */
const MAY_READ_PERSONS =
  /person_id|\*(?! (?:["'(\d-]|(?!exclude|replace|rename)[a-z_]\w*\())|natural|columns|\bas (?:\w+|"[^"]*") ?\(/i;

/** Where the tables are, on which clock, and what their rows may omit. */
type Stored = { catalog: string; timezone: string; omitted: Omitted };

/** A statement and the names of the properties that it reads; undefined if it may read any. */
type Reading = { sql: string; keys: ReadonlySet<string> | undefined };

type Columns = Readonly<Record<string, SqlColumn>>;

/**
 * Returns statements that make the tables a statement may read. Outside UTC their times have a zone, so that the engine
 * reads dates and hours of them on the clock of its session.
 */
export function viewsOf(
  project: number,
  { catalog, timezone, omitted }: Stored,
  { sql: statement, keys }: Reading,
): string[] {
  // Without use for persons, a statement over ten million events saves half of its time by not looking them up.
  const hasPersons = MAY_READ_PERSONS.test(statement);
  const computed: Record<string, Record<string, string>> = {
    events: {
      ...(hasPersons ? { person_id: "coalesce(moved.person_id, stored.person_id)" } : {}),
      ...Object.fromEntries(GROUPS.map((name) => [name, `coalesce(stored."${name}", '')`])),
    },
    persons: {
      id: "stored.uuid",
      properties: omitted("person") ? wholeOf("person", "stored") : SPREAD_PROPERTIES,
    },
    groups: omitted("group") ? { properties: wholeOf("group", "stored") } : {},
  };
  const ownOf = (name: string, column: string, names = keys) =>
    name === "events"
      ? eventColumnOf(column, { table: "stored", omitted }, names)
      : `stored."${column}"`;
  const selected = (columns: Columns, isZoned: boolean, sqlOf: (column: string) => string) => {
    const made = Object.entries(columns).map(([column, { type }]) => {
      const sql = sqlOf(column);
      const hasZone = isZoned && type === "TIMESTAMP";
      return `${hasZone ? `make_timestamptz(epoch_us(${sql}))` : sql} AS "${column}"`;
    });
    return made.join(", ");
  };
  const rowsOf = (name: string, columns: Columns, isZoned: boolean, names = keys) =>
    `SELECT ${selected(columns, isZoned, (column) => computed[name]?.[column] ?? ownOf(name, column, names))}
      FROM ${catalog}.main."${name}" AS stored
      ${name === "events" && hasPersons ? overridesOf(project, catalog) : ""}
      WHERE stored.project_id = ${project}`;
  const isZoned = timezone !== "UTC";
  const sqlOf = (name: string, columns: Columns) => {
    if (name !== "sessions") return rowsOf(name, columns, isZoned);
    const events = (_: readonly string[], names: readonly string[]) =>
      rowsOf("events", SQL_VIEWS["events"] ?? {}, false, new Set(names));
    return `SELECT ${selected(columns, isZoned, (column) => `"${column}"`)}
      FROM (${sessionsOf(events, Object.keys(columns))})`;
  };
  // The connection has no current database, so a statement finds only these temporary views. To make all of them takes
  // 10 ms, so only views with a name in the statement are made.
  const macros = Object.entries(LIST_MACROS).filter(([name]) => statement.includes(name));
  const views = Object.entries(SQL_VIEWS)
    .filter(([name]) => statement.toLowerCase().includes(name))
    .map(([name, columns]) => `CREATE TEMP VIEW "${name}" AS ${sqlOf(name, columns)}`);
  return [...views, ...macros.map(([name, sql]) => `CREATE TEMP MACRO ${name}(l) AS ${sql}`)];
}

/** Columns with the keys of groups, never null. */
const GROUPS = [0, 1, 2, 3, 4].map((index) => `$group_${index}`);

/**
 * Returns a join with the overrides, with a row of nulls, so that it is never empty. After a join with an empty table
 * DuckDB expects no rows, and sums in 64 bits without a check for overflow: 20 times 2^63 - 1 was -20.
 */
const overridesOf = (project: number, catalog: string) =>
  `LEFT JOIN (SELECT old_person_id, person_id FROM ${catalog}.main.person_overrides
    WHERE project_id = ${project} UNION ALL SELECT NULL, NULL) AS moved
    ON moved.old_person_id = stored.person_id`;
