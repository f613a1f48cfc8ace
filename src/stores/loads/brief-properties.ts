import { type JsonObject, setKey, storableJson } from "../../core/values/json.ts";

/**
 * Largest event, in bytes, whose properties queries see in full. Of a larger event they see properties of
 * at most 1 KiB each, up to this size in all, because DuckDB handles 2,048 rows at once (decision 95).
 */
export const READ_BYTES_MAX = 16_384;
const READ_PROPERTY_BYTES_MAX = 1024;

/** Most characters of the properties of a person or group, as JSON, that queries see in full. */
export const READ_CHARS_MAX = 16_384;

/** Returns the properties that queries see of an event, person or group that is too large. */
export function truncateForQuery(properties: JsonObject): JsonObject {
  const brief: JsonObject = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "string" && value.length > READ_PROPERTY_BYTES_MAX) continue;
    const size = Buffer.byteLength(JSON.stringify(value));
    if (size > READ_PROPERTY_BYTES_MAX) continue;
    const added = Buffer.byteLength(name) + size;
    if (bytes + added > READ_BYTES_MAX) continue;
    bytes += added;
    setKey(brief, name, value);
  }
  return brief;
}

/** Characters of the omitted keys above which {@link ALL_KEYS} replaces them. */
const NAMES_CHARS_MAX = 4096;

/** Stands for all keys: any key may be omitted. */
export const ALL_KEYS = "*";

/** Returns the keys that `brief` lacks. */
export function omittedKeys(properties: JsonObject, brief: JsonObject): string[] {
  const names = Object.keys(properties).filter((name) => !Object.hasOwn(brief, name));
  const chars = names.reduce((sum, name) => sum + name.length, 0);
  return chars > NAMES_CHARS_MAX ? [ALL_KEYS] : names;
}

/** Returns a group's properties as JSON, truncated if they are too large. */
export function briefText(properties: string): string {
  if (properties.length <= READ_CHARS_MAX) return properties;
  return storableJson(truncateForQuery(JSON.parse(properties)));
}
