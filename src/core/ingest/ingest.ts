import type { EventStore } from "../ports/events.ts";
import type { Journal } from "../ports/journal.ts";
import { type AppendingNeeds, appending } from "./append-queue.ts";
import { pace } from "./backpressure.ts";
import { intervalMs, isBusy, waitForBatch } from "./batch-timing.ts";
import type { Batches, PersonsChanged } from "./batches.ts";
import type { DiskGuard } from "./disk-guard.ts";
import type { Restoring } from "./restore.ts";
import { type Persist, retrying, type StopSignal, stopSignal } from "./retry.ts";

/**
 * How long nothing may come, in milliseconds, before the event store is checkpointed: that
 * blocks every query while it runs, so it is left for when nobody is likely to ask.
 */
const IDLE_MS = 600_000;

/**
 * How long events may wait for others to make a full load (decision 93), in milliseconds: those that
 * come so fast that they fill it may wait for longer.
 */
const GATHER_MS_MAX = { few: 2000, filling: 4000 };

/** Events that fill a half of a load. */
const FILLING_EVENTS = 12_288;

/** How often is looked whether there is room on the disk again, in milliseconds. */
const ROOM_POLL_MS = 500;

/** What holds the loop while there is none. */
const NO_ROOM = "room";

/** How often is looked whether everything is applied, in milliseconds. */
const CATCH_UP_POLL_MS = 10;

type Needs = AppendingNeeds & {
  journal: Pick<Journal, "durableSeq">;
  batches: Batches;
  events: Pick<EventStore, "checkpoint" | "releaseCache" | "mirrorVersion" | "seen">;
  /** How long a uuid is remembered, by arrival, in milliseconds. */
  windowMs: number;
  /** IDLE_MS by default. */
  idleMs?: number | undefined;
  /** Whether the disk has room for what the stores would write. */
  room: Pick<DiskGuard, "isCritical">;
  restoring: Restoring;
};

/** The loop that carries accepted events from the journal into both stores, in order. */
export type Ingest = {
  /** Says that the journal has grown. */
  wake(): void;
  /** The last sequence number in both stores. */
  applied(): number;
  /** How many events and log records wait for the stores; some of the numbers may be gaps. */
  lag(): number;
  /** How long the stores will take for what came before the last `own` of those, in milliseconds. */
  backlogMs(own: number): number;
  /** Whether the stores take nothing at the moment: there is no room, or a step has failed. */
  held(): boolean;
  /** Resolves when all that is in the journal by now is in both stores. */
  caughtUp(): Promise<void>;
  /** Brings a change of persons to the event store, behind the loads that are on their way. */
  mirror(changed: PersonsChanged): Promise<void>;
  /** Takes events up to a sequence number without waiting for more. */
  flushUpTo(seq: number): void;
  /** Counts since the start. */
  counts(): { stored: number; duplicates: number; dead: number };
  /**
   * Applies what fits into so many milliseconds and ends the loop; the journal keeps the rest.
   * Says whether the loop has ended: if not, a slice is still being applied.
   */
  stop(deadlineMs: number): Promise<boolean>;
};

