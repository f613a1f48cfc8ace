/** Bytes of one write: so many stay in the processor's cache. */
const WRITE_BYTES = 1_048_576;

/** One buffer for all writes, because allocating it each time is slow. */
const shared = Buffer.allocUnsafeSlow(WRITE_BYTES);

/** Collects lines of a file; `flush` writes the last ones. */
export type LineBuffer = {
  /** Adds a text as UTF-8. */
  text(text: string): void;
  bytes(bytes: Uint8Array): void;
  flush(): void;
};

/**
 * Collects lines for `write`, which must not keep the bytes. A thread may use one at a time, from the
 * first text to `flush`.
 */
export function lineBuffer(write: (bytes: Uint8Array) => void): LineBuffer {
  let buffer = shared;
  let used = 0;
  const flush = () => {
    if (used > 0) write(buffer.subarray(0, used));
    used = 0;
  };
  const reserve = (bytes: number) => {
    if (used + bytes > buffer.length) flush();
    if (bytes > buffer.length) buffer = Buffer.allocUnsafeSlow(bytes);
  };
  return {
    text(text) {
      // A UTF-16 unit is at most 3 bytes of UTF-8.
      reserve(text.length * 3);
      used += buffer.write(text, used);
    },
    bytes(bytes) {
      reserve(bytes.length);
      buffer.set(bytes, used);
      used += bytes.length;
    },
    flush,
  };
}
