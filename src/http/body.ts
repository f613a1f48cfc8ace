import { Failure } from "../domain/errors.ts";

/** Bytes of bodies that may be in memory at once, over all requests. */
export const BODIES_BYTES_MAX = 134_217_728;

/** What is counted while a body is in memory. */
export type Meter = { held: number };

/**
 * The bytes of a body, counted as they come: at most `bytesMax` are ever kept, then `onTooLarge`
 * makes the failure. Fails `unavailable` when BODIES_BYTES_MAX are in memory already. The bytes
 * stay counted until `release` is called.
 */
export async function readBody(
  request: Request,
  bytesMax: number,
  meter: Meter,
  onTooLarge: () => Failure,
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
  try {
    const length = request.headers.get("content-length");
    if (length === null) return { bytes: await collect(request, hold), release };
    hold(Number(length));
    return { bytes: new Uint8Array(await request.arrayBuffer()), release };
  } catch (error) {
    release();
    if (error instanceof Failure) throw error;
    throw new Failure("invalid_payload", "The body ended early.");
  }
}

async function collect(request: Request, hold: (count: number) => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request.body ?? []) {
    hold(chunk.byteLength);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
