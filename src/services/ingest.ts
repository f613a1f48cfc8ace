import type { Log } from "../log.ts";
import type { DeadLetter } from "../storage/dead-letters.ts";
import type { EventStore } from "../storage/events.ts";
import type { Journal } from "../storage/journal.ts";
import type { Load, LoadedFiles } from "../storage/loads.ts";
import type { MirrorFiles } from "../storage/mirror.ts";
import type { Duplicate, PersonsChanged, Slices } from "./slices.ts";
import { warningEntry } from "./warnings.ts";

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

/** Loads that may wait for the event store while it checkpoints (decision 23). */
const APPENDS_WAITING_MAX = 4;

/** How often a pause looks whether enough is waiting, in milliseconds. */
const PAUSE_POLL_MS = 50;

/** Wait before what failed is tried again, in milliseconds: doubled from the first to the last. */
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 30_000;

/** How often is looked whether everything is applied, in milliseconds. */
const CATCH_UP_POLL_MS = 10;

type Needs = {
  journal: Pick<Journal, "append" | "durable">;
  slices: Slices;
  events: Pick<
    EventStore,
    "applied" | "append" | "checkpoint" | "mirror" | "mirrorVersion" | "seen"
  >;
  /** Removes a load's files. */
  removeLoad(load: LoadedFiles): Promise<void>;
  /** How long a uuid is remembered, by arrival, in milliseconds. */
  windowMs: number;
  /** IDLE_MS by default. */
  idleMs?: number | undefined;
  log: Log;
};

