import type { Interval, Period } from "../../../core/queries/period.ts";
import type {
  Breakdown,
  EventFilter,
  EventsNode,
  PropertyOf,
} from "../../../core/queries/query-fields.ts";
import { isGroup } from "../../../core/values/property-filter.ts";
import type { ClockPiece } from "../../../core/values/wall-clock.ts";
import { groupColumn, HOT_PROPERTIES } from "../../loads/event-lines.ts";
import { propertyColumn } from "../../loads/person-columns.ts";
import {
  type Bind,
  groupMet,
  passes,
  passesIn,
  pointer,
  textIn,
} from "../lists/property-filter.ts";

/**
 * One pass over the events of a project, put together as what is asked of them becomes known. Each
 * method returns SQL; every value is bound.
 */
export type EventScan = {
  /** When an event happened, on the clock of the period's zone. */
  wall: string;
  /** Who owns the event now, after every merge. */
  person(): string;
  /** A property as text: what is no text is so as JSON; null if it is missing or null. */
  text(of: PropertyOf, property: string): string;
  /** The value that events are told apart by; of several properties, a list of their texts. */
  value(breakdown: Breakdown): string;
  /** The beginning of the interval in which an event happened, by that clock. */
  startOf(interval: Interval): string;
  /** Whether what was asked so far needs nothing but columns of events, which are read fast. */
  isPlain(): boolean;
  /** The condition that an event is one of the node's. */
  isOf(node: Pick<EventsNode, "event" | "filters">): string;
  /** Conditions of the events of the period; with `everBefore` also of all before it. */
  within(options?: { everBefore?: boolean }): string[];
  /** `name (SELECT … FROM events …)`, with what the columns and conditions need before it. */
  named(name: string, columns: readonly string[], conditions: readonly string[]): string;
};

/** Whose events are looked at, and what is known of their properties. */
export type Scanned = {
  project: number;
  /** Columns that have the text of properties beside the hot ones, by property. */
  promoted: ReadonlyMap<string, string>;
  /** Told of each property of events that has no hot column. */
  onUse: (property: string) => void;
};

/** Scans the events of a project, on the clock of a period. */
export function eventScan(
  { project, promoted, onUse }: Scanned,
  period: Period,
  bind: Bind,
): EventScan {
  const isUtc = period.clock.length === 1 && period.clock[0]?.ahead_s === 0;
  const wall = isUtc ? `"timestamp"` : `("timestamp" + ${aheadOf(period.clock, bind)})`;
  const facts = factTables(project, bind);
  let isMoved = false;
  let isPlain = true;
  const person = () => {
    isMoved = true;
    return OWNER;
  };
  const columnOf = (of: PropertyOf, property: string) => {
    if (of.type !== "event") return undefined;
    const hot = HOT_PROPERTIES.find((name) => name === property);
    if (hot !== undefined) return `"${hot}"`;
    onUse(property);
    return promoted.get(property);
  };
  const passed = ({ of, filter }: EventFilter) => {
    const column = columnOf(of, filter.key);
    if (column !== undefined) return passesIn(column, filter, bind);
    isPlain = false;
    const condition = passes(filter, textOf(of, filter.key), bind);
    if (of.type === "event") return condition;
    // Who has no row has no properties.
    return `coalesce(${facts.column(of, person, condition)}, ${filter.not})`;
  };
  const text = (of: PropertyOf, property: string) => {
    const column = columnOf(of, property);
    if (column !== undefined) return column;
    isPlain = false;
    const found = textOf(of, property)(bind(pointer(property)));
    return of.type === "event" ? found : facts.column(of, person, found);
  };
  return {
    wall,
    // A day takes half the time of date_trunc.
    startOf: (interval) =>
      interval === "day" ? `${wall}::DATE` : `date_trunc('${interval}', ${wall})`,
    isPlain: () => isPlain,
    person,
    text,
    value: ({ by }) => togetherOf(by.map(({ of, property }) => text(of, property))),
    isOf({ event, filters }) {
      const named = event === null ? [] : [`event = ${bind(event)}`];
      const all = filters.map((one) => (isGroup(one) ? groupMet(one, passed) : passed(one)));
      return [...named, ...all].join("\n    AND ") || "true";
    },
    within({ everBefore = false } = {}) {
      const { instants } = period;
      const before = bind(period.before, "TIMESTAMP");
      // No clock is a day off: what is stored by time is passed over without looking at the clock.
      const near = (compared: string, instant: string | undefined, roughly: string) =>
        isUtc ? [] : [`"timestamp" ${compared} ${instant ? bind(instant, "TIMESTAMP") : roughly}`];
      const until = [
        ...near("<", instants.before, `${before} + INTERVAL 1 DAY`),
        `${wall} < ${before}`,
      ];
      if (everBefore) return until;
      const from = bind(period.from, "TIMESTAMP");
      return [
        ...near(">=", instants.from, `${from} - INTERVAL 1 DAY`),
        `${wall} >= ${from}`,
        ...until,
      ];
    },
    named(name, columns, conditions) {
      const made = facts.made();
      const tables = made.length === 0 ? "" : `WITH ${made.join(", ")}\n  `;
      const moved = isMoved ? [movedOf(project, bind)] : [];
      const where = [`events.project_id = ${bind(project, "INTEGER")}`, ...conditions];
      return `${name} (
  ${tables}SELECT ${columns.join(",\n    ")}
  ${["FROM events", ...moved, ...facts.joined()].join("\n  ")}
  WHERE ${where.join("\n    AND ")}
)`;
    },
  };
}

