import { api, type Schemas } from "./client.ts";

/** Runs a SELECT over the tables of the project. Throws a problem if it is refused. */
export async function select(sql: string, signal: AbortSignal): Promise<Schemas["QueryAnswer"]> {
  const answer = await api.post("query/", {
    body: { query: { kind: "HogQLQuery", query: sql } },
    signal,
  });
  return answer as Schemas["QueryAnswer"];
}

/** A text as SQL has it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