/** Starts the loop; it begins with what a crash left out of either store. */
export async function startIngest(needs: Needs): Promise<Ingest> {
  const { journal, batches, idleMs = IDLE_MS, log } = needs;
  const signal = stopSignal();
  const held = new Set<string>();
  const persist = retrying(log, signal, held);
  const end = await appending(needs, persist, () => wake());
  let taken = end.applied();
  let settled = taken;
  const known = pace();
  /** Since when events wait for others to make a load. */
  let gathering: { since: number; count: number } | undefined;
  let hastenedTo = 0;
  const isHastened = (seq: number) => seq < hastenedTo;
  let wake = () => {};

  /** Waits for more; when none comes for long, uses the time to put the stores in order. */
  const idle = async (grown: Promise<void>) => {
    if ((await isLate(grown, idleMs)) && settled !== taken) {
      await settle(needs);
      settled = taken;
    }
    await grown;
  };

  /** Sends on what waits for more. */
  const flush = async () => {
    gathering = undefined;
    await end.push([await persist("write a load", batches.flush)]);
  };

  const loop = async () => {
    await begin(needs, persist, { signal, held }, end.filled);
    taken = end.applied();
    while (!signal.stopped()) {
      const grown = Promise.withResolvers<void>();
      wake = grown.resolve;
      await untilRoomy(needs, { signal, held });
      if (taken >= journal.durableSeq()) {
        await flush();
        await end.drained();
        await idle(grown.promise);
        continue;
      }
      const started = performance.now();
      const slice = await persist("apply a slice", () =>
        batches.apply({ after: taken, upTo: journal.durableSeq() }),
      );
      taken = slice.last;
      end.note(slice);
      if (slice.loads.length > 0) gathering = undefined;
      gathering ??= { since: started, count: 0 };
      gathering.count += slice.count;
      await end.push(slice.loads);
      const busy = isBusy(slice, known.sinceLast(slice, started, journal.durableSeq() - taken));
      if (!busy || isOverdue(gathering) || isHastened(taken)) await flush();
      await waitForBatch(taken, started + intervalMs(slice, busy), { journal, signal, isHastened });
    }
    await end.drained();
  };
  const running = loop().catch((error: unknown) => {
    if (!signal.stopped()) throw error;
    log.warn("ingest stopped in a slice; the journal keeps it", { error });
  });
  const caughtUp = () => reached(needs, end, signal);
  const lag = () => journal.durableSeq() - end.applied();

  return {
    wake: () => wake(),
    applied: end.applied,
    lag,
    backlogMs: (own) => known.msFor(lag() - own),
    held: () => held.size > 0,
    counts: end.counts,
    mirror: end.mirror,
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

/** Whether a load is sent on though it is not full. */
function isOverdue({ since, count }: { since: number; count: number }): boolean {
  const waited = performance.now() - since;
  return waited > GATHER_MS_MAX[count < FILLING_EVENTS ? "few" : "filling"];
}

type Waits = {
  signal: StopSignal;
  held: Set<string>;
};

/** A checkpoint for which there is no room would take the event store down (decision 66). */
async function untilRoomy({ room }: Pick<Needs, "room">, { signal, held }: Waits): Promise<void> {
  if (!room.isCritical()) return;
  held.add(NO_ROOM);
  while (room.isCritical() && !signal.stopped()) await signal.sleep(ROOM_POLL_MS);
  held.delete(NO_ROOM);
}

/** Makes the event store what the journal can be applied to. */
async function begin(
  needs: Needs,
  persist: Persist,
  waits: Waits,
  filled: () => Promise<void>,
): Promise<void> {
  const { restoring } = needs;
  const { signal } = waits;
  if (restoring.active()) await untilRoomy(needs, waits);
  await persist("fill the event store", () => restoring.run(signal.stopped, filled));
  await persist("bring the mirror of persons up to date", () => mirrorLacking(needs, waits));
  await remember(needs);
}

/** Waits until what is in the journal by now is in both stores. */
async function reached(
  { journal, restoring }: Pick<Needs, "journal" | "restoring">,
  { applied }: { applied: () => number },
  signal: StopSignal,
): Promise<void> {
  const target = journal.durableSeq();
  const isBehind = () => restoring.active() || applied() < target;
  while (isBehind() && !signal.stopped()) await Bun.sleep(CATCH_UP_POLL_MS);
}

/** Whether something has not come within so many milliseconds. */
export async function isLate(awaited: Promise<void>, ms: number): Promise<boolean> {
  const timer = Promise.withResolvers<boolean>();
  const handle = setTimeout(timer.resolve, ms, true);
  const late = await Promise.race([awaited.then(() => false), timer.promise]);
  clearTimeout(handle);
  return late;
}

/** After a crash, or with an older event store, the mirror lacks what SQLite has. */
async function mirrorLacking(needs: Needs, waits: Waits): Promise<void> {
  const { batches, events, removeLoad, room } = needs;
  for (let isDone = false; !isDone && !waits.signal.stopped(); ) {
    const lacking = await batches.mirrorSince(await events.mirrorVersion());
    if (lacking === null) return;
    // Persons may change while there is no room.
    isDone = !room.isCritical();
    if (isDone) await events.mirror(lacking);
    await removeLoad({ events: null, logs: null, mirror: lacking });
    await untilRoomy(needs, waits);
  }
}

/** Hands on which uuids are known, which takes memory for a while. */
async function remember({ events, batches, windowMs }: Needs): Promise<void> {
  await events.seen(windowMs, batches.remember);
  await giveBack({ events, batches });
}

/** Puts the stores in order; when it cannot, the next idle time will. */
async function settle({ events, batches, room, log }: Needs): Promise<void> {
  if (room.isCritical()) return;
  try {
    await events.checkpoint();
    await giveBack({ events, batches });
  } catch (error) {
    log.warn("could not checkpoint", { error });
  }
}

/** Frees the memory of finished work in both threads and both stores: an idle server takes 165 MB, not 288. */
async function giveBack({ events, batches }: Pick<Needs, "events" | "batches">): Promise<void> {
  await events.releaseCache();
  await batches.release();
  Bun.gc(true);
}
