import { expect, test } from "bun:test";
import { readiness, STALL_MS_MAX } from "../../../src/core/operations/readiness.ts";

function subject() {
  const state = {
    ...{ applied: 0, lag: 0, isStalled: false },
    ...{ behind: false, low: false, refusing: false, draining: false },
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
    isDraining: () => state.draining,
    elapsedMs: () => clock.now,
  });
  return { state, clock, reasons };
}

test("a server is ready while nothing keeps it from its work, and tells each reason", () => {
  const { state, reasons } = subject();
  expect(reasons()).toEqual([]);
  Object.assign(state, { behind: true, low: true, refusing: true, draining: true });
  expect(reasons()).toEqual(["shutting_down", "replaying_journal", "disk_full", "journal_refused"]);
});

test("a server whose stores take nothing of what a crash left says so at once", () => {
  const { state, reasons } = subject();
  state.isStalled = true;
  expect(reasons()).toEqual([]);
  state.behind = true;
  expect(reasons()).toEqual(["replaying_journal", "ingest_stalled"]);
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
  expect(reasons()).toEqual(["ingest_stalled"]);
  state.applied += 1;
  expect(reasons()).toEqual([]);
});
