import { readParts, toResponse } from "../../persons/persons.ts";
import type { ListedPerson } from "../../ports/insights/tables.ts";
import type { PersonReads, PersonRow } from "../../ports/persons/reads.ts";
import { isBehavior } from "../../queries/behavior.ts";
import { type Period, periodOf } from "../../queries/period.ts";
import type { AnyFilter, EventFilters } from "../../queries/query-fields.ts";
import type { PersonColumn, PersonsTable } from "../../queries/tables/persons.ts";
import type { Json } from "../../values/json.ts";
import { type FilterGroup, isGroup, valueAt } from "../../values/property-filter.ts";
import type { Asking } from "../answers.ts";
import type { TableNeeds, TableRows } from "./answer.ts";

/** Returns the rows of a list of persons, or the row with their number. */
export async function personRows(
  { tables, persons }: TableNeeds,
  table: PersonsTable,
  { project, moment, signal }: Asking,
): Promise<TableRows> {
  const { columns, search } = table;
  const period = periodOf({ date_from: "-0d", date_to: null }, { interval: null, ...moment });
  const owners = search === null ? [] : await persons.owners(project, [search]);
  const query = { ...table, filters: ofAllTime(table.filters, period) };
  const plan = { query, owners, period };
  const [first] = columns;
  if (first !== undefined && "is" in first && first.is === "count()") {
    const count = await tables.countPersons(project, plan, signal);
    return { rows: table.offset === 0 ? [[count]] : [] };
  }
  const listed = await tables.persons(project, plan, signal);
  const known = await personsById(persons, project, listed);
  const rows = listed.map((one) => {
    const row = one.id === null ? undefined : known.get(one.id);
    return columns.map((column) => cellOf(column, one, row));
  });
  return { rows };
}

/** Reads the persons with a profile by their integer ids. One that is gone meanwhile is absent. */
export async function personsById(
  persons: Pick<PersonReads, "read">,
  project: number,
  listed: readonly Pick<ListedPerson, "id">[],
): Promise<Map<number, PersonRow>> {
  const ids = [...new Set(listed.flatMap(({ id }) => id ?? []))];
  const known = new Map<number, PersonRow>();
  for await (const part of readParts(persons, project, ids)) {
    for (const row of part) known.set(row.id, row);
  }
  return known;
}

/** Returns a person as the API shows it; without a profile only its uuid is known. */
export function personCell(uuid: string, row: PersonRow | undefined): Json {
  if (row !== undefined) return toResponse(row);
  return { id: null, name: null, distinct_ids: [], properties: null, created_at: null, uuid };
}

function cellOf(column: PersonColumn, { uuid }: ListedPerson, row: PersonRow | undefined): Json {
  if (!("is" in column)) return valueAt(row?.properties, column.property);
  switch (column.is) {
    case "person":
      return personCell(uuid, row);
    case "id":
      return uuid;
    case "email": {
      const email = row?.properties["email"];
      return typeof email === "string" ? email : null;
    }
    default:
      return row?.created_at ?? null;
  }
}

/** Filters of what persons did count all time unless they have a time: a list of persons has no period. */
function ofAllTime(filters: EventFilters, period: Period): EventFilters {
  const timed = (one: AnyFilter | FilterGroup<AnyFilter>): typeof one => {
    if (isGroup(one)) return { ...one, of: one.of.map(timed) };
    if (!isBehavior(one) || one.behavior.within !== null) return one;
    return { ...one, behavior: { ...one.behavior, within: { period, ever: true } } };
  };
  return filters.map(timed);
}
