/** Bytes of lines that are gathered for one write: they stay near the processor until then. */
const WRITE_BYTES = 1_048_576;

/** Where they are gathered, once and for all: the system takes long to make so much memory anew. */
const shared = Buffer.allocUnsafeSlow(WRITE_BYTES);

/** Lines on their way into a file; `flush` hands on the last ones. */
export type LineBuffer = {
  /** Adds a text as UTF-8. */
  text(text: string): void;
  bytes(bytes: Uint8Array): void;
  flush(): void;
};

/**
 * Gathers lines for `write`, which has them no longer than it runs. One at a time in a thread, from
 * the first text to `flush`.
 */
export function lineBuffer(write: (bytes: Uint8Array) => void): LineBuffer {
  let buffer = shared;
  let used = 0;
  const flush = () => {
    if (used > 0) write(buffer.subarray(0, used));
    used = 0;
  };
  const makeRoom = (bytes: number) => {
    if (used + bytes > buffer.length) flush();
    if (bytes > buffer.length) buffer = Buffer.allocUnsafeSlow(bytes);
  };
  return {
    text(text) {
      // A UTF-16 unit is at most 3 bytes of UTF-8.
      makeRoom(text.length * 3);
      used += buffer.write(text, used);
    },
    bytes(bytes) {
      makeRoom(bytes.length);
      buffer.set(bytes, used);
      used += bytes.length;
    },
    flush,
  };
}
