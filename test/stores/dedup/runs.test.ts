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
import { dedupRuns } from "../../../src/stores/dedup/runs.ts";
import { fingerprintOf, hashOf, recordsOf } from "../../support/data/dedup-records.ts";

const folder = mkdtempSync(join(tmpdir(), "hoglet-seen-"));
afterAll(() => rmSync(folder, { recursive: true }));

const NOON = 29_400_000;

const made = () => mkdtempSync(join(folder, "runs-"));

test("finds every entry that was appended, and no other, before and after runs are merged", () => {
  const directory = made();
  const runs = dedupRuns(directory);
  const expectAll = (count: number) => {
    const wrong: number[] = [];
    for (let at = 0; at < count + 100_000; at++) {
      const entry = runs.find(hashOf(at));
      const isKnown = entry?.fingerprint === fingerprintOf(at) && entry.minute === NOON;
      if (at < count ? !isKnown : entry !== undefined) wrong.push(at);
    }
    expect([runs.size(), ...wrong]).toEqual([count]);
  };

  for (let run = 0; run < 9; run++) {
    runs.append(recordsOf(run * 20_000, (run + 1) * 20_000, NOON));
    if (run === 2) expectAll(60_000);
    runs.compact(0);
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

test("runs that are older as a whole leave the disk, and the others become one file", () => {
  const directory = made();
  const runs = dedupRuns(directory);
  for (const minute of [NOON + 1, NOON, NOON + 1]) runs.append(recordsOf(0, 1000, minute));

  runs.expire(NOON + 1);
  expect(readdirSync(directory)).toHaveLength(2);
  for (let run = 0; run < 2; run += 1) runs.append(recordsOf(1000, 2000, NOON + 1));
  runs.compact(NOON + 1);

  expect(readdirSync(directory)).toHaveLength(1);
});

test("a removed entry leaves the disk at a purge, or when runs are merged", () => {
  const directory = made();
  const runs = dedupRuns(directory);
  const isOnDisk = (at: number) => {
    const { low, high } = hashOf(at);
    const hash = Buffer.from(Uint32Array.of(low, high).buffer);
    return readdirSync(directory).some((name) =>
      readFileSync(join(directory, name)).includes(hash),
    );
  };
  runs.append(recordsOf(0, 1000, NOON));
  runs.append(recordsOf(1000, 2000, NOON));

  runs.remove(hashOf(7));
  runs.remove(hashOf(1007));
  runs.remove(hashOf(5000));
  expect([7, 1007].map((at) => (runs.find(hashOf(at))?.minute ?? 0) < NOON)).toEqual([true, true]);
  expect([runs.size(), isOnDisk(7), isOnDisk(1007)]).toEqual([2000, true, true]);

  runs.purge();
  expect([runs.size(), isOnDisk(7), isOnDisk(1007), isOnDisk(8)]).toEqual([
    1998,
    false,
    false,
    true,
  ]);
  expect(runs.find(hashOf(7))).toBeUndefined();

  runs.remove(hashOf(8));
  runs.append(recordsOf(2000, 3000, NOON));
  runs.append(recordsOf(3000, 4000, NOON));
  runs.compact(0);
  runs.purge();
  expect([runs.size(), isOnDisk(8), runs.find(hashOf(8))]).toEqual([3997, false, undefined]);
  expect(runs.find(hashOf(9))?.minute).toBe(NOON);
});

test("a run without entries leaves no file", () => {
  const directory = made();
  const runs = dedupRuns(directory);
  runs.append(new Uint32Array());
  runs.append(recordsOf(0, 1, NOON));
  runs.remove(hashOf(0));
  runs.purge();
  expect([runs.size(), readdirSync(directory).length]).toEqual([0, 0]);
});

test("creates its folder, readable by its owner alone, with the first entries", () => {
  const directory = join(made(), "seen");
  const runs = dedupRuns(directory);
  expect([existsSync(directory), runs.size(), runs.find(hashOf(1))]).toEqual([false, 0, undefined]);
  runs.append(recordsOf(0, 10, NOON));
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test("starts with an empty folder, also after another process left files", () => {
  const directory = made();
  writeFileSync(join(directory, "1.seen"), "left by another process");
  const runs = dedupRuns(directory);
  runs.append(recordsOf(0, 10, NOON));
  expect([runs.find(hashOf(3))?.minute, runs.size()]).toEqual([NOON, 10]);
});

test("a run that cannot be written is not found, and earlier runs stay", () => {
  const directory = made();
  const runs = dedupRuns(directory);
  runs.append(recordsOf(0, 10, NOON));
  rmSync(directory, { recursive: true });
  writeFileSync(directory, "in its place");

  expect(() => runs.append(recordsOf(10, 20, NOON))).toThrow(directory);

  expect([runs.size(), runs.find(hashOf(12))]).toEqual([10, undefined]);
  expect(runs.find(hashOf(3))?.minute).toBe(NOON);
});
