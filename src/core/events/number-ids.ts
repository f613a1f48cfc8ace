import { endOfString, isObject, isRounded, isTextAt, type Json } from "../values/json.ts";

/**
 * Fields of an id that is a number, as a scan keeps them, because it may find a million: its item, the place of
 * its name, the place of its first digit or sign, and the place after its last digit.
 */
export const UNSAFE_ID_FIELDS = 4;

/** Names of ids, for which some have numbers of 64 bits (decision 9). */
const NAMES = [
  ...["distinct_id", "$distinct_id", "$anon_distinct_id", "alias"],
  ...["$group_key", "$user_id", "$device_id", "$session_id", "$window_id"],
].map((name) => `"${name}"`);

/** The property whose values are keys of groups, under names of any kind. */
export const GROUPS = '"$groups"';

const INTEGER = /^\d+$/;

const MINUS = 0x2d;

/**
 * The places of an id that digits in a JSON text are, as far as the text before them tells, at the place `key`; undefined
 * if it is no name of one, or they are no integer. `inGroups` is whether they are in the value of {@link GROUPS}.
 */
export function unsafeId(
  bytes: Uint8Array,
  {
    key,
    first,
    digits,
    inGroups,
  }: { key: number; first: number; digits: string; inGroups: boolean },
): [name: number, start: number, end: number] | undefined {
  const isNamed = inGroups || NAMES.some((name) => isTextAt(bytes, key, name));
  if (!(isNamed && INTEGER.test(digits))) return undefined;
  return [key, bytes[first - 1] === MINUS ? first - 1 : first, first + digits.length];
}

/**
 * Puts the digits of a body's id in the place of its number, in an event, its properties or its groups. False if it
 * is in none of them and was rounded.
 */
export function putExact(
  raw: Json,
  bytes: Uint8Array,
  [key = 0, start, end]: readonly number[],
): boolean {
  const text = String.fromCharCode(...bytes.subarray(start, end));
  const value = Number(text);
  const name = nameAt(bytes, key);
  const properties = isObject(raw) ? (raw["properties"] ?? null) : null;
  const groups = isObject(properties) ? (properties["$groups"] ?? null) : null;
  const place = [raw, properties, groups].filter(isObject).find((object) => object[name] === value);
  if (place !== undefined) place[name] = text;
  return place !== undefined || !isRounded(text.replace("-", ""), Math.abs(value));
}

/** The name whose first quote is at a place; empty if it is no text. */
function nameAt(bytes: Uint8Array, key: number): string {
  try {
    const quoted = new TextDecoder().decode(bytes.subarray(key, endOfString(bytes, key) + 1));
    return String(JSON.parse(quoted));
  } catch {
    return "";
  }
}
