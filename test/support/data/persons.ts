import { expect } from "bun:test";
import type {
  ExactFilter,
  PersonReads,
  PersonRow,
  PositionsQuery,
} from "../../../src/core/ports/person-reads.ts";
import type { PersonChange, PersonWrites } from "../../../src/core/ports/person-writes.ts";
import type { ProjectionChanges } from "../../../src/core/ports/projection.ts";
import type { Server } from "../start/server.ts";

/** What a slice of events does to persons if it does nothing. */
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
  if (person === undefined) throw new Error(`nobody has any of ${distinctIds.join(", ")}`);
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
