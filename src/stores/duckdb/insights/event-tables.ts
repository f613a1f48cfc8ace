import type { DuckDBConnection } from "@duckdb/node-api";
import type { Period } from "../../../core/queries/period.ts";
import type {
  EventFilter,
  PropertyConditions,
  PropertyOf,
} from "../../../core/queries/query-fields.ts";
import { filtersIn, isDotted, isGroup } from "../../../core/values/property-filter.ts";
import type { ClockPiece } from "../../../core/values/zoned-time.ts";
import { eventColumn, groupColumn } from "../../loads/event-lines.ts";
import { readableColumns } from "../events/hot-columns.ts";
import type { EventSelection } from "../lists/events.ts";
import { type Omitted, omittedProperties, textOf } from "../lists/omitted-properties.ts";
import {
  type Bind,
  checkPatterns,
  groupMet,
  passes,
  passesIn,
  pointer,
} from "../lists/property-filter.ts";
import { BEGAN, sessionFacts, sessionText } from "./session-facts.ts";
import { type EventSource, metadataText, TIME } from "./statement.ts";

/** A project, and the columns for frequent properties of its events. */
export type ProjectEvents = {
  project: number;
  /** The project's own columns, by the property whose text they have. */
  promoted: ReadonlyMap<string, string>;
  /** Whether rows may omit a property, which is then read from all properties. */
  omitted: Omitted;
  /** Called for each property of events that a query reads and that has no column in all projects. */
  onUse: (property: string) => void;
};

/** SQL of the current owner of a row of `events`; needs the join of {@link ownerJoin}. */
export const PERSON_ID_SQL = "coalesce(moved.person_id, events.person_id)";

/** Returns the join of a project's merges, for {@link PERSON_ID_SQL}. */
export const ownerJoin = (project: number, bind: Bind): string =>
  `LEFT JOIN person_overrides AS moved
    ON moved.project_id = ${bind(project, "INTEGER")} AND moved.old_person_id = events.person_id`;

/** Reads events from the tables of a project. */
export function eventTables(
  { project, promoted, omitted, onUse }: ProjectEvents,
  bind: Bind,
): () => EventSource {
  return () => {
    const facts = factTables(project, bind);
    const ofProject = () => [`events.project_id = ${bind(project, "INTEGER")}`];
    const sessions = sessionFacts({ conditions: ofProject, omitted });
    let needsOwner = false;
    let isPlain = true;
    const person = () => {
      needsOwner = true;
      return PERSON_ID_SQL;
    };
    /** The column that has the text of a property in all events, unless rows omit it. */
    const wholeColumn = (property: string, column: string | undefined) =>
      omitted("event", property) || isDotted(property) ? undefined : column;
    const columnOf = (of: PropertyOf, property: string) => {
      if (of.type !== "event") return undefined;
      const hot = eventColumn(property);
      if (hot !== undefined) return `events."${hot}"`;
      onUse(property);
      return promoted.get(property);
    };
    return {
      wall: (period, time = TIME) =>
        isUtc(period) ? time : `(${time} + ${aheadOf(period, bind, time)})`,
      began: () => sessions.column(BEGAN),
      person,
      text(of, property) {
        if (of.type === "event_metadata") return metadataText(property, person);
        const column = columnOf(of, property);
        const whole = wholeColumn(property, column);
        if (whole !== undefined) return whole;
        isPlain = false;
        if (of.type === "session") return sessions.column(sessionText(property));
        const text = textOf(of.type, property, omitted, column)(bind(pointer(property)));
        return of.type === "event" ? text : facts.column(of, person, text);
      },
      passes({ of, filter }: EventFilter) {
        if (of.type === "event_metadata")
          return passesIn(metadataText(filter.key, person), filter, bind);
        const column = columnOf(of, filter.key);
        const whole = wholeColumn(filter.key, column);
        if (whole !== undefined) return passesIn(whole, filter, bind);
        isPlain = false;
        if (of.type === "session") {
          const condition = passesIn(sessionText(filter.key), filter, bind);
          return `coalesce(${sessions.column(condition)}, ${filter.not})`;
        }
        const condition = passes(filter, textOf(of.type, filter.key, omitted, column), bind);
        if (of.type === "event") return condition;
        // A person or group without a row has no properties.
        return `coalesce(${facts.column(of, person, condition)}, ${filter.not})`;
      },
      isPlain: () => isPlain,
      needs: (near) => ({
        tables: [...facts.tables(), ...sessions.tables(near)],
        joins: [
          ...(needsOwner ? [ownerJoin(project, bind)] : []),
          ...facts.joins(),
          ...sessions.joins(),
        ],
        conditions: ofProject(),
      }),
    };
  };
}

