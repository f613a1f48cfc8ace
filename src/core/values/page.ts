import { Failure } from "./failure.ts";
import { storableText } from "./json.ts";
import { parseTime } from "./time.ts";

/** The list envelope (contract 2.2). `next` and `previous` are absolute URLs or null. */
export type Page<T> = { count: number; next: string | null; previous: string | null; results: T[] };

/** The part of a list that `limit`, `offset` and `cursor` select. */
export type PageQuery = { limit: number; offset: number; cursor?: string | undefined };

/** The sort keys of a list. The last key, or all keys together, differ for each row. */
export type Keys = readonly (string | number)[];

/** Rows to read: after the row with the keys `after`, or after `offset` rows. */
export type Part<K extends Keys = readonly [id: number]> = {
  limit: number;
  offset: number;
  after?: K | undefined;
};

/** Rows of a page when `limit` is not given. */
export const PAGE_LIMIT_DEFAULT = 100;

/** Rows of one page; a larger `limit` counts as this (decision 14). */
export const PAGE_LIMIT_MAX = 1000;

/** Bytes of text in one page; a page with more ends early, but has at least one row (decision 14). */
export const PAGE_BYTES_MAX = 16_777_216;

/** Reads `limit`, `offset` and `cursor`; 0 rows mean the default. Fails `invalid_input` below 0. */
export function pageQuery(asked: {
  limit?: number | undefined;
  offset?: number | undefined;
  cursor?: string | undefined;
}): PageQuery {
  const { limit = PAGE_LIMIT_DEFAULT, offset = 0, cursor } = asked;
  for (const [name, value] of Object.entries({ limit, offset })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new Failure("invalid_input", "A whole number of 0 or more is expected.", name);
    }
  }
  return { limit: Math.min(limit || PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX), offset, cursor };
}

/**
 * The envelope for the rows found at `query`. `url` is the address the caller is known to reach
 * us by; its other parameters are kept in the links.
 */
export function page<T>(
  url: URL,
  query: PageQuery,
  count: number,
  results: T[],
  walk?: Walk,
): Page<T> {
  const { limit, offset } = query;
  const isMore = walk === undefined ? offset + limit < count : walk.next !== undefined;
  const before = offset - limit;
  const hasBefore = offset > 0 && before <= (walk?.offsetMax ?? before);
  return {
    count,
    next: isMore ? link(url, limit, offset + (walk?.shown ?? limit), walk?.next) : null,
    previous: hasBefore ? link(url, limit, before) : null,
    results,
  };
}

/**
 * How a list goes on from a place and not from a count: `next` is the cursor of the next page,
 * undefined on the last. `shown` results are before it, `limit` by default. Offsets over `offsetMax` are
 * reached by cursor alone.
 */
export type Walk = { next: string | undefined; shown?: number; offsetMax?: number };

/** Rows of a list, and how many there are in all. `isCut` if others would make the page too large. */
export type Read<Row> = { count: number; rows: Row[]; isCut?: boolean };

/** How a list is read: the keys of its rows, any keys of their types, and the rows of a part. */
type Reading<Row, K extends Keys> = {
  keysOf: (row: Row) => K;
  like: K;
  read: (part: Part<K>) => Promise<Read<Row>>;
};

/**
 * A page of a list that is walked along by cursor, so that `next` neither passes over nor repeats a
 * row because others came or went (decision 56). Fails `invalid_input` on a cursor of another list.
 */
export async function walkedPage<Row, K extends Keys>(
  url: URL,
  query: PageQuery,
  reading: Reading<Row, K>,
): Promise<Page<Row>> {
  const { count, results, next } = await walked(query, reading);
  return page(url, query, count, results, { next, shown: results.length });
}

/** The rows of such a page, and the cursor of the next one: undefined on the last. */
export async function walked<Row, K extends Keys>(
  query: PageQuery,
  { keysOf, like, read }: Reading<Row, K>,
): Promise<{ count: number; results: Row[]; next: string | undefined }> {
  const after = readKeys(query.cursor, like);
  const offset = after === undefined ? query.offset : 0;
  const { count, rows, isCut = false } = await read({ limit: query.limit + 1, offset, after });
  const results = rows.slice(0, query.limit);
  const last = isCut || rows.length > query.limit ? results.at(-1) : undefined;
  return { count, results, next: last && JSON.stringify(keysOf(last)) };
}

/** Keys as a cursor has them; they have as many and the types that `like` has. */
function readKeys<K extends Keys>(cursor: string | undefined, like: K): K | undefined {
  if (cursor === undefined) return undefined;
  const keys = parsed(cursor);
  const isLike =
    Array.isArray(keys) &&
    keys.length === like.length &&
    keys.every((key, index) => typeof key === typeof like[index]);
  if (!isLike) throw unreadable("cursor");
  return keys.map((key) => (typeof key === "string" ? storableText(key) : key)) as unknown as K;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(attr: string): Failure {
  return new Failure("invalid_input", "A cursor is taken from an answer, as it is.", attr);
}

/** The place of a row in a list: the newest first by time (ISO 8601), then by number. */
export type Place = { at: string; id: number };

const CURSOR = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)_(\d{1,16})$/;

/** A place as `next` carries it. */
export function cursorOf({ at, id }: Place): string {
  return `${at}_${id}`;
}

/** Reads what {@link cursorOf} wrote; undefined of undefined. Fails `invalid_input` on `attr`. */
export function readCursor(text: string | undefined, attr = "cursor"): Place | undefined {
  if (text === undefined) return undefined;
  const [, at = "", id = ""] = CURSOR.exec(text) ?? [];
  if (parseTime(at) !== undefined) return { at, id: Number(id) };
  throw unreadable(attr);
}

/** A place in a list whose rows move. With `since`, it is of a walk that began at that version of them. */
export type WalkPlace = Place & { since?: number | undefined };

const WALK_CURSOR = /^(.+_\d+)_(\d{1,15})$/;

/** As {@link cursorOf}. */
export function walkCursorOf({ since, ...place }: WalkPlace): string {
  return since === undefined ? cursorOf(place) : `${cursorOf(place)}_${since}`;
}

/** Reads what {@link walkCursorOf} wrote, as {@link readCursor} does. */
export function readWalkCursor(text: string | undefined): WalkPlace | undefined {
  const [, place, since] = WALK_CURSOR.exec(text ?? "") ?? [];
  const read = readCursor(place ?? text);
  return read && since !== undefined ? { ...read, since: Number(since) } : read;
}

function link(url: URL, limit: number, offset: number, cursor?: string): string {
  const target = new URL(url);
  if (cursor === undefined) target.searchParams.delete("cursor");
  else target.searchParams.set("cursor", cursor);
  target.searchParams.set("limit", String(limit));
  if (offset > 0) target.searchParams.set("offset", String(offset));
  else target.searchParams.delete("offset");
  return target.href;
}

/** The first rows that fit into a page, at least one, and whether more rows follow. */
export function fitting<T>(
  found: Iterable<T>,
  bytesOf: (row: T) => number,
): { rows: T[]; isCut: boolean } {
  const rows: T[] = [];
  let bytes = 0;
  for (const row of found) {
    if (bytes >= PAGE_BYTES_MAX) return { rows, isCut: true };
    rows.push(row);
    bytes += bytesOf(row);
  }
  return { rows, isCut: false };
}
