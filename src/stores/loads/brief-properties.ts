import { type JsonObject, setKey, storableJson } from "../../core/values/json.ts";

/**
 * Bytes of an event whose properties queries see in full. Of a larger one they see properties of at most
 * 1 KiB each, up to this size in all (decision 95).
 */
export const READ_BYTES_MAX = 16_384;
const READ_PROPERTY_BYTES_MAX = 1024;

/** Characters of the properties of a person or group, as JSON, that queries see in full. */
export const READ_CHARS_MAX = 16_384;

/** What queries see of properties that are too large. */
export function briefProperties(properties: JsonObject): JsonObject {
  const brief: JsonObject = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "string" && value.length > READ_PROPERTY_BYTES_MAX) continue;
    const size = Buffer.byteLength(JSON.stringify(value));
    if (size > READ_PROPERTY_BYTES_MAX) continue;
    const more = Buffer.byteLength(name) + size;
    if (bytes + more > READ_BYTES_MAX) continue;
    bytes += more;
    setKey(brief, name, value);
  }
  return brief;
}

/** Characters of names beyond which ANY_NAME stands for all of them. */
const NAMES_CHARS_MAX = 4096;

/** A name that stands for whatever name. */
export const ANY_NAME = "*";

/** The names of what `brief` lacks of properties (decision 95). */
export function leftOut(properties: JsonObject, brief: JsonObject): string[] {
  const names = Object.keys(properties).filter((name) => !Object.hasOwn(brief, name));
  const chars = names.reduce((sum, name) => sum + name.length, 0);
  return chars > NAMES_CHARS_MAX ? [ANY_NAME] : names;
}

/** What queries see of a group's, as JSON, which stay as they are if they are not too large. */
export function briefText(properties: string): string {
  if (properties.length <= READ_CHARS_MAX) return properties;
  return storableJson(briefProperties(JSON.parse(properties)));
}
