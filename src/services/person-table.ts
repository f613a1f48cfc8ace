import { csvColumns, csvLine, flatRow } from "../domain/csv.ts";
import { Failure } from "../domain/errors.ts";
import { type Person, personName } from "../domain/person.ts";
import type { PersonRow } from "../storage/person-list.ts";

/** Columns of a CSV: as many as spreadsheets have. */
const CSV_COLUMNS_MAX = 16_384;

/** Columns that a table of persons has even if it is empty. */
const COLUMNS_ALWAYS = ["id", "name", "created_at", "uuid"];

/**
 * Persons as the lines of a CSV. They are walked along twice, first for the columns: what comes
 * up in between is left out (decision 47). Fails `invalid_input` on too many columns.
 */
export async function personTable(
  walk: () => AsyncIterable<PersonRow[]>,
): Promise<AsyncIterable<string>> {
  const names = new Set(COLUMNS_ALWAYS);
  for await (const rows of walk()) {
    for (const row of rows) for (const name of flatRow(shown(row)).keys()) names.add(name);
    if (names.size > CSV_COLUMNS_MAX) {
      const detail = `These persons have over ${CSV_COLUMNS_MAX} columns. Filter them, or ask for JSON.`;
      throw new Failure("invalid_input", detail, "format");
    }
  }
  return lines(csvColumns(names), walk());
}

async function* lines(columns: string[], walked: AsyncIterable<PersonRow[]>) {
  yield csvLine(columns);
  for await (const rows of walked) {
    const texts = rows.map((row) => {
      const flat = flatRow(shown(row));
      return csvLine(columns.map((name) => flat.get(name) ?? null));
    });
    if (texts.length > 0) yield texts.join("");
  }
}

/** A person as the API shows it. */
export function shown({ id, uuid, properties, created_at, distinct_ids }: PersonRow): Person {
  const name = personName(properties, distinct_ids);
  return { id, name, distinct_ids, properties, created_at, uuid };
}
