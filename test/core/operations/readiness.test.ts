import { expect, test } from "bun:test";
import { readiness, STALL_MS_MAX } from "../../../src/core/operations/readiness.ts";

function subject() {
  const state = {
    ...{ applied: 0, lag: 0, isStalled: false },
    ...{ behind: false, low: false, refusing: false, draining: false },
    refusal: undefined as string | undefined,
  };
  const clock = { now: 0 };
  const reasons = readiness({
    ingest: {
      applied: () => state.applied,
      lag: () => state.lag,
      isStalled: () => state.isStalled,
    },
    isCatchingUp: () => state.behind,
    isRestoring: () => false,
    diskGuard: { isLow: () => state.low },
    refusing: () => state.refusing,
    refusal: () => state.refusal,
    isDraining: () => state.draining,
    elapsedMs: () => clock.now,
  });
  return { state, clock, reasons };
}

test("a server is ready while nothing keeps it from its work, and tells each reason", () => {
  const { state, reasons } = subject();
  expect(reasons()).toEqual([]);
  Object.assign(state, { behind: true, low: true, refusing: true, draining: true });
  expect(reasons()).toEqual([
    "shutting down",
    "replaying the journal",
    "the disk is almost full",
    "events cannot be stored",
  ]);
  state.refusal = "ENOSPC";
  expect(reasons().at(-1)).toBe(
    "events cannot be stored: the disk refuses the journal with ENOSPC",
  );
});

test("a server whose stores take nothing of what a crash left says so at once", () => {
  const { state, reasons } = subject();
  state.isStalled = true;
  expect(reasons()).toEqual([]);
  state.behind = true;
  expect(reasons()).toEqual(["replaying the journal", "events do not get into the stores"]);
});

test("events that wait make no server unready as long as some get into the stores", () => {
  const { state, clock, reasons } = subject();
  state.lag = 1_000_000;
  for (let n = 0; n < 10; n += 1) {
    clock.now += STALL_MS_MAX;
    state.applied += 1;
    expect(reasons()).toEqual([]);
  }
});

test("a server into whose stores nothing gets for a minute is not ready until it does", () => {
  const { state, clock, reasons } = subject();
  reasons();
  // Nobody asks for long, and nothing waits.
  clock.now += 10 * STALL_MS_MAX;
  expect(reasons()).toEqual([]);
  state.lag = 1;
  clock.now += STALL_MS_MAX;
  expect(reasons()).toEqual([]);
  clock.now += 1;
  expect(reasons()).toEqual(["events do not get into the stores"]);
  state.applied += 1;
  expect(reasons()).toEqual([]);
});
