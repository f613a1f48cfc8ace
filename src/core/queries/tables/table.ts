import { Failure } from "../../values/failure.ts";
import type { JsonObject } from "../../values/json.ts";
import type { Moment } from "../../values/zoned-time.ts";
import { QUERY_BYTES_MAX, sourceOf } from "../insight.ts";
import { type EventsTable, readEvents } from "./events.ts";
import { type PersonsTable, readPersons } from "./persons.ts";

/** A parsed query whose answer is a table of persons or events. */
export type Table = PersonsTable | EventsTable;

/** Returns whether a query, by itself or in a node around it, is answered by a table of persons or events. */
export function isTable(sent: JsonObject): boolean {
  const { kind, source = null } = sourceOf(sent);
  // With a source it is about the persons of a number.
  return kind === "EventsQuery" || (kind === "ActorsQuery" && source === null);
}

/**
 * Reads a query as PostHog's clients write it, by itself or in a `DataTableNode`. Refuses unknown fields. Fails
 * `required`, `invalid_input`, `invalid_choice`, `too_long`.
 */
export function readTable(sent: JsonObject, moment: Moment): Table {
  if (Buffer.byteLength(JSON.stringify(sent)) > QUERY_BYTES_MAX) {
    throw new Failure("too_long", `At most ${QUERY_BYTES_MAX} bytes as JSON.`, "query");
  }
  const query = sourceOf(sent);
  return query["kind"] === "EventsQuery" ? readEvents(query, moment) : readPersons(query, moment);
}
