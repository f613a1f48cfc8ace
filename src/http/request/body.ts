import { Failure } from "../../core/values/failure.ts";

/** Bytes of all bodies that are in memory at the same time; further requests get 503. */
export const BODIES_BYTES_MAX = 134_217_728;

/** Time that a body may take to arrive, in milliseconds. 20 MiB in it is 1.4 Mbit/s. */
export const UPLOAD_MS_MAX = 120_000;

/** Bytes of a body that is received at one go; a longer one is counted as it comes. */
const WHOLE_BYTES_MAX = 65_536;

/** What is counted while a body is in memory. */
export type Meter = { held: number };

type Limits = {
  bytesMax: number;
  /** Makes the failure of a body over `bytesMax`. */
  onTooLarge: () => Failure;
  /** UPLOAD_MS_MAX if not given. */
  uploadMsMax?: number;
};

/**
 * The bytes of a body. They are counted as they come, whatever its headers say of its length: at
 * most `bytesMax` are ever kept. Fails `unavailable` when BODIES_BYTES_MAX are in memory already,
 * `request_timeout` (decision 34) when it takes too long, and `upload_aborted` when its sender ends
 * the connection before it. They stay counted until `release` is called.
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
    // Its sender is gone: nobody reads this, but it is counted as what it is.
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

/**
 * Into one buffer that doubles, or becomes as long as the body says it is: chunks may be of one byte each.
 */
async function collect(request: Request, hold: Hold, late: Promise<never>): Promise<Uint8Array> {
  const { body, headers } = request;
  const said = Number(headers.get("content-length"));
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
        const longer = new Uint8Array(Math.max(end, said || buffer.length * 2));
        longer.set(buffer.subarray(0, length));
        buffer = longer;
      }
      buffer.set(chunk.value, length);
      length = end;
    }
  } catch (error) {
    // The sender may be gone already, which is no news.
    reader?.cancel().catch(() => undefined);
    throw error;
  }
}

function tooSlow(): Failure {
  return new Failure("request_timeout", "The body took too long to arrive.");
}
