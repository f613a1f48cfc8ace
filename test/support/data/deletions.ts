import { expect } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "../start/app.ts";
import { batch, event } from "./build-records.ts";

/** A list of the management API. */
export type Listed<Row> = { count: number; results: Row[] };
/** An event as lists have it. */
export type Stored = { uuid: string; event: string; distinct_id: string; person_id: string };

/** Returns the person of a distinct id. Fails without one. */
export const personOf = async (app: TestProject, distinctId: string) => {
  const found = await app.get(`/persons/?distinct_id=${distinctId}`);
  const [person] = (found.body as Listed<{ id: number; uuid: string }>).results;
  if (person === undefined) throw new Error(`No person has ${distinctId}`);
  return person;
};

/** Returns the events of a distinct id. */
export const eventsOf = async (app: TestProject, distinctId: string) =>
  ((await app.get(`/events/?limit=1000&distinct_id=${distinctId}`)).body as Listed<Stored>).results;

/** Returns the names of the events of a distinct id, sorted. */
export const namesOf = async (app: TestProject, distinctId: string) =>
  (await eventsOf(app, distinctId)).map((row) => row.event).toSorted();

/** Asks for the deletion of a person with its events. */
export async function remove(app: TestProject, distinctId: string, query = "?delete_events=true") {
  const { id, uuid } = await personOf(app, distinctId);
  expect((await app.ask("DELETE", `${app.api}/persons/${id}/${query}`)).status).toBe(204);
  return uuid;
}

/** Asks for the deletion of a person's events. */
export async function removeEvents(app: TestProject, distinctId: string) {
  const { id } = await personOf(app, distinctId);
  expect((await app.ask("POST", `${app.api}/persons/${id}/delete_events/`)).status).toBe(200);
}

/** Changes a person by one of its actions. */
export async function edit(app: TestProject, { id }: { id: number }, action: string, body: object) {
  const { status } = await app.ask("POST", `${app.api}/persons/${id}/${action}`, { body });
  expect(status).toBeOneOf([201, 202]);
}

/** Returns the activity log of a person, the newest first. */
export async function activityOf(app: TestProject, { id }: { id: number }) {
  const headers = { prefer: "return=representation" };
  const { body } = await app.get(`/persons/${id}/activity/?limit=100`, { headers });
  return (body as Listed<{ activity: string; detail: { changes: object[] } }>).results;
}

/** A deletion as lists have it. */
export type Deletion = { id: number; status: string; counts: Record<string, number> | null };

const deletions = async (app: TestProject) =>
  ((await app.get("/persons/deletion_status/")).body as Listed<Deletion>).results;

/** Returns the deletion that was requested last. */
export const newest = async (app: TestProject) => (await deletions(app))[0];

/** Returns the statuses of the deletions, the newest first. */
export const statuses = async (app: TestProject) =>
  (await deletions(app)).map(({ status }) => status);

/** Returns the names of the files of the event store, sorted. */
export const files = ({ directory }: TestProject) =>
  readdirSync(join(directory, "events")).toSorted();

/** A submitted event with this name and distinct id. */
export const named = (name: string, distinct_id: string, fields: object = {}) =>
  event({ event: name, distinct_id, ...fields });

let tokens = 0;

/** A text that is nowhere else. */
export function token(): string {
  tokens += 1;
  return `planted-${tokens}-${crypto.randomUUID()}`;
}

/** Stores events of many persons. */
export async function fill(app: TestProject, count: number): Promise<void> {
  for (let from = 0; from < count; from += 8192) {
    const events = Array.from({ length: Math.min(8192, count - from) }, (_, at) =>
      named("filled", `user-${(from + at) % 997}`, { properties: { at: from + at } }),
    );
    await app.ask("POST", "/batch/", { body: batch(...events), key: null });
  }
  await app.app.ingest.caughtUp();
}
