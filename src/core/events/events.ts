import type { EventFilter, EventReads, EventRow } from "../ports/events.ts";
import { Failure } from "../values/failure.ts";
import { parseUuid } from "../values/ids.ts";
import { cursorOf, type Page, type PageQuery, page, readCursor } from "../values/page.ts";
import { isoTime, parseTime } from "../values/time.ts";
import { checkUpToDate, type IsBehind } from "./freshness.ts";

/** How deep a list may be paged by `offset`; further back, `before` goes on. */
export const EVENTS_OFFSET_MAX = 10_000;

/** Events of one project, read. */
export type Events = {
  /**
   * Newest first; a page of large ones may be shorter (decision 14). Fails `invalid_input` on a uuid or time that is none, and on an offset over
   * EVENTS_OFFSET_MAX, unless `cursor` says where the page begins; `unavailable` while the store
   * is behind what was accepted, and `query_timeout`. `url` is the address that the caller is known to
   * reach us by; `signal` tells that nobody waits.
   */
  list(
    project: number,
    filter: EventFilter & { cursor?: string | undefined },
    query: PageQuery,
    url: URL,
    signal: AbortSignal,
  ): Promise<Page<EventRow>>;
};

/** Events in a store. */
export function events(reads: EventReads, isBehind: IsBehind): Events {
  return {
    async list(project, { cursor, ...filter }, query, url, signal) {
      checkUpToDate(isBehind);
      if (query.offset > EVENTS_OFFSET_MAX && cursor === undefined) {
        const detail = `offset is at most ${EVENTS_OFFSET_MAX}. To go further back, follow next.`;
        throw new Failure("invalid_input", detail, "offset");
      }
      const place = readCursor(cursor);
      const after = place && { timestamp: place.at, seq: place.id };
      const asked = {
        limit: query.limit,
        offset: cursor === undefined ? query.offset : 0,
        after,
      };
      const { count, rows, isMore } = await reads.list(project, read(filter), asked, signal);
      const last = isMore ? rows.at(-1) : undefined;
      const shown = rows.map(({ seq: _, ...row }) => row);
      return page(url, query, count, shown, {
        next: last && cursorOf({ at: last.timestamp, id: last.seq }),
        shown: shown.length,
        offsetMax: EVENTS_OFFSET_MAX,
      });
    },
  };
}

function read(filter: EventFilter): EventFilter {
  return {
    ...filter,
    uuid: uuid("uuid", filter.uuid),
    person_id: uuid("person_id", filter.person_id),
    after: time("after", filter.after),
    before: time("before", filter.before),
  };
}

function uuid(attr: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const parsed = parseUuid(text);
  if (parsed === undefined) throw new Failure("invalid_input", "A UUID is expected.", attr);
  return parsed;
}

function time(attr: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const parsed = parseTime(text);
  if (parsed === undefined) {
    throw new Failure("invalid_input", "A time in ISO 8601 is expected.", attr);
  }
  return isoTime(parsed);
}
