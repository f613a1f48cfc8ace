import type { Journal } from "../ports/journal.ts";
import { BATCH_EVENTS_MAX, type BatchResult } from "./batches.ts";
import type { StopSignal } from "./retry.ts";

/**
 * Shortest time from one slice to the next, in milliseconds: a small slice costs almost twice as
 * much an event as a full one, so when much arrives it is waitForBatch for longer.
 */
const BATCH_INTERVAL_MS = { quiet: 100, busy: 800 };

/** Events a second that make a slice a busy one: with fewer there is time for small batches. */
const BUSY_EVENTS_PER_S = 3000;

/** How long nothing may have come, in milliseconds, before what waits is taken as it is. */
const BATCH_QUIET_MS = 100;

/** The same before what is in no load yet is sent on, though it fills none. */
const LOAD_QUIET_MS = 250;

/** How often the journal's end is read meanwhile, in milliseconds. */
const POLL_MS = 20;

/** Whether much came with a slice, in the milliseconds since the one before it began. */
export function isBusy({ isCut, count }: BatchResult, sinceMs: number): boolean {
  return isCut || count * 1000 >= BUSY_EVENTS_PER_S * sinceMs;
}

/**
 * How long after the beginning of a slice the next one may begin, in milliseconds; what was cut off
 * is there already.
 */
export function intervalMs({ isCut }: BatchResult, busy: boolean): number {
  if (isCut) return 0;
  return BATCH_INTERVAL_MS[busy ? "busy" : "quiet"];
}

type Needs = {
  journal: Pick<Journal, "durableSeq">;
  signal: Pick<StopSignal, "stopped" | "sleep">;
  /** Whether a change by a user waits for events after a sequence number. */
  isHastened: (taken: number) => boolean;
};

/**
 * Lets more gather behind a sequence number, until a time by `performance.now()` at most: as long as
 * more comes, it is no full slice, and no user waits for it.
 */
export async function waitForBatch(
  taken: number,
  until: number,
  { journal, signal, isHastened }: Needs,
): Promise<void> {
  let grown = { to: journal.durableSeq(), at: performance.now() };
  for (let now = grown.at; !signal.stopped() && now < until; now = performance.now()) {
    const to = journal.durableSeq();
    if (to - taken >= BATCH_EVENTS_MAX || isHastened(taken)) return;
    if (to > grown.to) grown = { to, at: now };
    if (now - grown.at >= (to > taken ? BATCH_QUIET_MS : LOAD_QUIET_MS)) return;
    await signal.sleep(POLL_MS);
  }
}
