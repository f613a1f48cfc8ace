import { isObject, isTextAt, type Json } from "../values/json.ts";

/**
 * Fields of an id that is a number, as a scan keeps them, because it may find a million: its item, its name, the
 * place of its first digit or sign, and the place after its last digit.
 */
export const UNSAFE_ID_FIELDS = 4;

/** Names of ids, for which some have numbers of 64 bits (decision 9). */
const NAMES = ["distinct_id", "$distinct_id", "$anon_distinct_id", "alias"];

const INTEGER = /^\d+$/;

const MINUS = 0x2d;

/**
 * Which name the id has that digits in a JSON text are, and its place, as far as the text before them tells, at the place `key`;
 * undefined if it is no name of one, or they are no integer.
 */
export function unsafeId(
  bytes: Uint8Array,
  { key, first, digits }: { key: number; first: number; digits: string },
): [name: number, start: number, end: number] | undefined {
  const name = NAMES.findIndex((one) => isTextAt(bytes, key, `"${one}"`));
  if (name === -1 || !INTEGER.test(digits)) return undefined;
  return [name, bytes[first - 1] === MINUS ? first - 1 : first, first + digits.length];
}

/** Whether the digits of an integer are one that a double takes for another. */
export function isRounded(digits: string, value: number): boolean {
  return INTEGER.test(digits) && BigInt(digits) !== BigInt(value);
}

/**
 * Puts the digits of a body's id in the place of its number, in an event or its properties. False if it is in
 * neither and was rounded.
 */
export function putExact(
  raw: Json,
  bytes: Uint8Array,
  [at = 0, start, end]: readonly number[],
): boolean {
  const name = NAMES[at] ?? "";
  const text = String.fromCharCode(...bytes.subarray(start, end));
  const value = Number(text);
  const places = isObject(raw) ? [raw, raw["properties"] ?? null] : [];
  const place = places.filter(isObject).find((object) => object[name] === value);
  if (place !== undefined) place[name] = text;
  return place !== undefined || !isRounded(text.replace("-", ""), Math.abs(value));
}
