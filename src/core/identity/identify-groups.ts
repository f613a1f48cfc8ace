import type { GroupChanges, GroupKey, GroupRow } from "../ports/groups.ts";
import type { PersonWrites } from "../ports/person-writes.ts";
import { type JsonObject, sameJson, storableJson } from "../values/json.ts";
import type { EffectReason } from "../warnings/warning.ts";
import {
  type EventGroups,
  GROUP_BYTES_MAX,
  GROUP_KEY_CHARS_MAX,
  GROUP_TYPES_MAX,
  groupsOf,
} from "./group.ts";
import type { ProjectEvent, Refused } from "./identify.ts";
import { CHANGED_CHARS_MAX } from "./person.ts";

/** Group keys of an event by the index of their type. */
export type GroupKeys = Record<number, string>;

/** The changes of groups by the first events of a list. */
export type Grouped<E extends ProjectEvent = ProjectEvent> = {
  /** The number of these events: as many as change groups that fit into memory together. */
  taken: number;
  /** The keys of each event; undefined for an event without groups. */
  keys: (GroupKeys | undefined)[];
  changes: GroupChanges;
  refused: Refused<E>[];
};

/** Decides which groups the events make and change, in the order of the events. Nothing is stored. */
export async function group<E extends ProjectEvent>(
  events: readonly E[],
  store: Pick<PersonWrites, "groupTypes" | "group">,
): Promise<Grouped<E>> {
  const groups = events.map(({ event }) => groupsOf(event));
  const refused: Refused<E>[] = [];
  const types = await typesOf(events, groups, store);
  const rows = new Map<string, GroupRow>();
  const keys: Grouped["keys"] = [];
  let bytes = 0;
  for (const [index, of] of events.entries()) {
    const its = groups[index];
    const reported = new Set<EffectReason>();
    // Once for each reason, even if several groups of the event have it.
    const refuse = (type: EffectReason) => {
      if (!reported.has(type)) refused.push({ type, of });
      reported.add(type);
    };
    if (its?.isFaulty) refuse("ignored_invalid_group");
    if (its?.setsPerson) refuse("set_on_groupidentify");
    keys.push(its && keysOf(its, (type) => types.indexOf(of.project_id, type), refuse));
    if (its?.identified === undefined) continue;
    bytes += await describe(of, its.identified, { types, rows, store, refuse });
    if (bytes >= CHANGED_CHARS_MAX) break;
  }
  const changes = { types: types.added, rows: [...rows.values()] };
  return { taken: keys.length, keys, changes, refused };
}

type Types = Awaited<ReturnType<typeof typesOf>>;

/** The group types of the projects in a batch. A new type gets the next index, up to GROUP_TYPES_MAX. */
async function typesOf(
  events: readonly ProjectEvent[],
  groups: readonly (EventGroups | undefined)[],
  store: Pick<PersonWrites, "groupTypes">,
) {
  const known = new Map<number, Map<string, number>>();
  const projects = new Set(
    events.flatMap(({ project_id }, index) => (groups[index] ? project_id : [])),
  );
  for (const project of projects) {
    const types = await store.groupTypes(project);
    known.set(
      project,
      new Map(types.map(({ group_type, group_type_index }) => [group_type, group_type_index])),
    );
  }
  const added: GroupChanges["types"] = [];
  return {
    added,
    indexOf(project_id: number, name: string): number | undefined {
      const types = known.get(project_id);
      const index = types?.get(name);
      if (types === undefined || index !== undefined) return index;
      if (types.size >= GROUP_TYPES_MAX) return undefined;
      added.push({ project_id, type_index: types.size, name });
      types.set(name, types.size);
      return types.size - 1;
    },
  };
}

function keysOf(
  { keys }: EventGroups,
  indexOf: (type: string) => number | undefined,
  refuse: (type: EffectReason) => void,
): GroupKeys | undefined {
  const found: GroupKeys = {};
  for (const [type, key] of keys) {
    const index = key.length > GROUP_KEY_CHARS_MAX ? undefined : indexOf(type);
    if (index !== undefined) found[index] = key;
    else refuse(key.length > GROUP_KEY_CHARS_MAX ? "group_key_too_long" : "too_many_group_types");
  }
  return keys.length === 0 ? undefined : found;
}

type Batch = {
  types: Types;
  rows: Map<string, GroupRow>;
  store: Pick<PersonWrites, "group">;
  refuse: (type: EffectReason) => void;
};

/**
 * Merges the properties of a `$groupidentify` into its group, or makes the group. Returns the UTF-8 bytes of
 * a group that is new among `rows`. The bytes of the events bound how it grows after that.
 */
async function describe(
  { project_id, event }: ProjectEvent,
  { type, key, set }: NonNullable<EventGroups["identified"]>,
  { types, rows, store, refuse }: Batch,
): Promise<number> {
  if (key.length > GROUP_KEY_CHARS_MAX) {
    refuse("group_key_too_long");
    return 0;
  }
  const type_index = types.indexOf(project_id, type);
  if (type_index === undefined) {
    refuse("too_many_group_types");
    return 0;
  }
  const place: GroupKey = { project_id, type_index, key };
  const name = `${project_id} ${type_index} ${key}`;
  const known = rows.get(name);
  const before = known ?? (await store.group(place));
  const properties: JsonObject = { ...before?.properties, ...set };
  if (before !== undefined && sameJson(before.properties, properties)) return 0;
  const bytes = Buffer.byteLength(storableJson(properties));
  if (bytes > GROUP_BYTES_MAX) {
    refuse("group_properties_size_violation");
    return 0;
  }
  rows.set(name, { ...place, properties, created_at: before?.created_at ?? event.timestamp });
  return known === undefined ? bytes : 0;
}
