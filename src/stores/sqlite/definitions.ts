import { isDeepStrictEqual } from "node:util";
import { and, count, eq, getTableColumns, inArray, ne } from "drizzle-orm";
import { DESCRIBED_MAX, NO_NOTE } from "../../core/events/definition.ts";
import type {
  DefinitionNoteReads,
  DefinitionWrites,
  DescribedPlace,
} from "../../core/ports/definitions.ts";
import { Failure } from "../../core/values/failure.ts";
import { definitionNote } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

const { project_id, kind, name, ...note } = getTableColumns(definitionNote);

/** Reads the notes of projects on their names, on any connection. */
export function definitionNoteReads({ orm }: Sqlite): DefinitionNoteReads {
  return {
    async notes(project, wanted, names) {
      const rows = orm
        .select({ name, ...note })
        .from(definitionNote)
        .where(and(eq(project_id, project), eq(kind, wanted), inArray(name, [...names])))
        .all();
      return new Map(rows.map(({ name: its, ...found }) => [its, found]));
    },
    noted: async (project, wanted) =>
      orm
        .select({ name })
        .from(definitionNote)
        .where(and(eq(project_id, project), eq(kind, wanted)))
        .orderBy(name)
        .all()
        .map((row) => row.name),
    words: async (project) =>
      orm
        .select({ kind, name, also_called: note.also_called })
        .from(definitionNote)
        .where(and(eq(project_id, project), ne(note.also_called, [])))
        .orderBy(kind, name)
        .all(),
  };
}

/** Writes these notes, on the connection that writes. */
export function definitionWrites({ orm, transaction }: Sqlite): DefinitionWrites {
  const at = (place: DescribedPlace) =>
    and(eq(project_id, place.project), eq(kind, place.kind), eq(name, place.name));
  const checkRoom = (project: number) => {
    const described = eq(project_id, project);
    const found = orm.select({ count: count() }).from(definitionNote).where(described).get();
    if ((found?.count ?? 0) < DESCRIBED_MAX) return;
    throw new Failure("invalid_input", `A project describes at most ${DESCRIBED_MAX} names.`);
  };
  return {
    describe: async (place, change) =>
      transaction(() => {
        const stored = orm.select(note).from(definitionNote).where(at(place)).get();
        const changed = { ...NO_NOTE, ...stored, ...change };
        if (isDeepStrictEqual(changed, NO_NOTE)) {
          orm.delete(definitionNote).where(at(place)).run();
          return changed;
        }
        if (stored === undefined) checkRoom(place.project);
        orm
          .insert(definitionNote)
          .values({ project_id: place.project, kind: place.kind, name: place.name, ...changed })
          .onConflictDoUpdate({ target: [project_id, kind, name], set: changed })
          .run();
        return changed;
      }),
  };
}
