import { api, isAbort } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { may } from "../../api/session.ts";
import { listDashboards } from "../../pages/dashboards/changes.ts";
import { href } from "../../state/address.ts";
import { eventTitle } from "../../state/format.ts";
import type { IconName } from "../../ui/icon.tsx";
import type { Row } from "./row.ts";

/** Most things of a kind that are listed. */
const SHOWN = 6;

/** A thing that was found: its id among those of its kind, its name, and its page. */
type Thing = { id: string | number; title: string; href: string; note?: string };

/** A kind of things that the server finds by a text, for sessions with the scope. */
type Finder = {
  icon: IconName;
  note: string;
  scope: string;
  find: (search: string, signal: AbortSignal) => Promise<Thing[]>;
};

/** The parameters of a list. */
const asked = (search: string, signal: AbortSignal) => ({
  query: { search, limit: SHOWN },
  signal,
});

async function dashboards(search: string, signal: AbortSignal): Promise<Thing[]> {
  const { results } = await listDashboards({ search, limit: SHOWN }, signal);
  return results.map(({ id, name }) => {
    return { id, title: name || "Dashboard", href: href(`dashboards/${id}`) };
  });
}

async function insights(search: string, signal: AbortSignal): Promise<Thing[]> {
  const { results } = await api.get("insights/", asked(search, signal));
  return results.map(({ short_id: id, name }) => {
    return { id, title: name || `Insight ${id}`, href: href(`insights/${id}`) };
  });
}

async function persons(search: string, signal: AbortSignal): Promise<Thing[]> {
  // The search of the API looks at e-mail addresses and IDs, but people without an address are shown by their name.
  const named = { key: "name", value: search, operator: "icontains", type: "person" };
  const query = { properties: [JSON.stringify([named])], limit: SHOWN };
  const lists = await Promise.all([
    api.get("persons/", asked(search, signal)),
    api.get("persons/", { query, signal }),
  ]);
  const found = new Map(lists.flatMap(({ results }) => results).map((one) => [one.uuid, one]));
  return [...found.values()].slice(0, SHOWN).map(({ uuid, name }) => {
    return { id: uuid, title: name, href: href(`persons/${uuid}`) };
  });
}

async function groups(search: string, signal: AbortSignal): Promise<Thing[]> {
  const types = await api.get("groups_types/", { signal });
  const found = types.map(async ({ group_type: note, group_type_index: type }) => {
    const query = { group_type_index: type, search, limit: SHOWN };
    const { results } = await api.get("groups/", { query, signal });
    return results.map(({ group_key: key, group_properties: { name } }) => {
      const title = typeof name === "string" && name !== "" ? name : key;
      return { id: `${type} ${key}`, title, note, href: href(`groups/${type}`, { key }) };
    });
  });
  return (await Promise.all(found)).flat();
}

async function events(search: string, signal: AbortSignal): Promise<Thing[]> {
  const { results } = await api.get("event_definitions/", asked(search, signal));
  return results.map(({ name }) => {
    return { id: name, title: eventTitle(name), href: href("events", { event: name }) };
  });
}

const FINDERS: readonly Finder[] = [
  { icon: "dashboards", note: "Dashboard", scope: "dashboard:read", find: dashboards },
  { icon: "insights", note: "Insight", scope: "insight:read", find: insights },
  { icon: "persons", note: "Person", scope: "person:read", find: persons },
  { icon: "groups", note: "Group", scope: "group:read", find: groups },
  { icon: "events", note: "Event", scope: "event_definition:read", find: events },
];

/** Rows that the server finds by a text, and the kinds that it could not search. */
export type Found = { text: string; rows: Row[]; missing: string[]; problem: Problem | undefined };

/** Finds things of all kinds that the session may read. Throws a problem if the server is away. */
export async function find(text: string, signal: AbortSignal): Promise<Found> {
  const allowed = FINDERS.filter(({ scope }) => may(scope));
  const found: Found = { text, rows: [], missing: [], problem: undefined };
  const sought = allowed.map(async ({ icon, note, find }) => {
    try {
      const things = await find(text, signal);
      return things.map(
        ({ id, ...thing }): Row => ({ key: `${icon} ${id}`, icon, note, ...thing }),
      );
    } catch (error) {
      if (isAbort(error)) throw error;
      found.missing.push(icon);
      found.problem = asProblem(error);
      return [];
    }
  });
  found.rows = (await Promise.all(sought)).flat();
  // A load that had no answer is tried again by itself.
  if (found.problem?.status === 0) throw found.problem;
  return found;
}
