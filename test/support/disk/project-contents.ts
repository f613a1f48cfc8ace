import { expect } from "bun:test";
import { join } from "node:path";
import { type Person, personUuid } from "../../../src/core/identity/person.ts";
import { isObject, type JsonObject } from "../../../src/core/values/json.ts";
import { isoTime } from "../../../src/core/values/time.ts";
import { wholeOf } from "../../../src/stores/duckdb/lists/omitted-properties.ts";
import { bodyOf, eventOf, type Sent } from "../data/senders.ts";
import type { Server, StoredEvent } from "../start/server.ts";

/** All that project 1 holds, as the API shows it. */
export type Everything = {
  /** Newest first. */
  events: StoredEvent[];
  /** By uuid, in order of their uuids. */
  persons: Person[];
};

/** A person as queries over events see it, in the event store. */
export type ProjectedPerson = Pick<Person, "id" | "uuid" | "properties" | "distinct_ids">;

/** The event by which it is known that those before it are stored; it makes no person. */
const MARKER = "settled";

type PageOf<T> = { count: number; next: string | null; results: T[] };

/** Reads all events and persons, and that the lists count what they hold. */
export async function everything(server: Server): Promise<Everything> {
  const { count } = await server.get<PageOf<StoredEvent>>("/events/?limit=1");
  const events: StoredEvent[] = [];
  for (let before = ""; ; before = `&before=${events.at(-1)?.timestamp}`) {
    const page = await server.get<PageOf<StoredEvent>>(`/events/?limit=1000${before}`);
    events.push(...page.results);
    if (page.next === null) break;
  }
  // An event that is stored twice has two rows of one time: a walk may pass over one of them.
  expect(events.length).toBe(count);

  const persons: Person[] = [];
  for (;;) {
    const page = await server.get<PageOf<Person>>(`/persons/?limit=1000&offset=${persons.length}`);
    persons.push(...page.results);
    if (page.results.length === 0 || persons.length >= page.count) {
      expect(persons.length).toBe(page.count);
      break;
    }
  }
  persons.sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
  return { events, persons };
}

/** An event that {@link expectKept} passes over. */
export function markerAt(timestamp: number): Sent {
  const properties = { $process_person_profile: false };
  return eventOf({ event: MARKER, distinct_id: MARKER, timestamp, properties });
}

/** Waits until everything that was accepted so far is queryable. */
export async function settled(server: Server): Promise<void> {
  const marker = markerAt(Date.now() - 3_600_000);
  const answer = await server.capture(bodyOf([marker]));
  expect(answer.status).toBe(200);
  // Events are stored in the order in which they were accepted.
  await server.stored(1, `&uuid=${marker.uuid}`);
}

/**
 * Checks that acknowledged events are stored once, others at most once, all as they were sent;
 * and that persons are what exactly the stored events make of them, each applied once, in order.
 */
export async function expectKept(server: Server, sent: readonly Sent[]): Promise<Everything> {
  await settled(server);
  const { events, persons } = await everything(server);

  const stored = new Map(events.map((event) => [event.uuid, event]));
  expect(repeated(events.map(({ uuid }) => uuid))).toEqual([]);
  const lost = sent.filter(({ acknowledged, uuid }) => acknowledged && !stored.has(uuid));
  expect(lost.map(brief)).toEqual([]);
  const known = new Set(sent.map(({ uuid }) => uuid));
  const strange = events.filter(({ uuid, event }) => event !== MARKER && !known.has(uuid));
  expect(strange).toEqual([]);

  const kept = sent.filter(({ uuid }) => stored.has(uuid));
  expect(differences(kept.map(eventShown), (event) => stored.get(event.uuid))).toEqual([]);
  const made = personsOf(kept);
  const found = new Map(persons.map(({ id: _, name: __, ...person }) => [person.uuid, person]));
  expect(repeated(persons.map(({ id }) => String(id)))).toEqual([]);
  expect(persons.filter(({ uuid }) => !made.has(uuid))).toEqual([]);
  expect(differences([...made.values()], ({ uuid }) => found.get(uuid))).toEqual([]);
  await expectCounted(server, events);
  return { events, persons };
}

