import type { Projects } from "../access/projects.ts";
import type { Person } from "../identity/person.ts";
import type {
  Listed,
  Part,
  PersonFilter,
  PersonReads,
  PersonRow,
  Rest,
} from "../ports/person-reads.ts";
import type { MatchFilter, PropertyValue } from "../ports/person-search.ts";
import { Failure } from "../values/failure.ts";
import { readId } from "../values/id.ts";
import { parseUuid } from "../values/ids.ts";
import { storableText } from "../values/json.ts";
import {
  type Page,
  type PageQuery,
  type Place,
  page,
  readWalkCursor,
  type WalkPlace,
  walkCursorOf,
} from "../values/page.ts";
import { propertyFilters } from "../values/property-filter.ts";
import type { Clock } from "../values/time.ts";
import { personTable, shown } from "./person-table.ts";
import type { PartWanted, PersonMatching } from "./property-search.ts";

/** What a list of persons is asked for (contract 4.2); `properties` as texts of JSON. */
export type PersonsAsked = PersonFilter & { properties?: readonly string[] | undefined };

/** A page of persons: the first of them, and the others, if there are any, as they are read. */
export type PersonPage = { page: Page<Person>; rest: AsyncIterable<Person[]> | undefined };

/** Persons of one project, read (contract 2.1, 4.1). */
export type Persons = {
  /**
   * `url` is the address that the caller is known to reach us by, for the page's links. Fails
   * `invalid_input` on filters and cursors that are none, and `unavailable` with a filter by
   * property while the event store is behind, or `query_timeout`. `signal` tells that nobody waits. Who
   * is among the rest is shown as when it is read, and left out if gone by then.
   */
  list(
    project: number,
    asked: PersonsAsked & { cursor?: string | undefined },
    query: PageQuery,
    url: URL,
    signal: AbortSignal,
  ): Promise<PersonPage>;
  /**
   * All persons of a list as CSV, line by line, or those of a part. Its columns are those of the
   * persons when it begins. Fails as `list` does.
   */
  csv(
    project: number,
    asked: PersonsAsked,
    part: { limit?: number | undefined; offset?: number | undefined },
    signal: AbortSignal,
  ): Promise<AsyncIterable<string>>;
  /** By integer id or uuid. Fails `invalid_input` on anything else and `not_found`. */
  get(project: number, id: string): Promise<Person>;
  /** The values of a property, the most frequent first. Fails `unavailable`, `query_timeout`. */
  values(project: number, key: string, part: string, signal: AbortSignal): Promise<PropertyValue[]>;
};

/** Persons of a CSV who are found at a time: more of them where the event store has to look at every person. */
const CSV_FOUND_AT_ONCE = { listed: 200, matched: 10_000 };

type Needs = {
  reads: PersonReads;
  matching: PersonMatching;
  projects: Pick<Projects, "get">;
  now: Clock;
};

