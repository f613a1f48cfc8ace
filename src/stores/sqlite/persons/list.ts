import type { SQLQueryBindings } from "bun:sqlite";
import type {
  ExactFilter,
  PersonPart,
  PersonReads,
  PersonRow,
  PositionsQuery,
} from "../../../core/ports/persons/reads.ts";
import type { ListPosition, SnapshotPosition } from "../../../core/values/page.ts";
import { storedProperties } from "../damage.ts";
import type { Sqlite } from "../sqlite.ts";
import { mergeReads } from "./merges.ts";
import { inOrder, partOf, personPositions } from "./order.ts";

/**
 * Characters of properties, as JSON, and persons, after which a part ends. In memory they take several
 * times as much (decision 14).
 */
export const PART_MAX = { chars: 1_048_576, persons: 200 };

type StoredPerson = Omit<PersonRow, "properties" | "distinct_ids"> & { properties: string };

/** Columns of a person that the API shows. */
const PERSON_COLUMNS = "id, uuid, properties, created_at";

const BY_ID = `SELECT ${PERSON_COLUMNS} FROM person WHERE project_id = ?1 AND id = ?2`;

/** Reads persons on any connection. */
export function personReads(sqlite: Sqlite): PersonReads {
  const { raw } = sqlite;
  const count = raw.query<{ count: number }, [number]>(
    "SELECT count FROM person_count WHERE project_id = ?1",
  );
  const byId = raw.query<StoredPerson, [number, number]>(BY_ID);
  const byUuid = raw.query<StoredPerson, [number, string]>(
    `SELECT ${PERSON_COLUMNS} FROM person WHERE project_id = ?1 AND uuid = ?2`,
  );
  const owner = raw.query<{ person_id: number }, [number, string]>(
    "SELECT person_id FROM distinct_id WHERE project_id = ?1 AND distinct_id = ?2",
  );
  const applied = raw.query<{ value: string }, []>(
    "SELECT value FROM meta WHERE key = 'applied_seq'",
  );
  const order = personPositions(raw);
  const complete = completeRows(raw);
  const read = partReader(raw);
  const narrow = narrowed(raw);
  const ahead = aheadOf(raw);

  const all = (project: number, query: PositionsQuery) => {
    const { after, offset } = query.after === undefined ? ahead(project, query.offset) : query;
    const { sql, values } = inOrder(after);
    const page = raw.query<ListPosition, SQLQueryBindings>(sql);
    const positions = page.all({ ...values, project, limit: query.limit, offset });
    return { count: count.get(project)?.count ?? 0, positions };
  };
  const among = (project: number, ids: ReadonlySet<number>, query: PositionsQuery) => {
    const found = order.ofIds(project, ids, query.after?.since);
    return { count: found.length, positions: partOf(found, query) };
  };

  return {
    positions: async (project, filter, query) =>
      sqlite.snapshot(() => {
        const ids = narrow(project, filter);
        if (ids === "too many") return undefined;
        const part = ids === undefined ? all(project, query) : among(project, ids, query);
        return { ...part, version: order.version() };
      }),
    moved: async (project, since) => order.moved(project, since),
    read: async (project, ids) => sqlite.snapshot(() => read(project, ids)),
    async find(project, by) {
      const found = "id" in by ? byId.all(project, by.id) : byUuid.all(project, by.uuid);
      return complete(found)[0];
    },
    owners: async (project, distinctIds) =>
      sqlite.snapshot(() => {
        const found = distinctIds.flatMap((id) => owner.all(project, id));
        return [...new Set(found.map(({ person_id }) => person_id))];
      }),
    ...mergeReads(sqlite),
    applied: async () => Number(applied.get()?.value ?? 0),
  };
}

