import type { Period } from "../../../core/queries/period.ts";
import type { EventFilter, PropertyOf } from "../../../core/queries/query-fields.ts";
import type { Bind } from "../lists/property-filter.ts";

/**
 * The purpose that a query is compiled for. A run binds values as parameters and reads tables; a draft
 * has values as literals and reads the public views.
 */
export type Target = {
  bind: Bind;
  /** The project of a run, which takes faster forms; null for a draft, whose views have one project. */
  project: number | null;
  /** Returns a source for one SELECT from events. */
  source: () => EventSource;
};

/** One statement of a query; the part after WITH is the same in a run and in a draft. */
export type Statement = {
  /** Named queries in order, each as `name AS (…)`. */
  tables: string[];
  select: string;
};

/** The tables or views that one SELECT from events reads, extended by each request for a column. */
export type EventSource = {
  /** Returns when an event happened, on the clock of the period's zone. */
  wall(period: Period): string;
  /** Returns the owner of the event after every merge. */
  person(): string;
  /** Returns a property as text, with other values as JSON; null if it is missing or null. */
  text(of: PropertyOf, property: string): string;
  /** Returns the condition of a filter. */
  passes(filter: EventFilter): string;
  /** Whether all requests so far need only columns of events, which are read fast. */
  isPlain(): boolean;
  /** Returns what the requests so far need around the SELECT. */
  needs(): { tables: string[]; joins: string[]; conditions: string[] };
};

/** A value of a row; DuckDB's integers are numbers, and its dates are texts. */
export type Cell = null | boolean | number | string | Cell[];

/** A row of a statement, by column. */
export type Row = Record<string, Cell>;

/** Returns a statement as SQL. */
export function sqlOf({ tables, select }: Statement): string {
  return `WITH ${tables.join(", ")}\n${select}`;
}
