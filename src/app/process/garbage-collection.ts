/** Bytes of released bodies after which garbage is collected. */
const COLLECT_BYTES = 33_554_432;

/** The pause after a collection, as a multiple of its duration: much of the heap may still be in use. */
const PAUSE_TIMES = 4;

/**
 * Collects a thread's garbage after large bodies; else the heap grows to many times the live bytes: five
 * bodies of 21 MB took up to 828 MB, and take 693. Its argument is the number of bytes no longer needed.
 */
export function gcAfterBytes(collect: () => void): (bytes: number) => void {
  let uncollected = 0;
  return (bytes) => {
    uncollected += bytes;
    if (uncollected < COLLECT_BYTES) return;
    uncollected = 0;
    setTimeout(collect, 0);
  };
}

/** Collects garbage within work that makes it, in at most a fifth of the time. `now` is in milliseconds. */
export function gcWithinShare(
  collect: () => void,
  now = (): number => performance.now(),
): () => void {
  let againAt = 0;
  return () => {
    const start = now();
    if (start < againAt) return;
    collect();
    const end = now();
    againAt = end + (end - start) * PAUSE_TIMES;
  };
}
