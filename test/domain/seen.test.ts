import { describe, expect, test } from "bun:test";
import { BLOCK_SEQS, blockOf, seenFilter, seenHash, seenHashOf } from "../../src/domain/seen.ts";

describe("the filter of seen uuids", () => {
  test("knows the blocks of all that was added, and hardly anything else", () => {
    const filter = seenFilter();
    const added = Array.from({ length: 200_000 }, () => Bun.randomUUIDv7());

    for (const uuid of added) filter.add(seenHashOf(1, uuid), 7);

    expect(filter.size()).toBe(200_000);
    expect(added.every((uuid) => filter.blocks(seenHashOf(1, uuid)).includes(7))).toBe(true);
    const others = added.filter((uuid) => filter.blocks(seenHashOf(2, uuid)).length > 0);
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

  test("forgets the blocks it is told to, and keeps the others", () => {
    const filter = seenFilter();
    const old = seenHashOf(1, Bun.randomUUIDv7());
    const young = seenHashOf(1, Bun.randomUUIDv7());
    filter.add(old, 3);
    filter.add(young, 4);

    filter.forget((block) => block >= 4);

    expect(filter.blocks(old)).toEqual([]);
    expect(filter.blocks(young)).toEqual([4]);
    expect(filter.size()).toBe(1);
  });

  test("tells every block apart, up to the trillionth event", () => {
    const filter = seenFilter();
    const last = 2 ** 24 - 1;
    const hash = seenHashOf(1, Bun.randomUUIDv7());

    for (const block of [0, 255, 256, 65_536, last]) filter.add(hash, block);

    expect(filter.blocks(hash)).toEqual([0, 255, 256, 65_536, last]);
    expect([0, BLOCK_SEQS - 1, BLOCK_SEQS, BLOCK_SEQS * 7 + 1].map(blockOf)).toEqual([0, 0, 1, 7]);
  });
});
