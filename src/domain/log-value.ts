import { isObject, type Json, type JsonObject, setKey, storable, storableText } from "./json.ts";

/** What was changed in a record that is stored all the same. */
export type LogChange =
  | "changed_log_number"
  | "ignored_invalid_log_field"
  | "ignored_invalid_log_time"
  | "replaced_invalid_log_text";

/** Hears what is changed in a record, the same thing more than once. */
export type TellLog = (change: LogChange) => void;

/** A text as it is stored; empty if it is absent, or none. */
export function textOf(value: Json | undefined, tell: TellLog): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return replaced(value, storableText(value), tell);
  tell("ignored_invalid_log_field");
  return "";
}

/** A value as text: JSON if it is none. */
export function asText(value: Json, tell: TellLog): string {
  if (value === null) return "";
  return typeof value === "string" ? textOf(value, tell) : jsonOf(value, tell);
}

/** JSON as it is stored. */
export function jsonOf(value: Json, tell: TellLog): string {
  const json = JSON.stringify(value);
  return replaced(json, storable(json), tell);
}

/** What a text has become, which is told if it is another. */
function replaced(text: string, now: string, tell: TellLog): string {
  if (now !== text) tell("replaced_invalid_log_text");
  return now;
}

/** An object; an empty one if it is absent, or none. */
export function objectOf(value: Json | undefined, tell: TellLog): JsonObject {
  if (isObject(value)) return value;
  if (value !== undefined && value !== null) tell("ignored_invalid_log_field");
  return {};
}

function arrayOf(value: Json | undefined, tell: TellLog): Json[] {
  if (Array.isArray(value)) return value;
  if (value !== undefined && value !== null) tell("ignored_invalid_log_field");
  return [];
}

/** An object of OTLP's list of keys and values. */
export function attributesOf(list: Json | undefined, tell: TellLog): JsonObject {
  const attributes: JsonObject = {};
  for (const item of arrayOf(list, tell)) {
    if (!isObject(item)) {
      tell("ignored_invalid_log_field");
      continue;
    }
    const key = textOf(item["key"], tell);
    if (Object.hasOwn(attributes, key)) tell("ignored_invalid_log_field");
    setKey(attributes, key, plainOf(item["value"], tell));
  }
  return attributes;
}

/**
 * What an AnyValue stands for. Whole numbers beyond 2^53 stay text, and so do the numbers that
 * JSON has not; bytes are base64.
 */
export function plainOf(value: Json | undefined, tell: TellLog): Json {
  const given = objectOf(value, tell);
  const { stringValue, intValue, doubleValue, arrayValue, kvlistValue } = given;
  if (typeof stringValue === "string") return stringValue;
  if (isObject(arrayValue)) {
    return arrayOf(arrayValue["values"], tell).map((item) => plainOf(item, tell));
  }
  if (isObject(kvlistValue)) return attributesOf(kvlistValue["values"], tell);
  const plain =
    numberOf(intValue, Number.MAX_SAFE_INTEGER, tell) ??
    numberOf(doubleValue, Number.MAX_VALUE, tell) ??
    given["boolValue"] ??
    given["bytesValue"] ??
    null;
  if (plain === null && Object.values(given).some((unread) => unread !== null)) {
    tell("ignored_invalid_log_field");
  }
  return plain;
}

/** A number, or its text where no double up to `max` is it. Parsed JSON has lost it beyond that. */
function numberOf(value: Json | undefined, max: number, tell: TellLog): Json {
  if (typeof value === "number") {
    if (Math.abs(value) > max) tell("changed_log_number");
    return Number.isFinite(value) ? value : String(value);
  }
  if (typeof value !== "string" || value.trim() === "") return null;
  return Math.abs(Number(value)) <= max ? Number(value) : value;
}
