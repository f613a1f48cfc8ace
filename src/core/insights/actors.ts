import type { Person } from "../identity/person.ts";
import { readParts, toResponse } from "../persons/persons.ts";
import type { ActorRow, InsightQueries } from "../ports/insights.ts";
import type { PersonReads } from "../ports/persons/reads.ts";
import { isTotal } from "../queries/display.ts";
import { type Query, readQuery, sourceOf } from "../queries/insight.ts";
import { fields } from "../queries/query-fields.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";
import { fitting, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../values/page.ts";
import { isoTime } from "../values/time.ts";
import { type AnswerNeeds, type Asking, planOf } from "./answers.ts";
import { actorsOf, sentCell, withoutWay } from "./cells.ts";

/** The kind of a query for the persons of a number. */
export const ACTORS_KIND = "ActorsQuery";

/** Persons of a number of an answer. */
export type ActorsAnswer = {
  columns: ["person", "count", "last_at"];
  /** A person, how often, and the time of the last event. Persons without a profile are one row, with null. */
  results: [person: Person | null, count: number, last_at: string][];
  /** All persons that were counted, each without a profile, too. */
  count: number;
  /** Whether more rows follow those of this part. */
  hasMore: boolean;
  /** Rows before this part. */
  offset: number;
  calculated_at: string;
};

type Needs = AnswerNeeds & {
  queries: Pick<InsightQueries, "actors">;
  persons: Pick<PersonReads, "read" | "owners">;
};

/**
 * Returns persons of a number of an answer. `queryOf` returns a query that was asked in words. Fails `required`,
 * `invalid_input`, `invalid_choice`, `query_timeout`.
 */
export async function actorsAnswer(
  needs: Needs,
  sent: Json | undefined,
  asking: Asking,
  queryOf: (source: JsonObject) => Promise<JsonObject>,
): Promise<ActorsAnswer> {
  const query = isObject(sent ?? null) ? sourceOf(sent as JsonObject) : (sent ?? null);
  const asked = fields(query, "query", ["kind", "source", "limit", "offset", "search"]);
  const limit = asked.whole("limit", { min: 1, max: PAGE_LIMIT_MAX }, PAGE_LIMIT_DEFAULT);
  const offset = asked.whole("offset", { min: 0, max: Number.MAX_SAFE_INTEGER }, 0);
  const text = asked.text("search") ?? "";
  const { source, cell } = sentCell(asked.sent["source"], asked.attr("source"));
  const named = withoutWay(await queryOf(source));
  const read: Query = readQuery(named.source, asking.moment);
  const plan = await planOf(needs, read, asking, isTotal(named.source));
  const { project, signal } = asking;
  const search = text === "" ? null : { text, owners: await needs.persons.owners(project, [text]) };
  const part = { limit: limit + 1, offset, search };
  const found = await needs.queries.actors(project, actorsOf(plan, cell, named.way), part, signal);
  const shown = found.rows.slice(0, limit);
  const results = await withPersons(needs, project, shown);
  return {
    columns: ["person", "count", "last_at"],
    results,
    count: found.count,
    hasMore: found.rows.length > results.length,
    offset,
    calculated_at: isoTime(asking.moment.now),
  };
}

/** Reads the persons of rows. A person that is gone meanwhile is null. The answer ends early if it gets large. */
async function withPersons(
  { persons }: Needs,
  project: number,
  rows: readonly ActorRow[],
): Promise<ActorsAnswer["results"]> {
  const ids = rows.flatMap(({ id }) => id ?? []);
  const known = new Map<number, Person>();
  for await (const part of readParts(persons, project, ids)) {
    for (const row of part) known.set(row.id, toResponse(row));
  }
  const results = rows.map(({ id, count, last_at }): ActorsAnswer["results"][0] => [
    id === null ? null : (known.get(id) ?? null),
    count,
    last_at,
  ]);
  return fitting(results, ([person]) => Buffer.byteLength(JSON.stringify(person))).rows;
}
