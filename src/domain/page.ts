import { Failure } from "./errors.ts";
import { parseTime } from "./time.ts";

/** The list envelope (contract 2.2). `next` and `previous` are absolute URLs or null. */
export type Page<T> = { count: number; next: string | null; previous: string | null; results: T[] };

/** What `limit` and `offset` ask for. */
export type PageQuery = { limit: number; offset: number };

/** Rows of a page when `limit` is not given. */
export const PAGE_LIMIT_DEFAULT = 100;

/** Most rows of one page; a larger `limit` is cut to it (decision 14). */
export const PAGE_LIMIT_MAX = 1000;

/** Reads `limit` and `offset`; 0 rows mean the default. Fails `invalid_input` below 0. */
export function pageQuery(asked: {
  limit?: number | undefined;
  offset?: number | undefined;
}): PageQuery {
  const { limit = PAGE_LIMIT_DEFAULT, offset = 0 } = asked;
  for (const [name, value] of Object.entries({ limit, offset })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new Failure("invalid_input", "A whole number of 0 or more is expected.", name);
    }
  }
  return { limit: Math.min(limit || PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX), offset };
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
    next: isMore ? link(url, limit, offset + limit, walk?.next) : null,
    previous: hasBefore ? link(url, limit, before) : null,
    results,
  };
}

/**
 * How a list goes on from a place and not from a count: `next` is the cursor of the next page,
 * undefined on the last. Offsets over `offsetMax` are reached by cursor alone.
 */
export type Walk = { next: string | undefined; offsetMax?: number };

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
  throw new Failure("invalid_input", "A cursor is taken from an answer, as it is.", attr);
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
