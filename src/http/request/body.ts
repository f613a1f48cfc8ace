import { Failure } from "../../core/values/failure.ts";
import { keptJson } from "../../core/values/json.ts";
import { jsonFault } from "../../core/values/json-fault.ts";

/** Bytes of all bodies that are in memory at the same time; further requests get 503. */
export const BODIES_BYTES_MAX = 134_217_728;

/** Bytes of these that are kept for bodies of at most 64 KiB, so that longer ones, which may never end, keep none out. */
export const SHORT_BODIES_BYTES_MIN = 16_777_216;

/** Time that a body may take to arrive, in milliseconds. 20 MiB in it is 1.4 Mbit/s. */
export const UPLOAD_MS_MAX = 120_000;

/** Bytes of a short body, which is read at once; a longer one is counted as it arrives. */
const SHORT_BYTES_MAX = 65_536;

/** Counts the bytes of bodies in memory. */
export type Meter = {
  held: number;
  /** Called with the bytes of a body that was given up, which are garbage. */
  givenUp?: (bytes: number) => void;
};

type Limits = {
  bytesMax: number;
  /** Returns the failure for a body over `bytesMax`. */
  onTooLarge: () => Failure;
  /** UPLOAD_MS_MAX by default. */
  uploadMsMax?: number;
};

/**
 * Reads the bytes of a body. They are counted as they arrive, because the headers may lie about the
 * length. Fails `unavailable` if there is no room in BODIES_BYTES_MAX, at once if the headers say so;
 * `request_timeout` if the body is too slow (decision 34); and `upload_aborted` if the sender disconnects. The
 * bytes stay counted until `release` is called.
 */
export async function readBody(
  request: Request,
  meter: Meter,
  { bytesMax, onTooLarge, uploadMsMax = UPLOAD_MS_MAX }: Limits,
): Promise<{ bytes: Uint8Array; release: () => void }> {
  const length = request.headers.get("content-length");
  const isShort = length !== null && Number(length) <= SHORT_BYTES_MAX;
  const heldMax = isShort ? BODIES_BYTES_MAX : BODIES_BYTES_MAX - SHORT_BODIES_BYTES_MIN;
  let held = 0;
  const hold = (count: number) => {
    held += count;
    meter.held += count;
    if (held > bytesMax) throw onTooLarge();
    if (meter.held > heldMax) throw tooMany();
  };
  const release = () => {
    meter.held -= held;
    held = 0;
  };
  if (Number(length) > bytesMax) throw onTooLarge();
  // Nothing is read of a body for which there is no room.
  if (meter.held + Number(length) > heldMax) throw tooMany();
  try {
    if (!isShort) return { bytes: await collect(request, hold, uploadMsMax), release };
    const bytes = await whole(request, uploadMsMax);
    hold(bytes.length);
    return { bytes, release };
  } catch (error) {
    meter.givenUp?.(held);
    release();
    if (error instanceof Failure) throw error;
    // The sender has disconnected: the failure is only for the metrics.
    throw new Failure("upload_aborted", "The body ended early.");
  }
}

type Hold = (count: number) => void;

/** Reads a body at once, with one timer and two promises, because most requests are short. */
function whole(request: Request, uploadMsMax: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooSlow()), uploadMsMax);
    const ended =
      <T>(settle: (value: T) => void) =>
      (value: T) => {
        clearTimeout(timer);
        settle(value);
      };
    request.bytes().then(ended(resolve), ended(reject));
  });
}

/** Reads a body as it arrives. */
async function collect(request: Request, hold: Hold, uploadMsMax: number): Promise<Uint8Array> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooSlow()), uploadMsMax);
  try {
    return await Promise.race([chunksOf(request, hold, late.promise), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Collects the chunks of a body, which are garbage only at its end. */
async function chunksOf(request: Request, hold: Hold, late: Promise<never>): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  // Cancelling fails if the sender has disconnected already.
  const cancel = () => reader?.cancel().catch(() => undefined);
  // A race for each chunk would keep all of them in memory until the end.
  late.catch(cancel);
  const parts = chunkList();
  try {
    for (;;) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return parts.joined();
      hold(chunk.value.byteLength);
      parts.add(chunk.value);
    }
  } catch (error) {
    cancel();
    throw error;
  }
}

/** Bytes of a chunk that is kept as it is; smaller ones are copied together, because it may be a single byte. */
const CHUNK_BYTES_MIN = 4096;

/** A list of chunks; what it takes is little more than their bytes. */
function chunkList() {
  const parts: Uint8Array[] = [];
  const small = new Uint8Array(CHUNK_BYTES_MIN);
  let smallLength = 0;
  let length = 0;
  const endSmall = () => {
    if (smallLength > 0) parts.push(small.slice(0, smallLength));
    smallLength = 0;
  };
  return {
    add(chunk: Uint8Array): void {
      length += chunk.length;
      if (smallLength + chunk.length > CHUNK_BYTES_MIN) endSmall();
      if (chunk.length >= CHUNK_BYTES_MIN) {
        parts.push(chunk);
        return;
      }
      small.set(chunk, smallLength);
      smallLength += chunk.length;
    },
    joined(): Uint8Array {
      endSmall();
      const bytes = new Uint8Array(length);
      let at = 0;
      for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
      }
      return bytes;
    },
  };
}

/**
 * Returns the value of a body that is JSON in UTF-8. Fails `parse_error`, with the place of the fault, and as
 * `keptJson`.
 */
export function parsedBody(bytes: Uint8Array): unknown {
  try {
    return keptJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      "parse_error",
      jsonFault(bytes) ?? "The body is not valid JSON: it has NaN or Infinity.",
    );
  }
}

function tooMany(): Failure {
  return new Failure("unavailable", "Too many bodies at once. Try again in a moment.");
}

function tooSlow(): Failure {
  return new Failure("request_timeout", "The body took too long to arrive.");
}
