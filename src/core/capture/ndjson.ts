/** Characters of lines that are texts at the same time: of a large body they would take as much again. */
const TEXT_CHARS_MAX = 1_048_576;

/** Room for the lines of a large body, by its own bytes: what is not used of it takes no memory. */
const ROOM_SHARE = 1.25;

const encoder = new TextEncoder();

/** What gathers lines as UTF-8, each ended by a line feed. */
export type Lines = {
  add(line: string): void;
  count(): number;
  /** All of them, once. */
  bytes(): Uint8Array;
};

/**
 * Gathers the lines of a body of `bodyBytes`. What they were made of is garbage once they are
 * bytes: `collect` is called for each TEXT_CHARS_MAX of them.
 */
export function ndjsonBuffer(bodyBytes: number, collect: () => void = () => {}): Lines {
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
      const larger = new Uint8Array(Math.max(bodyBytes * ROOM_SHARE, needed * 2));
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
