import { t } from "elysia";
import { EVENT_NAMES_MAX, PROPERTY_OWNERS, PROPERTY_TYPES } from "../../core/events/definition.ts";
import { type IsCatchingUp, requireCaughtUp } from "../../core/events/freshness.ts";
import type { DefinitionKeys, DefinitionReads } from "../../core/ports/definitions.ts";
import { Failure } from "../../core/values/failure.ts";
import { storableText } from "../../core/values/json.ts";
import { cursorPage, pageQuery } from "../../core/values/page.ts";
import { route } from "../operation/route.ts";
import { DateTime, PageOf, Paging, Text, Whole } from "../operation/schemas.ts";

const ENVIRONMENT = "/api/environments/:project_id/";

const Search = { search: t.Optional(Text("sign", "A part of the name, in any case.")) };

const EventDefinitionShape = t.Object(
  {
    name: Text("signed up"),
    count: Whole(42),
    first_seen_at: DateTime,
    last_seen_at: DateTime,
  },
  { $id: "EventDefinition" },
);

const PropertyDefinitionShape = t.Object(
  {
    name: Text("plan"),
    type: t.String({ enum: [...PROPERTY_OWNERS] }),
    property_type: t.Nullable(
      t.String({
        enum: [...PROPERTY_TYPES],
        description: "The type of most values; null for lists and objects.",
      }),
    ),
    is_numerical: t.Boolean(),
    count: Whole(
      42,
      "How many events have it, or how many of the newest 20,000 persons or groups.",
    ),
    last_seen_at: t.Nullable(DateTime),
  },
  { $id: "PropertyDefinition" },
);

/** The order of both lists: the highest count first, then the name. */
const BY_COUNT = {
  keysOf: ({ count, name }: { count: number; name: string }): DefinitionKeys => [count, name],
  keyTypes: [0, ""] as DefinitionKeys,
};

/** Names of events and properties, counted by a sample: all events would take seconds (decision 82). */
export const definitionRoutes = (definitions: DefinitionReads, isCatchingUp: IsCatchingUp) => [
  route({
    method: "GET",
    path: `${ENVIRONMENT}event_definitions/`,
    scope: "event_definition:read",
    operationId: "event_definitions_list",
    summary: "List the names of events, the most frequent first.",
    query: t.Object({ ...Paging, ...Search }),
    status: 200,
    response: PageOf(EventDefinitionShape),
    async handle({ project, query: { search, ...paging }, url, signal }) {
      requireCaughtUp(isCatchingUp);
      return cursorPage(url, pageQuery(paging), {
        ...BY_COUNT,
        read: (part) => definitions.events(project, { search }, part, signal),
      });
    },
  }),
  route({
    method: "GET",
    path: `${ENVIRONMENT}property_definitions/`,
    scope: "property_definition:read",
    operationId: "property_definitions_list",
    summary: "List the names of properties of events, persons or groups, the most frequent first.",
    query: t.Object({
      ...Paging,
      ...Search,
      type: t.Optional(
        t.Union([t.Literal("event"), t.Literal("person"), t.Literal("group")], {
          description: "The owner of the properties, by default event.",
        }),
      ),
      event_names: t.Optional(
        Text(
          '["signed up"]',
          `Only properties that the newest events of these names have: a JSON list of at most ${EVENT_NAMES_MAX} names.`,
        ),
      ),
    }),
    status: 200,
    response: PageOf(PropertyDefinitionShape),
    async handle({ project, query, url, signal }) {
      const { search, type = "event", event_names: names, ...paging } = query;
      const event_names = namesIn(names);
      if (event_names !== undefined && type !== "event") {
        const detail = "Names of events are taken only for properties of events.";
        throw new Failure("invalid_input", detail, "event_names");
      }
      requireCaughtUp(isCatchingUp);
      const filter = { search, type, event_names };
      return cursorPage(url, pageQuery(paging), {
        ...BY_COUNT,
        read: (part) => definitions.properties(project, filter, part, signal),
      });
    },
  }),
];

/** Reads a JSON list of names; undefined for an absent or empty text. Fails `invalid_input`. */
function namesIn(text: string | undefined): string[] | undefined {
  if (text === undefined || text === "") return undefined;
  const names = parsed(text);
  const isList = Array.isArray(names) && names.every((name) => typeof name === "string");
  if (isList && names.length <= EVENT_NAMES_MAX) return names.map(storableText);
  const detail = `A JSON list of at most ${EVENT_NAMES_MAX} names is expected.`;
  throw new Failure("invalid_input", detail, "event_names");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
