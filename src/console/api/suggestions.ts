import { eventTitle, propertyTitle } from "../state/format.ts";
import { CHANNELS, SESSION_PROPERTIES } from "../state/session-properties.ts";
import { api, request, type Schemas } from "./client.ts";
import { useLoad } from "./load.ts";
import { may } from "./session.ts";

/** A name or a value to choose, with its type and its number. */
export type Item = {
  value: string;
  label: string;
  /** Other words by which it is found. */
  also?: string;
  /** Its type, such as `Numeric`. */
  note?: string | undefined;
  /** How often it was seen. */
  count?: number;
};

/** Items that have a text in them, and whether there are no others. */
export type Items = { items: readonly Item[]; isWhole: boolean };

/** Items to choose from. Its key names them. */
export type Source = {
  key: string;
  load(search: string, signal: AbortSignal): Promise<Items>;
};

/** Items that are known without the server. */
export const fixed = (key: string, items: readonly Item[]): Source => ({
  key: `${key} ${items.map(({ value }) => value)}`,
  load: async () => ({ items, isWhole: true }),
});

/** Most items that are loaded at once. */
const ITEMS_MAX = 100;

/** Names of events, the most frequent first. */
export const EVENTS: Source = {
  key: "events",
  async load(search, signal) {
    const query = { limit: ITEMS_MAX, ...(search && { search }) };
    const page = await api.get("event_definitions/", { query, signal });
    const items = page.results.map(({ name, count }) => ({
      ...{ value: name, label: eventTitle(name), count },
    }));
    return { items, isWhole: page.next === null };
  },
};

/** Whose property it is: `group:0` of groups of the first type. */
export type Owner = string;

/** Names of the properties of an owner, or of those with numbers, the most frequent first. */
export function propertiesOf(owner: Owner, isNumber = false): Source {
  const itemOf = ({ name, type }: { name: string; type: string | null }) => ({
    ...{ value: name, label: propertyTitle(name), note: type ?? undefined },
  });
  const fits = ({ note }: Item) => !isNumber || note === "Numeric";
  if (owner === "session") return fixed("session", SESSION_PROPERTIES.map(itemOf).filter(fits));
  const type = (/^(?:group|person)/.exec(owner)?.[0] ?? "event") as "event" | "person" | "group";
  return {
    key: `properties ${type} ${isNumber}`,
    async load(search, signal) {
      const query = { type, limit: ITEMS_MAX, ...(search && { search }) } as const;
      const page = await api.get("property_definitions/", { query, signal });
      const items = page.results.map(({ name, property_type, count }) => ({
        ...itemOf({ name, type: property_type }),
        count,
      }));
      return { items: items.filter(fits), isWhole: page.next === null };
    },
  };
}

/** Least number of values of which an answer may leave out others. */
const VALUES_MAX = 50;

/** The beginning of names of sessions' properties, which are those of an event of theirs. */
const OF_SESSIONS = /^\$(?:entry|end|exit)_/;

/** Values of a property, the most frequent first. */
export function valuesOf(owner: Owner, key: string): Source {
  if (key === "$channel_type") return fixed(key, CHANNELS);
  if (owner === "event_metadata") return key === "event" ? EVENTS : fixed(key, []);
  const [type = "event", index] = owner.split(":");
  // The API knows no values of sessions; those of their events are the same, but for pages of their own.
  const property = type === "session" ? key.replace(OF_SESSIONS, "$").replace("$utm", "utm") : key;
  return {
    key: `values ${owner} ${key}`,
    async load(search, signal) {
      const noun = { person: "persons", group: "groups" }[type] ?? "events";
      const query = new URLSearchParams({ key: property, ...(search && { value: search }) });
      if (index !== undefined) query.set("group_type_index", index);
      const path = `${noun}/values/?${query}`;
      const body: unknown = await (await request("GET", path, { signal })).json();
      const items = valuesIn(body).map(({ name, count }) => {
        const value = typeof name === "string" ? name : JSON.stringify(name);
        return { value, label: value, ...(count !== undefined && { count }) };
      });
      return { items, isWhole: items.length < VALUES_MAX };
    },
  };
}

function valuesIn(body: unknown): { name: unknown; count?: number }[] {
  return Array.isArray(body) ? body : ((body as { results?: [] } | null)?.results ?? []);
}

/** The types of groups; none while they are not known, or the session may not read them. */
export function useGroupTypes(): readonly Schemas["GroupType"][] {
  const types = useLoad(may("group:read") ? "group types" : null, (signal) =>
    api.get("groups_types/", { signal }),
  );
  return types.data ?? [];
}
