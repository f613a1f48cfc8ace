import { JSON_DEPTH_MAX, OBJECT_KEYS_MAX } from "../events/json-limits.ts";
import { Failure } from "../values/failure.ts";
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  endOfString,
  foundIn,
  isObject,
  type Json,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from "../values/json.ts";

/** How deep the records of an ExportLogsServiceRequest are: in three lists, each in an object. */
const RECORD_DEPTH = 7;

const ZERO = 0x30;

/**
 * The text of a request in OTLP's JSON without what would be hard to parse: `0`, which is neither a
 * record nor a value, stands for each record, and each other object or list at its depth, that is
 * nested deeper than JSON_DEPTH_MAX or has an object of more than OBJECT_KEYS_MAX keys. Returns the byte
 * of such an object that is outside of them, or of one that is too deep and has no end.
 */
export function withoutLogExcesses(bytes: Uint8Array): Uint8Array | number {
  const keys = new Uint32Array(JSON_DEPTH_MAX + 1);
  const excesses: number[] = [];
  let depth = 0;
  let start = 0;
  let isExcess = false;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case COLON:
        isExcess ||= countKey(keys, depth) > OBJECT_KEYS_MAX;
        if (isExcess && depth < RECORD_DEPTH) return at;
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth += 1;
        keys[depth] = 0;
        if (depth === RECORD_DEPTH) start = at;
        isExcess ||= depth > JSON_DEPTH_MAX;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        if (depth === RECORD_DEPTH && isExcess) {
          excesses.push(start, at + 1);
          isExcess = false;
        }
        depth -= 1;
        break;
      default:
    }
  }
  return isExcess ? start : blanked(bytes, excesses);
}

function countKey(keys: Uint32Array, depth: number): number {
  const count = (keys[depth] ?? 0) + 1;
  keys[depth] = count;
  return count;
}

function blanked(bytes: Uint8Array, excesses: readonly number[]): Uint8Array {
  if (excesses.length === 0) return bytes;
  // `slice` of a Buffer is no copy.
  const copy = new Uint8Array(bytes);
  for (let at = 0; at < excesses.length; at += 2) {
    const [start = 0, end = 0] = excesses.slice(at, at + 2);
    copy.fill(0x20, start, end)[start] = ZERO;
  }
  return copy;
}

/**
 * The list of a whole request, which has no other field; empty for an empty object. Fails `invalid_payload` for
 * anything else, such as the request of another signal.
 */
export function requestList(request: Json, name: string): Json[] {
  const other = isObject(request) && Object.keys(request).find((key) => key !== name);
  if (typeof other === "string") throw noList(name, `\`${other.slice(0, NAME_CHARS_MAX)}\``);
  return listIn(request, name);
}

/**
 * The list of an object in a request; empty without one. Fails `invalid_payload` if it has another type, or if the
 * object has another list, such as one with protobuf's name: ignoring it would lose records without a warning.
 */
export function listIn(object: Json, name: string): Json[] {
  if (!isObject(object)) throw noList(name, foundIn(object));
  const list = object[name] ?? [];
  const other = Object.keys(object).find((key) => key !== name && Array.isArray(object[key]));
  if (other !== undefined) throw noList(name, `\`${other.slice(0, NAME_CHARS_MAX)}\``);
  if (!Array.isArray(list)) throw noList(name, `${foundIn(list)} in it`);
  return list;
}

/** Characters of a name that a failure repeats. */
const NAME_CHARS_MAX = 40;

function noList(name: string, found: string): Failure {
  const detail = `An object with the array \`${name}\` is expected, and not ${found}.`;
  return new Failure("invalid_payload", detail, name);
}
