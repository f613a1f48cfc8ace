import { t } from "elysia";
import type { Projects } from "../../core/access/projects.ts";
import { type IsCatchingUp, requireCaughtUp } from "../../core/events/freshness.ts";
import type { Person } from "../../core/identity/person.ts";
import {
  LIVE_EVENTS_MAX,
  LIVE_READERS_MAX,
  LIVE_READERS_PER_KEY_MAX,
  type LiveEvents,
} from "../../core/ingest/live.ts";
import type { Persons } from "../../core/persons/persons.ts";
import type { DefinitionReads } from "../../core/ports/definitions.ts";
import type { EventFilter, EventReads } from "../../core/ports/events.ts";
import { eventFiltersIn } from "../../core/queries/query-fields.ts";
import { Failure } from "../../core/values/failure.ts";
import { storableText } from "../../core/values/json.ts";
import {
  cursorOf,
  PAGE_BYTES_MAX,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  page,
  pageQuery,
  readCursor,
} from "../../core/values/page.ts";
import type { Clock } from "../../core/values/time.ts";
import type { Moment } from "../../core/values/zoned-time.ts";
import { EventStream } from "../answer/event-stream.ts";
import { route } from "../operation/route.ts";
import {
  DateTime,
  EventShape,
  PageOf,
  Paging,
  PersonShape,
  Text,
  UUID,
  Whole,
} from "../operation/schemas.ts";
import { listIn, readDistinctId, readList, readTime, readUuid } from "../request/parameters.ts";
import { PropertyValuesShape } from "./persons.ts";

const MIB = 1_048_576;

/** Largest `offset` of a list of events; further back, `before` goes on. */
export const EVENTS_OFFSET_MAX = 10_000;

const EVENTS = "/api/environments/:project_id/events/";

const FILTER = '{"key":"plan","operator":"exact","value":"pro"}';

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
  after: t.Optional(
    Text(
      "2026-11-01",
      "Later than this time, ISO 8601. A day is its midnight; that and times without a zone are on the clock of the project's time zone.",
    ),
  ),
  before: t.Optional(
    Text(
      "2026-12-01",
      "Earlier than this time, ISO 8601. Of a day only its midnight counts, so that the day itself is not listed.",
    ),
  ),
  orderBy: t.Optional(
    Text('["-timestamp"]', "For clients of PostHog: the only order of the list, and its default."),
  ),
  properties: t.Optional(
    t.Unknown({
      type: "array",
      items: { type: "string" },
      examples: [[FILTER]],
      description: `Filters as of a list of persons. The \`type\` is event, the default, person, group with a \`group_type_index\`, or event_metadata, whose \`key\` is \`event\`, \`distinct_id\` or \`person_id\`. They change nothing about the time: without \`after\` the list goes back to the first event.`,
    }),
  ),
});

const EventDetailShape = t.Object(
  {
    ...EventShape.properties,
    ingested_at: DateTime,
    person: t.Nullable(PersonShape, {
      description: "The person that the event belongs to now, or null.",
    }),
  },
  { $id: "EventDetail" },
);

type Needs = {
  events: EventReads;
  live: Pick<LiveEvents, "join">;
  definitions: Pick<DefinitionReads, "eventValues">;
  persons: Pick<Persons, "get">;
  projects: Pick<Projects, "get">;
  isCatchingUp: IsCatchingUp;
  now: Clock;
};

/** Lists events, because their owner must be able to see all of them (decision 15). */
export const eventRoutes = (needs: Needs) => [
  route({
    method: "GET",
    path: EVENTS,
    scope: "query:read",
    operationId: "events_list",
    summary: "List events, the newest first.",
    query: EventsQuery,
    status: 200,
    response: PageOf(EventShape),
    async handle({
      project,
      query: { limit, offset, cursor, properties: _, orderBy, ...sent },
      url,
      signal,
    }) {
      const query = pageQuery({ limit, offset });
      checkOrder(orderBy);
      requireCaughtUp(needs.isCatchingUp);
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
      const { timezone } = await needs.projects.get(project);
      const moment = { now: needs.now(), timezone };
      const filter = { ...filterOf(sent, timezone), properties: propertiesIn(url, moment) };
      const found = await needs.events.list(project, filter, part, signal);
      const last = found.isMore ? found.rows.at(-1) : undefined;
      const results = found.rows.map(({ seq: _, ...row }) => row);
      return page(url, query, found.count, results, {
        next: last && cursorOf({ at: last.timestamp, id: last.seq }),
        returned: results.length,
        offsetMax: EVENTS_OFFSET_MAX,
      });
    },
  }),
  ...readRoutes(needs),
  liveRoute(needs),
];

