import { PROJECT_KEY } from "../start/server.ts";

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

/** Large properties that fill the event store's projection, so that it leaves out all later ones. */
export function largeProperties(kib: number): Record<string, string> {
  const bytes = (name: string) => 1024 - name.length - '""'.length;
  const filling = Array.from({ length: 16 }, (_, at) => `filling ${at}`);
  return {
    ...Object.fromEntries(filling.map((name) => [name, "f".repeat(bytes(name))])),
    text: "t".repeat(kib * 1024),
  };
}

/** The signal of a caller who waits for ever. */
export const FOREVER = new AbortController().signal;

/** A batch of events with the project key of the tests. */
export function batch(...events: unknown[]) {
  return { api_key: PROJECT_KEY, batch: events };
}
