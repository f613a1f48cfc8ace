import { PROJECT_KEY } from "./server.ts";

/** A submitted event with every field given; `fields` replace some. */
export function event(fields: Record<string, unknown> = {}) {
  return {
    uuid: Bun.randomUUIDv7(),
    event: "tested",
    distinct_id: "ann",
    properties: {},
    ...fields,
  };
}

/** The signal of a caller who waits for ever. */
export const FOREVER = new AbortController().signal;

/** A batch of events with the project key of the tests. */
export function batch(...events: unknown[]) {
  return { api_key: PROJECT_KEY, batch: events };
}
