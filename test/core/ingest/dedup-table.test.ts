import { describe, expect, test } from "bun:test";
import {
  LEFT_MINUTE,
  minuteOf,
  RECORD_FIELDS,
  seenHash,
  seenHashOf,
  seenMark,
  seenTable,
  UNMARKED,
} from "../../../src/core/ingest/dedup-table.ts";

const SEED = Uint32Array.of(0x12_34_56_78, 0x9a_bc_de_f0);
const NOON = minuteOf(Date.parse("2026-11-21T12:00:00Z"));

const hashOf = (project: number, uuid: string) => seenHashOf(SEED, project, uuid);

describe("the table of seen uuids", () => {
  test("knows all that was added, and nothing else", () => {
    const table = seenTable();
    const added = Array.from({ length: 200_000 }, () => Bun.randomUUIDv7());

    for (const uuid of added) table.add(hashOf(1, uuid), NOON, 7);

    expect(table.size()).toBe(200_000);
    const seen = { minute: NOON, mark: 7 };
    expect(added.every((uuid) => Bun.deepEquals(table.find(hashOf(1, uuid)), seen))).toBe(true);
    expect(added.filter((uuid) => table.find(hashOf(2, uuid)) !== undefined)).toEqual([]);
  });

  test("says what was removed, and lets go of it with what came before a minute", () => {
    const table = seenTable();
    const added = Array.from({ length: 60_000 }, () => Bun.randomUUIDv7());
    for (const uuid of added) table.add(hashOf(1, uuid), NOON, 7);
    const minuteIn = (uuid: string) => table.find(hashOf(1, uuid))?.minute;

    const removed = added.slice(0, 1000).map((uuid) => table.remove(hashOf(1, uuid)));
    expect(new Set(removed)).toEqual(new Set([true]));
    expect(table.remove(hashOf(1, Bun.randomUUIDv7()))).toBe(false);
    expect(added.filter((uuid) => minuteIn(uuid) === LEFT_MINUTE)).toEqual(added.slice(0, 1000));
    expect(table.size()).toBe(60_000);
    table.keepFrom(LEFT_MINUTE + 1);

    expect(added.filter((uuid) => minuteIn(uuid) === NOON)).toEqual(added.slice(1000));
    expect(table.size()).toBe(59_000);
  });

  test("hands out all that it has, once each, and is empty when it is cleared", () => {
    const table = seenTable();
    const added = Array.from({ length: 5000 }, () => hashOf(1, Bun.randomUUIDv7()));
    for (const [at, hash] of added.entries()) table.add(hash, NOON + at, at + 1);

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
      // As a sender makes them in one millisecond: only some bits differ.
      const { low, high } = seenHash(SEED, 1, [0x01_9a_00_00, 0x12_34_70_00, 0x80_00_00_00, n]);
      lows.add(low);
      highs.add(high);
    }
    // Of so many random numbers of 32 bits, about 116 are met twice.
    expect(count - lows.size).toBeLessThan(400);
    expect(count - highs.size).toBeLessThan(400);
  });

  test("hashes with another seed otherwise", () => {
    const uuid = Bun.randomUUIDv7();
    const other = seenHashOf(Uint32Array.of(1, 2), 1, uuid);
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
    const hash = seenHash(SEED, 3, [0x01_a1_fc_9a, 0x59_2b_78_b3, 0x8d_80_aa_75, 0x99_2e_fa_e9]);
    expect(hashOf(3, "01a1fc9a-592b-78b3-8d80-aa75992efae9")).toEqual(hash);
  });

  test("has the later arrival of an event that came twice", () => {
    const table = seenTable();
    const hash = hashOf(1, Bun.randomUUIDv7());

    table.add(hash, NOON, 1);
    table.add(hash, NOON + 5, 2);

    expect([table.find(hash), table.size()]).toEqual([{ minute: NOON + 5, mark: 2 }, 1]);
  });

  test("forgets what came before a minute, and keeps the others", () => {
    const table = seenTable();
    const old = hashOf(1, Bun.randomUUIDv7());
    const young = hashOf(1, Bun.randomUUIDv7());
    table.add(old, NOON - 1, 3);
    table.add(young, NOON, 4);

    table.keepFrom(NOON);

    expect([table.find(old), table.find(young)]).toEqual([undefined, { minute: NOON, mark: 4 }]);
    expect(table.size()).toBe(1);
  });
});

test("an event's mark tells most other events from it, and is never the one of none", () => {
  const marks = new Set<number>();
  for (let n = 0; n < 10_000; n++) marks.add(seenMark("viewed", `user-${n}`));
  // Of so many random numbers of 16 bits, about 730 are met twice.
  expect(marks.size).toBeGreaterThan(9000);
  expect(marks.has(UNMARKED)).toBe(false);
  expect(seenMark("a", "b")).not.toBe(seenMark("b", "a"));
});
