import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib";
import { Failure } from "../values/failure.ts";
import { decompressLz64 } from "./lz-string.ts";

/** Bytes of a capture body as it is sent, and again after each step of decoding (contract 8). */
export const BODY_BYTES_MAX = 20_971_520;

/** What a body is packed in. */
export type EncodedBody = {
  bytes: Uint8Array;
  /** The `Content-Encoding`, lower case; empty without one. */
  encoding: string;
  /** The query's `compression`, lower case; unknown ones are ignored. */
  compression: string;
};

/** Steps a body may take: `Content-Encoding`, form, base64, and gzip in it. */
const STEPS_MAX = 4;

/** The base-2 logarithm of zstd's largest window: 32 MiB, the first that holds a whole body. */
const ZSTD_WINDOW_LOG_MAX = 25;

/** Where a form's `data` may begin; what SDKs put before it is short. */
const FORM_HEAD_BYTES = 1024;

type Inflate = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

const ENCODINGS: Record<string, Inflate> = {
  br: brotliDecompressSync,
  deflate: (bytes, options) =>
    isZlib(bytes) ? inflateSync(bytes, options) : inflateRawSync(bytes, options),
  zstd: (bytes, options) =>
    zstdDecompressSync(bytes, {
      ...options,
      params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
    }),
};

/** Codings that a `Content-Encoding` may list; each may inflate to a whole body. */
const CODINGS_MAX = 3;

/** Encodings that need no step of their own: gzip shows by its bytes. */
const PLAIN_ENCODINGS = new Set(["", "identity", "gzip", "x-gzip"]);

/**
 * The JSON text of a body, unpacked by what its bytes look like, since SDKs lose the headers on
 * the way (decision 30). Each step stops at `bytesMax`. Fails `payload_too_large`,
 * `invalid_payload`, or `unsupported_media_type` on another `Content-Encoding`.
 */
export function decompress(
  { bytes, encoding, compression }: EncodedBody,
  bytesMax: number,
): Uint8Array {
  let hint = compression;
  let text = declared(bytes, encoding, bytesMax);
  for (let step = 0; step < STEPS_MAX; step++) {
    if (isJson(text)) return text;
    if (isGzip(text)) {
      text = inflated(gunzipSync, text, bytesMax);
      continue;
    }
    const form = formOf(text);
    if (form !== undefined) {
      text = form.data;
      hint ||= form.compression;
      continue;
    }
    text = isLz64(hint) ? fromLz64(text, bytesMax) : fromBase64(text);
    hint = "";
  }
  return text;
}

/** The refusal of a body over the cap, packed or not. */
export function tooLarge(): Failure {
  return new Failure("payload_too_large", `The body is larger than ${BODY_BYTES_MAX} bytes.`);
}

/** The bytes of a body that is no text: only its `Content-Encoding` and gzip are undone. */
export function inflate(
  { bytes, encoding }: Pick<EncodedBody, "bytes" | "encoding">,
  bytesMax: number,
): Uint8Array {
  const text = declared(bytes, encoding, bytesMax);
  return isGzip(text) ? inflated(gunzipSync, text, bytesMax) : text;
}

/** Undoes the `Content-Encoding`, of several codings the last one first (RFC 9110 8.4). */
function declared(bytes: Uint8Array, encoding: string, bytesMax: number): Uint8Array {
  if (!encoding.includes(",")) return decoded(bytes, encoding, bytesMax);
  const codings = encoding.split(",").map((coding) => coding.trim());
  if (codings.length > CODINGS_MAX) throw unsupported();
  return codings.reduceRight((text, coding) => {
    return isGzip(text) ? inflated(gunzipSync, text, bytesMax) : decoded(text, coding, bytesMax);
  }, bytes);
}

/** Undoes one coding, unless the bytes are gzip, whatever it says. */
function decoded(bytes: Uint8Array, coding: string, bytesMax: number): Uint8Array {
  if (PLAIN_ENCODINGS.has(coding) || isGzip(bytes)) return bytes;
  const inflate = Object.hasOwn(ENCODINGS, coding) ? ENCODINGS[coding] : undefined;
  if (inflate !== undefined) return inflated(inflate, bytes, bytesMax);
  throw unsupported();
}

function unsupported(): Failure {
  return new Failure("unsupported_media_type", "The Content-Encoding is not supported.");
}

/** Stops at the cap, so that a bomb costs no more than a large body. */
function inflated(inflate: Inflate, bytes: Uint8Array, bytesMax: number): Uint8Array {
  try {
    return inflate(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") {
      throw tooLarge();
    }
    throw invalid("The body cannot be inflated.");
  }
}

const BRACE = 0x7b;
const BRACKET = 0x5b;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Whether a text is an object or a list, which no other form of a body looks like. */
function isJson(bytes: Uint8Array): boolean {
  let at = BYTE_ORDER_MARK.every((byte, place) => bytes[place] === byte) ? 3 : 0;
  while (isSpace(bytes[at])) at += 1;
  return bytes[at] === BRACE || bytes[at] === BRACKET;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Whether `deflate` has its zlib header (RFC 1950 2.2), which some senders leave out. */
function isZlib(bytes: Uint8Array): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}

function isLz64(compression: string): boolean {
  return compression === "lz64" || compression === "lz-string";
}

/** A form's `data`, JSON or base64, and what it says of its compression. */
function formOf(bytes: Uint8Array): { data: Uint8Array; compression: string } | undefined {
  const head = latin1(bytes.subarray(0, FORM_HEAD_BYTES));
  const found = /(?:^|&)data=/.exec(head);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  const rest = bytes.subarray(start);
  const and = rest.indexOf(0x26);
  const value = latin1(and === -1 ? rest : rest.subarray(0, and));
  const others = new URLSearchParams(
    head.slice(0, found.index) + (and === -1 ? "" : latin1(rest.subarray(and).subarray(0, 1024))),
  );
  const compression = others.get("compression")?.toLowerCase() ?? "";
  const isObject = /^\s*(?:[{[]|%7b|%5b)/i.test(value);
  // In base64 a plus is a plus, also where a form has made a blank of it.
  const data = isObject
    ? percentDecoded(value.replaceAll("+", " "))
    : percentDecoded(value).replaceAll(" ", "+");
  return { data: new TextEncoder().encode(data), compression };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid("The form's `data` is not valid percent-encoding.");
  }
}

function fromLz64(bytes: Uint8Array, bytesMax: number): Uint8Array {
  const text = decompressLz64(latin1(bytes).trim(), bytesMax);
  if (text === undefined) throw invalid("The body is not valid lz64.");
  const inflatedBytes = text === "too_large" ? undefined : new TextEncoder().encode(text);
  if (inflatedBytes === undefined || inflatedBytes.length > bytesMax) throw tooLarge();
  return inflatedBytes;
}

function fromBase64(bytes: Uint8Array): Uint8Array {
  try {
    return Uint8Array.fromBase64(latin1(bytes));
  } catch {
    throw invalid("The body is neither a JSON object or list nor an encoding of one.");
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function invalid(detail: string): Failure {
  return new Failure("invalid_payload", detail);
}
