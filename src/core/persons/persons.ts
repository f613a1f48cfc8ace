import type { Projects } from "../access/projects.ts";
import { type IsCatchingUp, requireCaughtUp } from "../events/freshness.ts";
import { type Person, personName } from "../identity/person.ts";
import type {
  PersonFilter,
  PersonPositions,
  PersonReads,
  PersonRow,
  PositionsQuery,
} from "../ports/persons/reads.ts";
import type { PersonSearch, ProjectionFilter, PropertyValue } from "../ports/persons/search.ts";
import { type CsvTable, csvTable } from "../values/csv.ts";
import { Failure } from "../values/failure.ts";
import { parseUuid, readId } from "../values/ids.ts";
import { inTurn } from "../values/in-turn.ts";
import { storableText } from "../values/json.ts";
import {
  type Page,
  type PageQuery,
  page,
  readSnapshotCursor,
  snapshotCursorOf,
} from "../values/page.ts";
import { propertyFilters } from "../values/property-filter.ts";
import type { Clock } from "../values/time.ts";

/** The filters of a list of persons (contract 4.2); each of `properties` is a text of JSON. */
export type PersonsQuery = PersonFilter & { properties?: readonly string[] | undefined };

/** A page with its first persons. `others` reads the rest of the page; undefined if there is no rest. */
export type PersonPage = { page: Page<Person>; others: AsyncIterable<Person[]> | undefined };

/** Reads persons of a project (contract 2.1, 4.1). */
export type Persons = {
  /**
   * Returns a page. Its links begin with `url`. `search` and `properties` see the projection, so a person
   * is shown as it is now, and left out if it is gone by now. Fails `invalid_input` on a filter or cursor
   * that cannot be read. Fails `unavailable` while the projection is not caught up, and `query_timeout`
   * after too long, or once `signal` says that the client is gone.
   */
  list(
    project: number,
    filters: PersonsQuery & { cursor?: string | undefined },
    query: PageQuery,
    url: URL,
    signal: AbortSignal,
  ): Promise<PersonPage>;
  /**
   * Returns all persons of a list, or a part of them, as lines of CSV. Its columns are those of the
   * persons at its start. Fails as `list` does.
   */
  csv(
    project: number,
    filters: PersonsQuery,
    part: { limit?: number | undefined; offset?: number | undefined },
    signal: AbortSignal,
  ): Promise<AsyncIterable<string>>;
  /** Returns a person by its integer id or uuid. Fails `invalid_input` on another text, and `not_found`. */
  get(project: number, id: string): Promise<Person>;
  /** Returns values of a property, the most frequent first. Fails `unavailable` and `query_timeout`. */
  values(project: number, key: string, part: string, signal: AbortSignal): Promise<PropertyValue[]>;
};

/** Persons of a CSV that are found at a time: each time the projection looks at every person. */
const CSV_FOUND_AT_ONCE = 10_000;

type Needs = {
  reads: PersonReads;
  search: PersonSearch;
  isCatchingUp: IsCatchingUp;
  projects: Pick<Projects, "get">;
  now: Clock;
};

/** Reads persons in the stores. */
export function persons({ reads, search, isCatchingUp, projects, now }: Needs): Persons {
  const read = (project: number, filters: PersonsQuery) =>
    filterOf(filters, now(), async () => (await projects.get(project)).timezone);

  const tables = inTurns(reads);

  const find = async (
    project: number,
    filter: ProjectionFilter,
    query: PositionsQuery,
    signal: AbortSignal,
    { positions: positionsOf }: Pick<PersonReads, "positions"> = reads,
  ): Promise<PersonPositions> => {
    const { properties, search: part, ...exact } = filter;
    if (properties.length === 0 && part === undefined) {
      const positions = await positionsOf(project, exact, query);
      if (positions !== undefined) return positions;
    }
    requireCaughtUp(isCatchingUp);
    return search.positions(project, filter, query, signal);
  };

  /** The persons of a list, a few at a time. */
  async function* walk(
    project: number,
    filter: ProjectionFilter,
    { limit, ...start }: PositionsQuery,
    signal: AbortSignal,
  ) {
    let from = start;
    for (let left = limit; left > 0 && !signal.aborted; ) {
      const step = Math.min(left, CSV_FOUND_AT_ONCE);
      const query = { ...from, limit: step };
      const { version, positions } = await find(project, filter, query, signal, tables);
      yield* readParts(tables, project, idsOf(positions));
      const last = positions.at(-1);
      if (last === undefined || positions.length < step) return;
      left -= step;
      from = { offset: 0, after: { ...last, since: from.after?.since ?? version } };
    }
  }

  return {
    async list(project, { cursor, ...filters }, query, url, signal) {
      const filter = await read(project, filters);
      const after = readSnapshotCursor(cursor);
      const offset = after === undefined ? query.offset : 0;
      const part = { limit: query.limit + 1, offset, after };
      const { count, version, positions } = await find(project, filter, part, signal);
      const shown = positions.slice(0, query.limit);
      const last = positions.length > query.limit ? shown.at(-1) : undefined;
      const since = after === undefined ? version : after.since;
      const next = last && snapshotCursorOf({ ...last, since });
      const { rows, unread } = await reads.read(project, idsOf(shown));
      return {
        page: page(url, query, count, rows.map(toResponse), { next }),
        others: unread.length === 0 ? undefined : others(reads, project, unread, signal),
      };
    },

    async csv(project, filters, { limit, offset = 0 }, signal) {
      const filter = await read(project, filters);
      const part = { limit: limit ?? Number.MAX_SAFE_INTEGER, offset };
      return personTable(() => walk(project, filter, part, signal));
    },

    get: async (project, id) => toResponse(await findPerson(reads, project, id)),

    async values(project, key, part, signal) {
      requireCaughtUp(isCatchingUp);
      return search.values(project, key, storableText(part), signal);
    },
  };
}