/** The loop that carries accepted events from the journal into both stores, in order. */
export type Ingest = {
  /** Says that the journal has grown. */
  wake(): void;
  /** The last sequence number in both stores. */
  applied(): number;
  /** Resolves when all that is in the journal by now is in both stores. */
  caughtUp(): Promise<void>;
  /** Brings a change of persons to the event store, behind the loads that are on their way. */
  mirror(changed: PersonsChanged): Promise<void>;
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
  const { journal, slices, events, windowMs, idleMs = IDLE_MS, log } = needs;
  const signal = stopSignal();
  const persist = retrying(log, signal);
  const end = await appending(needs, persist, () => wake());
  let taken = end.applied();
  let settled = taken;
  /** Since when events wait for others to make a load. */
  let gathering: number | undefined;
  let wake = () => {};

  const pause = async (until: number) => {
    while (!signal.stopped() && performance.now() < until) {
      if (journal.durable() - taken >= SLICE_EVENTS_ENOUGH) return;
      await signal.sleep(PAUSE_POLL_MS);
    }
  };

  /** Waits for more; when none comes for long, uses the time to put the stores in order. */
  const idle = async (grown: Promise<void>) => {
    const timer = Promise.withResolvers<"idle">();
    const handle = setTimeout(timer.resolve, idleMs, "idle");
    const waited = await Promise.race([grown, timer.promise]);
    clearTimeout(handle);
    if (waited === "idle" && settled !== taken) {
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
    await persist("bring the mirror of persons up to date", () => mirrorLacking(needs));
    await events.seen(windowMs, slices.remember);
    await giveBack(needs);
    while (!signal.stopped()) {
      const grown = Promise.withResolvers<void>();
      wake = grown.resolve;
      if (taken >= journal.durable()) {
        await flush();
        await end.drained();
        await idle(grown.promise);
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
      if (!busy || performance.now() - gathering > GATHER_MS_MAX) await flush();
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
    while (end.applied() < target && !signal.stopped()) await Bun.sleep(CATCH_UP_POLL_MS);
  };

  return {
    wake: () => wake(),
    applied: end.applied,
    counts: end.counts,
    mirror: end.mirror,
    caughtUp,
    async stop(deadlineMs) {
      await Promise.race([caughtUp(), Bun.sleep(deadlineMs)]);
      signal.stop();
      wake();
      const ended = running.then(() => true);
      return Promise.race([ended, Bun.sleep(deadlineMs).then(() => false)]);
    },
  };
}

/** After a crash, or with an older event store, the mirror lacks what SQLite has. */
async function mirrorLacking({ slices, events, removeLoad }: Needs): Promise<void> {
  const lacking = await slices.mirrorSince(await events.mirrorVersion());
  if (lacking === null) return;
  await events.mirror(lacking);
  await removeLoad({ events: null, logs: null, mirror: lacking });
}

/** The end of a load's way: the event store, and what is counted and told of it. */
async function appending(needs: Needs, persist: Persist, onWarned: () => void) {
  const { events, removeLoad, log } = needs;
  let applied = await events.applied();
  const counts = { stored: 0, duplicates: 0, dead: 0 };
  const waiting: Promise<void>[] = [];

  /** Appends a load. Only this may be repeated by itself: SQLite has its slices already. */
  const append = async (load: Load): Promise<void> => {
    const { dead } = await persist("append a load", () => events.append(load));
    applied = load.last;
    counts.stored += load.count - dead.length;
    counts.dead += dead.length;
    await removeLoad(load).catch((error: unknown) => {
      log.warn("a load's files could not be removed; the next start does it", { error });
    });
    if (dead.length === 0) return;
    log.warn("events went to the dead-letter file", { count: dead.length });
    await tellDead(dead, needs);
    onWarned();
  };

  const mirrored = async (changes: MirrorFiles): Promise<void> => {
    await persist("change the mirror of persons", () => events.mirror(changes));
    await removeLoad({ events: null, logs: null, mirror: changes });
  };

  /** Carries out work behind all that waits. */
  const behind = (work: () => Promise<void>): Promise<void> => {
    const done = (waiting.at(-1) ?? Promise.resolve()).then(work);
    done.catch(() => {});
    waiting.push(done);
    return done;
  };

  return {
    applied: () => applied,
    counts: () => ({ ...counts }),
    /** Counts events that were left out. */
    count(duplicates: readonly Duplicate[]): void {
      counts.duplicates += duplicates.length;
      const others = duplicates.filter(({ same }) => !same).length;
      if (others > 0) log.warn("a known uuid came with another event", { count: others });
    },
    mirror({ load, changes }: PersonsChanged): Promise<void> {
      if (load !== null) behind(() => append(load));
      return behind(() => mirrored(changes));
    },
    /** Appends loads behind those that wait; resolves when there is room for another. */
    async push(loads: readonly Load[]): Promise<void> {
      for (const load of loads) behind(() => append(load));
      while (waiting.length > APPENDS_WAITING_MAX) await waiting.shift();
    },
    /** Resolves when none waits. */
    async drained(): Promise<void> {
      while (waiting.length > 0) await waiting.shift();
    },
  };
}

/** Puts warnings of dead events into the journal, for a later slice; SQLite has theirs already. */
async function tellDead(dead: readonly DeadLetter[], { journal, log }: Needs): Promise<void> {
  const groups = Map.groupBy(dead, ({ project_id, type }) => `${project_id} ${type}`);
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    const { project_id, type, uuid: event_uuid, distinct_id, arrived_at } = first;
    const warning = { type, count: 1 + others.length, event_uuid, distinct_id };
    await journal.append(warningEntry([warning], { project_id, arrived_at })).catch((error) => {
      log.warn("a warning of dead letters is lost: the journal does not take it", { error });
    });
  }
}

/** Puts the stores in order; when it cannot, the next idle time will. */
async function settle({ events, slices, log }: Needs): Promise<void> {
  try {
    await events.checkpoint();
    await giveBack({ slices });
  } catch (error) {
    log.warn("could not checkpoint", { error });
  }
}

/** Gives back the memory of work that is done with, in both threads. */
async function giveBack({ slices }: Pick<Needs, "slices">): Promise<void> {
  await slices.release();
  Bun.gc(true);
}

type StopSignal = ReturnType<typeof stopSignal>;
type Persist = ReturnType<typeof retrying>;

/** Says once that the loop is to end; whoever sleeps by it wakes then. */
function stopSignal() {
  const told = Promise.withResolvers<void>();
  let stopped = false;
  return {
    stopped: () => stopped,
    sleep: (ms: number) => Promise.race([Bun.sleep(ms), told.promise]),
    stop() {
      stopped = true;
      told.resolve();
    },
  };
}

/** Repeats what fails until it succeeds; once the loop is to end, it fails. */
function retrying(log: Log, signal: StopSignal) {
  return async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    for (let wait = RETRY_MS_MIN; ; wait = Math.min(wait * 2, RETRY_MS_MAX)) {
      try {
        return await work();
      } catch (error) {
        if (signal.stopped()) throw error;
        log.error(`could not ${what}; trying again`, { error, wait_ms: wait });
        await signal.sleep(wait);
      }
    }
  };
}
