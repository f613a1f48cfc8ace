import { expect, test } from "bun:test";
import { silentLog } from "../../../src/app/process/log.ts";
import { CHECK_ROUND_MS, startArchiving } from "../../../src/core/archive/archive-runs.ts";

const BOUND = 1000;

type Needs = Parameters<typeof startArchiving>[0];

/** Archiving that has nothing to do, but for what a test gives it. */
function started({ archive, ...needs }: Partial<Omit<Needs, "archive">> & { archive: object }) {
  return startArchiving({
    journal: { bytes: () => 0, trim: async () => 0 },
    ingest: { applied: () => 0, lag: () => 0 },
    restoring: { active: () => false },
    events: { checkpoint: async () => {} },
    archive: {
      last: () => 0,
      add: async () => {},
      complete: async () => {},
      files: () => 0,
      check: async () => {},
      compact: async () => false,
      erase: async () => 0,
      ...archive,
    },
    isArchiving: true,
    journalBytesMax: BOUND,
    now: () => 0,
    log: silentLog,
    ...needs,
  });
}

test.each([
  ["three quarters of its bound while much waits for the stores", 751, 100_000],
  ["a sixteenth of its bound while little does", 63, 10],
])("a journal of %s is archived, and archived events leave it", async (_what, bytes, lag) => {
  const archived = { last: 0 };
  const trimmed = Promise.withResolvers<number>();
  const archiving = started({
    journal: {
      bytes: () => bytes,
      async trim(upTo) {
        if (upTo > 0) trimmed.resolve(upTo);
        return upTo;
      },
    },
    ingest: { applied: () => 40, lag: () => lag },
    archive: {
      last: () => archived.last,
      async add(upTo: number) {
        archived.last = upTo;
      },
    },
  });

  expect(await trimmed.promise).toBe(40);
  expect(archived.last).toBe(40);
  expect(await archiving.stop(60_000)).toBe(true);
});

test("small files are joined once little waits for the stores, and not before", async () => {
  const ingest = { lag: 100_000 };
  const archived = { last: 0 };
  const joined = Promise.withResolvers<number>();
  const archiving = started({
    journal: { bytes: () => (archived.last === 40 ? 0 : 751), trim: async (upTo) => upTo },
    ingest: { applied: () => 40, lag: () => ingest.lag },
    archive: {
      last: () => archived.last,
      files: () => 16,
      async add(upTo: number) {
        archived.last = upTo;
        // Long enough to be joined, if it were to be.
        setTimeout(() => Object.assign(ingest, { lag: 0 }), 1500);
      },
      async compact() {
        joined.resolve(ingest.lag);
        return false;
      },
    },
  });

  expect(await joined.promise).toBe(0);
  expect(archived.last).toBe(40);
  expect(await archiving.stop(60_000)).toBe(true);
});

test("each file of the archive is read once in a round, one at a time, and none while events come", async () => {
  const ingest = { applied: 7, lag: 3 };
  const clock = { now: 5 * CHECK_ROUND_MS };
  const checks: number[] = [];
  const polls = { count: 0 };
  const archiving = started({
    ingest: {
      applied: () => ingest.applied,
      lag() {
        polls.count += 1;
        return ingest.lag;
      },
    },
    archive: {
      last: () => 7,
      files: () => 4,
      async check(place: number) {
        checks.push(place);
      },
    },
    now: () => clock.now,
  });
  const looks = async (count: number) => {
    for (const until = polls.count + count; polls.count < until; ) await Bun.sleep(20);
  };

  await looks(2);
  expect(checks).toEqual([]);
  ingest.lag = 0;
  await looks(3);
  expect(checks).toEqual([0]);
  for (const place of [1, 2, 3, 0]) {
    clock.now += CHECK_ROUND_MS / 4;
    while (checks.at(-1) !== place) await Bun.sleep(20);
  }

  expect(checks).toEqual([0, 1, 2, 3, 0]);
  expect(await archiving.stop(60_000)).toBe(true);
});
