import { sentKeyMask } from "../access/key.ts";
import { Failure } from "../values/failure.ts";
import { foundIn, isObject, type Json, type JsonObject } from "../values/json.ts";

/** A key as it was sent, without blanks around it. */
export const knownKey = (key: Json | undefined) =>
  typeof key === "string" ? key.trim() : undefined;

/** The project key in an item of a body. */
export function itemKey(item: Json): Json | undefined {
  if (!isObject(item)) return undefined;
  const properties = item["properties"];
  return keyIn(item) ?? (isObject(properties) ? given(properties["token"]) : undefined);
}

/** The project key in an object. */
export function keyIn(object: JsonObject): Json | undefined {
  return given(object["api_key"]) ?? given(object["token"]) ?? given(object["$token"]);
}

/** An empty key counts as missing, because the real one may stand elsewhere. */
function given(key: Json | undefined): Json | undefined {
  return key === null || key === "" ? undefined : key;
}

/** Accepts one project key; fails for a second, different one. */
export function oneKey(first: Json | undefined) {
  let key = first;
  return {
    add(another: Json | undefined): void {
      if (another === undefined || another === key) return;
      if (key !== undefined) throw twoKeys(textOf(key), textOf(another));
      key = another;
    },
    value(hints: { key: string | undefined }): string {
      const value = key ?? hints.key;
      if (value === undefined) throw noKey("A project API key is missing.");
      return textOf(value).trim();
    },
  };
}

function textOf(key: Json): string {
  if (typeof key === "string") return key;
  const found = typeof key === "number" ? "a number" : foundIn(key);
  throw noKey(`The project API key is ${found}: a text is expected.`);
}

/** The failure for a request with two different keys, which shows the ends of both. */
export function twoKeys(one: string, other: string): Failure {
  const masks = `${sentKeyMask(one.trim())} and ${sentKeyMask(other.trim())}`;
  return noKey(`Two project API keys were found, ${masks}: one is expected.`);
}

function noKey(detail: string): Failure {
  return new Failure("invalid_api_key", detail, "api_key");
}
