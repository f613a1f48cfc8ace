import { expect, test } from "bun:test";
import { arrivals, REFUSALS_MAX, type Refusal } from "../../../src/core/operations/arrivals.ts";

const MINUTE_MS = 60_000;

const REFUSAL: Refusal = {
  ...{ status: 401, code: "invalid_api_key", method: "POST", path: "/e/" },
  ...{ sdk: null, origin: null, key_mask: "phc_...wxyz" },
};

function counting() {
  const clock = { now: Date.parse("2026-11-21T12:00:01Z") };
  return { clock, counted: arrivals(() => clock.now) };
}

test("events count for a minute and for 15 minutes, each project by itself", () => {
  const { clock, counted } = counting();
  counted.count(1, { accepted: 3, dropped: 1, last_seq: 3 });
  counted.count(1, { accepted: 2, dropped: 0, last_seq: 5 });
  counted.count(2, { accepted: 9, dropped: 0, last_seq: 14 });
  expect(counted.of(1)).toEqual({ accepted: 5, dropped: 1, lastMinute: 5 });

  clock.now += 2 * MINUTE_MS;
  counted.count(1, { accepted: 1, dropped: 0, last_seq: 15 });
  expect(counted.of(1)).toEqual({ accepted: 6, dropped: 1, lastMinute: 1 });

  clock.now += 14 * MINUTE_MS;
  expect(counted.of(1)).toEqual({ accepted: 1, dropped: 0, lastMinute: 0 });
  expect(counted.of(3)).toEqual({ accepted: 0, dropped: 0, lastMinute: 0 });
});

test("equal refusals are one with a count, the newest come first, and old ones are forgotten", () => {
  const { clock, counted } = counting();
  const other = { ...REFUSAL, path: "/lost" };
  counted.refuse(REFUSAL);
  counted.refuse(other);
  clock.now += 10 * MINUTE_MS;
  counted.refuse(REFUSAL);

  expect(counted.refused()).toEqual([
    { ...REFUSAL, at: clock.now, count: 2 },
    { ...other, at: clock.now - 10 * MINUTE_MS, count: 1 },
  ]);
  clock.now += 10 * MINUTE_MS;
  expect(counted.refused()).toHaveLength(1);
  clock.now += 10 * MINUTE_MS;
  expect(counted.refused()).toEqual([]);
});

test("of very many refusals the newest stay", () => {
  const { counted } = counting();
  for (let n = 0; n < 3 * REFUSALS_MAX; n += 1) counted.refuse({ ...REFUSAL, path: `/${n}` });
  const paths = counted.refused().map(({ path }) => path);
  expect(paths).toHaveLength(REFUSALS_MAX);
  expect(paths[0]).toBe(`/${3 * REFUSALS_MAX - 1}`);
});

test("the wait is that of the oldest event that is not applied", () => {
  const { clock, counted } = counting();
  expect(counted.waitMs(0)).toBe(0);
  counted.count(1, { accepted: 2, dropped: 0, last_seq: 2 });
  clock.now += 1000;
  counted.count(2, { accepted: 1, dropped: 0, last_seq: 3 });
  clock.now += 500;

  expect(counted.waitMs(0)).toBe(1500);
  expect(counted.waitMs(2)).toBe(500);
  expect(counted.waitMs(3)).toBe(0);
});

test("a long jam keeps the time of its first event", () => {
  const { clock, counted } = counting();
  for (let seq = 1; seq <= 5000; seq += 1) {
    counted.count(1, { accepted: 1, dropped: 0, last_seq: seq });
    clock.now += 100;
  }
  expect(counted.waitMs(0)).toBe(500_000);
  expect(counted.waitMs(4999)).toBeGreaterThanOrEqual(100);
  expect(counted.waitMs(5000)).toBe(0);
});
