import type { Period } from "../../queries/period.ts";
import type { EventsTable } from "../../queries/tables/events.ts";
import type { PersonsTable } from "../../queries/tables/persons.ts";
import type { EventRow } from "../events.ts";

/** A list of persons, and what its answer depends on. */
export type PersonsPlan = {
  query: PersonsTable;
  /** Integer ids of the persons that have the searched text as a distinct id. */
  owners: readonly number[];
  /** The time up to which events count for what persons did. */
  period: Period;
};

/** A person of a list; without a profile its id is null. */
export type ListedPerson = { id: number | null; uuid: string };

/** A list of events, and what its answer depends on. */
export type EventsPlan = {
  query: EventsTable;
  /** The uuid of the person; null for all. */
  person: string | null;
  period: Period;
};

/** A value of an aggregated row. */
export type TableCell = string | number | null;

/**
 * Lists of the persons and events of a project. Persons count with their properties as they are now. The rules of all
 * ports are in `events.ts`.
 */
export type TableReads = {
  /**
   * Returns the persons of a part, and one more if more follow. Persons without a profile are listed if a condition is
   * about what persons did, as it may be met by them.
   */
  persons(project: number, plan: PersonsPlan, signal: AbortSignal): Promise<ListedPerson[]>;
  /** Returns the number of these persons. */
  countPersons(project: number, plan: PersonsPlan, signal: AbortSignal): Promise<number>;
  /** Returns the events of a part; `isMore` says whether more follow. */
  events(
    project: number,
    plan: EventsPlan,
    signal: AbortSignal,
  ): Promise<{ rows: EventRow[]; isMore: boolean }>;
  /** Returns the rows of a part with a cell for each column, and one more if more follow. */
  aggregated(project: number, plan: EventsPlan, signal: AbortSignal): Promise<TableCell[][]>;
};
