import type { EventStore } from "../ports/events.ts";
import type { Journal } from "../ports/journal.ts";
import { type AppendNeeds, appendQueue } from "./append-queue.ts";
import { type DiskGuard, pace } from "./backpressure.ts";
import {
  BATCH_EVENTS_MAX,
  type Batches,
  type BatchResult,
  type PersonsChanged,
} from "./batches.ts";
import { idleWork, releaseMemory } from "./idle.ts";
import type { Restoring } from "./restore.ts";
import { isLate, type Retrier, retrier, type StopSignal, stopSignal } from "./retry.ts";

/**
 * Longest wait of events for a full load, in milliseconds (decision 93): longer if they already fill
 * half of it.
 */
const LOAD_WAIT_MS_MAX = { few: 2000, filling: 4000 };

/** Events that fill half of a load. */
const FILLING_EVENTS = 12_288;

/** Interval of looks at the free disk space while it is too low, in milliseconds. */
const DISK_POLL_MS = 500;

/** Interval of looks at the progress of a catch-up, in milliseconds. */
const CATCH_UP_POLL_MS = 10;

type Needs = AppendNeeds & {
  journal: Pick<Journal, "durableSeq">;
  batches: Batches;
  events: Pick<
    EventStore,
    "checkpoint" | "releaseCache" | "projectionVersion" | "readDedupEntries"
  >;
  /** Time for which a uuid is remembered, by arrival, in milliseconds. */
  windowMs: number;
  /** As {@link idleWork} takes it. */
  idleMs?: number | undefined;
  /** The free space that the stores need. */
  diskGuard: Pick<DiskGuard, "isCritical">;
  restoring: Restoring;
};

/** The loop that carries accepted events from the journal into both stores, in order. */
export type Ingest = {
  /** Wakes the loop after the journal has grown. */
  wake(): void;
  /** Returns the last sequence number in both stores. */
  applied(): number;
  /** Returns how many sequence numbers wait for the stores; some of them may be gaps. */
  lag(): number;
  /** Returns how long the stores need for the waiting events before the last `own`, in milliseconds. */
  backlogMs(own: number): number;
  /** Returns true while free disk space is too low, or while a step fails and is repeated. */
  isStalled(): boolean;
  /** Resolves when both stores have all events that the journal has at the call. */
  caughtUp(): Promise<void>;
  /** Brings a change of persons to the event store, after the queued loads. */
  applyProjection(changed: PersonsChanged): Promise<void>;
  /** Takes events up to a sequence number without waiting for a full batch. */
  flushUpTo(seq: number): void;
  /** Returns counts since the start. */
  counts(): { stored: number; duplicates: number; dead: number };
  /**
   * Applies events for at most `deadlineMs` and ends the loop; the journal keeps the others. Returns
   * false if a batch is still being applied.
   */
  stop(deadlineMs: number): Promise<boolean>;
};

