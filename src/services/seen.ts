import {
  blockOf,
  SEEN_FIELDS,
  type SeenEntries,
  type SeenHash,
  seenFilter,
  seenHash,
} from "../domain/seen.ts";

const HOUR_MS = 3_600_000;

/** The uuids of the deduplication window (decision 4), `windowMs` long by arrival. */
export function seenWindow(windowMs: number) {
  const filter = seenFilter();
  /** When the last event of each block in the filter arrived. */
  const arrivals = new Map<number, number>();
  let lastHour = -1;

  const add = (hash: SeenHash, block: number, arrivedAt: number) => {
    filter.add(hash, block);
    arrivals.set(block, Math.max(arrivedAt, arrivals.get(block) ?? 0));
  };

  return {
    /** The blocks in which a uuid may be; none if it was not seen. */
    blocks: filter.blocks,

    /** Remembers an event; `arrivedAt` in milliseconds since the epoch. */
    add: (hash: SeenHash, seq: number, arrivedAt: number) => add(hash, blockOf(seq), arrivedAt),

    /** Remembers what the event store holds. */
    addEntries(entries: SeenEntries): void {
      for (let at = 0; at < entries.length; at += SEEN_FIELDS) {
        const [project = 0, a = 0, b = 0, c = 0, d = 0, block = 0, hour = 0] = entries.subarray(
          at,
          at + SEEN_FIELDS,
        );
        add(seenHash(project, a, b, c, d), block, (hour + 1) * HOUR_MS);
      }
    },

    /** Forgets the blocks that have left the window, once an hour. */
    forget(now: number): void {
      const hour = Math.floor(now / HOUR_MS);
      if (hour === lastHour) return;
      lastHour = hour;
      filter.forget((block) => (arrivals.get(block) ?? 0) >= now - windowMs);
      for (const [block, at] of arrivals) if (at < now - windowMs) arrivals.delete(block);
    },
  };
}
