import { sessionPropertyType } from "../../../core/queries/known-property.ts";
import { eventColumnOf, type Omitted } from "../lists/omitted-properties.ts";
import { columnsIn, type Near, nearPeriod, sessionsOf } from "../lists/sessions.ts";
import { TIME } from "./statement.ts";

/** The column of `sessions` by which a session belongs to a period. */
export const BEGAN = '"$start_timestamp"';

/** The conditions that events meet, and the properties that their rows may omit. */
type Stored = { conditions: () => readonly string[]; omitted: Omitted };

const PUBLIC: Stored = { conditions: () => [], omitted: () => false };

/**
 * Computes columns of sessions once for each of them, for one SELECT from events. Without `stored` it reads the public
 * views.
 */
export function sessionFacts(stored?: Stored) {
  const { conditions, omitted } = stored ?? PUBLIC;
  const found: string[] = [];
  return {
    /** Returns a column of the session of an event; null without a session. `sql` is over the columns of `sessions`. */
    column(sql: string): string {
      if (!found.includes(sql)) found.push(sql);
      return `session_facts.fact_${found.indexOf(sql)}`;
    },
    /** Returns the table that the columns are of, with sessions of events near a period. */
    tables(near: Near | null): string[] {
      if (found.length === 0) return [];
      const facts = found.map((sql, at) => `${sql} AS fact_${at}`).join(", ");
      const where = [...conditions(), ...(near === null ? [] : nearPeriod(TIME, near))];
      const table = { table: "events", omitted };
      const selected = (columns: readonly string[], names: readonly string[]) =>
        columns.map((column) => `${eventColumnOf(column, table, names)} AS "${column}"`);
      const events = (columns: readonly string[], names: readonly string[]) =>
        `SELECT ${selected(columns, names).join(", ")} FROM events${
          where.length === 0 ? "" : ` WHERE ${where.join(" AND ")}`
        }`;
      const sessions = sessionsOf(
        events,
        ["session_id", ...columnsIn("sessions", facts)],
        stored === undefined,
      );
      return [
        `session_facts AS (SELECT session_id AS id, ${facts} FROM (${sessions}) AS sessions)`,
      ];
    },
    joins: () =>
      found.length === 0
        ? []
        : [`LEFT JOIN session_facts ON session_facts.id = nullif(events."$session_id", '')`],
  };
}

/** Returns SQL of a property of sessions as text, over the columns of `sessions`. */
export function sessionText(property: string): string {
  const column = `"${property}"`;
  switch (sessionPropertyType(property)) {
    case "text":
      return column;
    case "time":
      return `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%fZ')`;
    default:
      // A whole number of seconds is written as in JSON.
      return `regexp_replace(${column}::VARCHAR, '\\.0$', '')`;
  }
}