/** Persons in the stores. */
export function persons({ reads, matching, projects, now }: Needs): Persons {
  const read = (project: number, asked: PersonsAsked) =>
    filterOf(asked, now(), async () => (await projects.get(project)).timezone);

  /** Undefined if the projection has to answer. */
  const listed = async (
    project: number,
    filter: MatchFilter,
    { signal: _, ...part }: PartWanted,
  ) => {
    const { properties, search, ...exact } = filter;
    if (properties.length > 0 || search !== undefined) return undefined;
    return reads.list(project, exact, part);
  };

  /** Persons of a list, or of those who were found before. */
  const some = async (
    project: number,
    filter: MatchFilter,
    upTo: (limit: number) => PartWanted,
    before: Rest,
  ): Promise<Part & { version?: number; isLast: boolean }> => {
    const more = await reads.more(project, before);
    if (more.rows.length > 0) return { ...more, isLast: false };
    const { listed: few, matched } = CSV_FOUND_AT_ONCE;
    const isLast = ({ rows, rest }: Part, { limit }: PartWanted) =>
      rest.places.length === 0 && rows.length < limit;
    const found = await listed(project, filter, upTo(few));
    if (found !== undefined) return { ...found, isLast: isLast(found, upTo(few)) };
    const others = await matching.places(project, filter, upTo(matched));
    return { ...others, isLast: isLast(others, upTo(matched)) };
  };

  /** The persons of a list, a few at a time. */
  async function* walk(
    project: number,
    filter: MatchFilter,
    { limit, offset, signal }: PartWanted,
  ) {
    let part: PartWanted = { limit, offset, signal };
    let before: Rest = { places: [] };
    for (let left = limit; left > 0 && !signal.aborted; ) {
      const upTo = (step: number) => ({ ...part, limit: Math.min(left, step) });
      const { rows, version, rest, isLast } = await some(project, filter, upTo, before);
      yield rows;
      left -= rows.length;
      const last = rows.at(-1);
      if (last === undefined || isLast) return;
      part = { signal, limit: left, offset: 0, after: placeOf(last, part.after, version) };
      before = rest;
      await Bun.sleep(0);
    }
  }

  return {
    async list(project, { cursor, ...asked }, query, url, signal) {
      const filter = await read(project, asked);
      const after = readWalkCursor(cursor);
      const part = {
        limit: query.limit + 1,
        offset: after === undefined ? query.offset : 0,
        after,
        signal,
      };
      const found =
        (await listed(project, filter, part)) ?? (await matching.places(project, filter, part));
      const { first, rest, last } = cut(found, query.limit);
      const next = last && walkCursorOf(placeOf(last, after, found.version));
      const begun = page(url, query, found.count, first.map(shown), { next });
      const isWhole = rest.places.length === 0;
      return { page: begun, rest: isWhole ? undefined : others(reads, project, rest, signal) };
    },

    async csv(project, asked, { limit, offset = 0 }, signal) {
      const filter = await read(project, asked);
      const part = { limit: limit || Number.MAX_SAFE_INTEGER, offset, signal };
      return personTable(() => walk(project, filter, part));
    },

    get: async (project, id) => shown(await findPerson(reads, project, id)),

    values: (project, key, part, signal) =>
      matching.values(project, key, storableText(part), signal),
  };
}

/** The rest of a page, a few at a time. */
async function* others(
  reads: Pick<PersonReads, "more">,
  project: number,
  { places }: Rest,
  signal: AbortSignal,
) {
  for (let left: Rest = { places }; left.places.length > 0 && !signal.aborted; ) {
    const { rows, rest } = await reads.more(project, left);
    yield rows.map(shown);
    left = rest;
    await Bun.sleep(0);
  }
}

/** A page of what was found, which may be one more than that; `last` is its last place, if it is. */
function cut({ rows, rest }: Listed, limit: number) {
  const places = rest.places.slice(0, Math.max(limit - rows.length, 0));
  const first = rows.slice(0, limit);
  const isMore = rows.length + rest.places.length > limit;
  return { first, rest: { places }, last: isMore ? (places.at(-1) ?? first.at(-1)) : undefined };
}

/** The place of a person in a walk that goes on behind `after`, or begins at a version. */
const placeOf = ({ at, id }: Place, after: WalkPlace | undefined, version?: number) => ({
  ...{ at, id },
  since: after === undefined ? version : after.since,
});

/** What is asked for, as the stores take it: an empty search is none. */
async function filterOf(
  { properties = [], ...asked }: PersonsAsked,
  now: number,
  timezoneOf: () => Promise<string>,
): Promise<MatchFilter> {
  const filter = { ...asked, search: asked.search || undefined };
  const storable = Object.entries(filter).map(([name, text]) => {
    return [name, text && storableText(text)];
  });
  const timezone = properties.length === 0 ? "UTC" : await timezoneOf();
  const filters = propertyFilters(properties, now, timezone);
  return { ...Object.fromEntries(storable), properties: filters };
}

/** A person by integer id or uuid. Fails `invalid_input` on anything else and `not_found`. */
export async function findPerson(
  reads: Pick<PersonReads, "find">,
  project: number,
  id: string,
): Promise<PersonRow> {
  const row = await reads.find(project, personKey(id));
  if (row === undefined) throw new Failure("not_found", "Not found.");
  return row;
}

/** What a person's id says it is. Fails `invalid_input` on `attr`. */
export function personKey(id: string, attr = "id"): { id: number } | { uuid: string } {
  const uuid = parseUuid(id);
  if (uuid !== undefined) return { uuid };
  const integer = readId(id);
  if (integer !== undefined) return { id: integer };
  const detail = "A person's id is its integer id or its uuid. To find one, list by distinct_id.";
  throw new Failure("invalid_input", detail, attr);
}
