import { t } from "elysia";
import {
  ALSO_CALLED_CHARS_MAX,
  ALSO_CALLED_MAX,
  DESCRIPTION_CHARS_MAX,
  NAMES_MAX,
  PROPERTY_OWNERS,
  PROPERTY_TYPES,
  type PropertyOwner,
} from "../../core/events/definition.ts";
import type { Definitions, NameOrId } from "../../core/events/definitions.ts";
import type { DefinitionKeys } from "../../core/ports/definitions.ts";
import { Failure } from "../../core/values/failure.ts";
import { storableText } from "../../core/values/json.ts";
import { cursorPage, pageQuery } from "../../core/values/page.ts";
import { TagFields, Tags } from "../operation/insight-shapes.ts";
import { route } from "../operation/route.ts";
import { DateTime, PageOf, Paging, Text, Texts, UUID, Whole } from "../operation/schemas.ts";

const ENVIRONMENT = "/api/environments/:project_id/";
const EVENT = `${ENVIRONMENT}event_definitions/:name/` as const;
const PROPERTY = `${ENVIRONMENT}property_definitions/:name/` as const;

/** The name by which PostHog's tools ask for an event, with its own name in a parameter. */
const BY_NAME = "by_name";

const Search = { search: t.Optional(Text("sign", "A part of the name, in any case.")) };

const sentNote = {
  description: Text("An account was made.", `At most ${DESCRIPTION_CHARS_MAX} characters.`),
  also_called: Texts(
    ["registration"],
    `The project's own words for it in questions: at most ${ALSO_CALLED_MAX} of at most ${ALSO_CALLED_CHARS_MAX} characters.`,
  ),
  tags: TagFields.tags,
  verified: t.Boolean({
    description: "Whether the project has marked it as sent correctly. Answers do not use it.",
  }),
};

const note = { ...sentNote, tags: Tags };

const DefinitionId = t.String({
  format: "uuid",
  examples: [UUID],
  description: "Derived from the name: it is always the same.",
});

const EventDefinitionShape = t.Object(
  {
    id: DefinitionId,
    name: Text("signed up"),
    count: Whole(42),
    first_seen_at: t.Nullable(DateTime),
    last_seen_at: t.Nullable(DateTime),
    ...note,
  },
  { $id: "EventDefinition" },
);

const PropertyDefinitionShape = t.Object(
  {
    id: DefinitionId,
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
    ...note,
  },
  { $id: "PropertyDefinition" },
);

const ChangeBody = t.Optional(
  t.Object(
    {
      description: t.Optional(sentNote.description),
      also_called: t.Optional(sentNote.also_called),
      tags: sentNote.tags,
      verified: t.Optional(sentNote.verified),
    },
    { $id: "DefinitionChange", examples: [{ also_called: ["registration"] }] },
  ),
);

const Name = t.Object({ name: Text("signed up", "The name, percent-encoded, or the id.") });

const PropertyType = t.Optional(
  t.Union([t.Literal("event"), t.Literal("person"), t.Literal("group")], {
    description: "The owner of the properties, by default event.",
  }),
);

/** An event that is asked for by its name or id. */
const eventOf = (project: number, name: string): NameOrId => {
  return { project, kind: "event", name, ids: ["event"] };
};

/** A property that is asked for. Without a type a name is of events, and an id of any owner. */
const propertyOf = (project: number, name: string, type?: PropertyOwner): NameOrId => {
  const owners = type === undefined ? PROPERTY_OWNERS : [type];
  const ids = owners.map((owner) => `${owner}_property` as const);
  return { project, kind: `${type ?? "event"}_property`, name, ids };
};

/** The order of both lists: the highest count first, then the name. */
const BY_COUNT = {
  keysOf: ({ count, name }: { count: number; name: string }): DefinitionKeys => [count, name],
  keyTypes: [0, ""] as DefinitionKeys,
};

