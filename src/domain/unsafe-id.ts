import { isObject, type Json } from "./json.ts";
import { isTextAt } from "./json-bytes.ts";

/** A number under the name of an id: its item, its name, its digits, and what the parser makes of them. */
export type UnsafeId = { item: number; name: string; text: string; value: number };

/** Names of ids, for which some have numbers of 64 bits (decision 9). */
const NAMES = ["distinct_id", "$distinct_id", "$anon_distinct_id", "alias"];

const INTEGER = /^\d+$/;

const MINUS = 0x2d;

/**
 * The id that digits in a JSON text are, as far as the text before them tells, at the place `key`;
 * undefined if it is no name of one, or they are no integer.
 */
export function unsafeId(
  bytes: Uint8Array,
  { key, first, digits }: { key: number; first: number; digits: string },
): Omit<UnsafeId, "item"> | undefined {
  const name = NAMES.find((one) => isTextAt(bytes, key, `"${one}"`));
  if (name === undefined || !INTEGER.test(digits)) return undefined;
  const text = bytes[first - 1] === MINUS ? `-${digits}` : digits;
  return { name, text, value: Number(text) };
}

/** Whether the digits of an integer are one that a double takes for another. */
export function isRounded(digits: string, value: number): boolean {
  return INTEGER.test(digits) && BigInt(digits) !== BigInt(value);
}

/**
 * Puts an id's digits in the place of its number, in an event or its properties. False if it is in
 * neither and was rounded.
 */
export function putExact(raw: Json, { name, text, value }: UnsafeId): boolean {
  const places = isObject(raw) ? [raw, raw["properties"] ?? null] : [];
  const place = places.filter(isObject).find((object) => object[name] === value);
  if (place !== undefined) place[name] = text;
  return place !== undefined || !isRounded(text.replace("-", ""), Math.abs(value));
}
