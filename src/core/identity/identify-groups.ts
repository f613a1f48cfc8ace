import type { GroupChanges, GroupKey, GroupRow } from "../ports/groups.ts";
import type { PersonWrites } from "../ports/person-writes.ts";
import { type JsonObject, sameJson, storableJson } from "../values/json.ts";
import type { EffectReason } from "../warnings/warning.ts";
import {
  GROUP_BYTES_MAX,
  GROUP_KEY_CHARS_MAX,
  GROUP_TYPES_MAX,
  type GroupsAsked,
  groupsAsked,
} from "./group.ts";
import type { ProjectEvent, Refused } from "./identify.ts";
import { CHANGED_CHARS_MAX } from "./person.ts";

/** Group keys of an event by the index of their type. */
export type GroupKeys = Record<number, string>;

/** What the first of some events do to groups. */
export type Grouped<E extends ProjectEvent = ProjectEvent> = {
  /** How many: as many as change groups that fit into memory together. */
  taken: number;
  /** The keys of each of them, by its place; undefined for those without. */
  keys: (GroupKeys | undefined)[];
  changes: GroupChanges;
  refused: Refused<E>[];
};

/** Decides what events do to groups, in their order, without storing anything. */
export async function group<E extends ProjectEvent>(
  events: readonly E[],
  store: Pick<PersonWrites, "groupTypes" | "group">,
): Promise<Grouped<E>> {
  const asked = events.map(({ event }) => groupsAsked(event));
  const refused: Refused<E>[] = [];
  const types = await typesOf(events, asked, store);
  const rows = new Map<string, GroupRow>();
  const keys: Grouped["keys"] = [];
  let bytes = 0;
  for (const [at, of] of events.entries()) {
    const groups = asked[at];
    const told = new Set<EffectReason>();
    // Once for an event, of however many groups it is.
    const refuse = (type: EffectReason) => {
      if (!told.has(type)) refused.push({ type, of });
      told.add(type);
    };
    if (groups?.isFaulty) refuse("ignored_invalid_group");
    if (groups?.setsPerson) refuse("set_on_groupidentify");
    keys.push(groups && keysOf(groups, (type) => types.indexOf(of.project_id, type), refuse));
    if (groups?.identified === undefined) continue;
    bytes += await describe(of, groups.identified, { types, rows, store, refuse });
    if (bytes >= CHANGED_CHARS_MAX) break;
  }
  const changes = { types: types.added, rows: [...rows.values()] };
  return { taken: keys.length, keys, changes, refused };
}

type Types = Awaited<ReturnType<typeof typesOf>>;

/** The types of the projects in a slice; an unknown one gets the next index, while there is one. */
async function typesOf(
  events: readonly ProjectEvent[],
  asked: readonly (GroupsAsked | undefined)[],
  store: Pick<PersonWrites, "groupTypes">,
) {
  const known = new Map<number, Map<string, number>>();
  const projects = new Set(events.flatMap(({ project_id }, at) => (asked[at] ? project_id : [])));
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
  { keys }: GroupsAsked,
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

type Slice = {
  types: Types;
  rows: Map<string, GroupRow>;
  store: Pick<PersonWrites, "group">;
  refuse: (type: EffectReason) => void;
};

/**
 * Merges what `$groupidentify` sets into its group, which is made if it is absent. Returns the UTF-8
 * bytes of a group that was not among the rows; how it grows is bounded by the events.
 */
async function describe(
  { project_id, event }: ProjectEvent,
  { type, key, set }: NonNullable<GroupsAsked["identified"]>,
  { types, rows, store, refuse }: Slice,
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
