import type { JsonObject } from "../values/json.ts";

/** Fields of an event that are read, and those by which SDKs name themselves or repeat what stands elsewhere. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...[
    "event",
    "properties",
    "distinct_id",
    "$distinct_id",
    "uuid",
    "timestamp",
    "offset",
    "sent_at",
  ],
  ...["$set", "$set_once", "$unset", "api_key", "token", "$token", "batch", "historical_migration"],
  ...["type", "library", "library_version", "messageId", "name", "$lib", "$lib_version"],
]);

/** Whether an event has a field that is not read, unless the field is empty or a property has its value. */
export function hasUnreadField(raw: JsonObject, properties: JsonObject): boolean {
  for (const name in raw) {
    if (KNOWN_FIELDS.has(name)) continue;
    const value = JSON.stringify(raw[name]);
    if (EMPTY.has(value)) continue;
    if (![properties[name], properties[`$${name}`]].some((own) => JSON.stringify(own) === value)) {
      return true;
    }
  }
  return false;
}

const EMPTY: ReadonlySet<string> = new Set(["null", '""', "{}", "[]"]);