/** Reads the first of some persons, in the caller's snapshot. */
function partReader(raw: Sqlite["raw"]) {
  const byId = raw.query<StoredPerson, [number, number]>(BY_ID);
  const complete = completeRows(raw);
  return (project: number, ids: readonly number[]): PersonPart => {
    const found: StoredPerson[] = [];
    let [chars, taken] = [0, 0];
    for (const id of ids.slice(0, PART_MAX.persons)) {
      if (chars >= PART_MAX.chars) break;
      taken += 1;
      const row = byId.get(project, id);
      if (row === null) continue;
      chars += row.properties.length;
      found.push(row);
    }
    return { rows: complete(found), unread: ids.slice(taken) };
  };
}

/** Most persons with one e-mail that are read here. More would block this thread for over 10 ms. */
const FOUND_MAX = 2000;

/** Finds the integer ids of the persons of a filter; undefined for a filter without conditions. */
function narrowed(raw: Sqlite["raw"]) {
  type Found = { id: number };
  const byDistinctId = raw.query<Found, [number, string]>(
    "SELECT person_id AS id FROM distinct_id WHERE project_id = ?1 AND distinct_id = ?2",
  );
  const byEmail = raw.query<Found, [number, string]>(
    `SELECT id FROM person WHERE project_id = ?1 AND email = ?2 LIMIT ${FOUND_MAX + 1}`,
  );
  return (
    project: number,
    { distinct_id, email }: ExactFilter,
  ): ReadonlySet<number> | "too many" | undefined => {
    const found: Found[][] = [];
    if (distinct_id !== undefined) found.push(byDistinctId.all(project, distinct_id));
    if (email !== undefined) found.push(byEmail.all(project, email));
    if (found.some(({ length }) => length > FOUND_MAX)) return "too many";
    return found
      .map((rows): ReadonlySet<number> => new Set(rows.map(({ id }) => id)))
      .reduceRight<ReadonlySet<number> | undefined>(
        (all, ids) => (all === undefined ? ids : all.intersection(ids)),
        undefined,
      );
  };
}

/**
 * Finds a position near `offset` in a list without filters, and the number of persons still to skip from
 * there. It adds up marks: each has the count of the next 1,024 to 2,048 persons. With marks, the offset
 * 850,000 takes 2 ms instead of 56 ms.
 */
function aheadOf(raw: Sqlite["raw"]) {
  const mark = raw.query<{ at: string | null; id: number; ahead: number }, [number, number]>(
    `SELECT at, id, ahead FROM (
       SELECT lag(created_at) OVER newest AS at, lag(id) OVER newest AS id,
         sum(persons) OVER newest - persons AS ahead
       FROM person_mark WHERE project_id = ?1
       WINDOW newest AS (ORDER BY created_at DESC, id DESC))
     WHERE ahead <= ?2 ORDER BY ahead DESC LIMIT 1`,
  );
  return (
    project: number,
    offset: number,
  ): { after: SnapshotPosition | undefined; offset: number } => {
    const found = offset < OFFSET_WALKED_MAX ? null : mark.get(project, offset);
    if (found === null || found.at === null) return { after: undefined, offset };
    return { after: { at: found.at, id: found.id }, offset: offset - found.ahead };
  };
}

/** Smallest offset for which marks are used. Below it, persons are skipped one by one. */
const OFFSET_WALKED_MAX = 1000;

/** Adds distinct ids to rows. One query for all is much faster than one for each. */
function completeRows(raw: Sqlite["raw"]) {
  const idsOf = raw.query<{ person_id: number; distinct_id: string }, [string]>(
    `SELECT person_id, distinct_id FROM json_each(?1) AS person
     CROSS JOIN distinct_id ON person_id = person.value ORDER BY person_id, position`,
  );
  return (rows: readonly StoredPerson[]): PersonRow[] => {
    const ids = new Map<number, string[]>(rows.map(({ id }) => [id, []]));
    const found = idsOf.all(JSON.stringify([...ids.keys()]));
    for (const { person_id, distinct_id } of found) ids.get(person_id)?.push(distinct_id);
    return rows.map((row) => ({
      ...row,
      properties: storedProperties(row.properties),
      distinct_ids: ids.get(row.id) ?? [],
    }));
  };
}
