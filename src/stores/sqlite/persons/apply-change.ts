import type { PersonChange, UserChange } from "../../../core/ports/person-writes.ts";
import type { ProjectionChanges } from "../../../core/ports/projection.ts";
import { activityWrites } from "../activity.ts";
import { deletionWrites } from "../deletions.ts";
import type { groupWrites } from "../groups.ts";
import type { Sqlite } from "../sqlite.ts";
import { warningWrites } from "../warnings.ts";
import { applyBatch } from "./batch-change.ts";
import { changeWriter, type WrittenPerson } from "./change-writer.ts";
import type { PersonStatements, StoredPerson } from "./statements.ts";
import { applyRemove, applySet, applySplit } from "./user-changes.ts";
import type { versions } from "./versions.ts";

type Tables = {
  statements: PersonStatements;
  version: ReturnType<typeof versions>;
  groups: ReturnType<typeof groupWrites>;
};

/** The result of a change: the change for the projection, the persons written, and the persons that exist. */
type Applied = { projection: ProjectionChanges | null; persons: WrittenPerson[]; found: number };

/** Applies changes of persons, each in the caller's transaction. */
export function changeApplier(sqlite: Sqlite, { statements, version, groups }: Tables) {
  const activity = activityWrites(sqlite.raw);
  const deletions = deletionWrites(sqlite);
  const warn = warningWrites(sqlite);
  const begin = () => changeWriter(statements, version.next());
  const tables = { statements, activity, deletions, begin };

  const byUser = (persons: readonly StoredPerson[], first: StoredPerson, change: UserChange) => {
    if (change.kind === "set") return applySet(first, change, tables);
    if (change.kind === "split") return applySplit(first, change, tables);
    const removed = applyRemove(persons, change, tables);
    version.noteRemoved(removed.projection.version);
    return removed;
  };

  return (change: PersonChange): Applied => {
    if (change.kind === "batch") {
      version.advance(change.applied_seq);
      warn(change.warnings ?? []);
      const writer = begin();
      applyBatch(writer, change, { statements, activity });
      const done = writer.end({ groups: groups.apply(change.groups, writer.version) });
      return { ...done, found: done.persons.length };
    }
    const ids = change.kind === "remove" ? change.ids : [change.id];
    const persons = ids.flatMap((id) => statements.find.get(change.project_id, id) ?? []);
    const [first] = persons;
    const done = first && byUser(persons, first, change);
    return { ...(done ?? { projection: null, persons: [] }), found: persons.length };
  };
}
