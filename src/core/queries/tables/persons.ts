import type { JsonObject } from "../../values/json.ts";
import type { Moment } from "../../values/zoned-time.ts";
import { type EventFilters, fields, malformed } from "../query-fields.ts";
import {
  type Column,
  columnsOf,
  type Order,
  orderOf,
  type TablePart,
  tableFilters,
  tablePart,
} from "./columns.ts";

/** Columns of persons but their properties. */
const WORDS = ["person", "id", "email", "created_at", "count()"] as const;

/** A column of persons. */
export type PersonColumn = Column<(typeof WORDS)[number]>;

/** A parsed list of persons: an `ActorsQuery` without a source. */
export type PersonsTable = TablePart & {
  kind: "ActorsQuery";
  /** One column `count()`, or others. */
  columns: PersonColumn[];
  /** A part of the e-mail address, or a whole distinct id; null without a search. */
  search: string | null;
  /** Conditions on properties of persons, and on what they did. */
  filters: EventFilters;
  order: Order<(typeof WORDS)[number]>;
};

const OWNERS = ["person"] as const;

const COLUMNS = { words: WORDS, of: "person" } as const;

/** Reads an `ActorsQuery` without a source. Fails `invalid_input`. */
export function readPersons(sent: JsonObject, moment: Moment): PersonsTable {
  const query = fields(sent, "query", [
    ...["kind", "select", "search", "properties", "fixedProperties", "orderBy", "limit", "offset"],
  ]);
  const columns = columnsOf(query, COLUMNS) ?? [{ name: "person", is: "person" }];
  const isCounted = (one: PersonColumn) => "is" in one && one.is === "count()";
  if (columns.some(isCounted) && columns.length > 1) {
    const detail = "count() is asked for alone: it is the number of all persons of the query.";
    throw malformed(detail, query.attr("select"));
  }
  const order = orderOf(query, COLUMNS) ?? [
    { by: { name: "created_at", is: "created_at" }, isDescending: true },
  ];
  const unsorted = order.findIndex(
    ({ by }) => "is" in by && (by.is === "person" || by.is === "count()"),
  );
  if (unsorted >= 0) {
    const detail = "Persons are sorted by created_at, email, id or properties.NAME.";
    throw malformed(detail, `${query.attr("orderBy")}__${unsorted}`);
  }
  const search = query.text("search");
  return {
    kind: "ActorsQuery",
    columns,
    search: search === "" ? null : search,
    filters: tableFilters(query, moment, OWNERS),
    order,
    ...tablePart(query),
  };
}
