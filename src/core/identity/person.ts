import { type CapturedEvent, isCookielessId } from "../events/event.ts";
import { uuidBytes, uuidV5 } from "../values/ids.ts";
import { isObject, type Json, type JsonObject, sameJson, setKey } from "../values/json.ts";

/** A person as the API shows it (contract 2.1). */
export type Person = {
  id: number;
  name: string;
  distinct_ids: string[];
  properties: JsonObject;
  created_at: string;
  uuid: string;
};

/** A change of a person's properties: `set_once` comes first, then `set`, then `unset`. */
export type PersonUpdate = { set: JsonObject; set_once: JsonObject; unset: string[] };

/** PostHog's namespace: a distinct id makes the same uuid in both products (decision 13). */
export const PERSON_NAMESPACE = "932979b4-65c3-4424-8467-0b66ec27bc22";

const NAMESPACE_BYTES = uuidBytes(PERSON_NAMESPACE);

/** The uuid of the person that a distinct id makes, and of its events before that. */
export function personUuid(project: number, distinctId: string): string {
  return uuidV5(NAMESPACE_BYTES, `${project}:${distinctId}`);
}

/** Whether an event may create or change a person (contract 4.5.1, decision 11). */
export function isPersonless({ properties }: CapturedEvent): boolean {
  return properties["$process_person_profile"] === false;
}

/** Whether an event that may change no person has something to change, or groups, which need a person as well. */
export function asksForProfile(event: CapturedEvent): boolean {
  if (!isPersonless(event)) return false;
  const { $set, $set_once, $unset, $groups } = event.properties;
  return [$set, $set_once, $unset, $groups].some((value) => {
    if (typeof value === "string") return value !== "";
    return typeof value === "object" && value !== null && Object.keys(value).length > 0;
  });
}

/**
 * Whether an event creates the person of its distinct id. `$groupidentify` describes a group, and SDKs make up a
 * distinct id for it. A visitor without cookies is unknown on the next day (decision 11).
 */
export function makesPerson(event: CapturedEvent): boolean {
  if (isPersonless(event) || isCookielessId(event.distinct_id)) return false;
  return event.event !== "$groupidentify";
}

/**
 * The most characters of properties, as JSON, of the persons that a batch changes, and again of its groups.
 * In memory they take several times as much. A small `$set` for each of 20,000 persons of 15 KB takes 770
 * to 820 MB, and without this bound 1,400 to 1,550 MB.
 */
export const CHANGED_CHARS_MAX = 16_777_216;

/**
 * The change of its person that an event asks for; undefined without one (contract 6). `$groupidentify`
 * changes no person.
 */
export function personUpdate(event: CapturedEvent): PersonUpdate | undefined {
  const { $set, $set_once, $unset } = event.properties;
  const isSurvey = event.event === "survey shown";
  if ($set === undefined && $set_once === undefined && $unset === undefined && !isSurvey) {
    return undefined;
  }
  if (event.event === "$groupidentify" || isPersonless(event)) return undefined;
  const set = isObject($set) ? $set : {};
  return {
    set: isSurvey ? { $survey_last_seen_date: event.timestamp, ...set } : set,
    set_once: isObject($set_once) ? $set_once : {},
    unset: keysToUnset($unset),
  };
}

/** `$unset` is a key, a list of keys, or an object with these keys. */
function keysToUnset(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.filter((key) => typeof key === "string");
  return isObject(value) ? Object.keys(value) : [];
}

/**
 * Changes `properties` in place, and returns whether they are different then. `set_once` sets keys that are
 * missing, `set` overwrites, and `unset` removes. A null is a value: posthog-js sends
 * `$set_once: {$initial_utm_source: null}` for a direct visit, which stays the first one.
 */
export function applyUpdate(properties: JsonObject, update: PersonUpdate): boolean {
  let changed = false;
  const put = (key: string, value: Json) => {
    const isSet = Object.hasOwn(properties, key);
    if (isSet && sameJson(properties[key] ?? null, value)) return;
    setKey(properties, key, value);
    changed = true;
  };
  for (const [key, value] of Object.entries(update.set_once)) {
    if (!Object.hasOwn(properties, key)) put(key, value);
  }
  for (const [key, value] of Object.entries(update.set)) put(key, value);
  for (const key of update.unset) {
    if (!Object.hasOwn(properties, key)) continue;
    delete properties[key];
    changed = true;
  }
  return changed;
}

const DISPLAY_NAME_PROPERTIES = ["email", "name", "username"];
const LOOKS_ANONYMOUS = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The display name of a person: its e-mail or name, else the first distinct id that is no random uuid. */
export function personName(properties: JsonObject, distinctIds: readonly string[]): string {
  for (const key of DISPLAY_NAME_PROPERTIES) {
    const value = properties[key];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return distinctIds.find((id) => !LOOKS_ANONYMOUS.test(id)) ?? distinctIds[0] ?? "";
}
