import { describe, expect, test } from "bun:test";
import {
  BULK_EVENTS_MIN,
  holdMs,
  LAG_FREE,
  LAG_MAX,
  LIVE_FACTOR,
} from "../../src/services/pacing.ts";

const BATCH = 100;

describe("an answer", () => {
  test("goes at once while the stores keep up", () => {
    expect(holdMs(0, 1)).toBe(0);
    expect(holdMs(LAG_FREE, 1_000_000)).toBe(0);
  });

  test("waits the longer the further the stores are behind", () => {
    const lags = [0.2, 0.4, 0.6, 0.8, 1].map((share) => LAG_FREE + share * (LAG_MAX - LAG_FREE));
    const holds = lags.map((lag) => holdMs(lag, BATCH));
    expect(holds).toEqual(holds.toSorted((a, b) => a - b));
    expect(new Set(holds).size).toBe(holds.length);
  });

  test("waits the longer the more events it is to", () => {
    const lag = (LAG_FREE + LAG_MAX) / 2;
    expect([holdMs(lag, BATCH / 2), holdMs(lag, BATCH)]).toEqual([63, 125]);
  });

  test("to a few events, as browsers send them, is held back only far later", () => {
    const few = BULK_EVENTS_MIN - 1;
    expect([holdMs(LAG_FREE * LIVE_FACTOR, few), holdMs(LAG_MAX, few)]).toEqual([0, 0]);
    expect(holdMs(LAG_MAX * LIVE_FACTOR, 1)).toBe(10);
  });

  test("never waits for more than a second", () => {
    expect(holdMs(LAG_MAX, 1_000_000)).toBe(1000);
    expect(holdMs(Number.MAX_SAFE_INTEGER, BATCH)).toBe(1000);
  });
});
