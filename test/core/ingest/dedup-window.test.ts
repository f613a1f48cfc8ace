import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REPLAY_FIELDS } from "../../../src/core/ingest/dedup-table.ts";
import { DEDUP_IN_MEMORY_MAX, dedupWindow } from "../../../src/core/ingest/dedup-window.ts";
import { dedupRuns } from "../../../src/stores/dedup/runs.ts";

const folder = mkdtempSync(join(tmpdir(), "hoglet-window-"));
afterAll(() => rmSync(folder, { recursive: true }));

const HOUR_MS = 3_600_000;
const NOON = Date.parse("2026-11-21T12:00:00Z");

/** A window of two hours, and the warnings that it logs. */
function world() {
  const directory = join(mkdtempSync(join(folder, "place-")), "seen");
  const warnings: string[] = [];
  const log = { warn: (message: string) => void warnings.push(message) };
  const runs = dedupRuns(directory);
  const seed = new Uint32Array([1, 2]);
  const window = dedupWindow({ windowMs: 2 * HOUR_MS, seed, runs, log });
  return { window, warnings, directory };
}

type Window = ReturnType<typeof world>["window"];

const uuidOf = (at: number) => `01940000-0000-7000-8000-${at.toString(16).padStart(12, "0")}`;

const lineOf = (uuid: string, event: string) =>
  Buffer.from(
    JSON.stringify({ uuid, event, distinct_id: "ann", timestamp: "2026-11-21", properties: {} }),
  );

function eventsOf(from: number, to: number, arrived_at = NOON) {
  return Array.from({ length: to - from }, (_, at) => ({
    ...{ project_id: 1, arrived_at, event: { uuid: uuidOf(from + at) } },
    line: lineOf(uuidOf(from + at), "viewed"),
  }));
}

/** Sends events and returns how many of them were new. */
function sent(window: Window, from: number, to: number, arrivedAt = NOON): number {
  let count = 0;
  for (let at = from; at < to; at += 8192) {
    const { unique } = window.splitDuplicates(eventsOf(at, Math.min(at + 8192, to), arrivedAt));
    window.add(unique);
    count += unique.length;
  }
  return count;
}

test("finds each event of the window again, in memory and in files", () => {
  const { window, directory } = world();
  const many = DEDUP_IN_MEMORY_MAX + 100_000;

  expect(sent(window, 0, many)).toBe(many);
  expect(readdirSync(directory)).toHaveLength(1);
  expect(window.size().memory).toBeLessThan(DEDUP_IN_MEMORY_MAX);
  expect(window.size().memory + window.size().files).toBe(many);

  expect(sent(window, 0, many)).toBe(0);
  expect(sent(window, many - 10, many + 10)).toBe(10);
  const other = eventsOf(5, 6).map((one) => ({ ...one, line: lineOf(uuidOf(5), "left") }));
  expect(window.splitDuplicates(other).duplicates.map(({ isRetry }) => isRetry)).toEqual([false]);
  expect(
    window.splitDuplicates(other.map((one) => ({ ...one, project_id: 2 }))).unique,
  ).toHaveLength(1);
});

test("an event in a file is new again once it has left the window, to the minute", () => {
  const { window, directory } = world();
  sent(window, 0, DEDUP_IN_MEMORY_MAX);
  expect(window.size()).toEqual({ memory: 0, files: DEDUP_IN_MEMORY_MAX });

  expect(sent(window, 0, 10, NOON + 2 * HOUR_MS)).toBe(0);
  expect(sent(window, 0, 10, NOON + 2 * HOUR_MS + 60_000)).toBe(10);
  expect(sent(window, 0, 10, NOON + 4 * HOUR_MS)).toBe(0);

  window.expire(NOON + 4 * HOUR_MS);
  expect(window.size()).toEqual({ memory: 10, files: 0 });
  expect(readdirSync(directory)).toEqual([]);
});

test("a deleted event is new again, and its hash is removed from memory and files", () => {
  const { window } = world();
  sent(window, 0, DEDUP_IN_MEMORY_MAX + 1000);
  const entries = (at: number) => {
    const words = [0, 9, 19, 28].map((from, word) => {
      const text = uuidOf(at)
        .slice(from, from + [8, 9, 9, 8][word]!)
        .replace("-", "");
      return Number.parseInt(text, 16);
    });
    return [1, ...words, NOON / 60_000, 0];
  };
  const erased = new Uint32Array([...entries(5), ...entries(DEDUP_IN_MEMORY_MAX + 5)]);
  expect(erased).toHaveLength(2 * REPLAY_FIELDS);

  window.removeEntries(erased);
  window.purge();

  const { memory, files } = window.size();
  expect(memory + files).toBe(DEDUP_IN_MEMORY_MAX + 998);
  expect([sent(window, 5, 6), sent(window, 4, 5)]).toEqual([1, 0]);
  expect(sent(window, DEDUP_IN_MEMORY_MAX, DEDUP_IN_MEMORY_MAX + 10)).toBe(1);
});

test("entries that the disk refuses stay in memory until it accepts them", () => {
  const { window, warnings, directory } = world();
  writeFileSync(directory, "a file, not a folder");

  expect(sent(window, 0, DEDUP_IN_MEMORY_MAX + 8192)).toBe(DEDUP_IN_MEMORY_MAX + 8192);
  expect(window.size()).toEqual({ memory: DEDUP_IN_MEMORY_MAX + 8192, files: 0 });
  expect(warnings).toEqual(["the deduplication window stays in memory"]);
  expect(sent(window, 0, DEDUP_IN_MEMORY_MAX)).toBe(0);

  rmSync(directory);
  sent(window, DEDUP_IN_MEMORY_MAX, DEDUP_IN_MEMORY_MAX + 100_000);

  expect(window.size().files).toBeGreaterThan(DEDUP_IN_MEMORY_MAX);
  expect(warnings).toHaveLength(1);
  expect(sent(window, 0, DEDUP_IN_MEMORY_MAX + 100_000)).toBe(0);
});
