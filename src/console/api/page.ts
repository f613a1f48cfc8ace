import { api, type Schemas } from "./client.ts";

/** Asks for a page of a list by a query of one column, for an order that the list itself does not have. */
export async function askPage<T>(
  query: object,
  { limit, offset = 0 }: { limit: number; offset?: number },
  signal: AbortSignal,
) {
  const asked = { ...query, limit, offset };
  const answer = await api.post("query/", {
    body: { query: asked as unknown as Schemas["QueryAsked"]["query"] },
    signal,
  });
  const { results, hasMore } = answer as unknown as { results: [T][]; hasMore: boolean };
  const next = hasMore ? { offset: offset + limit, cursor: "" } : undefined;
  return { results: results.map(([row]) => row), count: undefined, next };
}
