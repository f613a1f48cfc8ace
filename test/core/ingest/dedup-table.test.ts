import { describe, expect, test } from "bun:test";
import {
  dedupHash,
  dedupHashOf,
  dedupTable,
  eventFingerprint,
  minuteOf,
  RECORD_FIELDS,
  TOMBSTONE_MINUTE,
} from "../../../src/core/ingest/dedup-table.ts";

const SEED = Uint32Array.of(0x12_34_56_78, 0x9a_bc_de_f0);
const NOON = minuteOf(Date.parse("2026-11-21T12:00:00Z"));

const hashOf = (project: number, uuid: string) => dedupHashOf(SEED, project, uuid);

describe("the deduplication table", () => {
  test("finds every entry that was added, and no other", () => {
    const table = dedupTable();
    const added = Array.from({ length: 200_000 }, () => Bun.randomUUIDv7());

    for (const uuid of added) table.add(hashOf(1, uuid), { minute: NOON, fingerprint: 7 });

    expect(table.size()).toBe(200_000);
    const entry = { minute: NOON, fingerprint: 7 };
    expect(added.every((uuid) => Bun.deepEquals(table.find(hashOf(1, uuid)), entry))).toBe(true);
    expect(added.filter((uuid) => table.find(hashOf(2, uuid)) !== undefined)).toEqual([]);
  });

  test("keeps a removed entry as a tombstone until it expires", () => {
    const table = dedupTable();
    const added = Array.from({ length: 60_000 }, () => Bun.randomUUIDv7());
    for (const uuid of added) table.add(hashOf(1, uuid), { minute: NOON, fingerprint: 7 });
    const minuteIn = (uuid: string) => table.find(hashOf(1, uuid))?.minute;

    const removed = added.slice(0, 1000).map((uuid) => table.remove(hashOf(1, uuid)));
    expect(new Set(removed)).toEqual(new Set([true]));
    expect(table.remove(hashOf(1, Bun.randomUUIDv7()))).toBe(false);
    expect(added.filter((uuid) => minuteIn(uuid) === TOMBSTONE_MINUTE)).toEqual(
      added.slice(0, 1000),
    );
    expect(table.size()).toBe(60_000);
    table.expire(TOMBSTONE_MINUTE + 1);

    expect(added.filter((uuid) => minuteIn(uuid) === NOON)).toEqual(added.slice(1000));
    expect(table.size()).toBe(59_000);
  });

  test("returns every entry once, and is empty after it is cleared", () => {
    const table = dedupTable();
    const added = Array.from({ length: 5000 }, () => hashOf(1, Bun.randomUUIDv7()));
    for (const [at, hash] of added.entries())
      table.add(hash, { minute: NOON + at, fingerprint: at + 1 });

    const records = table.records();
    table.clear();

    const found = Array.from({ length: records.length / RECORD_FIELDS }, (_, at) =>
      [...records.subarray(at * RECORD_FIELDS, (at + 1) * RECORD_FIELDS)].join(),
    );
    const expected = added.map(({ low, high }, at) => [low, high, NOON + at, at + 1].join());
    expect(found.sort()).toEqual(expected.sort());
    expect([table.size(), ...added.flatMap((hash) => table.find(hash) ?? [])]).toEqual([0]);
  });

  test("gives every uuid of a million a hash of its own in each half", () => {
    const lows = new Set<number>();
    const highs = new Set<number>();
    const count = 1_000_000;
    for (let n = 0; n < count; n++) {
      // As a sender creates them in one millisecond: only some bits differ.
      const { low, high } = dedupHash(SEED, 1, [0x01_9a_00_00, 0x12_34_70_00, 0x80_00_00_00, n]);
      lows.add(low);
      highs.add(high);
    }
    // Of so many random numbers of 32 bits, about 116 occur twice.
    expect(count - lows.size).toBeLessThan(400);
    expect(count - highs.size).toBeLessThan(400);
  });

  test("hashes with another seed otherwise", () => {
    const uuid = Bun.randomUUIDv7();
    const other = dedupHashOf(Uint32Array.of(1, 2), 1, uuid);
    expect([other.low, other.high]).not.toContain(hashOf(1, uuid).low);
    expect([other.low, other.high]).not.toContain(hashOf(1, uuid).high);
  });

  test("tells uuids apart that differ in one digit", () => {
    const hashes = new Set<string>();
    for (let digit = 0; digit < 16; digit++) {
      for (const at of [0, 7, 9, 15, 20, 25, 30, 35]) {
        const zero = "00000000-0000-0000-0000-000000000000";
        const uuid = zero.slice(0, at) + digit.toString(16) + zero.slice(at + 1);
        const { low, high } = hashOf(1, uuid);
        hashes.add(`${low} ${high}`);
      }
    }
    expect(hashes.size).toBe(15 * 8 + 1);
  });

  test("hashes the words of a uuid like its text", () => {
    const hash = dedupHash(SEED, 3, [0x01_a1_fc_9a, 0x59_2b_78_b3, 0x8d_80_aa_75, 0x99_2e_fa_e9]);
    expect(hashOf(3, "01a1fc9a-592b-78b3-8d80-aa75992efae9")).toEqual(hash);
  });

  test("has the later arrival of an event that was added twice", () => {
    const table = dedupTable();
    const hash = hashOf(1, Bun.randomUUIDv7());

    table.add(hash, { minute: NOON, fingerprint: 1 });
    table.add(hash, { minute: NOON + 5, fingerprint: 2 });

    expect([table.find(hash), table.size()]).toEqual([{ minute: NOON + 5, fingerprint: 2 }, 1]);
  });

  test("removes entries before a minute, and keeps the others", () => {
    const table = dedupTable();
    const old = hashOf(1, Bun.randomUUIDv7());
    const young = hashOf(1, Bun.randomUUIDv7());
    table.add(old, { minute: NOON - 1, fingerprint: 3 });
    table.add(young, { minute: NOON, fingerprint: 4 });

    table.expire(NOON);

    expect([table.find(old), table.find(young)]).toEqual([
      undefined,
      { minute: NOON, fingerprint: 4 },
    ]);
    expect(table.size()).toBe(1);
  });
});

