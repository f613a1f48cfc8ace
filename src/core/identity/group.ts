import type { CapturedEvent } from "../events/event.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";
import { isPersonless } from "./person.ts";

/** The most types of groups in a project. A group of a further type is ignored with a warning. */
export const GROUP_TYPES_MAX = 5;

/** Characters (UTF-16 units) of a group's key; a group with a longer one is ignored with a warning. */
export const GROUP_KEY_CHARS_MAX = 400;

/** UTF-8 bytes of a group's properties as JSON; an update beyond it is refused with a warning. */
export const GROUP_BYTES_MAX = 524_288;

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
   * Whether the event describes a group and has `$set` or `$unset`, which then have no effect. `$set_once`
   * does not count, because posthog-js adds its own and sends it again with the next event.
   */
  setsPerson: boolean;
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
    !isObject($groups ?? {}) ||
    (isIdentify && (identified === undefined || !isObject(event.properties["$group_set"] ?? {})));
  return { keys, identified, isFaulty, setsPerson: isIdentify && setsPerson(event.properties) };
}

function setsPerson({ $set, $unset }: JsonObject): boolean {
  return (isObject($set) && Object.keys($set).length > 0) || ($unset ?? null) !== null;
}

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
