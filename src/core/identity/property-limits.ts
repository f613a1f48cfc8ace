import { type Json, type JsonObject, setKey, storableJson } from "../values/json.ts";

/** UTF-8 bytes of a person's properties as JSON; an update beyond it is refused with a warning. */
export const PERSON_BYTES_MAX = 524_288;

/** UTF-8 bytes of a group's properties as JSON; an update beyond it is refused with a warning. */
export const GROUP_BYTES_MAX = 524_288;

/** Properties of a person or a group; an event that adds more adds the first ones, with a warning. */
export const PROPERTIES_MAX = 10_000;

/** The fewest bytes of a property as JSON: `"":1,`. */
const PROPERTY_BYTES_MIN = 5;

/** Properties that a batch changes, and their size. */
export type SizedProperties = {
  properties: JsonObject;
  /** UTF-8 bytes as JSON: exact if `count` is known, else at least so many. */
  bytes: number;
  /** The number of properties; undefined while `bytes` is too small for a limit. */
  count: number | undefined;
};

/** A change of properties, and the bounds that it must keep. */
export type BoundedChange = {
  /** Returns the keys to remove, then the keys to set, in their order. Called only near a limit. */
  keys: () => readonly string[];
  /** The most bytes that it adds. */
  bytesAdded: number;
  bytesMax: number;
  /** Changes the properties in place, and returns whether they are different then. */
  apply: (properties: JsonObject) => boolean;
};

/** Whether properties are different, and the limit that a change has met. */
export type BoundedResult = { isChanged: boolean; limit: "bytes" | "count" | undefined };

/**
 * Changes properties within the limits. Above `bytesMax` nothing changes. New properties above
 * PROPERTIES_MAX are left out, and the others change. It takes as long as the change is large, however
 * large the properties are; only the first change near a limit measures all of them.
 */
export function changeWithin(
  sized: SizedProperties,
  { keys, bytesAdded, bytesMax, apply }: BoundedChange,
): BoundedResult {
  const isFar = sized.bytes + bytesAdded <= PROPERTIES_MAX * PROPERTY_BYTES_MIN;
  if (sized.count === undefined && isFar) {
    const isChanged = apply(sized.properties);
    if (isChanged) sized.bytes += bytesAdded;
    return { isChanged, limit: undefined };
  }
  const { properties } = sized;
  sized.bytes = sized.count === undefined ? bytesOf(properties) : sized.bytes;
  sized.count ??= Object.keys(properties).length;
  const before = new Map(keys().map((key) => [key, ownValue(properties, key)]));
  if (!apply(properties)) return { isChanged: false, limit: undefined };
  const { bytes, count, isCut } = measure(properties, before, sized.count);
  if (sized.bytes + bytes > bytesMax) {
    for (const [key, old] of before) {
      if (old === undefined) delete properties[key];
      else setKey(properties, key, old);
    }
    return { isChanged: false, limit: "bytes" };
  }
  sized.bytes += bytes;
  sized.count = count;
  return { isChanged: true, limit: isCut ? "count" : undefined };
}

/** Removes new keys above PROPERTIES_MAX, and returns the bytes that the others add. */
function measure(
  properties: JsonObject,
  before: ReadonlyMap<string, Json | undefined>,
  countBefore: number,
) {
  let bytes = 0;
  let count = countBefore;
  let isCut = false;
  for (const [key, old] of before) {
    const value = ownValue(properties, key);
    const isNew = value !== undefined && old === undefined;
    if (isNew && count >= PROPERTIES_MAX) {
      delete properties[key];
      isCut = true;
      continue;
    }
    bytes += entryBytes(key, value) - entryBytes(key, old);
    count += Number(value !== undefined) - Number(old !== undefined);
  }
  return { bytes, count, isCut };
}

function ownValue(properties: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** UTF-8 bytes of an object as JSON: those of its entries and one more, because each has a comma. */
function bytesOf(properties: JsonObject): number {
  const bytes = Buffer.byteLength(storableJson(properties));
  return bytes === "{}".length ? 1 : bytes;
}

/** UTF-8 bytes of a key with its value, a colon and a comma. */
function entryBytes(key: string, value: Json | undefined): number {
  if (value === undefined) return 0;
  return Buffer.byteLength(storableJson(key)) + Buffer.byteLength(storableJson(value)) + 2;
}
