import type { Json } from "../../values/json.ts";
import { storableText } from "../../values/json.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../values/page.ts";
import { checkFilters } from "../../values/property-filter.ts";
import type { Moment } from "../../values/zoned-time.ts";
import { propertyFiltersOf } from "../behavior.ts";
import { type EventFilters, type Fields, filtersOf, malformed } from "../query-fields.ts";

/** Columns of a query of rows. */
export const TABLE_COLUMNS_MAX = 50;

/** A column that is a property; its name as it was sent. */
export type PropertyColumn = { name: string; of: "event" | "person"; property: string };

/** A column of a table: one of some words, or a property. */
export type Column<Word extends string> = { name: string; is: Word } | PropertyColumn;

/** How rows are sorted: by one column after the other. */
export type Order<Word extends string> = { by: Column<Word>; isDescending: boolean }[];

/** The part of a table to return. */
export type TablePart = { limit: number; offset: number };

/** The words that are columns, and the owner of a plain `properties.x`. */
export type Columns<Word extends string> = { words: readonly Word[]; of: "event" | "person" };

/** Reads `select`; undefined without it. Fails `invalid_input`. */
export function columnsOf<Word extends string>(
  query: Fields,
  columns: Columns<Word>,
): Column<Word>[] | undefined {
  const attr = query.attr("select");
  return textsOf(query, "select")?.map((text, at) => columnOf(text, columns, `${attr}__${at}`));
}

/** Reads `orderBy`, such as `created_at DESC`; undefined without it. Fails `invalid_input`. */
export function orderOf<Word extends string>(
  query: Fields,
  columns: Columns<Word>,
): Order<Word> | undefined {
  const attr = query.attr("orderBy");
  return textsOf(query, "orderBy")?.map((text, at) => {
    const [, name = text, way = "ASC"] = /^(.*?)\s+(ASC|DESC)$/is.exec(text.trim()) ?? [];
    const by = columnOf(name, columns, `${attr}__${at}`);
    return { by, isDescending: way.toUpperCase() === "DESC" };
  });
}

/** Reads `limit` and `offset`. */
export const tablePart = (query: Fields): TablePart => ({
  limit: query.whole("limit", { min: 1, max: PAGE_LIMIT_MAX }, PAGE_LIMIT_DEFAULT),
  offset: query.whole("offset", { min: 0, max: Number.MAX_SAFE_INTEGER }, 0),
});

/** Reads `properties` and `fixedProperties`, which all hold. Fails `invalid_input`. */
export function tableFilters(
  query: Fields,
  moment: Moment,
  types?: readonly ["person"],
): EventFilters {
  const filters = ["properties", "fixedProperties"].flatMap((field) =>
    filtersOf(query, moment, { field, ...(types === undefined ? {} : { types }) }),
  );
  checkFilters(propertyFiltersOf(filters), query.attr("properties"));
  return filters;
}

/** Reads a list of texts; undefined without one, or if it is empty. Fails `invalid_input`. */
export function textsOf(query: Fields, name: string): string[] | undefined {
  const sent: Json = query.sent[name] ?? [];
  if (
    !Array.isArray(sent) ||
    sent.length > TABLE_COLUMNS_MAX ||
    !sent.every((one) => typeof one === "string")
  ) {
    throw malformed(`A list of at most ${TABLE_COLUMNS_MAX} texts is expected.`, query.attr(name));
  }
  return sent.length === 0 ? undefined : sent.map((one) => storableText(String(one)));
}

const PROPERTY = /^(person\.)?properties\.(?:`([^`]+)`|"([^"]+)"|([^\s`"(),]+))$/;

function columnOf<Word extends string>(
  text: string,
  { words, of }: Columns<Word>,
  attr: string,
): Column<Word> {
  const name = text.trim();
  const word = words.find((one) => one === name);
  if (word !== undefined) return { name, is: word };
  const [, person, ...quoted] = PROPERTY.exec(name) ?? [];
  const property = quoted.find((one) => one !== undefined);
  if (property !== undefined) {
    return { name, of: person === undefined ? of : "person", property };
  }
  const own = of === "event" ? "properties.NAME, person.properties.NAME" : "properties.NAME";
  const detail = `A column is one of ${words.join(", ")}, ${own}. SQL takes all else: POST …/query/ with a HogQLQuery.`;
  throw malformed(detail, attr);
}
