import { autoPropertiesIn } from "../../../core/identity/auto-properties.ts";
import type {
  ProjectedOverride,
  ProjectedOwned,
  ProjectedPerson,
  ProjectionChanges,
} from "../../../core/ports/persons/projection.ts";
import type { NewPerson, PersonRef } from "../../../core/ports/persons/writes.ts";
import { addressIn, propertyTexts } from "../../loads/person-columns.ts";
import type { PersonStatements } from "./statements.ts";

/** A person that a change has written, with the distinct ids that it did not have before. */
export type WrittenPerson = PersonRef & {
  project_id: number;
  /** As in `ProjectedPerson`. */
  columns: string;
  known: boolean;
  added: string[];
  moved: string[];
};

/** Writes the rows of one change in the caller's transaction, and collects the change for the projection. */
export function changeWriter(statements: PersonStatements, version: number) {
  const persons: WrittenPerson[] = [];
  const gone: number[] = [];
  const overrides: ProjectedOverride[] = [];
  const owned: ProjectedOwned[] = [];
  const counts = new Map<number, number>();
  const count = (project: number, more: number) => {
    counts.set(project, (counts.get(project) ?? 0) + more);
  };
  const note = (
    {
      id,
      project_id,
      uuid,
      created_at,
      is_identified,
    }: Omit<NewPerson, "properties"> & { id: number },
    more: Pick<WrittenPerson, "auto_properties" | "columns" | "known">,
  ): WrittenPerson => {
    const ref = { id, project_id, uuid, created_at, is_identified };
    const written = { ...ref, ...more, added: [], moved: [] };
    persons.push(written);
    return written;
  };

  return {
    version,

    /** Inserts a person; it gets the next integer id if it does not have one. */
    insert(person: NewPerson & { id?: number | null }): WrittenPerson {
      const { id = null, project_id, uuid, properties, created_at, is_identified } = person;
      const { text, columns } = propertyTexts(properties);
      const auto_properties = autoPropertiesIn(properties);
      const { lastInsertRowid } = statements.insert.run(
        ...([id, project_id, uuid, text, created_at, is_identified ? 1 : 0] as const),
        ...([auto_properties, addressIn(properties), version] as const),
      );
      count(project_id, 1);
      return note(
        { ...person, id: Number(lastInsertRowid) },
        { auto_properties, columns, known: false },
      );
    },

    /** Replaces all of a person except its project and uuid. */
    update(person: NewPerson & { id: number }): WrittenPerson {
      const { id, created_at, properties, is_identified } = person;
      const { text, columns } = propertyTexts(properties);
      const auto_properties = autoPropertiesIn(properties);
      const stored = statements.update.get(
        text,
        is_identified ? 1 : 0,
        auto_properties,
        version,
        id,
      );
      if (stored !== null && stored.created_at !== created_at) {
        statements.setCreatedAt.run(created_at, id);
      }
      const email = addressIn(properties);
      if (stored !== null && stored.email !== email) statements.setEmail.run(email, id);
      return note(person, { auto_properties, columns, known: true });
    },

    /** Deletes a person that was merged or removed. */
    remove({ project_id, id }: { project_id: number; id: number }): void {
      statements.delete.run(id);
      statements.noteGone.run(id, version);
      count(project_id, -1);
      gone.push(id);
    },

    /** Gives the events that were stored with the person `overridden_uuid` to another person. */
    override(overridden_uuid: string, { project_id, id, uuid }: WrittenPerson): void {
      statements.override.run(project_id, overridden_uuid, id, version);
      overrides.push({ project_id, old_person_id: overridden_uuid, person_id: uuid });
    },

    /** Gives all stored events of a distinct id to the person with the uuid `person_id`. */
    own(project_id: number, distinct_id: string, person_id: string): void {
      statements.noteOwned.run({ project_id, distinct_id, person_id, version });
      owned.push({ project_id, distinct_id, person_id });
    },

    /** Ends the change, and returns it for the projection with the persons that were written. */
    end(more: Partial<ProjectionChanges> = {}) {
      for (const [project, persons] of counts) statements.count.run(persons, project);
      const projection: ProjectionChanges = {
        ...{ version, persons: persons.map(projected), gone, overrides, owned, groups: [] },
        ...more,
      };
      return { projection, persons };
    },
  };
}

/** Writes one change. */
export type ChangeWriter = ReturnType<typeof changeWriter>;

function projected(person: WrittenPerson): ProjectedPerson {
  const { project_id, id, uuid, created_at, columns, known, added, moved } = person;
  const ids = { distinct_ids: [...added, ...moved], moved };
  return { project_id, id, uuid, created_at, known, columns, ...ids };
}
