import type { JsonObject } from "../values/json.ts";

/** Fields of an event that are read, and fields of SDKs on which no stored value depends. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...["event", "properties", "distinct_id", "$distinct_id", "uuid", "timestamp", "offset"],
  ...["$set", "$set_once", "$unset", "api_key", "token", "$token"],
  ...["type", "library", "library_version", "messageId", "name"],
]);

/** The same for the object that has `batch`. */
const ENVELOPE_FIELDS: ReadonlySet<string> = new Set([
  ...["batch", "api_key", "token", "$token", "sent_at", "historical_migration", "created_at"],
  ...["type", "library", "library_version", "messageId"],
]);

/** Whether the object that has `batch` has a field that is not read, unless the field is empty. */
export const hasUnreadBeside = (envelope: JsonObject) =>
  hasUnreadField(envelope, {}, ENVELOPE_FIELDS);

/** Whether an event has a field that is not read, unless the field is empty or a property has its value. */
export function hasUnreadField(
  raw: JsonObject,
  properties: JsonObject,
  known = KNOWN_FIELDS,
): boolean {
  for (const name in raw) {
    if (known.has(name)) continue;
    const value = JSON.stringify(raw[name]);
    if (EMPTY.has(value)) continue;
    if (![properties[name], properties[`$${name}`]].some((own) => JSON.stringify(own) === value)) {
      return true;
    }
  }
  return false;
}

const EMPTY: ReadonlySet<string> = new Set(["null", '""', "{}", "[]"]);
