import type { Journal } from "../ports/journal.ts";
import { BATCH_EVENTS_MAX, type BatchResult } from "./batches.ts";
import type { StopSignal } from "./retry.ts";

/**
 * Shortest time between the starts of two batches, in milliseconds. An event of a small batch costs
 * almost twice as much as one of a full batch, so batches are larger when many events arrive.
 */
const BATCH_INTERVAL_MS = { quiet: 100, busy: 800 };

/** Events a second that make a batch a busy one. */
const BUSY_EVENTS_PER_S = 3000;

/** Pause in the arrivals after which a batch of fewer events is taken, in milliseconds. */
const BATCH_QUIET_MS = 100;

/** Pause in the arrivals after which a load that is not full is appended, in milliseconds. */
const LOAD_QUIET_MS = 250;

/** Interval of looks at the end of the journal, in milliseconds. */
const POLL_MS = 20;

/** Whether a batch has many events for the time since the start of the previous one. */
export function isBusy({ endedEarly, count }: BatchResult, sinceMs: number): boolean {
  return endedEarly || count * 1000 >= BUSY_EVENTS_PER_S * sinceMs;
}

/** Shortest time from the start of a batch to the next, in milliseconds; 0 if it ended early. */
export function intervalMs({ endedEarly }: BatchResult, busy: boolean): number {
  if (endedEarly) return 0;
  return BATCH_INTERVAL_MS[busy ? "busy" : "quiet"];
}

type Needs = {
  journal: Pick<Journal, "durableSeq">;
  signal: Pick<StopSignal, "stopped" | "sleep">;
  /** Whether a change by a user waits for events after a sequence number. */
  isHastened: (taken: number) => boolean;
};

/**
 * Waits for more events after a sequence number, at most until a time of `performance.now()`. It ends
 * early with a full batch, after a pause in the arrivals, and when a user waits for the events.
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
