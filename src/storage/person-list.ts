import type { SQLQueryBindings } from "bun:sqlite";
import type { JsonObject } from "../domain/json.ts";
import type { PageQuery, Place } from "../domain/page.ts";
import type { PropertyFilter } from "../domain/property-filter.ts";
import type { Sqlite } from "./sqlite.ts";

/** A person as it is kept. `distinct_ids`: the main one first, then as they were attached. */
export type PersonRow = {
  id: number;
  uuid: string;
  properties: JsonObject;
  created_at: string;
  distinct_ids: string[];
};

/** Which persons a list asks for; all must be met. */
export type PersonFilter = {
  distinct_id?: string | undefined;
  /** The whole address. */
  email?: string | undefined;
  /** A part of the address in any case, or a whole distinct id. */
  search?: string | undefined;
};

/** A filter that the event store's mirror answers (decision 48). */
export type MatchFilter = PersonFilter & { properties: readonly PropertyFilter[] };

/** A part of a list; with `after`, `offset` counts from behind that place. */
export type PartAsked = PageQuery & { after?: Place | undefined };

/** What persons a project has. */
export type PersonReads = {
  /**
   * Whether a filter is left to the mirror, which looks at everybody without holding up others:
   * too many addresses have the part that is searched for, or it is too short for the index.
   */
  isBroad(filter: PersonFilter): boolean;
  /** Newest first by `created_at`, then id. `count` is exact. Not for what `isBroad`. */
  list(
    project: number,
    filter: PersonFilter,
    part: PartAsked,
  ): Promise<{ count: number; rows: PersonRow[] }>;
  /** The same without the count. */
  rows(project: number, filter: PersonFilter, part: PartAsked): Promise<PersonRow[]>;
  /** Those of the ids that there are, in the order of the ids. */
  byIds(project: number, ids: readonly number[]): Promise<PersonRow[]>;
  /** By integer id or by uuid. */
  find(project: number, by: { id: number } | { uuid: string }): Promise<PersonRow | undefined>;
  /** The persons who have one of the distinct ids, each once, by integer id. */
  owners(project: number, distinctIds: readonly string[]): Promise<number[]>;
  /** The last sequence number of the journal that was applied; 0 at first. */
  applied(): number;
};

type StoredPerson = Omit<PersonRow, "properties" | "distinct_ids"> & { properties: string };

/** Columns of a person that the API shows. */
const PERSON_COLUMNS = "id, uuid, properties, created_at";

/** Reads persons on any connection. */
export function personReads(sqlite: Sqlite): PersonReads {
  const { raw } = sqlite;
  const count = raw.query<{ count: number }, [number]>(
    "SELECT count FROM person_count WHERE project_id = ?1",
  );
  const byId = raw.query<StoredPerson, [number, number]>(
    `SELECT ${PERSON_COLUMNS} FROM person WHERE project_id = ?1 AND id = ?2`,
  );
  const byUuid = raw.query<StoredPerson, [number, string]>(
    `SELECT ${PERSON_COLUMNS} FROM person WHERE project_id = ?1 AND uuid = ?2`,
  );
  const owner = raw.query<{ person_id: number }, [number, string]>(
    "SELECT person_id FROM distinct_id WHERE project_id = ?1 AND distinct_id = ?2",
  );
  const applied = raw.query<{ value: string }, []>(
    "SELECT value FROM meta WHERE key = 'applied_seq'",
  );
  const having = raw.query<{ count: number }, [string]>(
    `SELECT count(*) AS count FROM
       (SELECT 1 FROM person_email WHERE person_email MATCH ?1 LIMIT ${FOUND_MAX + 1})`,
  );
  const complete = completeRows(raw);

  const rows = (project: number, filter: PersonFilter, part: PartAsked) => {
    const { source, values } = where(project, filter, part.after);
    const page = raw.query<StoredPerson, SQLQueryBindings>(
      `SELECT ${PERSON_COLUMNS} FROM ${source}
       ORDER BY created_at DESC, id DESC LIMIT $limit OFFSET $offset`,
    );
    return complete(page.all({ ...values, limit: part.limit, offset: part.offset }));
  };
  const total = (project: number, filter: PersonFilter) => {
    if (!isNarrow(filter)) return count.get(project)?.count ?? 0;
    const { source, values } = where(project, filter, undefined);
    return (
      raw
        .query<{ count: number }, SQLQueryBindings>(`SELECT count(*) AS count FROM ${source}`)
        .get(values)?.count ?? 0
    );
  };

  return {
    isBroad({ email, search }) {
      if (email !== undefined && !isIndexed(email)) return true;
      if (search === undefined) return false;
      return !isIndexed(search) || (having.get(phrase(search))?.count ?? 0) > FOUND_MAX;
    },
    list: async (project, filter, part) =>
      sqlite.snapshot(() => ({
        count: total(project, filter),
        rows: rows(project, filter, part),
      })),
    rows: async (project, filter, part) => sqlite.snapshot(() => rows(project, filter, part)),
    byIds: async (project, ids) =>
      sqlite.snapshot(() => complete(ids.flatMap((id) => byId.all(project, id)))),
    async find(project, by) {
      const found = "id" in by ? byId.all(project, by.id) : byUuid.all(project, by.uuid);
      return complete(found)[0];
    },
    owners: async (project, distinctIds) =>
      sqlite.snapshot(() => {
        const found = distinctIds.flatMap((id) => owner.all(project, id));
        return [...new Set(found.map(({ person_id }) => person_id))];
      }),
    applied: () => Number(applied.get()?.value ?? 0),
  };
}

