import type { Journal } from "../storage/journal.ts";
import type { mirrorWaiting } from "./mirrored.ts";
import type { StopSignal } from "./retrying.ts";
import { SLICE_EVENTS_MAX, type SliceApplied } from "./slices.ts";

/**
 * Shortest time from one slice to the next, in milliseconds: a small slice costs almost twice as
 * much an event as a full one, so when much arrives it is gathered for longer.
 */
const SLICE_INTERVAL_MS = { quiet: 100, busy: 800 };

/** Events in a slice that make it a busy one. */
const SLICE_EVENTS_BUSY = 300;

/** How long nothing may have come, in milliseconds, before what waits is taken as it is. */
const SLICE_QUIET_MS = 100;

/** How often is looked meanwhile what waits, and who waits for it, in milliseconds. */
const POLL_MS = 20;

/** Whether more than a few events came with a slice. */
export function isBusy({ isCut, count }: SliceApplied): boolean {
  return isCut || count >= SLICE_EVENTS_BUSY;
}

/**
 * How long after the beginning of a slice the next one may begin, in milliseconds; what was cut off
 * is there already.
 */
export function intervalMs(slice: SliceApplied): number {
  if (slice.isCut) return 0;
  return isBusy(slice) ? SLICE_INTERVAL_MS.busy : SLICE_INTERVAL_MS.quiet;
}

type Needs = {
  journal: Pick<Journal, "durable">;
  signal: Pick<StopSignal, "stopped" | "sleep">;
  looking: Pick<ReturnType<typeof mirrorWaiting>, "isAsked">;
};

/**
 * Lets more gather behind a sequence number, until a time by `performance.now()` at most: as long as
 * more comes, it is no full slice, and nobody waits for it.
 */
export async function gathered(
  taken: number,
  until: number,
  { journal, signal, looking }: Needs,
): Promise<void> {
  let grown = { to: journal.durable(), at: performance.now() };
  for (let now = grown.at; !signal.stopped() && now < until; now = performance.now()) {
    const to = journal.durable();
    if (to - taken >= SLICE_EVENTS_MAX || looking.isAsked(taken)) return;
    if (to > grown.to) grown = { to, at: now };
    if (to > taken && now - grown.at >= SLICE_QUIET_MS) return;
    await signal.sleep(POLL_MS);
  }
}
