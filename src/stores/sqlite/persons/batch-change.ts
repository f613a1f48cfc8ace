import type { BatchChange, IdsOfPerson, Merged } from "../../../core/ports/person-writes.ts";
import type { activityWrites } from "../activity.ts";
import type { ChangeWriter, WrittenPerson } from "./change-writer.ts";
import type { PersonStatements } from "./statements.ts";

type Tables = {
  statements: PersonStatements;
  activity: ReturnType<typeof activityWrites>;
};

/** Applies the changes of persons that a batch of events makes. */
export function applyBatch(
  writer: ChangeWriter,
  { created, changed, ids, overrides, merged }: BatchChange,
  { statements, activity }: Tables,
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
