import { Failure } from "../../core/values/failure.ts";
import { parseUuid, readId } from "../../core/values/ids.ts";
import { isoTime, parseTime } from "../../core/values/time.ts";
import type { Route } from "../operation/route.ts";

/** Matches `name[]` and `name[0]`, by which clients send the items of a list. */
const ITEM = /^(.+)\[\d*\]$/;

const BRACKETS = /\[|%5b/i;

/** The items of a list that an address has as `name`, `name[]` or `name[0]`, in their order. */
export function listIn({ searchParams }: URL, name: string): string[] {
  return [...searchParams].flatMap(([sent, value]) =>
    sent === name || ITEM.exec(sent)?.[1] === name ? [value] : [],
  );
}

/** Fails `invalid_input` for `short_id[]`: without that filter the answer would be wrong (decision 59). */
export function checkBrackets({ query }: Route, { url }: Request): void {
  if (!BRACKETS.test(url)) return;
  const shapes = query?.properties ?? {};
  for (const sent of new URL(url).searchParams.keys()) {
    const [name = ""] = sent.split("[", 1);
    if (name === sent || !Object.hasOwn(shapes, name)) continue;
    const isList = shapes[name]?.["type"] === "array";
    if (isList && ITEM.exec(sent)?.[1] === name) continue;
    const detail = isList
      ? "A list is sent as the parameter repeated, as name[] or as name[0]."
      : "One value is expected, and no list.";
    throw new Failure("invalid_input", detail, name);
  }
}

/** Returns the uuid of the parameter `name`, in lower case. Fails `invalid_input`. */
export function readUuid(name: string, text: string | undefined): string | undefined {
  const uuid = text === undefined ? undefined : parseUuid(text);
  if (text === undefined || uuid !== undefined) return uuid;
  throw new Failure("invalid_input", "A UUID is expected.", name);
}

/** Returns the time of the parameter `name`, in UTC. Fails `invalid_input`. */
export function readTime(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const ms = parseTime(text);
  if (ms !== undefined) return isoTime(ms);
  throw new Failure("invalid_input", "A time in ISO 8601 is expected.", name);
}

/** Fails `invalid_input` for a path with NUL or invalid encoding, which Elysia would pass on as it is. */
export function checkPath(url: string): void {
  if (!url.includes("%") || decoded(new URL(url).pathname)?.includes("\0") === false) return;
  throw new Failure("invalid_input", "The address is not valid percent-encoding.");
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
