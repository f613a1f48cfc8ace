import type { Change } from "../../../core/identity/activity.ts";
import { applyUpdate, personUuid } from "../../../core/identity/person.ts";
import { PERSON_BYTES_MAX, PROPERTIES_MAX } from "../../../core/identity/property-limits.ts";
import { type Part, split } from "../../../core/identity/split.ts";
import type { KeptMerge, Whole } from "../../../core/identity/undo-merge.ts";
import type { RemoveChange, SetChange, SplitChange } from "../../../core/ports/persons/writes.ts";
import { Failure } from "../../../core/values/failure.ts";
import { type JsonObject, sameJson, setKey, storableJson } from "../../../core/values/json.ts";
import type { activityWrites } from "../activity.ts";
import type { DeletionOf, deletionWrites } from "../deletions.ts";
import type { ChangeWriter, WrittenPerson } from "./change-writer.ts";
import { keptMerge } from "./merges.ts";
import type { PersonStatements, StoredPerson } from "./statements.ts";

/** The tables that changes by users write. */
export type UserTables = {
  statements: PersonStatements;
  activity: ReturnType<typeof activityWrites>;
  deletions: ReturnType<typeof deletionWrites>;
  /** Begins a change with the next version. */
  begin: () => ChangeWriter;
};

/** Changes a person's properties; undefined if that changes nothing. Fails `too_long`. */
export function applySet(
  person: StoredPerson,
  { update, activity: name, by }: SetChange,
  { statements, activity, begin }: UserTables,
) {
  const { project_id, uuid } = person;
  statements.keepKeys.run({ project_id, uuid, keys: JSON.stringify(Object.keys(update.set)) });
  const before: JsonObject = JSON.parse(person.properties);
  const after: JsonObject = JSON.parse(person.properties);
  if (!applyUpdate(after, update)) return undefined;
  if (Buffer.byteLength(storableJson(after)) > PERSON_BYTES_MAX) {
    const detail = `A person's properties have at most ${PERSON_BYTES_MAX} bytes as JSON.`;
    throw new Failure("too_long", detail, "properties");
  }
  const count = Object.keys(after).length;
  if (count > PROPERTIES_MAX && count > Object.keys(before).length) {
    const detail = `A person has at most ${PROPERTIES_MAX} properties.`;
    throw new Failure("too_long", detail, "properties");
  }
  const writer = begin();
  writer.update({ ...identified(person), properties: after });
  activity.add(name, person, by, { changes: [changeOf(before, after)] });
  return writer.end();
}

/** Undoes merges of a person. Fails as `split` in core. */
export function applySplit(
  person: StoredPerson,
  { query, by }: SplitChange,
  { statements, activity, begin }: UserTables,
) {
  const ids = statements.idsOf.all(person.id);
  const whole: Whole = { ...identified(person), properties: JSON.parse(person.properties), ids };
  const merges = statements.mergesInto.all(person).map(keptMerge);
  const { parts, rest, undone, changed } = split(whole, merges, query);
  const writer = begin();
  writer.update({ ...whole, ...rest, id: person.id });
  const { project_id } = person;
  const restored = parts.map((part) => restore(writer, { ...part, project_id }, statements));
  for (const merge of undone) statements.deleteMerge.run(merge);
  for (const merge of changed) statements.changeMerge.run(mergeRow(merge));
  const left = new Set(restored.flatMap(({ moved }) => moved));
  const before = ids.map(({ distinct_id }) => distinct_id);
  const after = before.filter((id) => !left.has(id));
  activity.add("split_person", person, by, { changes: [{ field: "distinct_ids", before, after }] });
  for (const part of restored) activity.add("split_from", part, by, {});
  return writer.end();
}

/** Writes a person that leaves another, and gives it its distinct ids with all of their events. */
function restore(
  writer: ChangeWriter,
  part: Part & { project_id: number },
  { noteMove, forgetGone, moveId }: PersonStatements,
): WrittenPerson {
  const { project_id, uuid, created_at, listed_at, distinct_ids } = part;
  const person = writer.insert(part);
  const { id, moved } = person;
  // The projection may still have it, from before the merge.
  person.known = true;
  forgetGone.run(id);
  // A client that began to page through the list before the merge finds the person at its old position.
  if (listed_at !== created_at) {
    noteMove.run({ version: writer.version, project_id, id, created_at: listed_at });
  }
  const overridden = new Set([uuid]);
  for (const [position, distinct_id] of distinct_ids.entries()) {
    moveId.run(project_id, distinct_id, id, position, uuid, uuid);
    writer.own(project_id, distinct_id, uuid);
    moved.push(distinct_id);
    overridden.add(personUuid(project_id, distinct_id));
  }
  for (const other of overridden) writer.override(other, person);
  return person;
}

/** Deletes persons. Of persons that were merged into them, no data stays. */
export function applyRemove(
  persons: readonly StoredPerson[],
  { events, by }: RemoveChange,
  { statements, activity, deletions, begin }: UserTables,
) {
  const writer = begin();
  for (const person of persons) {
    const { id, project_id, uuid } = person;
    const of = eventsOf(person, statements);
    if (events !== undefined) deletions.queue(of, events);
    for (const earlier of of.uuids) activity.shrink(project_id, earlier, of.distinct_ids);
    activity.add("deleted", person, by, {
      changes: [{ field: "delete_events", before: null, after: events !== undefined }],
    });
    // Moves are deleted first, because the merges show which of them belong to the person.
    statements.forgetMoves.run({ project_id, uuid, id });
    statements.deleteMergesInto.run({ project_id, uuid });
    writer.remove(person);
    for (const distinct_id of of.distinct_ids) {
      // Events of a distinct id that came from another person go to the person that the id would make.
      const own = personUuid(project_id, distinct_id);
      if (own !== uuid) writer.own(project_id, distinct_id, own);
    }
  }
  return writer.end({ deleted: true });
}

/** The events of a person, for their deletion. */
export function eventsOf(
  { project_id, id, uuid, email }: StoredPerson,
  { idsOf, overriddenBy }: PersonStatements,
): DeletionOf {
  const earlier = overriddenBy.all(id).map(({ overridden_uuid }) => overridden_uuid);
  const distinct_ids = idsOf.all(id).map(({ distinct_id }) => distinct_id);
  const uuids = [uuid, ...earlier];
  return { project_id, person_id: id, person_uuid: uuid, uuids, distinct_ids, email };
}

const identified = (person: StoredPerson) => ({
  ...person,
  is_identified: person.is_identified === 1,
});

const mergeRow = (merge: KeptMerge) => ({
  ...merge,
  gained: JSON.stringify(merge.gained),
  source_properties: storableJson(merge.source_properties),
  source_is_identified: merge.source_is_identified ? 1 : 0,
  target_is_identified: merge.target_is_identified ? 1 : 0,
});

/** The properties that differ, before and after. */
function changeOf(before: JsonObject, after: JsonObject): Change {
  const only = (here: JsonObject, there: JsonObject) => {
    const differing: JsonObject = {};
    for (const [key, value] of Object.entries(here)) {
      const other = Object.hasOwn(there, key) ? there[key] : undefined;
      if (other === undefined || !sameJson(value, other)) setKey(differing, key, value);
    }
    return differing;
  };
  return { field: "properties", before: only(before, after), after: only(after, before) };
}
