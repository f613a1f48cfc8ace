import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SeenHash, SeenRecords } from "../../../src/core/ingest/dedup-table.ts";
import { seenRuns } from "../../../src/stores/dedup/runs.ts";

const folder = mkdtempSync(join(tmpdir(), "hoglet-seen-"));
afterAll(() => rmSync(folder, { recursive: true }));

const NOON = 29_400_000;

const made = () => mkdtempSync(join(folder, "runs-"));

const random = crypto.getRandomValues(new Uint32Array(2));

/** A hash of its own for each number, in no order. */
function hashOf(at: number): SeenHash {
  const mixed = Bun.hash.wyhash(Uint32Array.of(at, ...random).buffer);
  return { low: Number(mixed & 0xff_ff_ff_ffn), high: Number(mixed >> 32n) };
}

/** Entries of the numbers from one to before another. */
function recordsOf(from: number, to: number, minute: number): SeenRecords {
  const numbers = Array.from({ length: to - from }, (_, at) => from + at);
  return new Uint32Array(
    numbers.flatMap((at) => {
      const { low, high } = hashOf(at);
      return [low, high, minute, (at % 65_535) + 1];
    }),
  );
}

const markOf = (at: number) => (at % 65_535) + 1;

test("knows all that was put there, and nothing else, before and after runs are joined", () => {
  const directory = made();
  const runs = seenRuns(directory);
  const expectAll = (count: number) => {
    const wrong: number[] = [];
    for (let at = 0; at < count + 100_000; at++) {
      const seen = runs.find(hashOf(at));
      const isKnown = seen?.mark === markOf(at) && seen.minute === NOON;
      if (at < count ? !isKnown : seen !== undefined) wrong.push(at);
    }
    expect([runs.size(), ...wrong]).toEqual([count]);
  };

  for (let run = 0; run < 9; run++) {
    runs.put(recordsOf(run * 20_000, (run + 1) * 20_000, NOON));
    if (run === 2) expectAll(60_000);
    runs.join(0);
    if (run === 2) expect(readdirSync(directory)).toHaveLength(3);
    if (run === 3) expectAll(80_000);
    if (run === 3) expect(readdirSync(directory)).toHaveLength(1);
  }

  expectAll(180_000);
  const files = readdirSync(directory).map((name) => statSync(join(directory, name)));
  expect(files.map(({ size }) => size).sort((a, b) => a - b)).toEqual([
    320_000, 1_280_000, 1_280_000,
  ]);
  expect(files.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
});

test("has the later of two arrivals, in runs of their own and in one", () => {
  const runs = seenRuns(made());
  for (let run = 0; run < 4; run++) runs.put(recordsOf(0, 1000, NOON + run));
  const minutes = () =>
    new Set(Array.from({ length: 1000 }, (_, at) => runs.find(hashOf(at))?.minute));

  expect(minutes()).toEqual(new Set([NOON + 3]));
  runs.join(0);
  expect(runs.size()).toBe(4000);
  expect(minutes()).toEqual(new Set([NOON + 3]));
});

test("joins without what came before a minute, and removes runs that came before it as a whole", () => {
  const directory = made();
  const runs = seenRuns(directory);
  runs.put(new Uint32Array([...recordsOf(0, 500, NOON), ...recordsOf(500, 1000, NOON + 1)]));
  runs.put(recordsOf(1000, 2000, NOON));
  runs.put(recordsOf(2000, 3000, NOON + 1));

  runs.forget(NOON + 1);
  expect([runs.size(), readdirSync(directory).length]).toEqual([2000, 2]);
  runs.put(recordsOf(3000, 4000, NOON + 1));
  runs.put(recordsOf(4000, 5000, NOON + 1));
  runs.join(NOON + 1);

  expect([runs.size(), readdirSync(directory).length]).toEqual([3500, 1]);
  const known = Array.from({ length: 5000 }, (_, at) => at).filter((at) => runs.find(hashOf(at)));
  expect(known.filter((at) => at < 500 || (at >= 1000 && at < 2000))).toEqual([]);
  expect(known).toHaveLength(3500);
});

test("takes what was removed off the disk when it is swept, or when runs are joined", () => {
  const directory = made();
  const runs = seenRuns(directory);
  const isOnDisk = (at: number) => {
    const { low, high } = hashOf(at);
    const hash = Buffer.from(Uint32Array.of(low, high).buffer);
    return readdirSync(directory).some((name) =>
      readFileSync(join(directory, name)).includes(hash),
    );
  };
  runs.put(recordsOf(0, 1000, NOON));
  runs.put(recordsOf(1000, 2000, NOON));

  runs.remove(hashOf(7));
  runs.remove(hashOf(1007));
  runs.remove(hashOf(5000));
  expect([7, 1007].map((at) => (runs.find(hashOf(at))?.minute ?? 0) < NOON)).toEqual([true, true]);
  expect([runs.size(), isOnDisk(7), isOnDisk(1007)]).toEqual([2000, true, true]);

  runs.sweep();
  expect([runs.size(), isOnDisk(7), isOnDisk(1007), isOnDisk(8)]).toEqual([
    1998,
    false,
    false,
    true,
  ]);
  expect(runs.find(hashOf(7))).toBeUndefined();

  runs.remove(hashOf(8));
  runs.put(recordsOf(2000, 3000, NOON));
  runs.put(recordsOf(3000, 4000, NOON));
  runs.join(0);
  runs.sweep();
  expect([runs.size(), isOnDisk(8), runs.find(hashOf(8))]).toEqual([3997, false, undefined]);
  expect(runs.find(hashOf(9))?.minute).toBe(NOON);
});

test("nothing is left of a run when all of it has gone", () => {
  const directory = made();
  const runs = seenRuns(directory);
  runs.put(new Uint32Array());
  runs.put(recordsOf(0, 1, NOON));
  runs.remove(hashOf(0));
  runs.sweep();
  expect([runs.size(), readdirSync(directory).length]).toEqual([0, 0]);
});

test("makes its directory, for its owner alone, once there is something to put there", () => {
  const directory = join(made(), "seen");
  const runs = seenRuns(directory);
  expect([existsSync(directory), runs.size(), runs.find(hashOf(1))]).toEqual([false, 0, undefined]);
  runs.put(recordsOf(0, 10, NOON));
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test("begins with an empty directory, whatever is left there", () => {
  const directory = made();
  writeFileSync(join(directory, "1.seen"), "left by another process");
  const runs = seenRuns(directory);
  runs.put(recordsOf(0, 10, NOON));
  expect([runs.find(hashOf(3))?.minute, runs.size()]).toEqual([NOON, 10]);
});

test("a run that cannot be written is not there, and what was there stays", () => {
  const directory = made();
  const runs = seenRuns(directory);
  runs.put(recordsOf(0, 10, NOON));
  rmSync(directory, { recursive: true });
  writeFileSync(directory, "in its place");

  expect(() => runs.put(recordsOf(10, 20, NOON))).toThrow(directory);

  expect([runs.size(), runs.find(hashOf(12))]).toEqual([10, undefined]);
  expect(runs.find(hashOf(3))?.minute).toBe(NOON);
});
