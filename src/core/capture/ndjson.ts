/** Characters of lines that are kept as texts before they are encoded, to save memory. */
const TEXT_CHARS_MAX = 1_048_576;

/** Size of the buffer as a share of a large body; its unused pages take no memory. */
const BUFFER_SHARE = 1.25;

const encoder = new TextEncoder();

/** Collects lines as UTF-8, each ended by a line feed. */
export type NdjsonBuffer = {
  add(line: string): void;
  count(): number;
  /** Returns all lines; may be called once. */
  bytes(): Uint8Array;
};

/**
 * Collects the lines of a body of `bodyBytes`. Their texts are garbage once they are encoded, so
 * `collect` is called after each TEXT_CHARS_MAX characters.
 */
export function ndjsonBuffer(bodyBytes: number, collect: () => void = () => {}): NdjsonBuffer {
  let whole = new Uint8Array();
  let used = 0;
  let texts: string[] = [];
  let chars = 0;
  let count = 0;

  const encoded = (): Uint8Array => {
    const part = encoder.encode(texts.join(""));
    texts = [];
    chars = 0;
    return part;
  };

  const put = (part: Uint8Array): void => {
    const needed = used + part.length;
    if (needed > whole.length) {
      const larger = new Uint8Array(Math.max(bodyBytes * BUFFER_SHARE, needed * 2));
      larger.set(whole.subarray(0, used));
      whole = larger;
    }
    whole.set(part, used);
    used = needed;
  };

  return {
    add(line) {
      texts.push(line, "\n");
      count += 1;
      chars += line.length;
      if (chars < TEXT_CHARS_MAX) return;
      put(encoded());
      collect();
    },
    count: () => count,
    bytes() {
      if (used === 0) return encoded();
      put(encoded());
      return whole.subarray(0, used);
    },
  };
}