/** Checks that the definitions of properties count these events, which are all of the project. */
async function expectCounted(server: Server, events: readonly StoredEvent[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const name of events.flatMap(({ properties }) => Object.keys(properties))) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const path = "/property_definitions/?limit=1000";
  const { count, results } = await server.get<PageOf<{ name: string; count: number }>>(path);
  expect(count).toBe(counts.size);
  expect(results.filter((one) => one.count !== counts.get(one.name))).toEqual([]);
}

/** The persons that these events make, by uuid. */
function personsOf(kept: readonly Sent[]): Map<string, PersonMade> {
  const persons = new Map<string, PersonMade>();
  for (const event of kept) {
    const { distinct_id, timestamp, properties } = event;
    if (properties["$process_person_profile"] === false) continue;
    const uuid = personUuid(1, distinct_id);
    const created_at = isoTime(timestamp);
    const person = persons.get(uuid) ?? {
      uuid,
      distinct_ids: [distinct_id],
      created_at,
      properties: {},
    };
    persons.set(uuid, person);
    apply(person.properties, properties);
  }
  return persons;
}

type PersonMade = Omit<Person, "id" | "name">;

/** `$set_once`, then `$set`, then `$unset` (contract 6). */
function apply(person: JsonObject, { $set, $set_once, $unset }: JsonObject): void {
  if (isObject($set_once)) Object.assign(person, { ...$set_once, ...person });
  if (isObject($set)) Object.assign(person, $set);
  if (Array.isArray($unset)) for (const key of $unset) delete person[String(key)];
}

function eventShown({ uuid, event, distinct_id, timestamp, properties }: Sent): StoredEvent {
  const person_id = personUuid(1, distinct_id);
  return { uuid, event, distinct_id, person_id, timestamp: isoTime(timestamp), properties };
}

/** Compares one by one: a diff of thousands of rows is too long to read. */
function differences<T>(expected: readonly T[], find: (one: T) => T | undefined) {
  return expected
    .map((one) => ({ expected: one, found: find(one) }))
    .filter(({ expected: one, found }) => !Bun.deepEquals(one, found))
    .slice(0, 5);
}

function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(value).size);
}

function brief({ uuid, event, distinct_id, properties }: Sent) {
  return { uuid, event, distinct_id, n: properties["n"] };
}

/** The persons in the event store of a server that has stopped, by uuid. */
export async function projected(data: string): Promise<ProjectedPerson[]> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const file = join(data, "events", "1.duckdb");
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  try {
    const persons = await connection.runAndReadAll(
      `SELECT id::INTEGER AS id, uuid::VARCHAR AS uuid,
         ${wholeOf("person")}::VARCHAR AS properties
       FROM persons WHERE project_id > 0 ORDER BY uuid`,
    );
    const ids = await connection.runAndReadAll(
      "SELECT distinct_id, person_id::VARCHAR AS person_id FROM person_distinct_ids",
    );
    const idsOf = Map.groupBy(ids.getRowObjects(), (row) => row["person_id"]);
    return persons.getRowObjectsJson().map(({ id, uuid, properties }) => ({
      id: Number(id),
      uuid: String(uuid),
      properties: JSON.parse(String(properties)),
      distinct_ids: (idsOf.get(String(uuid)) ?? []).map((row) => String(row["distinct_id"])),
    }));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Checks that the event store's copy of persons is what the API showed. */
export async function expectProjected(data: string, { persons }: Everything): Promise<void> {
  const projection = await projected(data);
  const found = new Map(projection.map((person) => [person.uuid, person]));
  expect(repeated(projection.map(({ uuid }) => uuid))).toEqual([]);
  expect(projection.length).toBe(persons.length);
  const expected = persons.map(({ id, uuid, properties, distinct_ids }) => {
    return { id, uuid, properties, distinct_ids };
  });
  expect(differences(expected, ({ uuid }) => found.get(uuid))).toEqual([]);
}