/** Characters of the parts that the index of addresses is made of. */
const TRIGRAM_CHARS = 3;

/** Addresses that a search may find before it is left to the mirror: 10 ms of everybody's time. */
const FOUND_MAX = 1000;

const isIndexed = (text: string) => [...text].length >= TRIGRAM_CHARS;

function isNarrow({ distinct_id, email, search }: PersonFilter): boolean {
  return distinct_id !== undefined || email !== undefined || search !== undefined;
}

const OWNER = (name: string) =>
  `SELECT person_id FROM distinct_id WHERE project_id = $project AND distinct_id = ${name}`;

/** The persons of a filter behind a place, as a table with a condition. */
function where(project: number, filter: PersonFilter, after: Place | undefined) {
  const { distinct_id, email, search } = filter;
  const conditions = ["project_id = $project"];
  const values: Record<string, string | number> = { project };
  const add = (condition: string, more: Record<string, string | number>) => {
    conditions.push(condition);
    Object.assign(values, more);
  };
  if (distinct_id !== undefined) add(`id = (${OWNER("$distinct_id")})`, { distinct_id });
  if (email !== undefined) {
    add(
      "id IN (SELECT rowid FROM person_email WHERE person_email MATCH $whole AND email = $email)",
      { email, whole: phrase(email) },
    );
  }
  if (search !== undefined) {
    add(
      `id IN (SELECT rowid FROM person_email WHERE person_email MATCH $part
         UNION ${OWNER("$search")})`,
      { search, part: phrase(search) },
    );
  }
  if (after !== undefined)
    add("(created_at, id) < ($at, $after)", { at: after.at, after: after.id });
  // By the few ids that were found: along the index of the newest, all persons would be looked at.
  const table = isNarrow(filter) ? "person NOT INDEXED" : "person";
  return { source: `${table} WHERE ${conditions.join(" AND ")}`, values };
}

/** A text as one phrase of the full-text index. */
function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Adds their distinct ids to rows. */
function completeRows(raw: Sqlite["raw"]) {
  const idsOf = raw.query<{ distinct_id: string }, [number]>(
    "SELECT distinct_id FROM distinct_id WHERE person_id = ?1 ORDER BY position",
  );
  return (rows: StoredPerson[]): PersonRow[] =>
    rows.map((row) => ({
      ...row,
      properties: JSON.parse(row.properties) as JsonObject,
      distinct_ids: idsOf.all(row.id).map(({ distinct_id }) => distinct_id),
    }));
}
