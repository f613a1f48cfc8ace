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

/** A request body as it was sent, with the encodings that its request names. */
export type EncodedBody = {
  bytes: Uint8Array;
  /** The `Content-Encoding`, lower case; empty without one. */
  encoding: string;
  /** The query's `compression`, lower case; unknown ones are ignored. */
  compression: string;
};

/** Most decoding steps of a body: `Content-Encoding`, form, base64, and gzip in it. */
const STEPS_MAX = 4;

/** The base-2 logarithm of zstd's largest window: 32 MiB, the first that holds a whole body. */
const ZSTD_WINDOW_LOG_MAX = 25;

/** First bytes of a form that are searched for `data`; SDKs send only short fields before it. */
const FORM_HEAD_BYTES = 1024;

type Inflate = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

const ENCODINGS: Record<string, Inflate> = {
  gzip: gunzipSync,
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

/** Encodings without a step of their own: gzip is known by its bytes. */
const PLAIN_ENCODINGS = new Set(["", "identity", "gzip", "x-gzip"]);

/**
 * Returns the JSON text of a body. Its bytes decide how it is decoded, because proxies and SDKs lose
 * headers (decision 30). Each step stops at `bytesMax`. Fails `payload_too_large`,
 * `invalid_payload`, or `unsupported_media_type` on another `Content-Encoding`.
 */
export function decompress(
  { bytes, encoding, compression }: EncodedBody,
  bytesMax: number,
): Uint8Array {
  let hint = compression;
  let text = declared(bytes, encoding, bytesMax);
  let sent = text;
  for (let step = 0; step < STEPS_MAX; step++) {
    if (isJson(text)) return text;
    if (isGzip(text)) {
      text = inflated("gzip", text, bytesMax);
      continue;
    }
    const form = formOf(text);
    if (form !== undefined) {
      text = form.data;
      sent = text;
      hint ||= form.compression;
      continue;
    }
    const plain = isLz64(hint) ? fromLz64(text, bytesMax) : fromBase64(text);
    if (plain === undefined) break;
    text = plain;
    hint = "";
  }
  if (isJson(text)) return text;
  throw notJson(sent, encoding);
}

/** The failure for a body over the limit, compressed or not. */
export function tooLarge(): Failure {
  return new Failure("payload_too_large", `The body is larger than ${BODY_BYTES_MAX} bytes.`);
}

/** Returns the bytes of a binary body: only its `Content-Encoding` and gzip are decoded. */
export function inflate(
  { bytes, encoding }: Pick<EncodedBody, "bytes" | "encoding">,
  bytesMax: number,
): Uint8Array {
  const text = declared(bytes, encoding, bytesMax);
  return isGzip(text) ? inflated("gzip", text, bytesMax) : text;
}

/** Decodes the `Content-Encoding`; of several codings the last one comes first (RFC 9110 8.4). */
function declared(bytes: Uint8Array, encoding: string, bytesMax: number): Uint8Array {
  if (!encoding.includes(",")) return decoded(bytes, encoding, bytesMax);
  const codings = encoding.split(",").map((coding) => coding.trim());
  if (codings.length > CODINGS_MAX) {
    const found = `The Content-Encoding lists ${codings.length} codings`;
    throw new Failure("unsupported_media_type", `${found}: at most ${CODINGS_MAX} are taken.`);
  }
  return codings.reduceRight((text, coding) => {
    return isGzip(text) ? inflated("gzip", text, bytesMax) : decoded(text, coding, bytesMax);
  }, bytes);
}

/** Decodes one coding; gzip bytes are left for later, also if another coding is named. */
function decoded(bytes: Uint8Array, coding: string, bytesMax: number): Uint8Array {
  if (PLAIN_ENCODINGS.has(coding) || isGzip(bytes)) return bytes;
  if (Object.hasOwn(ENCODINGS, coding)) return inflated(coding, bytes, bytesMax);
  const taken = ["gzip", "deflate", "br", "zstd", "identity"].join(", ");
  throw new Failure(
    "unsupported_media_type",
    `This Content-Encoding is not supported: one of ${taken} is expected.`,
  );
}

/** Stops at the limit, so that a compression bomb costs no more than a large body. */
function inflated(coding: string, bytes: Uint8Array, bytesMax: number): Uint8Array {
  try {
    return ENCODINGS[coding]?.(bytes, { maxOutputLength: bytesMax }) ?? bytes;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    const fault = CUT_SHORT.has(code)
      ? `The ${coding} of the body was cut short: its end is missing`
      : `The ${coding} of the body is damaged, so it cannot be inflated`;
    throw invalid(`${fault}. Often a proxy or a middleware did it.`);
  }
}

/** Codes for a body without its end; of zstd such a one is empty. */
const CUT_SHORT: ReadonlySet<string> = new Set(["Z_BUF_ERROR"]);

const BRACE = 0x7b;
const BRACKET = 0x5b;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Whether a text begins as an object or a list; no other form of a body does. */
export function isJson(bytes: Uint8Array): boolean {
  let at = BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? 3 : 0;
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

/** Returns a form's `data`, JSON or base64, and its `compression`. */
function formOf(bytes: Uint8Array): { data: Uint8Array; compression: string } | undefined {
  const head = latin1(bytes.subarray(0, FORM_HEAD_BYTES));
  const match = /(?:^|&)data=/.exec(head);
  if (match === null) return undefined;
  const tail = bytes.subarray(match.index + match[0].length);
  const and = tail.indexOf(0x26);
  const value = latin1(and === -1 ? tail : tail.subarray(0, and));
  const fields = new URLSearchParams(
    head.slice(0, match.index) + (and === -1 ? "" : latin1(tail.subarray(and).subarray(0, 1024))),
  );
  const compression = fields.get("compression")?.toLowerCase() ?? "";
  const isObject = /^\s*(?:[{[]|%7b|%5b)/i.test(value);
  // A form turns the plus of base64 into a blank.
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

function fromBase64(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(latin1(bytes));
  } catch {
    return undefined;
  }
}

/** The kinds of bodies without JSON, by their first characters. */
const KINDS: readonly [start: RegExp, kind: string][] = [
  [/^$/, "is empty"],
  [/^.\xef\xbf\xbd/s, "is gzip that was damaged: something on its way read its bytes as text"],
  [/^</, "is HTML or XML"],
  [/^--/, "is a multipart form; put its parts into one JSON event"],
  [/^[\w.$%[\]+-]+=/, "is a form without the field `data`"],
  [/^["'\w+-]*$/, "is one text, number or word"],
  [/^[\x20-\x7e]/, "is other text"],
];

/** The failure for a body, or the data of a form, that is neither JSON nor an encoding of it. */
function notJson(bytes: Uint8Array, encoding: string): Failure {
  const head = latin1(bytes.subarray(0, FORM_HEAD_BYTES)).trim();
  const other = KINDS.find(([start]) => start.test(head))?.[1] ?? "is binary";
  const kind = isBase64Url(head) ? "is base64url; write it as base64, with + and /" : other;
  // An unfinished zstd frame inflates to nothing.
  const inflated =
    head === "" && encoding !== "" ? " when inflated: its end may have been cut off" : "";
  const encodings = /gzip/i.test(encoding)
    ? "gzip, as its Content-Encoding says"
    : "an encoding of one";
  return invalid(
    `The body is neither a JSON object or list nor ${encodings}. It ${kind}${inflated}.`,
  );
}

/** Whether JSON in base64url begins with a text. */
function isBase64Url(head: string): boolean {
  try {
    const whole = head.slice(0, head.length - (head.length % 4));
    return isJson(Uint8Array.fromBase64(whole, { alphabet: "base64url" }));
  } catch {
    return false;
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function invalid(detail: string): Failure {
  return new Failure("invalid_payload", detail);
}