/** What stands for the values of some properties together. */
export function togetherOf(texts: readonly string[]): string {
  return texts.length === 1 ? texts.join() : `[${texts.join(", ")}]`;
}

/** Who owns a row of `events` now, after every merge: with the join of {@link movedOf}. */
export const OWNER = "coalesce(moved.person_id, events.person_id)";

/** A join with the merges of a project, for {@link OWNER}. */
export const movedOf = (project: number, bind: Bind): string => `LEFT JOIN person_overrides AS moved
    ON moved.project_id = ${bind(project, "INTEGER")} AND moved.old_person_id = events.person_id`;

/** How the text of a property is found in the table that has it, by its JSON pointer. */
function textOf({ type }: PropertyOf, property: string): (pointer: string) => string {
  return (pointer) => textIn(pointer, type === "person" ? propertyColumn(property) : "properties");
}

/** How far the clock is ahead when an event happens. */
function aheadOf(pieces: readonly ClockPiece[], bind: Bind): string {
  const ahead = ({ ahead_s }: ClockPiece) => `to_seconds(${bind(ahead_s, "BIGINT")})`;
  const [last, ...earlier] = pieces.toReversed() as [ClockPiece, ...ClockPiece[]];
  const cases = earlier.reverse().map((piece) => {
    return `WHEN "timestamp" < ${bind(piece.until ?? "", "TIMESTAMP")} THEN ${ahead(piece)}`;
  });
  return cases.length === 0 ? ahead(last) : `CASE ${cases.join(" ")} ELSE ${ahead(last)} END`;
}

type Facts = { select: string; from: string; on: string; columns: string[] };

/** What of persons and groups is asked, worked out once for each of them and not for each event. */
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
    return { select: "key AS id", from, on: `${name}.id = "${groupColumn(index)}"`, columns: [] };
  };
  return {
    /** A column of the row that an event's person or group has, if it has one. */
    column(of: PropertyOf, person: () => string, sql: string): string {
      const name = of.type === "group" ? `group_facts_${of.group_type_index}` : "person_facts";
      const table = tables.get(name) ?? tableOf(of, name, person);
      tables.set(name, table);
      const column = `fact_${table.columns.length}`;
      table.columns.push(`${sql} AS ${column}`);
      return `${name}.${column}`;
    },
    made: () =>
      [...tables].map(([name, { select, from, columns }]) => {
        return `${name} AS (SELECT ${[select, ...columns].join(", ")} FROM ${from})`;
      }),
    joined: () => [...tables].map(([name, { on }]) => `LEFT JOIN ${name} ON ${on}`),
  };
}