/** The line of an event as the journal has it. */
function lineOf(fields: object): Uint8Array {
  const event = { uuid: crypto.randomUUID(), event: "viewed", distinct_id: "ann" };
  const timestamp = new Date(NOON * 60_000 + Math.random() * 1e6).toISOString();
  return Buffer.from(JSON.stringify({ ...event, timestamp, properties: {}, ...fields }));
}

describe("a fingerprint", () => {
  test("differs between most events, and is never 0", () => {
    const fingerprints = new Set<number>();
    for (let n = 0; n < 10_000; n++) {
      fingerprints.add(eventFingerprint(lineOf({ distinct_id: `user-${n}` })));
    }
    // Of so many random numbers of 16 bits, about 730 occur twice.
    expect(fingerprints.size).toBeGreaterThan(9000);
    expect(fingerprints.has(0)).toBe(false);
  });

  const text = '","timestamp":"","properties":{,"$geoip_country_code":"';
  const first = { event: text, distinct_id: text, properties: { n: 1, text, $set: { n: 2 } } };

  test.each([
    { event: "left" },
    { event: first.distinct_id, distinct_id: "x" },
    { distinct_id: "bob" },
    { properties: { ...first.properties, n: 2 } },
    { properties: { ...first.properties, $set: { n: 3 } } },
    { properties: { ...first.properties, $geoip_city_name: "Bonn" } },
    { properties: {} },
    { properties: { ...first.properties, changed: ["event_name_too_long"] } },
    { properties: { ...first.properties, $set: { n: 2 }, changed: ["event_name_too_long"] } },
  ])("tells %p from the first event", (other) => {
    expect(eventFingerprint(lineOf({ ...first, ...other }))).not.toBe(
      eventFingerprint(lineOf(first)),
    );
  });

  test("is the same with another uuid, time, change and country", () => {
    const before = eventFingerprint(lineOf(first));
    const within = (country: object) => ({
      ...first,
      properties: { ...first.properties, ...country },
    });
    const [german, french] = [
      { $geoip_country_code: "DE", $geoip_country_name: "Germany" },
      { $geoip_country_code: "FR", $geoip_country_name: "France" },
    ];

    expect(eventFingerprint(lineOf(first))).toBe(before);
    expect(eventFingerprint(lineOf({ ...first, changed: ["event_name_too_long"] }))).toBe(before);
    expect(eventFingerprint(lineOf(within(german)))).toBe(eventFingerprint(lineOf(within(french))));
    expect(eventFingerprint(lineOf(within(german)))).toBe(eventFingerprint(lineOf(within({}))));
    expect(eventFingerprint(lineOf(within({ $geoip_country_code: "DE" })))).toBe(
      eventFingerprint(lineOf(within({}))),
    );
  });
});
