import type { TSchema } from "elysia";
import { distinctIdIn } from "../../core/events/event.ts";
import { Failure } from "../../core/values/failure.ts";
import { parseUuid, readId } from "../../core/values/ids.ts";
import { ownValue, storableText } from "../../core/values/json.ts";
import { rejectUnknownFields } from "../../core/values/known-fields.ts";
import { isoTime } from "../../core/values/time.ts";
import { zonedSpan } from "../../core/values/zoned-time.ts";
import type { Route } from "../operation/route.ts";

/** Matches `name[]` and `name[0]`, by which clients send the items of a list. */
const ITEM = /^(.+)\[\d*\]$/;

/** The items of a list that an address has as `name`, `name[]` or `name[0]`, in their order. */
export function listIn({ searchParams }: URL, name: string): string[] {
  return [...searchParams].flatMap(([sent, value]) =>
    sent === name || ITEM.exec(sent)?.[1] === name ? [value] : [],
  );
}

/**
 * Parameters that clients of PostHog send and that change nothing here, with the values of which that is true: answers
 * are always new and whole, and of JSON.
 */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  format: /^json$/,
  refresh: /^/,
  basic: /^/,
  include_dashboards: /^/,
  client_query_id: /^/,
  exclude_hidden: /^/,
  is_feature_flag: /^false$/i,
};

type Shapes = { query?: Route["query"] | undefined; body?: TSchema | undefined };

/**
 * Fails `invalid_input`, and names the known ones, for a parameter that an operation does not serve: without such a
 * filter the answer would be wrong (decision 59). So it would be with `short_id[]`, and with one of two values.
 */
export function checkParameters({ query, body }: Shapes, { url }: Request): void {
  if (!url.includes("?")) return;
  const shapes: Readonly<Record<string, TSchema>> = query?.properties ?? {};
  const values = new Map<string, string>();
  const { search, searchParams } = new URL(url);
  for (const [sent, value] of searchParams) {
    checkText(sent, value, search);
    const [name = ""] = Object.hasOwn(shapes, sent) ? [sent] : sent.split("[", 1);
    const shape = ownValue(shapes, name);
    if (shape === undefined) checkHarmless(sent, value, { query, body });
    else if (shape["type"] === "array") checkItem(name, sent);
    else if (name !== sent) throw notOne(name, "One value is expected, and no list.");
    else if (isOther(values.get(name), value)) throw notOne(name, "This parameter is sent once.");
    values.set(name, value);
  }
}

/** Fails `invalid_input` for a parameter that no store has as it was sent: with NUL, or with bytes that are no UTF-8. */
function checkText(name: string, value: string, search: string): void {
  const both = name + value;
  const isChanged = both.includes("\ufffd") && !/%ef%bf%bd/i.test(search);
  if (!isChanged && !both.includes("\0")) return;
  const detail = isChanged ? "The address is not valid percent-encoding of UTF-8." : WITH_NUL;
  throw new Failure("invalid_input", detail, storableText(name));
}

const WITH_NUL = "The address has NUL (%00), which no name, no id and no value has: leave it out.";

const isOther = (before: string | undefined, value: string) =>
  before !== undefined && before !== value;

function checkHarmless(name: string, value: string, { query, body }: Shapes): void {
  if (ownValue(HARMLESS, name)?.test(value)) return;
  if (Object.hasOwn(body?.["properties"] ?? {}, name)) {
    throw notOne(name, `${name} is a field of the body, and no parameter of the address.`);
  }
  const known = Object.keys(query?.properties ?? {});
  rejectUnknownFields({ [name]: value }, { known, kind: "parameter" });
}

function checkItem(name: string, sent: string): void {
  if (name === sent || ITEM.exec(sent)?.[1] === name) return;
  throw notOne(name, "A list is sent as the parameter repeated, as name[] or as name[0].");
}

const notOne = (name: string, detail: string) => new Failure("invalid_input", detail, name);

/** Returns the uuid of the parameter `name`, in lower case. Fails `invalid_input`. */
export function readUuid(name: string, text: string | undefined): string | undefined {
  const uuid = text === undefined ? undefined : parseUuid(text);
  if (text === undefined || uuid !== undefined) return uuid;
  throw new Failure("invalid_input", "A UUID is expected.", name);
}

/** Returns a distinct id as events have it: a long one is cut. */
export const readDistinctId = (text: string | undefined): string | undefined =>
  distinctIdIn(text) ?? text;

/** Returns the items of a parameter that is a JSON list, or one item alone; undefined for an empty text. */
export function readList(name: string, text: string | undefined): (string | number)[] | undefined {
  if (text === undefined || text === "") return undefined;
  const items = [parsedOr(text)].flat();
  if (items.every((item) => typeof item === "string" || typeof item === "number")) return items;
  throw new Failure("invalid_input", 'A JSON list such as ["a","b"] is expected.', name);
}

function parsedOr(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value)
      ? value.map((item) => (typeof item === "string" ? storableText(item) : item))
      : text;
  } catch {
    return storableText(text);
  }
}

/** Returns an item of the list `name` as a whole number. Fails `invalid_input`. */
export function wholeIn(name: string, item: string | number): number {
  const id = readId(`${item}`);
  if (id !== undefined) return id;
  throw new Failure("invalid_input", "A whole number is expected.", name);
}

/**
 * Returns the time of the parameter `name`, in UTC; one without a zone, and a day's midnight, are on the clock of
 * `timezone`: `after` the first time that the clock shows it, `before` the last time. Fails `invalid_input`.
 */
export function readTime(name: "after" | "before", text: string | undefined, timezone: string) {
  if (text === undefined) return undefined;
  // Without a time to count from, ages are no times here.
  const span = text.startsWith("-") ? undefined : zonedSpan(text, { now: 0, timezone });
  if (span !== undefined) return isoTime((name === "after" ? span.instant : span.inner).from);
  throw new Failure("invalid_input", "A time in ISO 8601 is expected.", name);
}

/** Fails `invalid_input` for a path with NUL or invalid encoding, which Elysia would pass on as it is. */
export function checkPath(url: string): void {
  const path = url.includes("%") ? decoded(new URL(url).pathname) : "";
  if (path?.includes("\0") === false) return;
  const detail = path === undefined ? "The address is not valid percent-encoding." : WITH_NUL;
  throw new Failure("invalid_input", detail);
}

/** The text of a percent-encoded one; undefined if it is not valid UTF-8. */
export function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Returns the integer id in a path. Fails `not_found` on a text that is no id. */
export function idIn(text: string): number {
  const id = readId(text);
  if (id === undefined) throw new Failure("not_found", "Not found.");
  return id;
}
