import { api, isAbort, read } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { may } from "../../api/session.ts";
import { listDashboards } from "../../pages/dashboards/changes.ts";
import { href } from "../../state/address.ts";
import { eventTitle } from "../../state/format.ts";
import { inProject } from "../../state/project.ts";
import type { Row } from "./row.ts";

/** Most things of a kind that are listed. */
const SHOWN = 6;

/** A kind of things that the server finds by a text, for sessions with the scope. */
type Finder = {
  kind: string;
  scope: string;
  find: (search: string, signal: AbortSignal) => Promise<Row[]>;
};

async function dashboards(search: string, signal: AbortSignal): Promise<Row[]> {
  const { results } = await listDashboards({ search, limit: SHOWN }, signal);
  return results.map(({ id, name }) => ({
    key: `dashboard ${id}`,
    icon: "dashboards",
    title: name || "Dashboard",
    note: "Dashboard",
    href: href(`dashboards/${id}`),
  }));
}

async function insights(search: string, signal: AbortSignal): Promise<Row[]> {
  const { results } = await read(
    api.GET("/api/environments/{project_id}/insights/", {
      params: { path: inProject(), query: { search, limit: SHOWN } },
      signal,
    }),
  );
  return results.map(({ short_id, name }) => ({
    key: `insight ${short_id}`,
    icon: "insights",
    title: name || `Insight ${short_id}`,
    note: "Insight",
    href: href(`insights/${short_id}`),
  }));
}

async function persons(search: string, signal: AbortSignal): Promise<Row[]> {
  const { results } = await read(
    api.GET("/api/environments/{project_id}/persons/", {
      params: { path: inProject(), query: { search, limit: SHOWN } },
      signal,
    }),
  );
  return results.map(({ uuid, name }) => ({
    key: `person ${uuid}`,
    icon: "persons",
    title: name,
    note: "Person",
    href: href(`persons/${uuid}`),
  }));
}

async function groups(search: string, signal: AbortSignal): Promise<Row[]> {
  const path = inProject();
  const types = await read(
    api.GET("/api/environments/{project_id}/groups_types/", { params: { path }, signal }),
  );
  const found = types.map(async ({ group_type, group_type_index }) => {
    const query = { group_type_index, search, limit: SHOWN };
    const { results } = await read(
      api.GET("/api/environments/{project_id}/groups/", { params: { path, query }, signal }),
    );
    return results.map(({ group_key, group_properties: { name } }): Row => {
      const index = String(group_type_index);
      return {
        key: `group ${index} ${group_key}`,
        icon: "groups",
        title: typeof name === "string" && name !== "" ? name : group_key,
        note: group_type,
        href: href(`groups/${index}`, { key: group_key }),
      };
    });
  });
  return (await Promise.all(found)).flat();
}

async function events(search: string, signal: AbortSignal): Promise<Row[]> {
  const { results } = await read(
    api.GET("/api/environments/{project_id}/event_definitions/", {
      params: { path: inProject(), query: { search, limit: SHOWN } },
      signal,
    }),
  );
  return results.map(({ name }) => ({
    key: `event ${name}`,
    icon: "events",
    title: eventTitle(name),
    note: "Event",
    href: href("events", { event: name }),
  }));
}

const FINDERS: readonly Finder[] = [
  { kind: "dashboards", scope: "dashboard:read", find: dashboards },
  { kind: "insights", scope: "insight:read", find: insights },
  { kind: "persons", scope: "person:read", find: persons },
  { kind: "groups", scope: "group:read", find: groups },
  { kind: "events", scope: "event_definition:read", find: events },
];

/** Rows that the server finds by a text, and the kinds that it could not search. */
export type Found = { text: string; rows: Row[]; missing: string[]; problem: Problem | undefined };

/** Finds things of all kinds that the session may read. Throws a problem if the server is away. */
export async function find(text: string, signal: AbortSignal): Promise<Found> {
  const allowed = FINDERS.filter(({ scope }) => may(scope));
  const found: Found = { text, rows: [], missing: [], problem: undefined };
  const outcomes = await Promise.allSettled(allowed.map((one) => one.find(text, signal)));
  outcomes.forEach((outcome, at) => {
    if (outcome.status === "fulfilled") found.rows.push(...outcome.value);
    else {
      if (isAbort(outcome.reason)) throw outcome.reason;
      found.missing.push(allowed[at]?.kind ?? "");
      found.problem = asProblem(outcome.reason);
    }
  });
  // A load that had no answer is tried again by itself.
  if (found.problem?.status === 0) throw found.problem;
  return found;
}
