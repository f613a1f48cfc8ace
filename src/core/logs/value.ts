import {
  isObject,
  type Json,
  type JsonObject,
  setKey,
  storable,
  storableText,
} from "../values/json.ts";
import type { LogChange } from "../warnings/warning.ts";

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
    const { key: name, value } = item;
    if (name === undefined && value === undefined) tellForeign(item, tell);
    const key = textOf(name, tell);
    if (Object.hasOwn(attributes, key)) tell("ignored_invalid_log_field");
    setKey(attributes, key, plainOf(value, tell));
  }
  return attributes;
}

/**
 * What an AnyValue stands for: what it has of the first of these kinds. Whole numbers beyond 2^53
 * stay text, and so do the numbers that JSON has not; bytes are base64.
 */
export function plainOf(value: Json | undefined, tell: TellLog): Json {
  const given = objectOf(value, tell);
  let plain: Json | undefined;
  for (const [name, read] of KINDS) {
    const one = given[name] ?? null;
    if (one === null) continue;
    const found = plain === undefined ? read(one, tell) : undefined;
    if (found === undefined) tell("ignored_invalid_log_field");
    plain ??= found;
  }
  if (plain === undefined) tellForeign(given, tell);
  return plain ?? null;
}

/** What is read of a value of a kind; undefined if it is none. */
type Read = (value: Json, tell: TellLog) => Json | undefined;

const textIn: Read = (value) => (typeof value === "string" ? value : undefined);

const KINDS: [string, Read][] = [
  ["stringValue", textIn],
  ["arrayValue", (value, tell) => valuesIn(value, tell)?.map((item) => plainOf(item, tell))],
  ["kvlistValue", (value, tell) => attributesIn(value, tell)],
  ["intValue", (value, tell) => numberOf(value, Number.MAX_SAFE_INTEGER, tell)],
  ["doubleValue", (value, tell) => numberOf(value, Number.MAX_VALUE, tell)],
  ["boolValue", (value) => (typeof value === "boolean" ? value : undefined)],
  ["bytesValue", textIn],
];

/** The `values` of an ArrayValue or KeyValueList; undefined if it is none. */
function valuesIn(value: Json, tell: TellLog): Json[] | undefined {
  if (!isObject(value)) return undefined;
  if (value["values"] === undefined) tellForeign(value, tell);
  return arrayOf(value["values"], tell);
}

function attributesIn(value: Json, tell: TellLog): JsonObject | undefined {
  const values = valuesIn(value, tell);
  return values && attributesOf(values, tell);
}

/** Tells of what has something in it, but nothing that is read. */
function tellForeign(object: JsonObject, tell: TellLog): void {
  if (Object.values(object).some((unread) => unread !== null)) tell("ignored_invalid_log_field");
}

const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const NAMES_OF_NUMBERS = new Set(["NaN", "Infinity", "-Infinity"]);

/** A number, or its text where no double up to `max` is it. Parsed JSON has lost it beyond that. */
function numberOf(value: Json, max: number, tell: TellLog): Json | undefined {
  if (typeof value === "number") {
    if (Math.abs(value) > max) tell("changed_log_number");
    return Number.isFinite(value) ? value : String(value);
  }
  if (typeof value !== "string") return undefined;
  if (NAMES_OF_NUMBERS.has(value)) return value;
  if (!DECIMAL.test(value)) return undefined;
  return Math.abs(Number(value)) <= max ? Number(value) : value;
}
