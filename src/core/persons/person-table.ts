import { type Person, personName } from "../identity/person.ts";
import type { PersonRow } from "../ports/person-reads.ts";
import { type CsvTable, csvTable } from "../values/csv.ts";

/** Columns of a CSV: as many as spreadsheets have (decision 47). */
const CSV_COLUMNS_MAX = 16_384;

/** Columns that a table of persons has even if it is empty. */
const COLUMNS_ALWAYS = { id: null, name: null, created_at: null, uuid: null };

/**
 * Persons as the lines of a CSV. The list is read twice, first for the columns: later columns are left out (decision 47).
 */
export async function personTable(
  walk: () => AsyncIterable<PersonRow[]>,
): Promise<AsyncIterable<string>> {
  const table = csvTable(COLUMNS_ALWAYS, CSV_COLUMNS_MAX);
  for await (const rows of walk()) {
    for (const { properties, distinct_ids } of rows) table.add({ properties, distinct_ids });
  }
  return lines(table, walk());
}

async function* lines(table: CsvTable, walked: AsyncIterable<PersonRow[]>) {
  yield table.head();
  for await (const rows of walked) {
    if (rows.length > 0) yield rows.map((row) => table.line(toResponse(row))).join("");
  }
}

/** Makes the response from a person. */
export function toResponse({ id, uuid, properties, created_at, distinct_ids }: PersonRow): Person {
  const name = personName(properties, distinct_ids);
  return { id, name, distinct_ids, properties, created_at, uuid };
}
