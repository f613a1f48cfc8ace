/** Sequence numbers of one block, the grain in which the filter remembers where an event is. */
export const BLOCK_SEQS = 65_536;

/** The block of a sequence number. */
export function blockOf(seq: number): number {
  return Math.floor(seq / BLOCK_SEQS);
}

/** Blocks that 24 bits tell apart: a trillion events. */
const BLOCK_BITS = 24;

/** Share of slots that may be taken before the table grows. */
const LOAD_MAX = 0.75;

const SLOTS_MIN = 1 << 16;

/**
 * A filter that says whether a (project, uuid) may have been stored before, and in which block of
 * sequence numbers, without asking the event store: 40 bits of its hash and the block, 8 bytes a
 * slot. It may be wrong about "yes" (once in 50,000 with 20 million entries), never about "no".
 */
export function seenFilter() {
  let slots = SLOTS_MIN;
  let low = new Uint32Array(slots);
  /** The hash's upper 8 bits, 1 to 255, and the block; 0 marks an empty slot. */
  let high = new Uint32Array(slots);
  let size = 0;

  const place = (lowHash: number, entry: number) => {
    let at = lowHash & (slots - 1);
    while (high[at] !== 0 && !(low[at] === lowHash && high[at] === entry))
      at = (at + 1) & (slots - 1);
    if (high[at] === 0) size += 1;
    low[at] = lowHash;
    high[at] = entry;
  };

  const blockIn = (entry: number) => entry & ((1 << BLOCK_BITS) - 1);

  const rebuild = (capacity: number, keep: (block: number) => boolean) => {
    const [oldLow, oldHigh] = [low, high];
    slots = capacity;
    low = new Uint32Array(slots);
    high = new Uint32Array(slots);
    size = 0;
    for (let at = 0; at < oldHigh.length; at++) {
      const entry = oldHigh[at] ?? 0;
      if (entry !== 0 && keep(blockIn(entry))) place(oldLow[at] ?? 0, entry);
    }
  };

  return {
    /** Remembers a hash of {@link seenHash} and the block that its event is in. */
    add(hash: SeenHash, block: number): void {
      if (size >= slots * LOAD_MAX) rebuild(slots * 2, () => true);
      place(hash.low, ((hash.high << BLOCK_BITS) | block) >>> 0);
    },

    /** The blocks in which it may be; none if it was not added. */
    blocks(hash: SeenHash): number[] {
      const found: number[] = [];
      let at = hash.low & (slots - 1);
      for (;;) {
        const entry = high[at] ?? 0;
        if (entry === 0) return found;
        if (low[at] === hash.low && entry >>> BLOCK_BITS === hash.high) found.push(blockIn(entry));
        at = (at + 1) & (slots - 1);
      }
    },

    /** Forgets every block for which `keep` says no, and shrinks to what is left. */
    forget(keep: (block: number) => boolean): void {
      let kept = 0;
      for (const entry of high) if (entry !== 0 && keep(blockIn(entry))) kept += 1;
      let capacity = SLOTS_MIN;
      while (kept >= (capacity * LOAD_MAX) / 1.5) capacity *= 2;
      rebuild(capacity, keep);
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
    word(uuid, 0, 4),
    word(uuid, 9, 14),
    word(uuid, 19, 24),
    word(uuid, 28, 32),
  );
}

/** The 32-bit word of four hex digits at each of two places. */
function word(uuid: string, high: number, low: number): number {
  let bits = 0;
  for (let at = high; at < high + 4; at++) bits = (bits << 4) | digit(uuid.charCodeAt(at));
  for (let at = low; at < low + 4; at++) bits = (bits << 4) | digit(uuid.charCodeAt(at));
  return bits;
}

/** The value of a hex digit: letters have the bit 0x40, and `a` ends in 1. */
function digit(code: number): number {
  return (code & 15) + (code >> 6) * 9;
}

/**
 * Entries of the dedup window, SEEN_FIELDS numbers each: the project, the uuid's four big-endian
 * words, the block of its sequence number, and the hour of arrival since the epoch.
 */
export type SeenEntries = Uint32Array;

/** Numbers of one entry in a {@link SeenEntries}. */
export const SEEN_FIELDS = 7;
