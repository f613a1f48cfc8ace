/** Bytes of bodies and of what they hold after which the memory that they took is collected. */
const COLLECT_BYTES = 33_554_432;

/** How many times as long as a collection took none follows: much of what it looks at may be in use. */
const PAUSE_TIMES = 4;

/**
 * Collects a thread's garbage after large bodies; else the heap grows to many times the live bytes: five
 * bodies of 21 MB took up to 828 MB, and take 693. Its argument is the number of bytes no longer needed.
 */
export function collectBehind(collect: () => void): (bytes: number) => void {
  let uncollected = 0;
  return (bytes) => {
    uncollected += bytes;
    if (uncollected < COLLECT_BYTES) return;
    uncollected = 0;
    setTimeout(collect, 0);
  };
}

/** The same within work that makes garbage, as often as it takes a fifth of the time at most. */
export function collectWithin(collect: () => void): () => void {
  let againAt = 0;
  return () => {
    const start = performance.now();
    if (start < againAt) return;
    collect();
    const end = performance.now();
    againAt = end + (end - start) * PAUSE_TIMES;
  };
}
