import { Failure } from "../../core/values/failure.ts";
import { isObject, type Json, type JsonObject } from "../../core/values/json.ts";

/** Characters of the part of a version that stands for one field: enough that two values hardly share one. */
const FIELD_CHARS = 8;

/**
 * Returns the `ETag` of a thing (RFC 9110 8.8.3): a part for each of its fields that callers may change, in order, and one
 * for all that the answer has.
 */
export function versionOf(thing: JsonObject, fields: readonly string[]): string {
  return `"${[...partsOf(thing, fields), hashed(thing)].join(".")}"`;
}

const partsOf = (thing: JsonObject, fields: readonly string[]) =>
  fields.map((name) => hashed(thing[name], asCounted));

/** The tags of a header. A proxy that compresses answers makes a tag a weak one. */
const tagsIn = (header: string) => header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));

/** Whether a request to read has the present version already, by its header `If-None-Match` (RFC 9110 13.1.2). */
export function isSame({ method, headers }: Request, etag: string): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const known = tagsIn(headers.get("if-none-match") ?? "");
  return known.includes(etag) || known.includes("*");
}

/** Headers with conditions of a change that are not checked. */
const UNCHECKED = ["If-None-Match", "If-Unmodified-Since", "If-Modified-Since"];

/** Fails for a condition that would be ignored. */
export function checkConditions({ headers }: Request): void {
  const name = UNCHECKED.find((one) => headers.has(one));
  if (name === undefined) return;
  const detail = `${name} is not checked for changes: send If-Match with the ETag that GET has, or leave it out.`;
  throw new Failure("invalid_input", detail, name);
}

/** An entity tag (RFC 9110 8.8.3). */
const TAG = /^"[^"\s]*"$/;

/**
 * Fails `conflict` unless the header `If-Match` names the present version of a thing (RFC 9110 13.1.1): its fields that
 * callers may change. It names the fields that are other ones, and who changed the thing last. Fails `invalid_input` for
 * a header without an `ETag`.
 */
export function checkVersion(header: string, thing: JsonObject, fields: readonly string[]): void {
  const tags = tagsIn(header);
  if (tags.includes("*")) return;
  if (!tags.every((tag) => TAG.test(tag))) {
    const detail = `An ETag is expected as GET sends it, in double quotes, such as ${versionOf(thing, fields)}, or *.`;
    throw new Failure("invalid_input", detail, "If-Match");
  }
  const now = partsOf(thing, fields);
  const changes = tags.map((tag) => changedSince(tag, now));
  if (changes.some((changed) => changed?.length === 0)) return;
  const [known] = tags.length === 1 ? changes : [];
  const changed = known?.map((at) => fields[at] ?? "");
  const { last_modified_by: user, last_modified_at: at } = thing;
  const name = isObject(user) ? user["first_name"] || user["email"] : undefined;
  const last = name === undefined ? "" : ` It was last modified by ${name} at ${at}.`;
  const since =
    changed === undefined ? NOT_PRESENT : `Changed since it was read: ${changed.join(", ")}.`;
  const detail = `${since}${last} Read it again, or send the change without If-Match.`;
  throw new Failure("conflict", detail, changed?.[0] ?? "If-Match");
}

const NOT_PRESENT = "No ETag of If-Match is of the present version.";

/** The places of the fields that were others when a tag was made; undefined for a tag that no such thing has had. */
function changedSince(tag: string, now: readonly string[]): number[] | undefined {
  const before = tag.slice(1, -1).split(".");
  if (before.length !== now.length + 1) return undefined;
  return now.flatMap((part, at) => (part === before[at] ? [] : [at]));
}

/** An insight in a tile counts by its id: its own changes do not change the dashboard. */
const asCounted = (key: string, value: Json) =>
  key === "insight" && isObject(value) ? (value["id"] ?? null) : value;

const hashed = (value: Json | undefined, counted?: typeof asCounted) =>
  Bun.hash(JSON.stringify(value ?? null, counted))
    .toString(36)
    .slice(0, FIELD_CHARS);
