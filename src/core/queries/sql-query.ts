import { foundIn, isObject, type JsonObject } from "../values/json.ts";
import { fields, malformed, missing } from "./query-fields.ts";

/** The fields of a query in SQL; `name` is a note of the client. */
const SQL_FIELDS = ["kind", "query", "filters", "variables", "values", "name"];

/** A statement, and what its query has for names in braces. */
type SentSql = { text: string } & Record<
  "filters" | "variables" | "values",
  JsonObject | undefined
>;

/** Reads a query in SQL. Fails `required`, `invalid_input`. */
export function readSql(sent: JsonObject): SentSql {
  const { sent: source, text, attr } = fields(sent, "query", SQL_FIELDS);
  text("name");
  const object = (name: string): JsonObject | undefined => {
    const value = source[name] ?? undefined;
    if (value === undefined || isObject(value)) return value;
    throw malformed(`An object is expected, not ${foundIn(value)}.`, attr(name));
  };
  const { query = null } = source;
  if (query === null) throw missing(attr("query"));
  if (typeof query !== "string") {
    throw malformed(`SQL is a text, and this is ${foundIn(query)}.`, attr("query"));
  }
  return {
    text: query,
    ...{ filters: object("filters"), variables: object("variables"), values: object("values") },
  };
}
