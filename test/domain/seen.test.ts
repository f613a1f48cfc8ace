import { describe, expect, test } from "bun:test";
import {
  HOUR_MS,
  hourStart,
  hoursBefore,
  hourTag,
  seenFilter,
  seenHash,
  seenHashOf,
} from "../../src/domain/seen.ts";

const NOW = Date.parse("2026-11-21T12:34:56Z");

describe("the filter of seen uuids", () => {
  test("knows the hours of all that was added, and hardly anything else", () => {
    const filter = seenFilter();
    const added = Array.from({ length: 200_000 }, () => Bun.randomUUIDv7());

    for (const uuid of added) filter.add(seenHashOf(1, uuid), 7);

    expect(filter.size()).toBe(200_000);
    expect(added.every((uuid) => filter.hours(seenHashOf(1, uuid)).includes(7))).toBe(true);
    const others = added.filter((uuid) => filter.hours(seenHashOf(2, uuid)).length > 0);
    expect(others.length).toBeLessThan(5);
  });

  test("tells uuids apart that differ in one digit", () => {
    const hashes = new Set<string>();
    for (let digit = 0; digit < 16; digit++) {
      for (const at of [0, 7, 9, 15, 20, 25, 30, 35]) {
        const uuid = "00000000-0000-0000-0000-000000000000";
        const { low, high } = seenHashOf(
          1,
          uuid.slice(0, at) + digit.toString(16) + uuid.slice(at + 1),
        );
        hashes.add(`${low} ${high}`);
      }
    }
    expect(hashes.size).toBe(15 * 8 + 1);
  });

  test("hashes the words of a uuid like its text", () => {
    const hash = seenHash(3, 0x01_a1_fc_9a, 0x59_2b_78_b3, 0x8d_80_aa_75, 0x99_2e_fa_e9);
    expect(seenHashOf(3, "01a1fc9a-592b-78b3-8d80-aa75992efae9")).toEqual(hash);
  });

  test("forgets the hours it is told to, and keeps the others", () => {
    const filter = seenFilter();
    const old = seenHashOf(1, Bun.randomUUIDv7());
    const young = seenHashOf(1, Bun.randomUUIDv7());
    filter.add(old, hourTag(NOW - 60 * HOUR_MS));
    filter.add(young, hourTag(NOW - 10 * HOUR_MS));

    filter.forget((tag) => hoursBefore(NOW, tag) <= 49);

    expect(filter.hours(old)).toEqual([]);
    expect(filter.hours(young)).toEqual([hourTag(NOW - 10 * HOUR_MS)]);
    expect(filter.size()).toBe(1);
  });

  test.each([-40, -1, 0, 1, 48, 190])("finds the start of the hour %p hours before", (hours) => {
    const time = NOW - hours * HOUR_MS;
    expect(hourStart(NOW, hourTag(time))).toBe(Math.floor(time / HOUR_MS) * HOUR_MS);
  });
});
