import { type JsonObject, setKey } from "../../core/values/json.ts";

/**
 * Largest event, in bytes, whose row has all its properties. A larger one has those of at most 1 KiB each, up to
 * this size in all; queries read the others from `whole_properties` (decision 95).
 */
export const READ_BYTES_MAX = 16_384;
const READ_PROPERTY_BYTES_MAX = 1024;

/** Most characters of the properties of a person or group, as JSON, that its row has all of. */
export const READ_CHARS_MAX = 16_384;

/** Returns the properties in the row of an event, person or group that is too large. */
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
