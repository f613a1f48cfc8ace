import { describe, expect, test } from "bun:test";
import {
  BACKLOG_FREE_MS,
  BACKLOG_MAX_MS,
  BULK_EVENTS_MIN,
  EACH_MS_AT_FIRST,
  LIVE_FACTOR,
  pace,
  responseDelayMs,
} from "../../../src/core/ingest/backpressure.ts";
import { BATCH_EVENTS_MAX } from "../../../src/core/ingest/batches.ts";

const BATCH = 100;

describe("an answer", () => {
  test("goes at once while the stores keep up", () => {
    expect(responseDelayMs(0, 1)).toBe(0);
    expect(responseDelayMs(BACKLOG_FREE_MS, 1_000_000)).toBe(0);
  });

  test("waits longer the more the stores have to do", () => {
    const backlogMs = [0.2, 0.4, 0.6, 0.8, 1].map(
      (share) => BACKLOG_FREE_MS + share * (BACKLOG_MAX_MS - BACKLOG_FREE_MS),
    );
    const holds = backlogMs.map((ms) => responseDelayMs(ms, BATCH));
    expect(holds).toEqual(holds.toSorted((a, b) => a - b));
    expect(new Set(holds).size).toBe(holds.length);
  });

  test("waits the longer the more events it is to", () => {
    const backlogMs = (BACKLOG_FREE_MS + BACKLOG_MAX_MS) / 2;
    expect([responseDelayMs(backlogMs, BATCH / 2), responseDelayMs(backlogMs, BATCH)]).toEqual([
      63, 125,
    ]);
  });

  test("to a few events, as browsers send them, is held back only far later", () => {
    const few = BULK_EVENTS_MIN - 1;
    expect([
      responseDelayMs(BACKLOG_FREE_MS * LIVE_FACTOR, few),
      responseDelayMs(BACKLOG_MAX_MS, few),
    ]).toEqual([0, 0]);
    expect(responseDelayMs(BACKLOG_MAX_MS * LIVE_FACTOR, 1)).toBe(10);
  });

  test("never waits for more than a second", () => {
    expect(responseDelayMs(BACKLOG_MAX_MS, 1_000_000)).toBe(1000);
    expect(responseDelayMs(Number.MAX_SAFE_INTEGER, BATCH)).toBe(1000);
  });
});

test("the time of events is measured by the latest batches; without batches it is zero", () => {
  const known = pace();
  expect(known.msFor(100_000)).toBeCloseTo(EACH_MS_AT_FIRST * 100_000);

  let at = 0;
  const batch = (count: number, ms: number, waiting = BATCH_EVENTS_MAX) => {
    at += ms;
    return known.sinceLast({ count }, at, waiting);
  };
  for (let more = 0; more < 200; more++) batch(8000, 800);
  expect(known.msFor(1000)).toBeCloseTo(100);
  expect(batch(8000, 1600)).toBe(1600);
  expect(known.msFor(1000)).toBeGreaterThan(100);
  expect(known.msFor(1000)).toBeLessThan(120);

  const before = known.msFor(1000);
  // A batch after an empty queue may have waited for a sender.
  batch(10, 60_000, 0);
  for (let hour = 0; hour < 100; hour++) batch(8000, 3_600_000, 0);
  expect(known.msFor(1000)).toBe(before);
  // Nor does a disk that refused for an hour count for more than a slow one.
  batch(8000, 1000);
  batch(8000, 3_600_000, 0);
  expect(known.msFor(1000)).toBeCloseTo(before + (500 - before) / 16);
  expect([known.msFor(0), known.msFor(-5)]).toEqual([0, 0]);
});
