import { describe, expect, test } from "bun:test";
import type { DedupRuns } from "../../../src/core/ports/dedup.ts";
import { hashOf, recordsOf } from "../../support/data/dedup-records.ts";
import { DEDUP } from "../stores.ts";

const NOON = 29_400_000;

/** The numbers below `count` that have an entry. */
const knownIn = (runs: DedupRuns, count: number) =>
  Array.from({ length: count }, (_, at) => at).filter((at) => runs.find(hashOf(at)));

describe.each(DEDUP)("the deduplication window in %s", (_name, make) => {
  test("has nothing at first", () => {
    using made = make();
    expect([made.runs.size(), made.runs.find(hashOf(1))]).toEqual([0, undefined]);
  });

  test("has the newest of several entries, before and after runs are joined", () => {
    using made = make();
    const { runs } = made;
    for (let run = 0; run < 4; run++) runs.append(recordsOf(0, 1000, NOON + run));
    const minutes = () =>
      new Set(Array.from({ length: 1000 }, (_, at) => runs.find(hashOf(at))?.minute));

    expect(minutes()).toEqual(new Set([NOON + 3]));
    runs.compact(0);
    runs.compact(0);
    expect(runs.size()).toBe(4000);
    expect(minutes()).toEqual(new Set([NOON + 3]));
  });

  test("loses old entries when runs are joined, and old runs as a whole", () => {
    using made = make();
    const { runs } = made;
    runs.append(new Uint32Array([...recordsOf(0, 500, NOON), ...recordsOf(500, 1000, NOON + 1)]));
    runs.append(recordsOf(1000, 2000, NOON));
    runs.append(recordsOf(2000, 3000, NOON + 1));

    runs.expire(NOON + 1);
    expect(runs.size()).toBe(2000);
    runs.append(recordsOf(3000, 4000, NOON + 1));
    runs.append(recordsOf(4000, 5000, NOON + 1));
    runs.compact(NOON + 1);

    expect(runs.size()).toBe(3500);
    const known = knownIn(runs, 5000);
    expect(known.filter((at) => at < 500 || (at >= 1000 && at < 2000))).toEqual([]);
    expect(known).toHaveLength(3500);
  });

  test("has a tombstone for a removed entry until the purge", () => {
    using made = make();
    const { runs } = made;
    runs.append(recordsOf(0, 1000, NOON));

    for (const at of [7, 7, 5000]) runs.remove(hashOf(at));
    expect(runs.find(hashOf(7))?.minute).toBeLessThan(NOON);
    expect([runs.size(), runs.find(hashOf(5000))]).toEqual([1000, undefined]);

    runs.purge();
    runs.purge();
    expect([runs.size(), runs.find(hashOf(7))]).toEqual([999, undefined]);
    expect(runs.find(hashOf(8))?.minute).toBe(NOON);
  });
});
