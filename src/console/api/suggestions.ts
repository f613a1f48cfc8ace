import { useEffect, useState } from "preact/hooks";
import { inProject } from "../state/project.ts";
import { api, read, request } from "./client.ts";

/** How long the user may pause while typing before suggestions are loaded, in milliseconds. */
const TYPING_MS = 200;

/** Suggestions, and the key of what they were loaded for. */
type Found = { key: string | null; names: string[] };

const NOTHING: Found = { key: null, names: [] };

/** Suggestions for a text that is being typed; none if they cannot be loaded, since typing goes on without. */
const useSuggestions = (...of: Parameters<typeof useFound>): string[] => useFound(...of).names;

function useFound(key: string | null, load: (signal: AbortSignal) => Promise<string[]>): Found {
  const [found, setFound] = useState(NOTHING);
  // `key` names what `load` depends on.
  useEffect(() => {
    if (key === null) return setFound(NOTHING);
    const leave = new AbortController();
    const timer = setTimeout(() => {
      load(leave.signal)
        .then((names) => setFound({ key, names }))
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

/** Most names that are suggested. */
const NAMES_MAX = 50;

/**
 * Names of events that have a text in them, the most frequent first. `isUnknown` once it is sure that none of them
 * begins with the text.
 */
export function useEventNames(search: string): { names: string[]; isUnknown: boolean } {
  const key = `events ${search}`;
  const found = useFound(key, async (signal) => {
    const query = { search, limit: NAMES_MAX };
    const page = await read(
      api.GET("/api/environments/{project_id}/event_definitions/", {
        params: { path: path(), query },
        signal,
      }),
    );
    return page.results.map(({ name }) => name);
  });
  const { names } = found;
  const isWhole = found.key === key && names.length < NAMES_MAX;
  return { names, isUnknown: isWhole && !names.some((name) => name.startsWith(search)) };
}

/** Names of properties of events or persons that have a text in them. */
export const usePropertyNames = (type: "event" | "person" | "group", search: string): string[] =>
  useSuggestions(`properties ${type} ${search}`, async (signal) => {
    const query = { search, type, limit: NAMES_MAX };
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
