import type { SQLQueryBindings } from "bun:sqlite";
import type { Place } from "../domain/page.ts";
import { folded } from "./any-case.ts";
import { type Counted, emailCounts } from "./email-counts.ts";
import { type Listed, type PartAsked, phrase, rowsAt, TRIGRAM_CHARS } from "./person-list.ts";
import { inOrder, personPlaces } from "./person-order.ts";
import type { Sqlite } from "./sqlite.ts";

/** Persons by a part of their address that very many have (decision 104). */
export type PersonSearches = {
  /**
   * A part of the list of those who have `search` in their address, in any case, and how many they are
   * at that instant. Undefined where they would have to be looked for among too many others, or counted
   * anew, and where somebody else has it as a distinct id.
   */
  find(project: number, search: string, part: PartAsked): Listed | undefined;
  /** Whether they were counted before. */
  isCounted(project: number, search: string): boolean;
  /** Keeps how many have it in their address. */
  keep(project: number, search: string, counted: Counted): void;
};

/** Looks for persons on any connection. */
export function personSearches(sqlite: Sqlite): PersonSearches {
  const { raw } = sqlite;
  const counts = emailCounts(raw);
  const byPlaces = rowsAt(raw);
  const find = finder(raw);
  const places = personPlaces(raw);
  const owner = raw.query<{ address: string | null }, [number, string]>(
    `SELECT address FROM distinct_id JOIN person ON person.id = person_id
     WHERE distinct_id.project_id = ?1 AND distinct_id = ?2`,
  );

  return {
    find: (project, search, part) =>
      sqlite.snapshot(() => {
        const sought = folded(search);
        const count = counts.now(project, sought);
        if (count === undefined) return undefined;
        const own = owner.get(project, search);
        if (own !== null && !own.address?.includes(sought)) return undefined;
        const found = find(project, { sought, count }, part);
        return found && { count, version: places.version(), rows: byPlaces(project, found) };
      }),
    isCounted: (project, search) => counts.has(project, folded(search)),
    keep: (project, search, counted) => counts.keep(project, folded(search), counted),
  };
}

/** A part of addresses as it is folded, and how many have it. */
type Sought = { sought: string; count: number };

/** Persons who have a part in their address, up to which the index is asked for all of them. */
const INDEXED_MAX = 20_000;

/** Addresses after which no more are looked at: before and without the index, and where it said who. */
const LOOKED_AT_MAX = { first: 1280, without: 20_480, ids: 65_536 };

/** Finds the places of a part of those who are looked for; undefined if too many others are before. */
function finder(raw: Sqlite["raw"]) {
  const indexed = raw.query<null, [string]>(
    `SELECT rowid FROM person_email WHERE person_email MATCH ?1 LIMIT ${INDEXED_MAX + 1}`,
  );
  const walk = walker(raw);
  return (project: number, { sought, count }: Sought, part: PartAsked) => {
    const wanted = Math.min(part.offset + part.limit, count);
    const asked = { ...part, wanted, project };
    const byAddress: Test = (_, address) => address.includes(sought);
    const near = walk(asked, { has: byAddress, max: LOOKED_AT_MAX.first });
    if (near !== undefined) return near;
    const isIndexed = count <= INDEXED_MAX && [...sought].length >= TRIGRAM_CHARS;
    const ids = isIndexed ? indexed.values(phrase(sought)) : undefined;
    if (ids === undefined || ids.length > INDEXED_MAX) {
      return walk(asked, { has: byAddress, max: LOOKED_AT_MAX.without });
    }
    const among = new Set<unknown>(ids.map(([id]) => id));
    return walk(asked, { has: (id) => among.has(id), max: LOOKED_AT_MAX.ids });
  };
}

type Test = (id: number, address: string) => boolean;

/** Addresses that are read first, and how many times as many next: few are enough where many match. */
const READ_AT_FIRST = 320;
const READ_GROWTH = 4;

/** Walks along the addresses, in the order of the list, until so many are found; undefined if they are not. */
function walker(raw: Sqlite["raw"]) {
  type Asked = PartAsked & { project: number; wanted: number };
  return (
    { project, wanted, offset: from, after }: Asked,
    { has, max }: { has: Test; max: number },
  ): Place[] | undefined => {
    const { sql, values } = inOrder("id, address", "AND address IS NOT NULL", after);
    const read = raw.query<null, SQLQueryBindings>(sql);
    const found: Place[] = [];
    let limit = READ_AT_FIRST;
    for (let offset = 0; found.length < wanted; offset += limit, limit *= READ_GROWTH) {
      if (offset >= max) return undefined;
      const rows = read.values({ ...values, project, limit, offset }) as [number, string, string][];
      for (const [id, address, at] of rows) if (has(id, address)) found.push({ id, at });
      if (rows.length < limit) break;
    }
    return found.slice(from, wanted);
  };
}