/** Values of properties, and one event. */
const readRoutes = (needs: Needs) => [
  route({
    method: "GET",
    path: `${EVENTS}values/`,
    scope: "query:read",
    operationId: "events_values",
    summary: "List the values of a property of the newest events, the most frequent first.",
    query: t.Object({
      key: Text("plan", "The name of the property."),
      value: t.Optional(Text("pr", "A part of the values, in any case.")),
      event_name: t.Optional(Text("signed up", "Only events of this name.")),
    }),
    status: 200,
    response: PropertyValuesShape,
    async handle({ project, query: { key, value = "", event_name }, signal }) {
      requireCaughtUp(needs.isCatchingUp);
      const asked = { key, part: storableText(value), event: event_name };
      const results = await needs.definitions.eventValues(project, asked, signal);
      return { results, refreshing: false };
    },
  }),
  route({
    method: "GET",
    path: `${EVENTS}:uuid/`,
    scope: "query:read",
    operationId: "events_retrieve",
    summary: "Read an event, with the time of its arrival and its person.",
    params: t.Object({ uuid: Text(UUID) }),
    status: 200,
    response: EventDetailShape,
    async handle({ project, params, signal }) {
      const uuid = readUuid("uuid", params.uuid) as string;
      requireCaughtUp(needs.isCatchingUp);
      const event = await needs.events.find(project, uuid, signal);
      if (event === undefined) throw new Failure("not_found", "Not found.");
      return { ...event, person: await personOf(project, event.person_id, needs) };
    },
  }),
];

const liveRoute = ({ live, isCatchingUp }: Needs) =>
  route({
    method: "GET",
    path: `${EVENTS}live/`,
    scope: "query:read",
    operationId: "events_live",
    summary: "Read events as they are stored, as a stream of server-sent events.",
    query: t.Object({
      eventType: t.Optional(Text("signed up", "Only events of this name.")),
      distinctId: t.Optional(Text("ann", "Only events of this distinct id.")),
    }),
    status: 200,
    streams: "text/event-stream",
    response: t.String({
      description: `Messages: \`events\`, a list of the newest ${LIVE_EVENTS_MAX}, at most four a second. \`stats\` each second, with \`per_second\`, \`hidden\` and \`lag_ms\`. \`warning\` with \`type\`, \`severity\`, \`meaning\` and \`count\`. \`end\` with its \`reason\`. ${LIVE_READERS_MAX} readers, ${LIVE_READERS_PER_KEY_MAX} of one key; others get 429.`,
      examples: ['event: stats\ndata: {"per_second":0,"hidden":0,"lag_ms":0}\n\n'],
    }),
    async handle({ project, principal, query: { eventType, distinctId } }) {
      requireCaughtUp(isCatchingUp);
      const filter = {
        ...(eventType ? { event: storableText(eventType) } : {}),
        ...(distinctId ? { distinct_id: readDistinctId(distinctId) } : {}),
      };
      const { key_id } = principal;
      return new EventStream((take) => live.join({ project, key_id, filter, take }));
    },
  });

/** Filters of properties; from the address, because Elysia keeps only one of a repeated parameter. */
function propertiesIn(url: URL, moment: Moment): EventFilter["properties"] {
  const texts = listIn(url, "properties").filter((text) => text !== "");
  return texts.length === 0 ? undefined : eventFiltersIn(texts, moment);
}

/** Fails `invalid_input` on another order than that of the list. */
function checkOrder(sent: string | undefined): void {
  for (const item of readList("orderBy", sent) ?? []) {
    if (/^(?:-timestamp|timestamp desc)$/i.test(`${item}`)) continue;
    const detail =
      'The newest events come first, which is ["-timestamp"]. POST …/query/ with an EventsQuery takes another orderBy.';
    throw new Failure("invalid_input", detail, "orderBy");
  }
}

/** The person with a uuid; null if it is gone, or if the event never had one. */
async function personOf(project: number, uuid: string, { persons }: Needs): Promise<Person | null> {
  try {
    return await persons.get(project, uuid);
  } catch (error) {
    if (error instanceof Failure && error.code === "not_found") return null;
    throw error;
  }
}

function filterOf(filter: EventFilter, timezone: string): EventFilter {
  const { uuid, person_id, distinct_id, after, before, ...rest } = filter;
  return {
    ...rest,
    distinct_id: readDistinctId(distinct_id),
    uuid: readUuid("uuid", uuid),
    person_id: readUuid("person_id", person_id),
    after: readTime("after", after, timezone),
    before: readTime("before", before, timezone),
  };
}
