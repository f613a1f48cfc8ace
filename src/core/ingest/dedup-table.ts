const MINUTE_MS = 60_000;

/** Share of the slots that may be taken before there are twice as many. */
const LOAD_MAX = 0.85;

/** Slots at first. */
const SLOTS_MIN = 1024;

/** A minute before every window: an entry that is as good as gone. */
export const LEFT_MINUTE = 1;

/** 64 bits of a hash, as two unsigned numbers. */
export type SeenHash = { low: number; high: number };

/** When an event came, in minutes since the epoch, and its mark. */
export type Seen = { minute: number; mark: number };

/** Entries of a {@link seenTable}, RECORD_FIELDS numbers each: the hash's low and high half, minute, mark. */
export type SeenRecords = Uint32Array<ArrayBuffer>;

/** Numbers of one entry in {@link SeenRecords}. */
export const RECORD_FIELDS = 4;

/**
 * Which (project, uuid) came when, 14 bytes a slot, of which 64 bits are their hash. Two uuids among
 * 20 million are taken for one with a chance of 1 in 10^12 for each event; the hash is seeded, so that
 * nobody can look for such two (decision 4).
 */
export function seenTable() {
  let slots = 0;
  let low = new Uint32Array();
  let high = new Uint32Array();
  /** The minute of arrival, from 1 on; 0 is an empty slot. */
  let minutes = new Uint32Array();
  let marks = new Uint16Array();
  let size = 0;

  const empty = (capacity: number): void => {
    slots = capacity;
    low = new Uint32Array(slots);
    high = new Uint32Array(slots);
    minutes = new Uint32Array(slots);
    marks = new Uint16Array(slots);
    size = 0;
  };
  empty(SLOTS_MIN);

  /** The slot of an entry, or the empty one where it would be. */
  const slotOf = (hash: SeenHash): number => {
    let at = Math.floor(hash.low * (slots / 2 ** 32));
    while (minutes[at] !== 0 && !(low[at] === hash.low && high[at] === hash.high)) {
      at += 1;
      if (at === slots) at = 0;
    }
    return at;
  };

  const put = (hash: SeenHash, minute: number, mark: number): void => {
    const at = slotOf(hash);
    if (minutes[at] === 0) size += 1;
    low[at] = hash.low;
    high[at] = hash.high;
    minutes[at] = minute;
    marks[at] = mark;
  };

  const records = (firstMinute: number): SeenRecords => {
    const found = new Uint32Array(size * RECORD_FIELDS);
    let used = 0;
    for (const [at, minute] of minutes.entries()) {
      if (minute < Math.max(firstMinute, 1)) continue;
      found[used] = low[at] as number;
      found[used + 1] = high[at] as number;
      found[used + 2] = minute;
      found[used + 3] = marks[at] as number;
      used += RECORD_FIELDS;
    }
    return found.subarray(0, used);
  };

  const rebuild = (capacity: number, kept: SeenRecords): void => {
    empty(capacity);
    for (let at = 0; at < kept.length; at += RECORD_FIELDS) {
      const hash = { low: kept[at] as number, high: kept[at + 1] as number };
      put(hash, kept[at + 2] as number, kept[at + 3] as number);
    }
  };

  return {
    /** Remembers an event that came in a minute. */
    add(hash: SeenHash, minute: number, mark: number): void {
      if (size >= slots * LOAD_MAX) rebuild(slots * 2, records(0));
      put(hash, minute, mark);
    },

    /** What is remembered of an event; undefined if nothing. */
    find(hash: SeenHash): Seen | undefined {
      const at = slotOf(hash);
      const minute = minutes[at] ?? 0;
      return minute === 0 ? undefined : { minute, mark: marks[at] ?? 0 };
    },

    /** Makes an event as good as gone, and says whether it was there; its hash stays until {@link keepFrom}. */
    remove(hash: SeenHash): boolean {
      const at = slotOf(hash);
      if (minutes[at] === 0) return false;
      minutes[at] = LEFT_MINUTE;
      return true;
    },

    /** Keeps what came in a minute or later. */
    keepFrom: (firstMinute: number): void => rebuild(slots, records(firstMinute)),

    /** All entries. */
    records: (): SeenRecords => records(0),

    clear: (): void => empty(SLOTS_MIN),

    /** Entries held. */
    size: () => size,
  };
}

/** The minute of a time in milliseconds since the epoch; none is before 1. */
export function minuteOf(ms: number): number {
  return Math.max(Math.floor(ms / MINUTE_MS), LEFT_MINUTE);
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