/** Selects the events of a project that meet filters, which lists of events share with insights. */
export async function selectEvents(
  connection: DuckDBConnection,
  project: number,
  filters: PropertyConditions,
  bind: Bind,
): Promise<EventSelection> {
  const all = filtersIn({ any: false, of: filters }).map(({ filter }) => filter);
  await checkPatterns(connection, all, "properties");
  const used = new Set<string>();
  const promoted = await readableColumns(connection);
  const onUse = (property: string) => used.add(property);
  const omitted = await omittedProperties(connection, project);
  const source = eventTables({ project, promoted, omitted, onUse }, bind)();
  const met = filters.map((one) =>
    isGroup(one) ? groupMet(one, source.passes) : source.passes(one),
  );
  const { conditions, ...needs } = source.needs(null);
  return { ...needs, conditions: [...conditions, ...met], used };
}

/** Returns whether the clock of a period is that of UTC throughout. */
export const isUtc = ({ clock }: Period): boolean => clock.length === 1 && clock[0]?.ahead_s === 0;

/** Returns SQL of how far the clock is ahead of UTC at a time. */
export function aheadOf({ clock }: Period, bind: Bind, time: string): string {
  const ahead = ({ ahead_s }: ClockPiece) => `to_seconds(${bind(ahead_s, "BIGINT")})`;
  const [last, ...earlier] = clock.toReversed() as [ClockPiece, ...ClockPiece[]];
  const cases = earlier.reverse().map((piece) => {
    return `WHEN ${time} < ${bind(piece.until ?? "", "TIMESTAMP")} THEN ${ahead(piece)}`;
  });
  return cases.length === 0 ? ahead(last) : `CASE ${cases.join(" ")} ELSE ${ahead(last)} END`;
}

/** A table with columns of persons or groups, and how events join it. */
type Facts = { select: string; from: string; on: string; columns: string[] };

/** Computes columns of persons and groups once for each of them, instead of once for each event. */
function factTables(project: number, bind: Bind) {
  const tables = new Map<string, Facts>();
  const ofProject = () => `project_id = ${bind(project, "INTEGER")}`;
  const tableOf = (of: PropertyOf, name: string, person: () => string): Facts => {
    if (of.type !== "group") {
      const from = `persons WHERE ${ofProject()}`;
      return { select: "uuid AS id", from, on: `${name}.id = ${person()}`, columns: [] };
    }
    const { group_type_index: index } = of;
    const from = `groups WHERE ${ofProject()} AND type_index = ${bind(index, "INTEGER")}`;
    const on = `${name}.id = events."${groupColumn(index)}"`;
    return { select: "key AS id", from, on, columns: [] };
  };
  return {
    /** Returns a column of the row of an event's person or group; null without a row. */
    column(of: PropertyOf, person: () => string, sql: string): string {
      const name = of.type === "group" ? `group_facts_${of.group_type_index}` : "person_facts";
      const table = tables.get(name) ?? tableOf(of, name, person);
      tables.set(name, table);
      const column = `fact_${table.columns.length}`;
      table.columns.push(`${sql} AS ${column}`);
      return `${name}.${column}`;
    },
    tables: () =>
      [...tables].map(([name, { select, from, columns }]) => {
        return `${name} AS (SELECT ${[select, ...columns].join(", ")} FROM ${from})`;
      }),
    joins: () => [...tables].map(([name, { on }]) => `LEFT JOIN ${name} ON ${on}`),
  };
}
