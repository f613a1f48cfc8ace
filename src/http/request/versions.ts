import { Failure } from "../../core/values/failure.ts";
import { isObject, type Json, type JsonObject } from "../../core/values/json.ts";

/** Characters of the part of a version that stands for one field: enough that two values hardly share one. */
const FIELD_CHARS = 8;

/** Returns the `ETag` of a thing (RFC 9110 8.8.3): a part for each of its fields that callers may change, in order. */
export function versionOf(thing: JsonObject, fields: readonly string[]): string {
  return `"${fields.map((name) => hashed(thing[name])).join(".")}"`;
}

/**
 * Fails `conflict` unless the header `If-Match` names the present version of a thing (RFC 9110 13.1.1). It names the
 * fields that are other ones, and who changed the thing last.
 */
export function checkVersion(header: string, thing: JsonObject, fields: readonly string[]): void {
  const now = versionOf(thing, fields);
  // A proxy that compresses answers makes the tag a weak one.
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (tags.includes(now) || tags.includes("*")) return;
  const [before, after] = [tags[0] ?? "", now].map((tag) => tag.replaceAll('"', "").split("."));
  const changed = fields.filter((_, at) => before?.[at] !== after?.[at]);
  const { last_modified_by: user, last_modified_at: at } = thing;
  const name = isObject(user) ? user["first_name"] || user["email"] : undefined;
  const last = name === undefined ? "" : ` It was last modified by ${name} at ${at}.`;
  const detail = `Changed since it was read: ${changed.join(", ")}.${last} Read it again, or send the change without If-Match.`;
  throw new Failure("conflict", detail, changed[0]);
}

/** An insight in a tile counts by its id: its own changes do not change the dashboard. */
const asCounted = (key: string, value: Json) =>
  key === "insight" && isObject(value) ? (value["id"] ?? null) : value;

const hashed = (value: Json | undefined) =>
  Bun.hash(JSON.stringify(value ?? null, asCounted))
    .toString(36)
    .slice(0, FIELD_CHARS);
