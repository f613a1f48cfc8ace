import { describe, expect, test } from "bun:test";
import {
  attempts,
  FAILURES_PER_MINUTE_MAX,
  SOURCES_MAX,
} from "../../../src/core/access/failed-keys.ts";

function world() {
  const clock = { now: 1_000_000 };
  const { failed } = attempts(() => clock.now);
  const times = (source: string, count: number) =>
    Array.from({ length: count }, () => failed(source));
  return { clock, failed, times };
}

const none = new Array(FAILURES_PER_MINUTE_MAX).fill(undefined);

describe("failed authentications", () => {
  test("are put off after five in a minute, for as long as it takes", () => {
    const { clock, failed, times } = world();

    expect(times("a", 3)).toEqual([undefined, undefined, undefined]);
    clock.now += 20_000;
    expect(times("a", 2)).toEqual([undefined, undefined]);
    expect(failed("a")).toBe(40_000);
    clock.now += 39_999;
    expect(failed("a")).toBe(1);
    clock.now += 1;
    expect(times("a", 3)).toEqual([undefined, undefined, undefined]);
    expect(failed("a")).toBe(20_000);
  });

  test("do not count while they are put off, so that waiting helps", () => {
    const { clock, failed, times } = world();
    times("a", 100);
    clock.now += 60_000;
    expect(failed("a")).toBeUndefined();
  });

  test("of one source are nothing to another", () => {
    const { failed, times } = world();
    times("a", 9);
    expect(failed("b")).toBeUndefined();
  });

  test("delay no client longer when the clock is set back", () => {
    const { clock, times } = world();
    times("a", 9);
    clock.now -= 3_600_000;
    expect(times("a", FAILURES_PER_MINUTE_MAX)).toEqual(none);
  });

  test("are remembered of so many sources and no more; who failed last stays", () => {
    const { failed, times } = world();
    times("first", 5);
    times("second", 5);
    for (let n = 2; n < SOURCES_MAX; n++) failed(String(n));
    expect(failed("first")).toBe(60_000);
    failed("one too many");
    expect(failed("first")).toBe(60_000);
    expect(failed("second")).toBeUndefined();
  });
});
