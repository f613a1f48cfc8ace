import type { Breakdown } from "../../../core/queries/breakdown.ts";
import { TIME_VALUES, WEEKDAYS } from "../../../core/queries/time-value.ts";
import { isTextList, itemsOf } from "../lists/property-filter.ts";

/** Returns SQL of a value of TIME_VALUES as text; `wall` is that of the time on the clock of the project. */
export function timeValue(expression: string, wall: string): string {
  switch (expression) {
    case TIME_VALUES.weekday_number:
      return `isodow(${wall})::VARCHAR`;
    case TIME_VALUES.weekday:
      return `dayname(${wall})`;
    case TIME_VALUES.hour:
      return `hour(${wall})::VARCHAR`;
    case TIME_VALUES.date:
      return `${wall}::DATE::VARCHAR`;
    default: {
      const unit = expression === TIME_VALUES.week ? "week" : "month";
      return `date_trunc('${unit}', ${wall})::DATE::VARCHAR`;
    }
  }
}

/**
 * Returns the terms of ORDER BY of the values of a breakdown by `number`, an aggregate of their rows. A value that is
 * missing is ranked by its number only where the greatest number of a series is first.
 */
export function valuesOrder(
  { order = "desc", by }: Breakdown,
  number: string,
  isOfFormula = false,
): string {
  if (order === "natural") return `${naturalSql(by[0]?.property)} NULLS LAST`;
  const byNumber = `${number} ${order === "asc" ? "ASC" : "DESC"} NULLS LAST, breakdown NULLS LAST`;
  return order === "asc" || isOfFormula ? `breakdown IS NULL, ${byNumber}` : byNumber;
}

function naturalSql(expression: string | undefined): string {
  if (expression === TIME_VALUES.hour) return "breakdown::INTEGER";
  if (expression !== TIME_VALUES.weekday) return "breakdown";
  return `list_position([${WEEKDAYS.map((day) => `'${day}'`).join(", ")}], breakdown)`;
}

/** Returns SQL of the page of an address: without its query, fragment and slashes at the end, `/` if nothing is left. */
export const pageOf = (address: string): string =>
  `regexp_replace(regexp_replace(${address}, '(?s)/*([?#].*)?$', ''), '^$', '/')`;

/** Returns the place of the one list of texts in a breakdown: each of its texts is a value. */
export function listIn({ by }: Breakdown): number | undefined {
  const lists = by.flatMap(({ of, property }, index) =>
    of.type === "event" && isTextList(property) ? [index] : [],
  );
  // Two lists would be read side by side, and not each text of one with each of the other.
  return lists.length === 1 ? lists[0] : undefined;
}

/** Returns SQL of the texts in a list, each in a row of its own; an empty list is one row with null. */
export function eachOf(text: string): string {
  const texts = `list_distinct(${itemsOf(text)})`;
  return `unnest(CASE WHEN len(${texts}) = 0 THEN [NULL] ELSE ${texts} END)`;
}
