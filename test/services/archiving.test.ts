import { expect, setDefaultTimeout, test } from "bun:test";
import { silentLog } from "../../src/log.ts";
import { CHECK_ROUND_MS, startArchiving } from "../../src/services/archiving.ts";

setDefaultTimeout(30_000);

const BOUND = 1000;

test.each([
  ["three quarters of its bound while much waits for the stores", 751, 100_000],
  ["a sixteenth of its bound while little does", 63, 10],
])("a journal of %s is archived, and what is archived leaves it", async (_what, bytes, lag) => {
  const journal = { bytes };
  const archived = { last: 0 };
  const trimmed = Promise.withResolvers<number>();
  const archiving = startArchiving({
    journal: {
      bytes: () => journal.bytes,
      async trim(upTo) {
        if (upTo > 0) trimmed.resolve(upTo);
        return upTo;
      },
    },
    ingest: { applied: () => 40, lag: () => lag },
    restoring: { active: () => false },
    events: { checkpoint: async () => {} },
    archive: {
      last: () => archived.last,
      async add(upTo) {
        archived.last = upTo;
      },
      complete: async () => {},
      files: () => 0,
      check: async () => {},
      compact: async () => false,
      erase: async () => 0,
    },
    isArchiving: true,
    journalBytesMax: BOUND,
    now: () => 0,
    log: silentLog,
  });

  expect(await trimmed.promise).toBe(40);
  expect(archived.last).toBe(40);
  expect(await archiving.stop(1000)).toBe(true);
});

test("each file of the archive is read once in a round, one at a time, and none while events come", async () => {
  const ingest = { applied: 7, lag: 3 };
  const clock = { now: 5 * CHECK_ROUND_MS };
  const checks: number[] = [];
  const polls = { count: 0 };
  const archiving = startArchiving({
    journal: { bytes: () => 0, trim: async () => 0 },
    ingest: {
      applied: () => ingest.applied,
      lag() {
        polls.count += 1;
        return ingest.lag;
      },
    },
    restoring: { active: () => false },
    events: { checkpoint: async () => {} },
    archive: {
      last: () => 7,
      add: async () => {},
      complete: async () => {},
      files: () => 4,
      async check(place) {
        checks.push(place);
      },
      compact: async () => false,
      erase: async () => 0,
    },
    isArchiving: true,
    journalBytesMax: BOUND,
    now: () => clock.now,
    log: silentLog,
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
  expect(await archiving.stop(1000)).toBe(true);
});