const idsOf = (positions: readonly { id: number }[]) => positions.map(({ id }) => id);

/** The rest of a page, a few at a time. */
async function* others(
  reads: Pick<PersonReads, "read">,
  project: number,
  ids: readonly number[],
  signal: AbortSignal,
) {
  for await (const rows of readParts(reads, project, ids)) {
    if (signal.aborted) return;
    yield rows.map(toResponse);
  }
}

/** The filters as the stores take them. */
async function filterOf(
  { properties = [], ...texts }: PersonsQuery,
  now: number,
  timezoneOf: () => Promise<string>,
): Promise<ProjectionFilter> {
  const storable = Object.entries(texts).map(([name, text]) => {
    return [name, text && storableText(text)];
  });
  const timezone = properties.length === 0 ? "UTC" : await timezoneOf();
  const filters = propertyFilters(properties, now, timezone);
  return { ...Object.fromEntries(storable), properties: filters };
}

/** Returns a person by its integer id or uuid. Fails `invalid_input` on another text, and `not_found`. */
export async function findPerson(
  reads: Pick<PersonReads, "find">,
  project: number,
  id: string,
): Promise<PersonRow> {
  const row = await reads.find(project, personKey(id));
  if (row === undefined) throw new Failure("not_found", "Not found.");
  return row;
}

/** Reads a person's integer id or uuid. Fails `invalid_input` on another text, which is in `attr`. */
export function personKey(id: string, attr = "id"): { id: number } | { uuid: string } {
  const uuid = parseUuid(id);
  if (uuid !== undefined) return { uuid };
  const integer = readId(id);
  if (integer !== undefined) return { id: integer };
  const detail = "A person's id is its integer id or its uuid. To find one, list by distinct_id.";
  throw new Failure("invalid_input", detail, attr);
}

/** Reads the parts of all tables one after the other; between two parts the thread is free for other requests. */
function inTurns(reads: PersonReads): Pick<PersonReads, "positions" | "read"> {
  const turn = inTurn();
  const part = <T>(read: () => Promise<T>) =>
    turn(async () => {
      const found = await read();
      await Bun.sleep(0);
      return found;
    });
  return {
    positions: (...asked) => part(() => reads.positions(...asked)),
    read: (...asked) => part(() => reads.read(...asked)),
  };
}

/** Columns of a CSV: as many as spreadsheets have (decision 47). */
const CSV_COLUMNS_MAX = 16_384;

/** Columns that a table of persons has even if it is empty. */
const COLUMNS_ALWAYS = { id: null, name: null, created_at: null, uuid: null };

/**
 * Persons as the lines of a CSV. The list is read twice, first for the columns: later columns are left out (decision 47).
 */
async function personTable(walk: () => AsyncIterable<PersonRow[]>): Promise<AsyncIterable<string>> {
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

/**
 * Reads persons a few at a time, so that they fit in memory. Between two parts the thread is free for
 * other requests. A person that is gone is left out.
 */
export async function* readParts(
  reads: Pick<PersonReads, "read">,
  project: number,
  ids: readonly number[],
): AsyncGenerator<PersonRow[]> {
  for (let unread = ids; unread.length > 0; ) {
    const part = await reads.read(project, unread);
    yield part.rows;
    unread = part.unread;
    await Bun.sleep(0);
  }
}
