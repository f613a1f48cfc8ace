import { describe, expect, test } from "bun:test";
import { seenHash, seenHashOf, seenMark, seenTable, UNMARKED } from "../../src/domain/seen.ts";

const SEED = Uint32Array.of(0x12_34_56_78, 0x9a_bc_de_f0);
const NOON = Date.parse("2026-11-21T12:00:00Z");
const MINUTE_MS = 60_000;

const hashOf = (project: number, uuid: string) => seenHashOf(SEED, project, uuid);

describe("the table of seen uuids", () => {
  test("knows all that was added, and nothing else", () => {
    const table = seenTable();
    const added = Array.from({ length: 200_000 }, () => Bun.randomUUIDv7());

    for (const uuid of added) table.add(hashOf(1, uuid), NOON, 7);

    expect(table.size()).toBe(200_000);
    expect(added.every((uuid) => table.markSince(hashOf(1, uuid), NOON) === 7)).toBe(true);
    const others = added.filter((uuid) => table.markSince(hashOf(2, uuid), NOON) !== undefined);
    expect(others).toEqual([]);
  });

  test("knows nothing of what was removed, and all the rest, before and after it is swept", () => {
    const table = seenTable();
    const added = Array.from({ length: 60_000 }, () => Bun.randomUUIDv7());
    for (const uuid of added) table.add(hashOf(1, uuid), NOON, 7);
    const isKnown = (uuid: string) => table.markSince(hashOf(1, uuid), NOON - MINUTE_MS) === 7;

    for (const uuid of added.slice(0, 1000)) table.remove(hashOf(1, uuid));
    table.remove(hashOf(1, Bun.randomUUIDv7()));
    const before = added.filter(isKnown);
    const size = table.size();
    table.sweep();

    expect([before, size]).toEqual([added.slice(1000), 60_000]);
    expect(added.filter(isKnown)).toEqual(added.slice(1000));
    expect(table.size()).toBe(59_000);
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

  test("knows an event since it arrived, to the minute, and the later arrival counts", () => {
    const table = seenTable();
    const hash = hashOf(1, Bun.randomUUIDv7());
    table.add(hash, NOON, 1);

    expect(table.markSince(hash, NOON + MINUTE_MS - 1)).toBe(1);
    expect(table.markSince(hash, NOON + MINUTE_MS)).toBeUndefined();

    table.add(hash, NOON + 5 * MINUTE_MS, 2);
    expect(table.markSince(hash, NOON + 5 * MINUTE_MS)).toBe(2);
    expect(table.size()).toBe(1);
  });

  test("forgets what arrived before a time, and keeps the others", () => {
    const table = seenTable();
    const old = hashOf(1, Bun.randomUUIDv7());
    const young = hashOf(1, Bun.randomUUIDv7());
    table.add(old, NOON - MINUTE_MS, 3);
    table.add(young, NOON, 4);

    table.forget(NOON);

    expect(table.markSince(old, 0)).toBeUndefined();
    expect(table.markSince(young, 0)).toBe(4);
    expect(table.size()).toBe(1);
  });

  test("works with a clock that is far off", () => {
    for (const now of [0, Date.parse("2099-01-01")]) {
      const table = seenTable();
      const hash = hashOf(1, Bun.randomUUIDv7());
      table.add(hash, now, 1);
      expect(table.markSince(hash, now)).toBe(1);
    }
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
