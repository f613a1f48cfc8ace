import type { CapturedEvent } from "../events/event.ts";
import type { GroupChanges, GroupKey, GroupRow } from "../ports/persons/groups.ts";
import type { PersonWrites } from "../ports/persons/writes.ts";
import { isObject, isObjectOrEmpty, type Json, type JsonObject } from "../values/json.ts";
import type { EffectReason } from "../warnings/warning.ts";
import type { ProjectEvent, Refused } from "./identify.ts";
import { applyUpdate, CHANGED_CHARS_MAX, isPersonless } from "./person.ts";
import { changeWithin, GROUP_BYTES_MAX, type SizedProperties } from "./property-limits.ts";

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
  const rows = new Map<string, PendingGroup>();
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
    if (its?.setsOther) refuse("set_on_groupidentify");
    keys.push(its && keysOf(its, (type) => types.indexOf(of.project_id, type), refuse));
    if (its?.identified === undefined) continue;
    bytes += await describe(of, its.identified, { types, rows, store, refuse });
    if (bytes >= CHANGED_CHARS_MAX) break;
  }
  const changed = [...rows.values()].filter(({ isChanged }) => isChanged);
  const changes = { types: types.added, rows: changed.map(rowOf) };
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
  rows: Map<string, PendingGroup>;
  store: Pick<PersonWrites, "group">;
  refuse: (type: EffectReason) => void;
};

/** A group during a batch, before its changes are stored. */
type PendingGroup = GroupRow & SizedProperties & { isStored: boolean; isChanged: boolean };

/**
 * Merges the properties of a `$groupidentify` into its group, or makes the group. Returns the UTF-8 bytes of
 * a group that is new among `rows`. The bytes of the events bound how it grows after that.
 */
async function describe(
  { project_id, event, line }: ProjectEvent,
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
  const group = known ?? (await pending(place, event.timestamp, store));
  rows.set(name, group);
  const { isChanged, limit } = changeWithin(group, {
    keys: () => Object.keys(set),
    bytesAdded: line.length,
    bytesMax: GROUP_BYTES_MAX,
    apply: (properties) => applyUpdate(properties, { set, set_once: {}, unset: [] }),
  });
  if (limit === "bytes") refuse("group_properties_size_violation");
  if (limit === "count") refuse("too_many_group_properties");
  // A new group is stored without properties too, but not if the first ones are too large.
  if (isChanged || (!group.isStored && limit !== "bytes")) group.isChanged = true;
  return known === undefined ? group.bytes : 0;
}

/** The group of a key: as it is stored, or a new one. */
async function pending(
  place: GroupKey,
  created_at: string,
  store: Pick<PersonWrites, "group">,
): Promise<PendingGroup> {
  const stored = await store.group(place);
  const size = { bytes: stored === undefined ? 0 : GROUP_BYTES_MAX, count: undefined };
  const unchanged = { isStored: stored !== undefined, isChanged: false };
  return { ...(stored ?? { ...place, properties: {}, created_at }), ...size, ...unchanged };
}

const rowOf = ({
  project_id,
  type_index,
  key,
  properties,
  created_at,
}: PendingGroup): GroupRow => ({
  ...{ project_id, type_index, key, properties, created_at },
});

/** The most types of groups in a project. A group of a further type is ignored with a warning. */
export const GROUP_TYPES_MAX = 5;

/** Characters (UTF-16 units) of a group's key; a group with a longer one is ignored with a warning. */
export const GROUP_KEY_CHARS_MAX = 400;

/** A group as the API shows it. */
export type Group = {
  group_type_index: number;
  group_key: string;
  group_properties: JsonObject;
  created_at: string;
};

/** A kind of groups; its index is the number of its column on events. */
export type GroupType = { group_type: string; group_type_index: number };

/** The groups in an event. */
export type EventGroups = {
  /** Type and key of the groups that the event belongs to (contract 6, `$groups`). */
  keys: [type: string, key: string][];
  /** The group that the event describes (contract 6, `$groupidentify`). */
  identified: { type: string; key: string; set: JsonObject } | undefined;
  /** Whether a group has no type or key, or sets a value that is no object. */
  isFaulty: boolean;
  /**
   * Whether the event describes a group and has `$set`, `$unset` or a name such as `$group_set_once`, which have no
   * effect. `$set_once` does not count, because posthog-js adds its own and sends it again with the next event.
   */
  setsOther: boolean;
};

/** The groups in an event; undefined without any. An event without a person has no groups. */
export function groupsOf(event: CapturedEvent): EventGroups | undefined {
  const { $groups } = event.properties;
  const isIdentify = event.event === "$groupidentify";
  if (($groups === undefined && !isIdentify) || isPersonless(event)) return undefined;
  const given = Object.entries(isObject($groups) ? $groups : {});
  const keys: [string, string][] = [];
  for (const [type, value] of given) {
    const key = keyText(value);
    if (type.trim() !== "" && key !== undefined) keys.push([type, key]);
  }
  const identified = isIdentify ? identifiedBy(event.properties) : undefined;
  const isFaulty =
    keys.length < given.length ||
    !isObjectOrEmpty($groups) ||
    (isIdentify && (identified === undefined || !isObjectOrEmpty(event.properties["$group_set"])));
  return { keys, identified, isFaulty, setsOther: isIdentify && setsOther(event.properties) };
}

function setsOther(properties: JsonObject): boolean {
  const { $set, $unset } = properties;
  return (
    (isObject($set) && Object.keys($set).length > 0) ||
    ($unset ?? null) !== null ||
    Object.entries(properties).some(([name, value]) => OTHER_GROUP.test(name) && value !== null)
  );
}

/** Names that no `$groupidentify` has. One with a number is PostHog's column of a group's key. */
const OTHER_GROUP = /^\$group_(?!(?:type|key|set|\d+)$)/;

function identifiedBy({ $group_type, $group_key, $group_set }: JsonObject) {
  const key = keyText($group_key);
  if (typeof $group_type !== "string" || $group_type.trim() === "" || key === undefined) {
    return undefined;
  }
  return { type: $group_type, key, set: isObject($group_set) ? $group_set : {} };
}

/** A key as text: SDKs also send numbers. */
function keyText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || typeof value === "object") return undefined;
  const text = String(value);
  return text.trim() === "" ? undefined : text;
}
