import { useEffect, useState } from "preact/hooks";
import { inProject } from "../state/project.ts";
import { api, read, request } from "./client.ts";

/** How long the user may pause while typing before suggestions are loaded, in milliseconds. */
const TYPING_MS = 200;

/** Suggestions for a text that is being typed; none if they cannot be loaded, since typing goes on without. */
function useSuggestions(
  key: string | null,
  load: (signal: AbortSignal) => Promise<string[]>,
): string[] {
  const [found, setFound] = useState<string[]>([]);
  // `key` names what `load` depends on.
  useEffect(() => {
    if (key === null) return setFound([]);
    const leave = new AbortController();
    const timer = setTimeout(() => {
      load(leave.signal)
        .then(setFound)
        .catch(() => undefined);
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [key]);
  return found;
}

const path = () => inProject();

/** Names of events that have a text in them, the most frequent first. */
export const useEventNames = (search: string): string[] =>
  useSuggestions(`events ${search}`, async (signal) => {
    const query = { search, limit: 50 };
    const page = await read(
      api.GET("/api/environments/{project_id}/event_definitions/", {
        params: { path: path(), query },
        signal,
      }),
    );
    return page.results.map(({ name }) => name);
  });

/** Names of properties of events or persons that have a text in them. */
export const usePropertyNames = (type: "event" | "person" | "group", search: string): string[] =>
  useSuggestions(`properties ${type} ${search}`, async (signal) => {
    const query = { search, type, limit: 50 };
    const page = await read(
      api.GET("/api/environments/{project_id}/property_definitions/", {
        params: { path: path(), query },
        signal,
      }),
    );
    return page.results.map(({ name }) => name);
  });

/** Values of a property that have a text in them, the most frequent first. */
export const useValues = (
  type: "event" | "person" | "group",
  key: string,
  search: string,
  groupTypeIndex = 0,
): string[] =>
  useSuggestions(key === "" ? null : `values ${type} ${key} ${search}`, async (signal) => {
    const noun = { event: "events", person: "persons", group: "groups" }[type];
    const query = new URLSearchParams({ key, ...(search === "" ? {} : { value: search }) });
    if (type === "group") query.set("group_type_index", String(groupTypeIndex));
    const where = `/api/environments/${path().project_id}/${noun}/values/?${query}`;
    const body: unknown = await (await request("GET", where, { signal })).json();
    return valuesIn(body).map((name) => (typeof name === "string" ? name : JSON.stringify(name)));
  });

function valuesIn(body: unknown): unknown[] {
  const results = Array.isArray(body) ? body : (body as { results?: unknown[] } | null)?.results;
  return (results ?? []).map((one) => (one as { name: unknown }).name);
}