/** Starts the loop, first with the events that a crash kept from one of the stores. */
export async function startIngest(needs: Needs): Promise<Ingest> {
  const { journal, batches, log, restoring } = needs;
  const signal = stopSignal();
  const retries = retrier(log, signal);
  const queue = await appendQueue(needs, retries, () => wake());
  const storePace = pace();
  let taken = queue.applied();
  const workWhenIdle = idleWork(needs, taken);
  /** The events that wait for a full load. */
  let filling: { since: number; count: number } | undefined;
  let hastenedTo = 0;
  const isHastened = (seq: number) => seq < hastenedTo;
  let wake = () => {};

  const flush = async () => {
    filling = undefined;
    await queue.enqueue([await retries.retryUntilDone("writing a load", batches.flush)]);
  };

  const idle = async (grown: Promise<void>) => {
    await flush();
    await queue.drained();
    await workWhenIdle(grown, taken);
  };

  const applyBatch = async () => {
    const started = performance.now();
    const batch = await retries.retryUntilDone("applying a batch", () =>
      batches.apply({ after: taken, upTo: journal.durableSeq() }),
    );
    taken = batch.last;
    queue.note(batch);
    if (batch.loads.length > 0) filling = undefined;
    filling ??= { since: started, count: 0 };
    filling.count += batch.count;
    await queue.enqueue(batch.loads);
    const busy = isBusy(batch, storePace.sinceLast(batch, started, journal.durableSeq() - taken));
    if (!busy || isOverdue(filling) || isHastened(taken)) await flush();
    await waitForBatch(taken, started + intervalMs(batch, busy), { journal, signal, isHastened });
  };

  const loop = async () => {
    await recover(needs, retries, signal.stopped, queue.reload);
    taken = queue.applied();
    while (!signal.stopped()) {
      const grown = Promise.withResolvers<void>();
      wake = grown.resolve;
      await untilDiskIsFree(needs, retries);
      if (taken < journal.durableSeq()) await applyBatch();
      else await idle(grown.promise);
    }
    await queue.drained();
  };
  const running = loop().catch((error: unknown) => {
    if (!signal.stopped()) throw error;
    log.warn("ingest stopped within a batch; the journal keeps its events", { error });
  });
  const caughtUp = async () => {
    const target = journal.durableSeq();
    const isCatchingUp = () => restoring.active() || queue.applied() < target;
    while (isCatchingUp() && !signal.stopped()) await Bun.sleep(CATCH_UP_POLL_MS);
  };
  const lag = () => journal.durableSeq() - queue.applied();

  return {
    wake: () => wake(),
    applied: queue.applied,
    lag,
    backlogMs: (own) => storePace.msFor(lag() - own),
    isStalled: retries.isStalled,
    counts: queue.counts,
    applyProjection: queue.applyProjection,
    flushUpTo(seq) {
      hastenedTo = Math.max(hastenedTo, seq);
    },
    caughtUp,
    async stop(deadlineMs) {
      await isLate(caughtUp(), deadlineMs);
      signal.stop();
      wake();
      return !(await isLate(running, deadlineMs));
    },
  };
}

/** Whether a load is appended though it is not full. */
function isOverdue({ since, count }: { since: number; count: number }): boolean {
  const waitedMs = performance.now() - since;
  return waitedMs > LOAD_WAIT_MS_MAX[count < FILLING_EVENTS ? "few" : "filling"];
}

/** Waits for free disk space: a checkpoint on a full disk invalidates the event store (decision 66). */
function untilDiskIsFree({ diskGuard }: Pick<Needs, "diskGuard">, retries: Retrier): Promise<void> {
  return retries.waitWhile("waiting for disk space", diskGuard.isCritical, DISK_POLL_MS);
}

/** Brings the event store to a state that the journal continues. */
async function recover(
  needs: Needs,
  retries: Retrier,
  stopped: () => boolean,
  onFilled: () => Promise<void>,
): Promise<void> {
  const { restoring } = needs;
  if (restoring.active()) await untilDiskIsFree(needs, retries);
  await retries.retryUntilDone("rebuilding the event store", () =>
    restoring.run(stopped, onFilled),
  );
  await retries.retryUntilDone("updating the projection of persons", () =>
    catchUpProjection(needs, retries, stopped),
  );
  await loadDedupWindow(needs);
}

/** After a crash, or with an older event store, the projection lacks changes that SQLite has. */
async function catchUpProjection(
  needs: Needs,
  retries: Retrier,
  stopped: () => boolean,
): Promise<void> {
  const { batches, events, removeLoad, diskGuard } = needs;
  for (let isDone = false; !isDone && !stopped(); ) {
    const missing = await batches.projectionSince(await events.projectionVersion());
    if (missing === null) return;
    // Persons may change during the wait for disk space, so the changes are read again after it.
    isDone = !diskGuard.isCritical();
    if (isDone) await events.applyProjection(missing);
    await removeLoad({ events: null, logs: null, projection: missing });
    await untilDiskIsFree(needs, retries);
  }
}

/** Fills the deduplication window from the event store. */
async function loadDedupWindow({ events, batches, windowMs }: Needs): Promise<void> {
  await events.readDedupEntries(windowMs, batches.addDedupEntries);
  await releaseMemory({ events, batches });
}

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

type Waiting = {
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
  { journal, signal, isHastened }: Waiting,
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
