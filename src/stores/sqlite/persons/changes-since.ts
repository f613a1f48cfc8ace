import type {
  ProjectedOverride,
  ProjectedOwned,
  ProjectedPerson,
} from "../../../core/ports/persons/projection.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { propertyTexts } from "../../loads/person-columns.ts";
import type { Sqlite } from "../sqlite.ts";

/** Reads all that changed after a version. It reads every person, so it is for the start after a crash. */
export function changesSince(raw: Sqlite["raw"]) {
  type Person = Pick<ProjectedPerson, "project_id" | "id" | "uuid" | "created_at"> & {
    properties: string;
    ids: string;
  };
  const persons = raw.query<Person, [number]>(
    `SELECT project_id, id, uuid, created_at, properties,
       (SELECT json_group_array(distinct_id) FROM distinct_id WHERE person_id = person.id) AS ids
     FROM person WHERE version > ?1`,
  );
  const gone = raw.query<{ id: number }, [number]>("SELECT id FROM person_gone WHERE version > ?1");
  const overrides = raw.query<ProjectedOverride, [number]>(
    `SELECT person_override.project_id, overridden_uuid AS old_person_id, person.uuid AS person_id
     FROM person_override JOIN person ON person.id = person_id
     WHERE person_override.version > ?1`,
  );
  const owned = raw.query<ProjectedOwned, []>(
    "SELECT project_id, distinct_id, uuid AS person_id FROM distinct_id_owned",
  );
  const projected = ({ ids, properties, ...person }: Person, isNew: boolean): ProjectedPerson => {
    const distinct_ids: string[] = JSON.parse(ids);
    const { columns } = propertyTexts(JSON.parse(properties) as JsonObject);
    // An empty projection has no persons that these could replace.
    return { ...person, columns, distinct_ids, known: !isNew, moved: isNew ? [] : distinct_ids };
  };
  return (version: number, last: number) => {
    if (version === last) return { persons: [], gone: [], overrides: [], owned: [] };
    return {
      persons: Iterator.from(persons.iterate(version)).map((row) => projected(row, version === 0)),
      gone: Iterator.from(gone.iterate(version)).map(({ id }) => id),
      overrides: overrides.iterate(version),
      owned: owned.iterate(),
    };
  };
}
