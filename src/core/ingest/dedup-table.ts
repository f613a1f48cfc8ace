import { CLOSE_LIST, QUOTE } from "../values/json.ts";

const MINUTE_MS = 60_000;

/** Share of used slots above which their number is doubled. */
const LOAD_MAX = 0.85;

/** Slots of an empty table. */
const SLOTS_MIN = 1024;

/** A minute before every window: that of an entry whose event was erased. */
export const TOMBSTONE_MINUTE = 1;

/** 64 bits of a hash, as two unsigned numbers. */
export type DedupHash = { low: number; high: number };

/** Minute of an event's arrival since the epoch, and its {@link eventFingerprint}. */
export type DedupEntry = { minute: number; fingerprint: number };

/** Entries of a {@link dedupTable}, RECORD_FIELDS numbers each: low and high half of the hash, minute, fingerprint. */
export type DedupRecords = Uint32Array<ArrayBuffer>;

/** Numbers of one entry in {@link DedupRecords}. */
export const RECORD_FIELDS = 4;

/**
 * A hash table of (project, uuid) with the minute of arrival, 14 bytes a slot. Among 20 million uuids,
 * an event has the 64-bit hash of another one with a chance of 1 in 10^12. The hash is seeded, so that
 * no sender can search for such a pair (decision 4).
 */
export function dedupTable() {
  let slots = 0;
  let low = new Uint32Array();
  let high = new Uint32Array();
  /** The minute of arrival, from 1 on; 0 is an empty slot. */
  let minutes = new Uint32Array();
  let fingerprints = new Uint16Array();
  let size = 0;

  const empty = (capacity: number): void => {
    slots = capacity;
    low = new Uint32Array(slots);
    high = new Uint32Array(slots);
    minutes = new Uint32Array(slots);
    fingerprints = new Uint16Array(slots);
    size = 0;
  };
  empty(SLOTS_MIN);

  /** Returns the slot of an entry, or the empty slot for it. */
  const slotOf = (hash: DedupHash): number => {
    let at = Math.floor(hash.low * (slots / 2 ** 32));
    while (minutes[at] !== 0 && !(low[at] === hash.low && high[at] === hash.high)) {
      at += 1;
      if (at === slots) at = 0;
    }
    return at;
  };

  const put = (hash: DedupHash, minute: number, fingerprint: number): void => {
    const at = slotOf(hash);
    if (minutes[at] === 0) size += 1;
    low[at] = hash.low;
    high[at] = hash.high;
    minutes[at] = minute;
    fingerprints[at] = fingerprint;
  };

  const recordsFrom = (firstMinute: number): DedupRecords => {
    const records = new Uint32Array(size * RECORD_FIELDS);
    let used = 0;
    for (const [at, minute] of minutes.entries()) {
      if (minute < Math.max(firstMinute, 1)) continue;
      records[used] = low[at] as number;
      records[used + 1] = high[at] as number;
      records[used + 2] = minute;
      records[used + 3] = fingerprints[at] as number;
      used += RECORD_FIELDS;
    }
    return records.subarray(0, used);
  };

  const rebuild = (capacity: number, records: DedupRecords): void => {
    empty(capacity);
    for (let at = 0; at < records.length; at += RECORD_FIELDS) {
      const hash = { low: records[at] as number, high: records[at + 1] as number };
      put(hash, records[at + 2] as number, records[at + 3] as number);
    }
  };

  return {
    /** Adds an entry, or replaces the one with this hash. */
    add(hash: DedupHash, { minute, fingerprint }: DedupEntry): void {
      if (size >= slots * LOAD_MAX) rebuild(slots * 2, recordsFrom(0));
      put(hash, minute, fingerprint);
    },

    /** Returns the entry of an event; undefined without one. */
    find(hash: DedupHash): DedupEntry | undefined {
      const at = slotOf(hash);
      const minute = minutes[at] ?? 0;
      return minute === 0 ? undefined : { minute, fingerprint: fingerprints[at] ?? 0 };
    },

    /** Replaces an entry by a tombstone; returns false if there was no entry. `expire` removes the hash. */
    remove(hash: DedupHash): boolean {
      const at = slotOf(hash);
      if (minutes[at] === 0) return false;
      minutes[at] = TOMBSTONE_MINUTE;
      return true;
    },

    /** Removes the entries before a minute. */
    expire: (firstMinute: number): void => rebuild(slots, recordsFrom(firstMinute)),

    /** Returns all entries. */
    records: (): DedupRecords => recordsFrom(0),

    clear: (): void => empty(SLOTS_MIN),

    /** Returns the number of entries. */
    size: () => size,
  };
}

/** The minute of a time in milliseconds since the epoch; at least TOMBSTONE_MINUTE. */
export function minuteOf(ms: number): number {
  return Math.max(Math.floor(ms / MINUTE_MS), TOMBSTONE_MINUTE);
}

const TIME = Buffer.from('","timestamp":"');
const PROPERTIES = Buffer.from('","properties":{');
const COUNTRY = Buffer.from(',"$geoip_country_code":"');
const COUNTRY_NAME = Buffer.from(',"$geoip_country_name":"');
const CHANGED = Buffer.from('},"changed":[');

/**
 * 16 bits, never 0, that tell another event with a known uuid from a retry of the same one: a hash of the name, distinct
 * id and properties in its line. The uuid, changes, time and country do not count, because a retry may have others. None
 * of the texts between these parts can be within a JSON string.
 */
export function eventFingerprint(line: Uint8Array): number {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
  const time = bytes.indexOf(TIME, NAME_START);
  const properties = bytes.indexOf(PROPERTIES, time);
  const end = bytes.at(-2) === CLOSE_LIST ? bytes.lastIndexOf(CHANGED) + 1 : bytes.length - 1;
  const found = bytes.lastIndexOf(COUNTRY);
  // Mostly the country is the last property, before the brace.
  const country = found < properties ? end - 1 : found;
  const rest = found < properties ? country : endOfCountry(bytes, found);
  let hash = Bun.hash.wyhash(bytes.subarray(NAME_START, time));
  hash = Bun.hash.wyhash(bytes.subarray(properties, country), hash);
  hash = Bun.hash.wyhash(bytes.subarray(rest, end), hash);
  return Number(hash & 0xff_ffn) || 1;
}

/** Where a line has its name: after `{"uuid":` and a uuid in quotes. */
const NAME_START = 46;

/** The end of a country's code and of its name, if that is next. */
function endOfCountry(line: Buffer, at: number): number {
  const end = line.indexOf(QUOTE, at + COUNTRY.length) + 1;
  const isNamed = line.subarray(end, end + COUNTRY_NAME.length).equals(COUNTRY_NAME);
  return isNamed ? line.indexOf(QUOTE, end + COUNTRY_NAME.length) + 1 : end;
}

/** Two random unsigned 32-bit numbers. */
export type DedupSeed = Uint32Array;

/** The hash of a uuid, given as its four big-endian 32-bit words, in a project. */
export function dedupHash(
  [one = 0, two = 0]: DedupSeed,
  project: number,
  uuid: readonly [number, number, number, number],
): DedupHash {
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
export function dedupHashOf(seed: DedupSeed, project: number, uuid: string): DedupHash {
  return dedupHash(seed, project, [
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
 * Entries of the deduplication window as the event store has them, REPLAY_FIELDS numbers each: project,
 * the uuid's four big-endian words, minute of arrival since the epoch, fingerprint.
 */
export type ReplayEntries = Uint32Array;

/** Numbers of one entry in a {@link ReplayEntries}. */
export const REPLAY_FIELDS = 7;
