import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { JSON_DEPTH_MAX } from "../events/json-limits.ts";
import { Failure } from "../values/failure.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { LogGroup } from "./record.ts";

/**
 * The groups of an ExportLogsServiceRequest in protobuf (OTLP 1.7), in the shape of its JSON; one
 * record at a time. An empty record is two bytes: a decoder of whole messages would make ten million
 * objects of a body of 20 MiB.
 * Fails `invalid_payload` if it is no such message. Fields that are not known become `unknown`.
 */
export function* logGroupsOfProtobuf(request: Uint8Array): Generator<LogGroup> {
  const reader = new BinaryReader(request, decodeUtf8);
  const all = { start: 0, end: request.length };
  for (const resourceLogs of messages(reader, all, 1)) {
    const resource = first(reader, resourceLogs, RESOURCE);
    for (const scopeLogs of messages(reader, resourceLogs, 2)) {
      const scope = first(reader, scopeLogs, SCOPE);
      yield { resource, scope, records: records(reader, scopeLogs) };
    }
  }
}

/**
 * Returns the number of messages in the last of nested fields. A level is a list of field numbers.
 * Fails `invalid_payload` if a message cannot be read.
 */
export function countMessages(request: Uint8Array, levels: readonly number[][]): number {
  const reader = new BinaryReader(request, decodeUtf8);
  const countIn = (span: Span, [fields, ...deeper]: readonly number[][]): number => {
    if (fields === undefined) return 1;
    let count = 0;
    for (const field of fields) {
      for (const found of messages(reader, span, field)) count += countIn(found, deeper);
    }
    return count;
  };
  return countIn({ start: 0, end: request.length }, levels);
}

/** The answer to an export that tells how many records were rejected, and why. */
export function partialSuccess(rejected: number, reason: string): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  writer.tag(1, LengthDelimited).fork();
  writer.tag(1, Varint).int64(rejected);
  writer.tag(2, LengthDelimited).string(reason);
  return writer.join().finish();
}

/** A field that is read: its name in JSON, how it is on the wire, and its value. */
type Field = {
  name: string;
  wire: WireType;
  read: (reader: BinaryReader, depth: number) => Json;
  repeated?: boolean;
};

/** The fields of a message by number. */
type Message = Record<number, Field>;

const { Varint, Bit64, LengthDelimited, Bit32 } = WireType;

const text = (name: string): Field => ({
  name,
  wire: LengthDelimited,
  read: (reader) => reader.string(),
});

const bytes = (name: string, encoding: "hex" | "base64"): Field => ({
  name,
  wire: LengthDelimited,
  read: (reader) => Buffer.from(reader.bytes()).toString(encoding),
});

const message = (name: string, of: () => Message): Field => ({
  name,
  wire: LengthDelimited,
  read: (reader, depth) => readMessage(reader, spanOf(reader), of(), depth + 1),
});

const repeated = (field: Field): Field => ({ ...field, repeated: true });

const KEY_VALUE: Message = { 1: text("key"), 2: message("value", () => VALUE) };
const KEY_VALUES: Message = { 1: repeated(message("values", () => KEY_VALUE)) };
const VALUES: Message = { 1: repeated(message("values", () => VALUE)) };

const VALUE: Message = {
  1: text("stringValue"),
  2: { name: "boolValue", wire: Varint, read: (reader) => reader.bool() },
  3: { name: "intValue", wire: Varint, read: (reader) => String(reader.int64()) },
  4: { name: "doubleValue", wire: Bit64, read: (reader) => asJson(reader.double()) },
  5: message("arrayValue", () => VALUES),
  6: message("kvlistValue", () => KEY_VALUES),
  7: bytes("bytesValue", "base64"),
};

const attributes = repeated(message("attributes", () => KEY_VALUE));
const dropped: Field = {
  name: "droppedAttributesCount",
  wire: Varint,
  read: (reader) => reader.uint32(),
};
const RESOURCE: Message = {
  1: attributes,
  2: dropped,
  3: message("entityRefs", () => ({})),
};
const SCOPE: Message = { 1: text("name"), 2: text("version"), 3: attributes, 4: dropped };