/** Names of events and properties, counted by a sample: all events would take seconds (decision 82). */
const listRoutes = (definitions: Definitions) => [
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
      type: PropertyType,
      properties: t.Optional(
        Text(
          "plan,seats",
          `Only these names: at most ${NAMES_MAX}, with commas between. One name alone may have commas.`,
        ),
      ),
      event_names: t.Optional(
        Text(
          '["signed up"]',
          `Only properties that the newest events of these names have: a JSON list of at most ${NAMES_MAX} names.`,
        ),
      ),
      filter_by_event_names: t.Optional(
        t.Boolean({ description: "false lists the properties of all events." }),
      ),
      exclude_core_properties: t.Optional(
        t.Boolean({ description: "Whether to leave out names that begin with `$`." }),
      ),
    }),
    status: 200,
    response: PageOf(PropertyDefinitionShape),
    async handle({ project, query, url, signal }) {
      const { search, type = "event", event_names: names, properties, ...others } = query;
      const {
        filter_by_event_names: isFiltered = true,
        exclude_core_properties,
        ...paging
      } = others;
      const event_names = isFiltered ? namesIn(names) : undefined;
      if (event_names !== undefined && type !== "event") {
        const detail = "Names of events are taken only for properties of events.";
        throw new Failure("invalid_input", detail, "event_names");
      }
      const filter = {
        ...{ search, type, event_names, isOwn: exclude_core_properties },
        names: commaNames(properties),
      };
      return cursorPage(url, pageQuery(paging), {
        ...BY_COUNT,
        read: (part) => definitions.properties(project, filter, part, signal),
      });
    },
  }),
];

/** Single names and their notes. */
const nameRoutes = (definitions: Definitions) => [
  route({
    method: "GET",
    path: EVENT,
    scope: "event_definition:read",
    operationId: "event_definitions_retrieve",
    summary: "Get an event by its name or id.",
    params: Name,
    query: t.Object({
      name: t.Optional(Text("signed up", `The name, only at \`…/event_definitions/${BY_NAME}/\`.`)),
    }),
    status: 200,
    response: EventDefinitionShape,
    async handle({ project, params, query: { name }, signal }) {
      if (name === undefined) return definitions.one(eventOf(project, params.name), signal);
      if (params.name === BY_NAME) {
        return definitions.one({ ...eventOf(project, storableText(name)), ids: [] }, signal);
      }
      const detail = `It is taken only at …/event_definitions/${BY_NAME}/.`;
      throw new Failure("invalid_input", detail, "name");
    },
  }),
  route({
    method: "PATCH",
    path: EVENT,
    scope: "event_definition:write",
    operationId: "event_definitions_partial_update",
    summary: "Describe an event, and say the project's own words for it.",
    params: Name,
    body: ChangeBody,
    status: 200,
    response: EventDefinitionShape,
    handle: ({ project, params: { name }, body, signal }) =>
      definitions.describe(eventOf(project, name), body ?? {}, signal),
  }),
  route({
    method: "GET",
    path: PROPERTY,
    scope: "property_definition:read",
    operationId: "property_definitions_retrieve",
    summary: "Get a property by its name or id.",
    params: Name,
    query: t.Object({ type: PropertyType }),
    status: 200,
    response: PropertyDefinitionShape,
    handle: ({ project, params: { name }, query: { type }, signal }) =>
      definitions.one(propertyOf(project, name, type), signal),
  }),
  route({
    method: "PATCH",
    path: PROPERTY,
    scope: "property_definition:write",
    operationId: "property_definitions_partial_update",
    summary: "Describe a property, and say the project's own words for it.",
    params: Name,
    query: t.Object({
      type: t.Optional(
        t.Union([t.Literal("event"), t.Literal("person")], {
          description: "The owner of the property, by default event.",
        }),
      ),
    }),
    body: ChangeBody,
    status: 200,
    response: PropertyDefinitionShape,
    handle: ({ project, params: { name }, query: { type }, body, signal }) =>
      definitions.describe(propertyOf(project, name, type), body ?? {}, signal),
  }),
];

/** Names of events and properties, and their notes. */
export const definitionRoutes = (definitions: Definitions) => [
  ...listRoutes(definitions),
  ...nameRoutes(definitions),
];

/** Reads names with commas between, and the whole text as one; undefined for an absent or empty text. */
function commaNames(text: string | undefined): string[] | undefined {
  if (text === undefined || text === "") return undefined;
  const names = text.split(",");
  if (names.length <= NAMES_MAX) return [text, ...names].map(storableText);
  throw new Failure("invalid_input", `At most ${NAMES_MAX} names.`, "properties");
}

/** Reads a JSON list of names; undefined for an absent or empty text. Fails `invalid_input`. */
function namesIn(text: string | undefined): string[] | undefined {
  if (text === undefined || text === "") return undefined;
  const names = parsed(text);
  const isList = Array.isArray(names) && names.every((name) => typeof name === "string");
  if (isList && names.length <= NAMES_MAX) return names.map(storableText);
  const detail = `A JSON list of at most ${NAMES_MAX} names is expected.`;
  throw new Failure("invalid_input", detail, "event_names");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
