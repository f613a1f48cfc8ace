import type { EventRow } from "../../ports/events.ts";
import type { PersonReads, PersonRow } from "../../ports/persons/reads.ts";
import { ALL_TIME, type Period, periodOf } from "../../queries/period.ts";
import type { EventColumn, EventsTable } from "../../queries/tables/events.ts";
import { Failure } from "../../values/failure.ts";
import type { Json } from "../../values/json.ts";
import { valueAt } from "../../values/property-filter.ts";
import type { Moment } from "../../values/zoned-time.ts";
import type { Asking } from "../answers.ts";
import type { TableNeeds, TableRows } from "./answer.ts";
import { personCell, personsById } from "./persons.ts";

/** A uuid that no person has. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** Returns the rows of a list of events, or of aggregates of them. */
export async function eventRows(
  needs: TableNeeds,
  query: EventsTable,
  asking: Asking,
): Promise<TableRows> {
  const { tables, persons } = needs;
  const { project, signal } = asking;
  const period = await eventsPeriod(needs, query, asking);
  const plan = { query, period, person: await uuidOf(persons, project, query.person) };
  if (query.isAggregated) {
    return { rows: await tables.aggregated(project, plan, signal), period };
  }
  const { rows, isMore } = await tables.events(project, plan, signal);
  const owners = query.columns.some(isOfPerson)
    ? await ownersOf(persons, project, rows)
    : NO_OWNERS;
  const cells = rows.map((row) =>
    query.columns.map((column) => cellOf(column, row, owners.get(row.person_id))),
  );
  return { rows: cells, isMore, period };
}

/** Returns the period on the clock of the project. Fails `invalid_input` with the sent field. */
export async function eventsPeriod(
  { queries }: Pick<TableNeeds, "queries">,
  query: EventsTable,
  { project, moment, signal }: Asking,
): Promise<Period> {
  const isAll = query.after === ALL_TIME;
  return tablePeriod(
    query,
    moment,
    isAll ? await queries.firstEventAt(project, signal) : undefined,
  );
}

/** The same, where `first` is the time of the first event of all. */
export function tablePeriod(
  { after, before }: EventsTable,
  moment: Moment,
  first?: number,
): Period {
  const range = { date_from: after, date_to: before };
  try {
    return periodOf(range, { interval: null, isExact: true, ...moment, first });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isEnd = error.attr?.endsWith("date_to") === true;
    throw new Failure(error.code, error.message, `query__${isEnd ? "before" : "after"}`);
  }
}

async function uuidOf(
  persons: Pick<PersonReads, "find">,
  project: number,
  id: string | null,
): Promise<string | null> {
  if (id === null || id.includes("-")) return id;
  return (await persons.find(project, { id: Number(id) }))?.uuid ?? NOBODY;
}

type Owners = ReadonlyMap<string, PersonRow>;

const NO_OWNERS: Owners = new Map();

const isOfPerson = (column: EventColumn): boolean =>
  "is" in column ? column.is === "person" : column.of === "person";

/** Returns the owners of events that have a profile, by their uuids. */
async function ownersOf(
  persons: Pick<PersonReads, "read" | "find">,
  project: number,
  rows: readonly EventRow[],
): Promise<Owners> {
  const found: { id: number }[] = [];
  for (const uuid of new Set(rows.map(({ person_id }) => person_id))) {
    const person = await persons.find(project, { uuid });
    if (person !== undefined) found.push({ id: person.id });
  }
  const known = await personsById(persons, project, found);
  return new Map([...known.values()].map((row) => [row.uuid, row]));
}

function cellOf(column: EventColumn, row: EventRow, owner: PersonRow | undefined): Json {
  if (!("is" in column)) {
    const properties = column.of === "event" ? row.properties : owner?.properties;
    return valueAt(properties, column.property);
  }
  switch (column.is) {
    case "*":
      return { ...row };
    case "person":
      return personCell(row.person_id, owner);
    case "event":
    case "uuid":
    case "person_id":
    case "distinct_id":
    case "timestamp":
      return row[column.is];
    default:
      return null;
  }
}
