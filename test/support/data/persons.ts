import { expect } from "bun:test";
import type { ProjectionChanges } from "../../../src/core/ports/persons/projection.ts";
import type {
  ExactFilter,
  PersonReads,
  PersonRow,
  PositionsQuery,
} from "../../../src/core/ports/persons/reads.ts";
import type {
  NewPerson,
  PersonChange,
  PersonWrites,
} from "../../../src/core/ports/persons/writes.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import type { Server } from "../start/server.ts";

/** The changes of persons by a batch of events that changes none. */
export const NO_CHANGES = {
  kind: "batch" as const,
  created: [],
  changed: [],
  merged: [],
  ids: [],
  overrides: [],
  groups: { types: [], rows: [] },
};

/** Applies a change that is made to change persons, and returns the change for the projection. */
export async function applied(
  writes: Pick<PersonWrites, "apply">,
  change: PersonChange,
): Promise<ProjectionChanges> {
  const { projection } = await writes.apply(change);
  if (projection === null) throw new Error("no person is changed");
  return projection;
}

/** A person to be stored, with its distinct ids. */
export type TestPerson = NewPerson & { distinct_ids: string[] };

/** Makes a person with this distinct id. */
export const testPerson = (distinct_id: string, fields: Partial<TestPerson> = {}): TestPerson => ({
  project_id: 1,
  uuid: Bun.randomUUIDv7(),
  properties: {},
  created_at: "2026-11-21T12:00:00.000000Z",
  is_identified: false,
  distinct_ids: [distinct_id],
  ...fields,
});

/** The change of a stored person to these properties. */
export const changeOf = (id: number, made: NewPerson, properties: JsonObject) => ({
  ...withoutIds(made),
  id,
  properties,
});

/** A person as changes have it. */
export const withoutIds = ({
  project_id,
  uuid,
  properties,
  created_at,
  is_identified,
}: NewPerson) => {
  return { project_id, uuid, properties, created_at, is_identified };
};

/** Stores new persons with their distinct ids, and returns their integer ids. */
export async function storePersons(
  store: Pick<PersonWrites, "apply">,
  applied_seq: number,
  ...made: TestPerson[]
): Promise<number[]> {
  const ids = made.map(({ project_id, uuid, distinct_ids }) => ({
    project_id,
    uuid,
    entries: distinct_ids.map((distinct_id) => ({ distinct_id, initial_uuid: uuid })),
    main: null,
  }));
  const { persons } = await applied(store, {
    ...NO_CHANGES,
    created: made.map(withoutIds),
    ids,
    applied_seq,
  });
  return persons.map(({ id }) => id);
}

/** Reads a part of a list of persons, with the number of all that match. */
export async function listPersons(
  reads: Pick<PersonReads, "positions" | "read">,
  project: number,
  filter: ExactFilter,
  query: PositionsQuery,
): Promise<{ count: number | undefined; rows: PersonRow[] }> {
  const { count, positions = [] } = (await reads.positions(project, filter, query)) ?? {};
  const ids = positions.map(({ id }) => id);
  return { count, rows: (await reads.read(project, ids)).rows };
}

/** A person as the API shows it. */
export type Person = {
  uuid: string;
  name: string;
  distinct_ids: string[];
  properties: Record<string, unknown>;
};

/** The persons that have the distinct id: one or none. */
export async function personsOf(server: Server, distinctId: string): Promise<Person[]> {
  const query = `distinct_id=${encodeURIComponent(distinctId)}`;
  return (await server.get<{ results: Person[] }>(`/persons/?${query}`)).results;
}

/** Checks that the distinct ids, and no others, are one person, who owns the events of all. */
export async function expectOnePerson(server: Server, distinctIds: string[]): Promise<Person> {
  const found = await Promise.all(distinctIds.map((id) => personsOf(server, id)));
  const [person] = found.flat();
  if (person === undefined) throw new Error(`no person has any of ${distinctIds.join(", ")}`);
  expect(found).toEqual(distinctIds.map(() => [person]));
  expect(person.distinct_ids.toSorted()).toEqual(distinctIds.toSorted());

  const sent = await Promise.all(
    distinctIds.map((id) => server.events(`&distinct_id=${encodeURIComponent(id)}`)),
  );
  const owned = await server.events(`&person_id=${person.uuid}`);
  const uuids = (events: { uuid: string }[]) => events.map(({ uuid }) => uuid).sort();
  expect(uuids(owned)).toEqual(uuids(sent.flat()));
  return person;
}
