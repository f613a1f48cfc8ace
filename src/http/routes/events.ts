import { t } from "elysia";
import { type IsCatchingUp, requireCaughtUp } from "../../core/events/freshness.ts";
import type { EventFilter, EventReads } from "../../core/ports/events.ts";
import { Failure } from "../../core/values/failure.ts";
import { rejectUnknownFields } from "../../core/values/json.ts";
import {
  cursorOf,
  PAGE_BYTES_MAX,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  page,
  pageQuery,
  readCursor,
} from "../../core/values/page.ts";
import { route } from "../operation/route.ts";
import { EventShape, PageOf, Paging, Text, UUID, Whole } from "../operation/schemas.ts";
import { readTime, readUuid } from "../request/parameters.ts";

const MIB = 1_048_576;

/** Largest `offset` of a list of events; further back, `before` goes on. */
export const EVENTS_OFFSET_MAX = 10_000;

const EventsQuery = t.Object({
  ...Paging,
  limit: t.Optional(
    Whole(
      100,
      `Results per page: ${PAGE_LIMIT_DEFAULT} by default, at most ${PAGE_LIMIT_MAX}. A page ends after ${PAGE_BYTES_MAX / MIB} MiB of properties; \`next\` continues there.`,
    ),
  ),
  offset: t.Optional(
    Whole(0, `Number of results to skip, at most ${EVENTS_OFFSET_MAX}; \`next\` leads further.`),
  ),
  cursor: t.Optional(
    Text(
      "2026-11-21T12:00:00.000000Z_1",
      "Position of the page, taken from `next`: new events do not move it.",
    ),
  ),
  event: t.Optional(Text("signed up", "The event's name, exact.")),
  distinct_id: t.Optional(Text("ann")),
  person_id: t.Optional(Text(UUID, "The uuid of the person that the event belongs to now.")),
  uuid: t.Optional(Text(UUID)),
  after: t.Optional(Text("2026-11-01", "Later than this time, ISO 8601.")),
  before: t.Optional(Text("2026-12-01", "Earlier than this time, ISO 8601.")),
});

/** Fails for unknown parameters: without such a filter, the answer would be wrong (decision 59). */
function checkParameters({ searchParams }: URL): void {
  const known = Object.keys(EventsQuery.properties);
  for (const [name, value] of searchParams) {
    // The answer is always JSON.
    if (name !== "format" || value !== "json") rejectUnknownFields({ [name]: value }, { known });
  }
}

/** Lists events, because their owner must be able to see all of them (decision 15). */
export const eventRoutes = (events: EventReads, isCatchingUp: IsCatchingUp) => [
  route({
    method: "GET",
    path: "/api/environments/:project_id/events/",
    scope: "query:read",
    operationId: "events_list",
    summary: "List events, the newest first.",
    query: EventsQuery,
    status: 200,
    response: PageOf(EventShape),
    async handle({ project, query: { limit, offset, cursor, ...sent }, url, signal }) {
      checkParameters(url);
      const query = pageQuery({ limit, offset });
      requireCaughtUp(isCatchingUp);
      if (query.offset > EVENTS_OFFSET_MAX && cursor === undefined) {
        const detail = `offset is at most ${EVENTS_OFFSET_MAX}. To go further back, follow next.`;
        throw new Failure("invalid_input", detail, "offset");
      }
      const place = readCursor(cursor);
      const part = {
        limit: query.limit,
        offset: place === undefined ? query.offset : 0,
        after: place && { timestamp: place.at, seq: place.id },
      };
      const { count, rows, isMore } = await events.list(project, filterOf(sent), part, signal);
      const last = isMore ? rows.at(-1) : undefined;
      const results = rows.map(({ seq: _, ...row }) => row);
      return page(url, query, count, results, {
        next: last && cursorOf({ at: last.timestamp, id: last.seq }),
        returned: results.length,
        offsetMax: EVENTS_OFFSET_MAX,
      });
    },
  }),
];

function filterOf({ uuid, person_id, after, before, ...rest }: EventFilter): EventFilter {
  return {
    ...rest,
    uuid: readUuid("uuid", uuid),
    person_id: readUuid("person_id", person_id),
    after: readTime("after", after),
    before: readTime("before", before),
  };
}
