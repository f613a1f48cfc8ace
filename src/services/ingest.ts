import type { EventStore } from "../storage/events.ts";
import type { Journal } from "../storage/journal.ts";
import { type AppendingNeeds, appending } from "./appending.ts";
import { mirrorWaiting } from "./mirrored.ts";
import type { Restoring } from "./restoring.ts";
import { retrying, type StopSignal, stopSignal } from "./retrying.ts";
import type { Room } from "./room.ts";
import type { PersonsChanged, Slices } from "./slices.ts";

/**
 * Shortest time from one slice to the next, in milliseconds: a slice of 2,000 events costs 1.7
 * times as much an event as one of 50,000, so when much arrives it is gathered for longer.
 */
const SLICE_INTERVAL_MS = { quiet: 100, busy: 800 };

/** Events in a slice that make it a busy one. */
const SLICE_EVENTS_BUSY = 300;

/** Events waiting that make a slice worth taking at once. */
const SLICE_EVENTS_ENOUGH = 20_000;

/**
 * How long nothing may come, in milliseconds, before the event store is checkpointed: that
 * blocks every query while it runs, so it is left for when nobody is likely to ask.
 */
const IDLE_MS = 600_000;

/** How long events may wait for others to make a full load (decision 43), in milliseconds. */
const GATHER_MS_MAX = 2000;

/** How often a pause looks whether enough is waiting, or somebody for it, in milliseconds. */
const PAUSE_POLL_MS = 20;

/** How often is looked whether there is room on the disk again, in milliseconds. */
const ROOM_POLL_MS = 500;

/** How often is looked whether everything is applied, in milliseconds. */
const CATCH_UP_POLL_MS = 10;

type Needs = AppendingNeeds & {
  journal: Pick<Journal, "durable">;
  slices: Slices;
  events: Pick<EventStore, "checkpoint" | "letGo" | "mirrorVersion" | "seen">;
  /** How long a uuid is remembered, by arrival, in milliseconds. */
  windowMs: number;
  /** IDLE_MS by default. */
  idleMs?: number | undefined;
  /** Whether the disk has room for what the stores would write. */
  room: Pick<Room, "isTight">;
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
  /** Resolves when all that is in the journal by now is in both stores. */
  caughtUp(): Promise<void>;
  /** Brings a change of persons to the event store, behind the loads that are on their way. */
  mirror(changed: PersonsChanged): Promise<void>;
  /** As of {@link mirrorWaiting}. */
  mirrored(): Promise<void>;
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
  const { journal, slices, idleMs = IDLE_MS, restoring, log } = needs;
  const signal = stopSignal();
  const persist = retrying(log, signal);
  const end = await appending(needs, persist, () => wake());
  let taken = end.applied();
  let settled = taken;
  /** Since when events wait for others to make a load. */
  let gathering: number | undefined;
  const looking = mirrorWaiting(end.reached);
  let wake = () => {};

  const pause = async (until: number) => {
    while (!signal.stopped() && performance.now() < until) {
      if (journal.durable() - taken >= SLICE_EVENTS_ENOUGH || looking.isAsked()) return;
      await signal.sleep(PAUSE_POLL_MS);
    }
  };

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
    const load = await persist("write a load", slices.flush);
    gathering = undefined;
    if (load !== null) await end.push([load]);
  };

  const loop = async () => {
    await persist("fill the event store", () => restoring.run(signal.stopped));
    await persist("bring the mirror of persons up to date", () => mirrorLacking(needs));
    await remember(needs);
    while (!signal.stopped()) {
      const grown = Promise.withResolvers<void>();
      wake = grown.resolve;
      await roomy(needs, signal);
      if (taken >= journal.durable()) {
        await flush();
        await end.drained();
        await looking.rest(() => idle(grown.promise));
        continue;
      }
      const started = performance.now();
      const slice = await persist("apply a slice", () =>
        slices.apply({ after: taken, upTo: journal.durable() }),
      );
      taken = slice.last;
      end.count(slice.duplicates);
      if (slice.loads.length > 0) gathering = undefined;
      gathering ??= started;
      await end.push(slice.loads);
      const busy = slice.count >= SLICE_EVENTS_BUSY;
      const late = performance.now() - gathering > GATHER_MS_MAX;
      if (!busy || late || looking.isAsked()) await flush();
      looking.sent();
      await pause(started + (busy ? SLICE_INTERVAL_MS.busy : SLICE_INTERVAL_MS.quiet));
    }
    await end.drained();
  };
  const running = loop().catch((error: unknown) => {
    if (!signal.stopped()) throw error;
    log.warn("ingest stopped in a slice; the journal keeps it", { error });
  });
  const caughtUp = async () => {
    const target = journal.durable();
    while ((restoring.active() || end.applied() < target) && !signal.stopped())
      await Bun.sleep(CATCH_UP_POLL_MS);
  };

  return {
    wake: () => wake(),
    applied: end.applied,
    lag: () => journal.durable() - end.applied(),
    counts: end.counts,
    mirror: end.mirror,
    mirrored: looking.mirrored,
    caughtUp,
    async stop(deadlineMs) {
      await isLate(caughtUp(), deadlineMs);
      signal.stop();
      wake();
      return !(await isLate(running, deadlineMs));
    },
  };
}

/** Whether something has not come within so many milliseconds. */
async function isLate(awaited: Promise<void>, ms: number): Promise<boolean> {
  const timer = Promise.withResolvers<boolean>();
  const handle = setTimeout(timer.resolve, ms, true);
  const late = await Promise.race([awaited.then(() => false), timer.promise]);
  clearTimeout(handle);
  return late;
}

/** A checkpoint for which there is no room would take the event store down (decision 66). */
async function roomy({ room }: Pick<Needs, "room">, signal: StopSignal): Promise<void> {
  while (room.isTight() && !signal.stopped()) await signal.sleep(ROOM_POLL_MS);
}

/** After a crash, or with an older event store, the mirror lacks what SQLite has. */
async function mirrorLacking({ slices, events, removeLoad }: Needs): Promise<void> {
  const lacking = await slices.mirrorSince(await events.mirrorVersion());
  if (lacking === null) return;
  await events.mirror(lacking);
  await removeLoad({ events: null, logs: null, mirror: lacking });
}

/** Hands on which uuids are known, which takes memory for a while. */
async function remember({ events, slices, windowMs }: Needs): Promise<void> {
  await events.seen(windowMs, slices.remember);
  await giveBack({ events, slices });
}

/** Puts the stores in order; when it cannot, the next idle time will. */
async function settle({ events, slices, room, log }: Needs): Promise<void> {
  if (room.isTight()) return;
  try {
    await events.checkpoint();
    await giveBack({ events, slices });
  } catch (error) {
    log.warn("could not checkpoint", { error });
  }
}

/** Gives back the memory of work that is done with, in both threads and both stores (decision 94). */
async function giveBack({ events, slices }: Pick<Needs, "events" | "slices">): Promise<void> {
  await events.letGo();
  await slices.release();
  Bun.gc(true);
}