const nanos = (name: string): Field => ({
  name,
  wire: Bit64,
  read: (reader) => String(reader.fixed64()),
});

const LOG_RECORD: Message = {
  1: nanos("timeUnixNano"),
  2: { name: "severityNumber", wire: Varint, read: (reader) => reader.int32() },
  3: text("severityText"),
  5: message("body", () => VALUE),
  6: attributes,
  7: dropped,
  8: { name: "flags", wire: Bit32, read: (reader) => reader.fixed32() },
  9: bytes("traceId", "hex"),
  10: bytes("spanId", "hex"),
  11: nanos("observedTimeUnixNano"),
  12: text("eventName"),
};

/** Where a message is. */
type Span = { start: number; end: number };

/** Reads the length of a message; the message follows it. */
function spanOf(reader: BinaryReader): Span {
  const length = reader.uint32();
  return { start: reader.pos, end: reader.pos + length };
}

function* records(reader: BinaryReader, scopeLogs: Span): Generator<Json> {
  for (const record of messages(reader, scopeLogs, 2)) {
    yield whole(reader, record, LOG_RECORD);
  }
}

/** The message in field 1 of another; null if the field is absent. */
function first(reader: BinaryReader, parent: Span, of: Message): Json {
  for (const found of messages(reader, parent, 1)) {
    return whole(reader, found, of);
  }
  return null;
}

/** The messages in one field of another, in order, unread. The reader may be moved meanwhile. */
function* messages(reader: BinaryReader, parent: Span, field: number): Generator<Span> {
  let at = parent.start;
  while (at < parent.end) {
    const found = valid(() => {
      reader.pos = at;
      const [number, wire] = reader.tag();
      const span = wire === LengthDelimited ? spanOf(reader) : undefined;
      if (span === undefined) reader.skip(wire, number);
      at = span?.end ?? reader.pos;
      if (at > parent.end) throw new RangeError("beyond the end of its message");
      return number === field ? span : undefined;
    });
    if (found !== undefined) yield found;
  }
}

class TooDeep extends Error {}

/** A message with all nested ones. A number stands for a message that is nested too deep. */
function whole(reader: BinaryReader, span: Span, of: Message): Json {
  return valid(() => {
    try {
      return readMessage(reader, span, of, 0);
    } catch (error) {
      if (error instanceof TooDeep) return 0;
      throw error;
    }
  });
}

function readMessage(
  reader: BinaryReader,
  { start, end }: Span,
  of: Message,
  depth: number,
): JsonObject {
  if (depth > JSON_DEPTH_MAX) throw new TooDeep();
  const object: JsonObject = {};
  reader.pos = start;
  while (reader.pos < end) {
    const [number, wire] = reader.tag();
    const field = of[number];
    if (field === undefined) {
      object["unknown"] = skipped(reader, wire, number);
      continue;
    }
    const value = field.wire === wire ? field.read(reader, depth) : skipped(reader, wire, number);
    const { name } = field;
    const list = object[name];
    if (field.repeated !== true) object[name] = value;
    else if (Array.isArray(list)) list.push(value);
    else object[name] = [value];
  }
  if (reader.pos > end) throw new RangeError("beyond the end of its message");
  return object;
}

/** A field of a wrong type becomes a list, which no field is, so that it is reported. */
function skipped(reader: BinaryReader, wire: WireType, number: number): Json {
  reader.skip(wire, number);
  return [];
}

/** JSON has no other number: OTLP's has their names. */
function asJson(number: number): Json {
  return Number.isFinite(number) ? number : String(number);
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const strictUtf8 = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** Invalid UTF-8 becomes lone surrogates, as in JSON; the reader of the text reports them. */
function decodeUtf8(bytes: Uint8Array): string {
  const text = utf8.decode(bytes);
  if (!text.includes("\ufffd")) return text;
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return text.replaceAll("\ufffd", "\ud800");
  }
}

/** The reader throws errors of its own about what it cannot read. */
function valid<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new Failure("invalid_payload", "The body is not valid protobuf.");
  }
}
