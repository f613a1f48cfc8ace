import type { SQLQueryBindings } from "bun:sqlite";
import { folded, foldedAddress } from "./any-case.ts";
import { type Counted, emailCounts } from "./email-counts.ts";
import {
  behind,
  IN_ORDER,
  type PartAsked,
  type PersonRow,
  phrase,
  rowsById,
  TRIGRAM_CHARS,
} from "./person-list.ts";
import type { Sqlite } from "./sqlite.ts";

/** Persons by a part of their address that very many have (decision 104). */
export type PersonSearches = {
  /**
   * A part of the list of those who have `search` in their address, in any case, and how many they are
   * at that instant. Undefined where they would have to be looked for among too many others, or counted
   * anew, and where somebody else has it as a distinct id.
   */
  find(
    project: number,
    search: string,
    part: PartAsked,
  ): { count: number; rows: PersonRow[] } | undefined;
  /** Whether they were counted before. */
  isCounted(project: number, search: string): boolean;
  /** Keeps how many have it in their address. */
  keep(project: number, search: string, counted: Counted): void;
};

/** Looks for persons on any connection. */
export function personSearches(sqlite: Sqlite): PersonSearches {
  const { raw } = sqlite;
  const counts = emailCounts(raw);
  const byIds = rowsById(raw);
  const found = finder(raw);
  const owner = raw.query<{ id: number; email: string | null }, [number, string]>(
    `SELECT person.id, email FROM distinct_id JOIN person ON person.id = person_id
     WHERE distinct_id.project_id = ?1 AND distinct_id = ?2`,
  );

  return {
    find: (project, search, part) =>
      sqlite.snapshot(() => {
        const count = counts.now(project, folded(search));
        if (count === undefined) return undefined;
        const own = owner.get(project, search);
        const isOther = own !== null && !foldedAddress(own.email ?? "").includes(folded(search));
        if (isOther) return undefined;
        const ids = found(project, { search, count }, part);
        return ids === undefined ? undefined : { count, rows: byIds(project, ids) };
      }),
    isCounted: (project, search) => counts.has(project, folded(search)),
    keep: (project, search, counted) => counts.keep(project, folded(search), counted),
  };
}

/** Who is looked for, and how many they are. */
type Sought = { search: string; count: number };

/** Persons who have a part in their address, up to which the index is asked for all of them. */
const INDEXED_MAX = 20_000;

/** Addresses after which no more are looked at: before and without the index, and where it said who. */
const LOOKED_AT_MAX = { first: 1280, without: 20_480, ids: 65_536 };

/** Finds the ids of a part of those who are looked for; undefined if too many others are before. */
function finder(raw: Sqlite["raw"]) {
  const indexed = raw.query<null, [string]>(
    `SELECT rowid FROM person_email WHERE person_email MATCH ?1 LIMIT ${INDEXED_MAX + 1}`,
  );
  const walk = walker(raw);
  return (project: number, { search, count }: Sought, part: PartAsked) => {
    const wanted = Math.min(part.offset + part.limit, count);
    const asked = { ...part, wanted, project };
    const sought = folded(search);
    const byAddress: Test = ([, email]) => foldedAddress(email as string).includes(sought);
    const near = walk(asked, { columns: "id, email", has: byAddress, max: LOOKED_AT_MAX.first });
    if (near !== undefined) return near;
    const isIndexed = count <= INDEXED_MAX && [...search].length >= TRIGRAM_CHARS;
    const ids = isIndexed ? indexed.values(phrase(sought)) : undefined;
    if (ids === undefined || ids.length > INDEXED_MAX) {
      return walk(asked, { columns: "id, email", has: byAddress, max: LOOKED_AT_MAX.without });
    }
    const among = new Set<unknown>(ids.map(([id]) => id));
    return walk(asked, { columns: "id", has: ([id]) => among.has(id), max: LOOKED_AT_MAX.ids });
  };
}

type Test = (row: unknown[]) => boolean;

/** Addresses that are read first, and how many times as many next: few are enough where many match. */
const READ_AT_FIRST = 320;
const READ_GROWTH = 4;

/** Walks along the addresses, in the order of the list, until so many are found; undefined if they are not. */
function walker(raw: Sqlite["raw"]) {
  type Asked = PartAsked & { project: number; wanted: number };
  return (
    { project, wanted, offset: from, after }: Asked,
    { columns, has, max }: { columns: string; has: Test; max: number },
  ) => {
    const { condition, values } = behind(after);
    const read = raw.query<null, SQLQueryBindings>(
      `SELECT ${columns} FROM person
       WHERE project_id = $project AND email IS NOT NULL ${condition} ${IN_ORDER}`,
    );
    const ids: number[] = [];
    let limit = READ_AT_FIRST;
    for (let offset = 0; ids.length < wanted; offset += limit, limit *= READ_GROWTH) {
      if (offset >= max) return undefined;
      const rows = read.values({ ...values, project, limit, offset });
      ids.push(...rows.filter(has).map(([id]) => id as number));
      if (rows.length < limit) break;
    }
    return ids.slice(from, wanted);
  };
}
