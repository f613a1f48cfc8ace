/** Hours are told apart modulo this; a window is far shorter. */
const HOURS = 256;

/** Share of slots that may be taken before the table grows. */
const LOAD_MAX = 0.75;

const SLOTS_MIN = 1 << 16;
/** One hour, the grain of the filter, in milliseconds. */
export const HOUR_MS = 3_600_000;

/** The hour, modulo 256, of a time in milliseconds since the epoch. */
export function hourTag(ms: number): number {
  return Math.floor(ms / HOUR_MS) & (HOURS - 1);
}

/** Differences this large mean an hour ahead: a clock that was set back. */
const AHEAD = 200;

/** How many hours a tag lies before a time; negative if it lies ahead. */
export function hoursBefore(ms: number, tag: number): number {
  const difference = (hourTag(ms) - tag) & (HOURS - 1);
  return difference >= AHEAD ? difference - HOURS : difference;
}

/** The start of the hour that a tag means, seen from a time; both in milliseconds. */
export function hourStart(ms: number, tag: number): number {
  return (Math.floor(ms / HOUR_MS) - hoursBefore(ms, tag)) * HOUR_MS;
}

/**
 * A filter that says whether a (project, uuid) may have been stored before, without asking the
 * event store: 40 bits of its hash and the hour it arrived in, 8 bytes an event at the usual
 * fill. It may be wrong about "yes" (once in 50,000 with 20 million entries), never about "no".
 */
export function seenFilter() {
  let slots = SLOTS_MIN;
  let low = new Uint32Array(slots);
  /** The hash's upper 8 bits and the hour; 0 marks an empty slot, so the upper bits are 1 to 255. */
  let high = new Uint16Array(slots);
  let size = 0;

  const place = (lowHash: number, tag: number) => {
    let at = lowHash & (slots - 1);
    while (high[at] !== 0 && !(low[at] === lowHash && high[at] === tag))
      at = (at + 1) & (slots - 1);
    if (high[at] === 0) size += 1;
    low[at] = lowHash;
    high[at] = tag;
  };

  const grow = (capacity: number, keep: (hour: number) => boolean) => {
    const [oldLow, oldHigh] = [low, high];
    slots = capacity;
    low = new Uint32Array(slots);
    high = new Uint16Array(slots);
    size = 0;
    for (let at = 0; at < oldHigh.length; at++) {
      const tag = oldHigh[at] ?? 0;
      if (tag !== 0 && keep(tag & (HOURS - 1))) place(oldLow[at] ?? 0, tag);
    }
  };

  return {
    /** Remembers a hash of {@link seenHash} that arrived in `hour`. */
    add(hash: SeenHash, hour: number): void {
      if (size >= slots * LOAD_MAX) grow(slots * 2, () => true);
      place(hash.low, (hash.high << 8) | hour);
    },

    /** The hours in which it may have been added; none if it was not. */
    hours(hash: SeenHash): number[] {
      const found: number[] = [];
      let at = hash.low & (slots - 1);
      for (;;) {
        const tag = high[at] ?? 0;
        if (tag === 0) return found;
        if (low[at] === hash.low && tag >> 8 === hash.high) found.push(tag & (HOURS - 1));
        at = (at + 1) & (slots - 1);
      }
    },

    /** Forgets every hour for which `keep` says no, and shrinks to what is left. */
    forget(keep: (hour: number) => boolean): void {
      let kept = 0;
      for (const tag of high) if (tag !== 0 && keep(tag & (HOURS - 1))) kept += 1;
      let capacity = SLOTS_MIN;
      while (kept >= (capacity * LOAD_MAX) / 1.5) capacity *= 2;
      grow(capacity, keep);
    },

    /** Entries held. */
    size: () => size,
  };
}

/** 40 bits of a hash: `low` 32 bits unsigned, `high` 1 to 255. */
export type SeenHash = { low: number; high: number };

/** The hash of a uuid, given as its four big-endian 32-bit words, in a project. */
export function seenHash(project: number, a: number, b: number, c: number, d: number): SeenHash {
  let x = Math.imul(project ^ 0x9e_37_79_b9, 0x85_eb_ca_6b);
  let y = x ^ 0x16_56_67_b1;
  for (const word of [a, b, c, d]) {
    x = Math.imul(x ^ word, 0xcc_9e_2d_51);
    x ^= x >>> 15;
    y = Math.imul(y ^ word, 0x27_d4_eb_2f);
    y ^= y >>> 13;
  }
  x = Math.imul(x ^ (x >>> 16), 0x85_eb_ca_6b);
  y = Math.imul(y ^ (y >>> 16), 0xc2_b2_ae_35);
  return { low: (x ^ (x >>> 13)) >>> 0, high: ((y >>> 24) % 255) + 1 };
}

/** The hash of a hyphenated lower-case uuid in a project. */
export function seenHashOf(project: number, uuid: string): SeenHash {
  return seenHash(
    project,
    Number.parseInt(uuid.slice(0, 8), 16),
    Number.parseInt(uuid.slice(9, 13) + uuid.slice(14, 18), 16),
    Number.parseInt(uuid.slice(19, 23) + uuid.slice(24, 28), 16),
    Number.parseInt(uuid.slice(28, 36), 16),
  );
}

/**
 * Entries of the dedup window, SEEN_FIELDS numbers each: the project, the uuid's four big-endian
 * words, and the hour of arrival since the epoch.
 */
export type SeenEntries = Uint32Array;

/** Numbers of one entry in a {@link SeenEntries}. */
export const SEEN_FIELDS = 6;
