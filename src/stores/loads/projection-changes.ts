import type {
  ProjectedGroup,
  ProjectedOverride,
  ProjectedPerson,
  ProjectionChanges,
} from "../../core/ports/persons/projection.ts";

/** Joins two changes, so that a person who changes in several batches is written once. */
export function joinChanges(
  before: ProjectionChanges,
  after: ProjectionChanges,
): ProjectionChanges {
  return {
    version: after.version,
    persons: joinPersons(before.persons, after),
    gone: [...before.gone, ...after.gone],
    ...(before.deleted || after.deleted ? { deleted: true as const } : {}),
    overrides: joinOverrides(before.overrides, after.overrides),
    groups: [...byKey([...before.groups, ...after.groups], groupKey).values()],
    owned: [...before.owned, ...after.owned],
  };
}

function joinPersons(
  before: ProjectedPerson[],
  { persons, gone, owned }: ProjectionChanges,
): ProjectedPerson[] {
  const joined = byKey(owned.length === 0 ? before : withoutIds(before, persons), ({ id }) => id);
  for (const id of gone) joined.delete(id);
  for (const person of persons) {
    const earlier = joined.get(person.id);
    joined.set(person.id, earlier === undefined ? person : joinPerson(earlier, person));
  }
  return [...joined.values()];
}

/** Removes distinct ids that a split has moved from the persons who had them. */
function withoutIds(
  before: ProjectedPerson[],
  after: readonly ProjectedPerson[],
): ProjectedPerson[] {
  const moved = new Set(after.flatMap((person) => person.moved.map((id) => idKey(person, id))));
  return before.map((person) => {
    const distinct_ids = person.distinct_ids.filter((id) => !moved.has(idKey(person, id)));
    return { ...person, distinct_ids };
  });
}

const idKey = ({ project_id }: ProjectedPerson, id: string) => `${project_id} ${id}`;

function joinPerson(before: ProjectedPerson, after: ProjectedPerson): ProjectedPerson {
  return {
    ...after,
    known: before.known,
    distinct_ids: [...before.distinct_ids, ...after.distinct_ids],
    moved: [...before.moved, ...after.moved],
  };
}

/** Joins overrides, so that one from A to B and one from B to C become one from A to C. */
function joinOverrides(
  before: ProjectedOverride[],
  after: ProjectedOverride[],
): ProjectedOverride[] {
  if (before.length === 0 || after.length === 0) return [...before, ...after];
  const moved = byKey(after, ({ project_id, old_person_id }) => `${project_id} ${old_person_id}`);
  const redirected = before.map((override) => {
    const { project_id, person_id } = override;
    const next = moved.get(`${project_id} ${person_id}`);
    return next === undefined ? override : { ...override, person_id: next.person_id };
  });
  const joined = byKey(
    [...redirected, ...after],
    ({ project_id, old_person_id }) => `${project_id} ${old_person_id}`,
  );
  return [...joined.values()];
}

const groupKey = ({ project_id, type_index, key }: ProjectedGroup) =>
  `${project_id} ${type_index} ${key}`;

/** Returns the last row of each key, in the order of their first rows. */
function byKey<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row> {
  return new Map(rows.map((row) => [keyOf(row), row]));
}
