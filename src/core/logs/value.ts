import {
  isObject,
  type Json,
  type JsonObject,
  setKey,
  storable,
  storableText,
} from "../values/json.ts";
import type { LogChange } from "../warnings/warning.ts";

/** Reports a change in a record; the same change may be reported several times. */
export type ReportLogChange = (change: LogChange) => void;

/** A text as it is stored; empty if it is absent or not a text. */
export function textOf(value: Json | undefined, report: ReportLogChange): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return replaced(value, storableText(value), report);
  report("ignored_invalid_log_field");
  return "";
}

/** A value as text; JSON if it is not a text. */
export function asText(value: Json, report: ReportLogChange): string {
  if (value === null) return "";
  return typeof value === "string" ? textOf(value, report) : jsonOf(value, report);
}

/** JSON as it is stored. */
export function jsonOf(value: Json, report: ReportLogChange): string {
  const json = JSON.stringify(value);
  return replaced(json, storable(json), report);
}

/** The text as it is stored; reports if it differs. */
function replaced(text: string, now: string, report: ReportLogChange): string {
  if (now !== text) report("replaced_invalid_log_text");
  return now;
}

/** Returns an object, of which `fields` are read; an empty one if the value is absent or no object. */
export function objectOf(
  value: Json | undefined,
  fields: ReadonlySet<string>,
  report: ReportLogChange,
): JsonObject {
  if (isObject(value)) {
    reportOthers(value, fields, report);
    return value;
  }
  if (value !== undefined && value !== null) report("ignored_invalid_log_field");
  return {};
}

/** Reports fields that are not read, unless they are null. */
export function reportOthers(
  object: JsonObject,
  fields: ReadonlySet<string>,
  report: ReportLogChange,
): void {
  for (const name in object) {
    if (!fields.has(name) && object[name] !== null) report("ignored_invalid_log_field");
  }
}

function arrayOf(value: Json | undefined, report: ReportLogChange): Json[] {
  if (Array.isArray(value)) return value;
  if (value !== undefined && value !== null) report("ignored_invalid_log_field");
  return [];
}

const ATTRIBUTE_FIELDS: ReadonlySet<string> = new Set(["key", "value"]);

/** An object of OTLP's list of keys and values. */
export function attributesOf(list: Json | undefined, report: ReportLogChange): JsonObject {
  const attributes: JsonObject = {};
  for (const item of arrayOf(list, report)) {
    if (!isObject(item)) {
      report("ignored_invalid_log_field");
      continue;
    }
    reportOthers(item, ATTRIBUTE_FIELDS, report);
    const key = textOf(item["key"], report);
    if (key === "" || Object.hasOwn(attributes, key)) report("ignored_invalid_log_field");
    setKey(attributes, key, plainOf(item["value"], report));
  }
  return attributes;
}

/**
 * The JSON value of an AnyValue, by the first kind that it has. Whole numbers beyond 2^53 and numbers that
 * JSON does not have stay texts; bytes are base64.
 */
export function plainOf(value: Json | undefined, report: ReportLogChange): Json {
  const given = objectOf(value, KIND_NAMES, report);
  let plain: Json | undefined;
  for (const [name, read] of KINDS) {
    const one = given[name] ?? null;
    if (one === null) continue;
    const found = plain === undefined ? read(one, report) : undefined;
    if (found === undefined) report("ignored_invalid_log_field");
    plain ??= found;
  }
  return plain ?? null;
}

/** Reads a value of one kind; undefined if it has another type. */
type Read = (value: Json, report: ReportLogChange) => Json | undefined;

const textIn: Read = (value) => (typeof value === "string" ? value : undefined);

const KINDS: [string, Read][] = [
  ["stringValue", textIn],
  ["arrayValue", (value, report) => valuesIn(value, report)?.map((item) => plainOf(item, report))],
  ["kvlistValue", (value, report) => attributesIn(value, report)],
  ["intValue", (value, report) => numberOf(value, Number.MAX_SAFE_INTEGER, report)],
  ["doubleValue", (value, report) => numberOf(value, Number.MAX_VALUE, report)],
  ["boolValue", (value) => (typeof value === "boolean" ? value : undefined)],
  ["bytesValue", textIn],
];

const KIND_NAMES: ReadonlySet<string> = new Set(KINDS.map(([name]) => name));
const LIST_FIELDS: ReadonlySet<string> = new Set(["values"]);

/** The `values` of an ArrayValue or KeyValueList; undefined for other types. */
function valuesIn(value: Json, report: ReportLogChange): Json[] | undefined {
  if (!isObject(value)) return undefined;
  reportOthers(value, LIST_FIELDS, report);
  return arrayOf(value["values"], report);
}

function attributesIn(value: Json, report: ReportLogChange): JsonObject | undefined {
  const values = valuesIn(value, report);
  return values && attributesOf(values, report);
}

const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const NAMES_OF_NUMBERS = new Set(["NaN", "Infinity", "-Infinity"]);

/** Returns a number, or its text if it is above `max` or no double. Beyond, JSON has lost digits already. */
function numberOf(value: Json, max: number, report: ReportLogChange): Json | undefined {
  if (typeof value === "number") {
    if (Math.abs(value) > max) report("changed_log_number");
    return Number.isFinite(value) ? value : String(value);
  }
  if (typeof value !== "string") return undefined;
  if (NAMES_OF_NUMBERS.has(value)) return value;
  if (!DECIMAL.test(value)) return undefined;
  return Math.abs(Number(value)) <= max ? Number(value) : value;
}
