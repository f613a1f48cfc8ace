import { expect, test } from "bun:test";
import { intervalMs, isBusy, waitForBatch } from "../../../src/core/ingest/batch-timing.ts";
import { BATCH_EVENTS_MAX, type BatchResult } from "../../../src/core/ingest/batches.ts";
import { stopSignal } from "../../../src/core/ingest/retry.ts";

const NEVER = Number.POSITIVE_INFINITY;
const TAKEN = 1000;

const NOTHING: BatchResult = {
  ...{ last: 0, endedEarly: false, count: 0 },
  ...{ duplicates: 0, reused: 0, loads: [] },
};

/** Waits for a batch of a journal whose last number is `durableSeq`. */
function gathering(durableSeq: () => number, isHastened = () => false) {
  const signal = stopSignal();
  const done = waitForBatch(TAKEN, NEVER, { journal: { durableSeq }, signal, isHastened });
  return { signal, done };
}

test("a full batch is taken at once, though more comes", async () => {
  let polls = 0;
  const { done } = gathering(() => TAKEN + BATCH_EVENTS_MAX + polls++);
  await done;
  // Where it begins, and the one look that finds it.
  expect(polls).toBe(2);
});

test("waiting events are taken when no more come, however few", async () => {
  const { done } = gathering(() => TAKEN + 1);
  await done;
});

test("a batch waits while more events come: a full batch costs less", async () => {
  let last = TAKEN;
  const { done } = gathering(() => {
    last += 500;
    return last;
  });
  await done;
  expect(last - TAKEN).toBeGreaterThanOrEqual(BATCH_EVENTS_MAX);
});

test("where nothing waits, it is gone on once nothing has come for longer: a load may wait", async () => {
  const { done } = gathering(() => TAKEN);
  let isDone = false;
  done.then(() => {
    isDone = true;
  });
  await Bun.sleep(150);
  expect(isDone).toBe(false);
  await done;
});

test("a batch is busy by the events of its time, however few", () => {
  const batch = (count: number, endedEarly = false) => ({ ...NOTHING, count, endedEarly });
  const busy = (count: number, ms: number) => isBusy(batch(count), ms);

  expect([busy(300, 100), busy(299, 100)]).toEqual([true, false]);
  expect([busy(2400, 800), busy(400, 800)]).toEqual([true, false]);
  expect(busy(5000, Number.POSITIVE_INFINITY)).toBe(false);
  expect(isBusy(batch(1, true), 60_000)).toBe(true);
  const intervals = [true, false].map((isBusyOne) => intervalMs(batch(1), isBusyOne));
  expect(intervals).toEqual([800, 100]);
  expect(intervalMs(batch(1, true), true)).toBe(0);
});

test("a caller can end the wait, and so does a stop", async () => {
  let isHastened = false;
  const asked = gathering(
    () => TAKEN,
    () => isHastened,
  );
  isHastened = true;
  await asked.done;

  const stopped = gathering(() => TAKEN);
  stopped.signal.stop();
  await stopped.done;
});

test("it ends at the given time", async () => {
  let last = TAKEN;
  const signal = stopSignal();
  const isHastened = () => false;
  const durableSeq = () => (last += 1);
  await waitForBatch(TAKEN, performance.now() + 50, {
    journal: { durableSeq },
    signal,
    isHastened,
  });
  expect(last - TAKEN).toBeLessThan(BATCH_EVENTS_MAX);
});
