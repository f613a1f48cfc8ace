import { Failure } from "../../core/values/failure.ts";

/** Bytes of all bodies that are in memory at the same time; further requests get 503. */
export const BODIES_BYTES_MAX = 134_217_728;

/** Time that a body may take to arrive, in milliseconds. 20 MiB in it is 1.4 Mbit/s. */
export const UPLOAD_MS_MAX = 120_000;

/** Bytes of a body that is read at once; a longer one is counted as it arrives. */
const WHOLE_BYTES_MAX = 65_536;

/** Counts the bytes of bodies in memory. */
export type Meter = { held: number };

type Limits = {
  bytesMax: number;
  /** Returns the failure for a body over `bytesMax`. */
  onTooLarge: () => Failure;
  /** UPLOAD_MS_MAX by default. */
  uploadMsMax?: number;
};

/**
 * Reads the bytes of a body. They are counted as they arrive, because the headers may lie about the
 * length. Fails `unavailable` if BODIES_BYTES_MAX are in memory already, `request_timeout` if the body is
 * too slow (decision 34), and `upload_aborted` if the sender disconnects. The bytes stay counted until
 * `release` is called.
 */
export async function readBody(
  request: Request,
  meter: Meter,
  { bytesMax, onTooLarge, uploadMsMax = UPLOAD_MS_MAX }: Limits,
): Promise<{ bytes: Uint8Array; release: () => void }> {
  let held = 0;
  const hold = (count: number) => {
    held += count;
    meter.held += count;
    if (held > bytesMax) throw onTooLarge();
    if (meter.held > BODIES_BYTES_MAX) {
      throw new Failure("unavailable", "Too many bodies at once. Try again in a moment.");
    }
  };
  const release = () => {
    meter.held -= held;
    held = 0;
  };
  const length = request.headers.get("content-length");
  if (Number(length) > bytesMax) throw onTooLarge();
  const receive = length !== null && Number(length) <= WHOLE_BYTES_MAX ? whole : collect;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooSlow()), uploadMsMax);
  try {
    return { bytes: await receive(request, hold, late.promise), release };
  } catch (error) {
    release();
    if (error instanceof Failure) throw error;
    // The sender has disconnected: the failure is only for the metrics.
    throw new Failure("upload_aborted", "The body ended early.");
  } finally {
    clearTimeout(timer);
  }
}

type Hold = (count: number) => void;

async function whole(request: Request, hold: Hold, late: Promise<never>): Promise<Uint8Array> {
  const buffer = await Promise.race([request.arrayBuffer(), late]);
  hold(buffer.byteLength);
  return new Uint8Array(buffer);
}

/** Collects chunks in one buffer that grows, because a chunk may be a single byte. */
async function collect(request: Request, hold: Hold, late: Promise<never>): Promise<Uint8Array> {
  const { body, headers } = request;
  const declared = Number(headers.get("content-length"));
  let buffer = new Uint8Array(WHOLE_BYTES_MAX);
  let length = 0;
  const reader = body?.getReader();
  try {
    for (;;) {
      const chunk = await Promise.race([reader?.read(), late]);
      if (chunk === undefined || chunk.done) return buffer.subarray(0, length);
      hold(chunk.value.byteLength);
      const end = length + chunk.value.byteLength;
      if (end > buffer.length) {
        const longer = new Uint8Array(Math.max(end, declared || buffer.length * 2));
        longer.set(buffer.subarray(0, length));
        buffer = longer;
      }
      buffer.set(chunk.value, length);
      length = end;
    }
  } catch (error) {
    // Cancelling fails if the sender has disconnected already.
    reader?.cancel().catch(() => undefined);
    throw error;
  }
}

function tooSlow(): Failure {
  return new Failure("request_timeout", "The body took too long to arrive.");
}
