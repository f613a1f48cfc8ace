const MINUTE_MS = 60_000;

/**
 * Share of a part's slots that may be taken before it grows, and how many times as many there are
 * then: with twice as many, half of the memory would be empty slots.
 */
const LOAD_MAX = 0.85;
const GROWTH = 1.2;

/** Parts of the table: only one at a time is in memory twice, to grow. A power of two. */
const PARTS = 64;
const PART_SHIFT = 26;

/** Slots of a part at first. */
const SLOTS_MIN = 1024;

/** A minute before every window: an entry that is as good as gone. */
const LEFT_MINUTE = 1;

/** 64 bits of a hash, as two unsigned numbers. */
export type SeenHash = { low: number; high: number };

/**
 * Which (project, uuid) came when: 14 bytes a slot, of which 64 bits are their hash. Two uuids in
 * one table of 20 million are taken for one with a chance of 1 in 10^12 for each event; the hash is
 * seeded, so that nobody can look for such two (decision 4).
 */
export function seenTable() {
  const parts = Array.from({ length: PARTS }, seenPart);
  const partOf = ({ low }: SeenHash) => parts[low >>> PART_SHIFT] as SeenPart;
  return {
    /** Remembers an event that arrived at `arrivedAt`, in milliseconds since the epoch. */
    add: (hash: SeenHash, arrivedAt: number, mark: number): void =>
      partOf(hash).add(hash, minuteOf(arrivedAt), mark),

    /** The mark of an event that arrived at `since` or later, to the minute; else undefined. */
    markSince: (hash: SeenHash, since: number): number | undefined =>
      partOf(hash).markSince(hash, minuteOf(since)),

    /** Forgets an event, as if it had left the window; its hash stays until {@link sweep}. */
    remove: (hash: SeenHash): void => partOf(hash).remove(hash),

    /** Forgets what arrived before, and shrinks to what is left. */
    forget(before: number): void {
      for (const part of parts) part.keepFrom(minuteOf(before));
    },

    /** Takes the hashes of what was removed out of memory. */
    sweep(): void {
      for (const part of parts) part.keepFrom(LEFT_MINUTE + 1);
    },

    /** Entries held. */
    size: () => parts.reduce((sum, part) => sum + part.size(), 0),
  };
}

type SeenPart = ReturnType<typeof seenPart>;

function seenPart() {
  let slots = SLOTS_MIN;
  let low = new Uint32Array(slots);
  let high = new Uint32Array(slots);
  /** The minute of arrival, from 1 on; 0 is an empty slot. */
  let minutes = new Uint32Array(slots);
  let marks = new Uint16Array(slots);
  let size = 0;

  /** The bits that do not name the part, as a share of the slots: the entries are in their order. */
  const homeOf = (bits: number) =>
    Math.floor(((bits << (32 - PART_SHIFT)) >>> 0) * (slots / 2 ** 32));

  const slotOf = (hash: SeenHash): number => {
    let at = homeOf(hash.low);
    while (minutes[at] !== 0 && !(low[at] === hash.low && high[at] === hash.high)) {
      at += 1;
      if (at === slots) at = 0;
    }
    return at;
  };

  const emptyFrom = (home: number): number => {
    let at = home;
    while (minutes[at] !== 0) {
      at += 1;
      if (at === slots) at = 0;
    }
    return at;
  };

  const rebuild = (capacity: number, firstMinute: number): void => {
    const old = { low, high, minutes, marks };
    slots = capacity;
    low = new Uint32Array(slots);
    high = new Uint32Array(slots);
    minutes = new Uint32Array(slots);
    marks = new Uint16Array(slots);
    size = 0;
    for (let from = 0; from < old.low.length; from++) {
      const [minute = 0, bits = 0] = [old.minutes[from], old.low[from]];
      if (minute < Math.max(firstMinute, 1)) continue;
      const at = emptyFrom(homeOf(bits));
      low[at] = bits;
      high[at] = old.high[from] as number;
      minutes[at] = minute;
      marks[at] = old.marks[from] as number;
      size += 1;
    }
  };

  return {
    add(hash: SeenHash, minute: number, mark: number): void {
      if (size >= slots * LOAD_MAX) rebuild(Math.ceil(slots * GROWTH), 0);
      const at = slotOf(hash);
      if (minutes[at] === 0) size += 1;
      low[at] = hash.low;
      high[at] = hash.high;
      minutes[at] = minute;
      marks[at] = mark;
    },

    markSince(hash: SeenHash, since: number): number | undefined {
      const at = slotOf(hash);
      const minute = minutes[at] ?? 0;
      return minute === 0 || minute < since ? undefined : marks[at];
    },

    remove(hash: SeenHash): void {
      const at = slotOf(hash);
      if (minutes[at] !== 0) minutes[at] = LEFT_MINUTE;
    },

    /** Keeps what arrived in a minute or later, in as few slots as leave room for some more. */
    keepFrom(firstMinute: number): void {
      let kept = 0;
      for (const minute of minutes) if (minute >= firstMinute) kept += 1;
      rebuild(Math.max(SLOTS_MIN, Math.ceil((kept * GROWTH) / LOAD_MAX)), firstMinute);
    },

    size: () => size,
  };
}

function minuteOf(ms: number): number {
  return Math.max(Math.floor(ms / MINUTE_MS), 1);
}

/** No mark: what an event was is not known any more. */
export const UNMARKED = 0;

/** 16 bits, never UNMARKED, by which another event under a known uuid is told from a resend. */
export function seenMark(event: string, distinct_id: string): number {
  let x = event.length;
  for (let at = 0; at < event.length; at++) x = Math.imul(x ^ event.charCodeAt(at), 0x01_00_01_93);
  for (let at = 0; at < distinct_id.length; at++) {
    x = Math.imul(x ^ distinct_id.charCodeAt(at), 0x01_00_01_93);
  }
  return (((x ^ (x >>> 15)) >>> 0) % 65_535) + 1;
}

/** Two random unsigned 32-bit numbers. */
export type SeenSeed = Uint32Array;

/** The hash of a uuid, given as its four big-endian 32-bit words, in a project. */
export function seenHash(
  [one = 0, two = 0]: SeenSeed,
  project: number,
  uuid: readonly [number, number, number, number],
): SeenHash {
  let x = Math.imul(project ^ one, 0x85_eb_ca_6b);
  let y = Math.imul(project ^ two, 0xcc_9e_2d_51) ^ one;
  for (const word of uuid) {
    x = Math.imul(x ^ word, 0xcc_9e_2d_51);
    x ^= x >>> 15;
    y = Math.imul(y ^ word, 0x27_d4_eb_2f);
    y ^= y >>> 13;
  }
  x = Math.imul(x ^ (x >>> 16), 0x85_eb_ca_6b);
  y = Math.imul(y ^ (y >>> 16), 0xc2_b2_ae_35);
  return { low: (x ^ (x >>> 13)) >>> 0, high: (y ^ (y >>> 15)) >>> 0 };
}

/** The hash of a hyphenated lower-case uuid in a project. */
export function seenHashOf(seed: SeenSeed, project: number, uuid: string): SeenHash {
  return seenHash(seed, project, [
    word(uuid, 0, 4),
    word(uuid, 9, 14),
    word(uuid, 19, 24),
    word(uuid, 28, 32),
  ]);
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
 * words, the minute of arrival since the epoch, and the mark.
 */
export type SeenEntries = Uint32Array;

/** Numbers of one entry in a {@link SeenEntries}. */
export const SEEN_FIELDS = 7;
