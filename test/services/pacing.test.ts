import { describe, expect, test } from "bun:test";
import { holdMs, LAG_FREE, LAG_MAX } from "../../src/services/pacing.ts";

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

  test("to one event waits a hundredth of what a batch of a hundred waits", () => {
    const lag = (LAG_FREE + LAG_MAX) / 2;
    expect(holdMs(lag, 1)).toBe(1);
    expect(holdMs(lag, BATCH)).toBe(125);
  });

  test("never waits for more than a second", () => {
    expect(holdMs(LAG_MAX, 1_000_000)).toBe(1000);
    expect(holdMs(Number.MAX_SAFE_INTEGER, BATCH)).toBe(1000);
  });
});
