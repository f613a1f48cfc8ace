/** Bytes of bodies and of what they hold after which the memory that they took is collected. */
const COLLECT_BYTES = 33_554_432;

/**
 * Collects a thread's garbage behind large bodies (decision 148): the engine lets it grow to many
 * times what is used. Told of bytes that are garbage `afterMs` milliseconds from now.
 */
export function collectBehind(collect: () => void, afterMs: number): (bytes: number) => void {
  let uncollected = 0;
  return (bytes) => {
    uncollected += bytes;
    if (uncollected < COLLECT_BYTES) return;
    uncollected = 0;
    setTimeout(collect, afterMs);
  };
}
