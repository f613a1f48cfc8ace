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

/** Rows of one page; a larger `limit` is refused (decision 14). */
export const PAGE_LIMIT_MAX = 1000;

/** Bytes of text in one page; a page with more ends early, but has at least one row (decision 14). */
export const PAGE_BYTES_MAX = 16_777_216;

/** Reads `limit`, `offset` and `cursor`; Fails `invalid_input` on others than there may be. */
export function pageQuery(asked: {
  limit?: number | undefined;
  offset?: number | undefined;
  cursor?: string | undefined;
}): PageQuery {
  const { limit = PAGE_LIMIT_DEFAULT, offset = 0, cursor } = asked;
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new Failure("invalid_input", "A whole number of 0 or more is expected.", "offset");
  }
  checkLimit(limit, PAGE_LIMIT_MAX);
  return { limit, offset, cursor };
}

/** Fails `invalid_input` for a page without rows, or of more than `most`: a shorter one would look like the last. */
export function checkLimit(
  limit: number,
  most: number,
  { attr = "limit", next = "follow next" } = {},
): void {
  const isWhole = Number.isSafeInteger(limit) && limit >= 1;
  if (isWhole && limit <= most) return;
  if (!isWhole) {
    const detail = `limit is a whole number from 1 to ${most}. Leave it out for the default.`;
    throw new Failure("invalid_input", detail, attr);
  }
  throw new Failure("invalid_input", `limit is at most ${most}. For more rows, ${next}.`, attr);
}

/**
 * Returns the envelope of a page of rows. `url` is the public address of the request. The links keep its
 * other parameters.
 */
export function page<T>(
  url: URL,
  query: PageQuery,
  count: number,
  results: T[],
  paging?: CursorPaging,
): Page<T> {
  const { limit, offset } = query;
  const isMore = paging === undefined ? offset + limit < count : paging.next !== undefined;
  const before = offset - limit;
  const hasBefore = offset > 0 && before <= (paging?.offsetMax ?? before);
  return {
    count,
    next: isMore ? link(url, limit, offset + (paging?.returned ?? limit), paging?.next) : null,
    previous: hasBefore ? link(url, limit, before) : null,
    results,
  };
}

/**
 * Data for the links of a list that is read by cursor: `next` is the cursor of the next page, undefined on the
 * last page. The page has `returned` rows, by default `limit`. Offsets over `offsetMax` are only reached by
 * cursor.
 */
export type CursorPaging = { next: string | undefined; returned?: number; offsetMax?: number };

/** Rows of a list and the count of all. `isCut` is true if the page ends early because of its size. */
export type Read<Row> = { count: number; rows: Row[]; isCut?: boolean };

/** How a list is read: the keys of a row, sample keys with the right types, and the rows of a part. */
type Reading<Row, K extends Keys> = {
  keysOf: (row: Row) => K;
  keyTypes: K;
  read: (part: Part<K>) => Promise<Read<Row>>;
};

/**
 * Returns a page of a list that is read by cursor. Pages that follow `next` skip and repeat no row when rows are
 * added or removed meanwhile (decision 56). Fails `invalid_input` on a cursor of another list.
 */
export async function cursorPage<Row, K extends Keys>(
  url: URL,
  query: PageQuery,
  reading: Reading<Row, K>,
): Promise<Page<Row>> {
  const { count, results, next } = await readCursorPage(query, reading);
  return page(url, query, count, results, { next, returned: results.length });
}

/** Returns the rows of such a page, and the cursor of the next page; undefined on the last. */
export async function readCursorPage<Row, K extends Keys>(
  query: PageQuery,
  { keysOf, keyTypes, read }: Reading<Row, K>,
): Promise<{ count: number; results: Row[]; next: string | undefined }> {
  const after = readKeys(query.cursor, keyTypes);
  const offset = after === undefined ? query.offset : 0;
  const { count, rows, isCut = false } = await read({ limit: query.limit + 1, offset, after });
  const results = rows.slice(0, query.limit);
  const last = isCut || rows.length > query.limit ? results.at(-1) : undefined;
  return { count, results, next: last && JSON.stringify(keysOf(last)) };
}

/** Returns the keys of a cursor. Their number and types must be those of `keyTypes`. */
function readKeys<K extends Keys>(cursor: string | undefined, keyTypes: K): K | undefined {
  if (cursor === undefined) return undefined;
  const keys = parsed(cursor);
  const isValid =
    Array.isArray(keys) &&
    keys.length === keyTypes.length &&
    keys.every((key, index) => typeof key === typeof keyTypes[index]);
  if (!isValid) throw unreadable("cursor");
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
  return new Failure("invalid_input", "Invalid cursor. Pass the `next` value unchanged.", attr);
}

/** The position of a row in a list: the newest time (ISO 8601) first, then the highest number. */
export type ListPosition = { at: string; id: number };

const CURSOR = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)_(\d{1,16})$/;

/** Returns a position as a cursor. */
export function cursorOf({ at, id }: ListPosition): string {
  return `${at}_${id}`;
}

/** Reads a cursor of {@link cursorOf}; undefined without one. Fails `invalid_input` with the field `attr`. */
export function readCursor(text: string | undefined, attr = "cursor"): ListPosition | undefined {
  if (text === undefined) return undefined;
  const [, at = "", id = ""] = CURSOR.exec(text) ?? [];
  if (parseTime(at) !== undefined) return { at, id: Number(id) };
  throw unreadable(attr);
}

/** A position in a list whose rows move. With `since`, it is the position at that version of the list. */
export type SnapshotPosition = ListPosition & { since?: number | undefined };

const SNAPSHOT_CURSOR = /^(.+_\d+)_(\d{1,15})$/;

/** Returns a position of a snapshot as a cursor. */
export function snapshotCursorOf({ since, ...position }: SnapshotPosition): string {
  return since === undefined ? cursorOf(position) : `${cursorOf(position)}_${since}`;
}

/** Reads a cursor of {@link snapshotCursorOf}, as {@link readCursor} does. */
export function readSnapshotCursor(text: string | undefined): SnapshotPosition | undefined {
  const [, position, since] = SNAPSHOT_CURSOR.exec(text ?? "") ?? [];
  const read = readCursor(position ?? text);
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
