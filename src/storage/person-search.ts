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
   * A part of the list of those who have `search` in their address, in any case, or as a distinct id,
   * and how many they are at that instant. Undefined where they would have to be looked for among too
   * many others, or counted anew.
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
        const counted = counts.now(project, folded(search));
        if (counted === undefined) return undefined;
        const own = owner.get(project, search);
        const isMore = own !== null && !foldedAddress(own.email ?? "").includes(folded(search));
        const count = counted + (isMore ? 1 : 0);
        const ids = found(project, { search, owner: own?.id, count }, part);
        return ids === undefined ? undefined : { count, rows: byIds(project, ids) };
      }),
    isCounted: (project, search) => counts.has(project, folded(search)),
    keep: (project, search, counted) => counts.keep(project, folded(search), counted),
  };
}

/** Who is looked for: by a part of the address, or the person of a distinct id; `count` in all. */
type Sought = { search: string; owner: number | undefined; count: number };

/** Persons who have a part in their address, up to which the index is asked for all of them. */
const INDEXED_MAX = 20_000;

/** Persons after whom no more are looked at, where many match, and where only their ids are read. */
const LOOKED_AT_MAX = { first: 1280, addresses: 5120, ids: 65_536 };

/** Finds the ids of a part of those who have one in their address; undefined if too many others are before. */
function finder(raw: Sqlite["raw"]) {
  const indexed = raw.query<null, [string]>(
    `SELECT rowid FROM person_email WHERE person_email MATCH ?1 LIMIT ${INDEXED_MAX + 1}`,
  );
  const walk = walker(raw);
  return (project: number, { search, owner, count }: Sought, asked: PartAsked) => {
    const part = folded(search);
    const byAddress = (max: number) =>
      walk(project, asked, {
        count,
        columns: "id, email",
        has: ([id, email]) =>
          id === owner || (email !== null && foldedAddress(email as string).includes(part)),
        max,
      });
    const near = byAddress(LOOKED_AT_MAX.first);
    if (near !== undefined) return near;
    if ([...search].length < TRIGRAM_CHARS) return byAddress(LOOKED_AT_MAX.addresses);
    const ids = indexed.values(phrase(search)).map(([id]) => id);
    if (ids.length > INDEXED_MAX) return byAddress(LOOKED_AT_MAX.addresses);
    const among = new Set<unknown>([...ids, owner]);
    return walk(project, asked, {
      count,
      columns: "id",
      has: ([id]) => among.has(id),
      max: LOOKED_AT_MAX.ids,
    });
  };
}

/** How to tell who is looked for: `max` is after how many no more are looked at. */
type Wanted = { count: number; columns: string; has(row: unknown[]): boolean; max: number };

/** Persons that are read first, and how many times as many next: few are enough where many match. */
const READ_AT_FIRST = 320;
const READ_GROWTH = 4;

function walker(raw: Sqlite["raw"]) {
  return (project: number, part: PartAsked, { count, columns, has, max }: Wanted) => {
    const { condition, values } = behind(part.after);
    const read = raw.query<null, SQLQueryBindings>(
      `SELECT ${columns} FROM person WHERE project_id = $project ${condition} ${IN_ORDER}`,
    );
    const wanted = Math.min(part.offset + part.limit, count);
    const ids: number[] = [];
    let limit = READ_AT_FIRST;
    for (let offset = 0; ids.length < wanted; offset += limit, limit *= READ_GROWTH) {
      if (offset >= max) return undefined;
      const rows = read.values({ ...values, project, limit, offset });
      ids.push(...rows.filter(has).map(([id]) => id as number));
      if (rows.length < limit) break;
    }
    return ids.slice(part.offset, wanted);
  };
}
