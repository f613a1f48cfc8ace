import type { ProjectionChanges } from "../../../core/ports/persons/projection.ts";
import type {
  BatchChange,
  IdsOfPerson,
  Merged,
  PersonChange,
  UserChange,
} from "../../../core/ports/persons/writes.ts";
import { activityWrites } from "../activity.ts";
import { deletionWrites } from "../deletions.ts";
import type { groupWrites } from "../groups.ts";
import type { Sqlite } from "../sqlite.ts";
import { warningWrites } from "../warnings.ts";
import { type ChangeWriter, changeWriter, type WrittenPerson } from "./change-writer.ts";
import type { PersonStatements, StoredPerson } from "./statements.ts";
import { applyRemove, applySet, applySplit } from "./user-changes.ts";

type ActivityWrites = ReturnType<typeof activityWrites>;

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
      version.advance(change);
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

/** Applies the changes of persons that a batch of events makes. */
function applyBatch(
  writer: ChangeWriter,
  { created, changed, ids, overrides, merged }: BatchChange,
  { statements, activity }: { statements: PersonStatements; activity: ActivityWrites },
): void {
  const written = new Map(
    [...created.map(writer.insert), ...changed.map(writer.update)].map((row) => [keyOf(row), row]),
  );
  const personOf = (of: { project_id: number; uuid: string }): WrittenPerson => {
    const person = written.get(keyOf(of));
    if (person === undefined) throw new Error(`The batch does not have the person ${of.uuid}`);
    return person;
  };
  for (const some of ids) place(some, personOf(some), statements);
  const targets = new Map<string, number>();
  for (const override of overrides) {
    const person = personOf(override);
    writer.override(override.overridden_uuid, person);
    targets.set(keyOf({ ...override, uuid: override.overridden_uuid }), person.id);
  }
  const sources = new Map(
    merged.map((merge) => [keyOf({ ...merge, uuid: merge.source_uuid }), merge.source_id]),
  );
  for (const merge of merged) {
    const { project_id, source_id: id } = merge;
    const target = targets.get(keyOf({ project_id, uuid: merge.source_uuid })) ?? 0;
    // The target of this merge may be the source of a later one.
    const into = sources.get(keyOf({ project_id, uuid: merge.target_uuid })) ?? target;
    statements.insertMerge.run(mergeRow(merge));
    activity.merged(merge, into);
    if (id === null) continue;
    statements.moveOverrides.run(target, writer.version, id);
    writer.remove({ project_id, id });
  }
}

const keyOf = ({ project_id, uuid }: { project_id: number; uuid: string }) =>
  `${project_id} ${uuid}`;

const mergeRow = ({ gained, at: _, ...merge }: Merged) => ({
  ...merge,
  gained: JSON.stringify(gained),
  source_is_identified: merge.source_is_identified ? 1 : 0,
  target_is_identified: merge.target_is_identified ? 1 : 0,
});

/** Writes the new and moved distinct ids of a person, in the order of its list. */
function place(
  { project_id, uuid, entries, main }: IdsOfPerson,
  { id, added, moved }: WrittenPerson,
  { idsOf, insertId, moveId, makeMain }: PersonStatements,
): void {
  let next = 0;
  for (const entry of entries) {
    if ("distinct_id" in entry) {
      const { distinct_id, initial_uuid: initial } = entry;
      insertId.run(project_id, distinct_id, id, next, initial === uuid ? null : initial);
      added.push(distinct_id);
      next += 1;
      continue;
    }
    const stored = idsOf.all(entry.person_id);
    if (entry.person_id === id) {
      // The person's own ids come first and stay where they are.
      next = (stored.at(-1)?.position ?? -1) + 1;
      continue;
    }
    for (const { distinct_id } of stored) {
      moveId.run(project_id, distinct_id, id, next, entry.uuid, uuid);
      moved.push(distinct_id);
      next += 1;
    }
  }
  if (main !== null) makeMain.run(id, project_id, main);
}

/** The position of the person store: the last applied sequence number of the journal, and its version. */
export function versions({ raw }: Sqlite) {
  const read = raw.query<{ value: string }, [string]>("SELECT value FROM meta WHERE key = ?1");
  const write = raw.query<null, [string, string]>(
    "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)",
  );
  const numberOf = (key: string) => Number(read.get(key)?.value ?? 0);
  return {
    applied: () => numberOf("applied_seq"),
    current: () => numberOf("version"),
    /** Notes that a batch is applied. Fails if it was applied before. */
    advance({ applied_seq: seq }: BatchChange): void {
      if (seq <= numberOf("applied_seq")) throw new Error(`Batch up to ${seq} was applied before`);
      write.run("applied_seq", String(seq));
    },
    next(): number {
      const version = numberOf("version") + 1;
      write.run("version", String(version));
      return version;
    },
    /** Notes a deletion: until the event store is rewritten, its file may have bytes of it (decision 60). */
    noteRemoved: (version: number): void => void write.run("removed_version", String(version)),
  };
}
