import type { Batches } from "../ingest/batches.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type {
  Batch,
  DeletionRow,
  DeletionWrites,
  RemoveLeftovers,
  Wanted,
} from "../ports/erasure.ts";
import type { EventStore } from "../ports/events.ts";
import type { Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import { Failure, isDiskFull, reasonOf } from "../values/failure.ts";
import { inTurn } from "../values/in-turn.ts";
import { type Clock, isoTime } from "../values/time.ts";
import { type DeletionKind, READERS } from "./deletion.ts";
import { type LastDue, schedules } from "./schedules.ts";

/** The needs of deletion runs. */
export type DeletionRunNeeds = {
  /** The data directory. */
  directory: string;
  writes: DeletionWrites;
  events: Pick<
    EventStore,
    "applied" | "clearRemains" | "erase" | "needsReordering" | "projectionVersion"
  >;
  ingest: Pick<Ingest, "applied" | "caughtUp">;
  journal: Pick<Journal, "rotate" | "trim">;
  batches: Pick<Batches, "forgetErased">;
  removeLeftovers: RemoveLeftovers;
  /** Erases the events of tasks from the archive; runs before the tasks are done. */
  eraseArchived?: ((tasks: readonly DeletionRow[]) => Promise<void>) | undefined;
  /** When each kind runs, as cron has it, in UTC. */
  patterns: Record<DeletionKind, string>;
  now: Clock;
  log: Log;
};

/**
 * Deletes events by writing the files again, because deleted rows stay readable in free blocks (decision 60).
 * Missed runs follow at the next start, as a timer does not survive restarts (decision 61).
 */
export type DeletionRuns = {
  /**
   * Carries out all queued, failed and interrupted tasks, and returns how many are done. Fails with the reason
   * if it cannot.
   */
  run(): Promise<{ done: number }>;
  /** Runs the deletions that are due. */
  tick(): Promise<void>;
  /**
   * Ends a run after its current step. Returns false if that step takes longer than `deadlineMs`. The next
   * start continues the run.
   */
  stop(deadlineMs: number): Promise<boolean>;
};

/** The pause between checks whether a run is due, in milliseconds. */
const TICK_MS = 30_000;

/** The pause after a failed run, in milliseconds. */
const RETRY_MS = 600_000;

/** The pause between tries of a step that other programs' reads prevent, in milliseconds. */
const READERS_POLL_MS = 100;

/** How long a run waits for the end of other programs' reads before its tasks wait instead, in milliseconds. */
const READERS_MS = 10_000;

/** The pause between checks whether the projection has caught up, in milliseconds. */
const POLL_MS = 20;

const ALL: Wanted = { kinds: ["weekly", "nightly"], states: ["queued", "failed"] };

/** Starts to look at the clock. Runs that a crash interrupted continue at the first look. */
export function startDeletionRuns(needs: DeletionRunNeeds): DeletionRuns {
  const { writes, patterns, now, log } = needs;
  const lastDue: LastDue = { read: writes.lastDue, write: writes.setDue };
  const due = schedules(patterns, lastDue, now);
  /** The kinds that failed in the last run, and the time of the next try. */
  let failed: { kinds: readonly DeletionKind[]; at: number } | undefined;
  let stopped = false;
  const oneRun = inTurn();
  const oneCheck = inTurn();

  const carryOut = async (wanted: Wanted): Promise<{ done: number }> => {
    let done = 0;
    try {
      for (;;) {
        const ran = await runBatch(needs, wanted, () => stopped);
        if (ran === 0) break;
        done += ran;
      }
      if (wanted.kinds.includes("nightly") && !stopped)
        await withoutReaders(writes.eraseDeleted, () => stopped);
      return { done };
    } catch (error) {
      failed = { kinds: wanted.kinds, at: now() + retryMs(error) };
      if (!stopped) log.error("deletions failed; they are tried again", { error });
      throw error;
    }
  };
  const run = (wanted: Wanted) => oneRun(() => carryOut(wanted));
  const take = async (): Promise<void> => {
    if (stopped) return;
    const found = await due.look();
    const again = failed !== undefined && failed.at <= now() ? failed : undefined;
    const later = again === undefined ? failed?.kinds : undefined;
    const taken = found.filter(({ kind }) => later?.includes(kind) !== true);
    if (taken.length === 0 && again === undefined) return;
    if (again !== undefined) failed = undefined;
    const kinds = new Set([...taken.map(({ kind }) => kind), ...(again?.kinds ?? [])]);
    await run({ kinds: [...kinds], states: ["queued"] });
    // A run that the end of the server interrupted stays due for the next start.
    if (!stopped) await due.note(taken);
  };
  // Interrupted and postponed tasks run at once. They need not wait for the next due time.
  let resuming: Promise<{ done: number }> | undefined = run({ kinds: [], states: [] });
  // The first check waits until that run has ended.
  void oneCheck(async () => {
    await resuming?.catch(() => {});
    resuming = undefined;
  });
  const tick = () => oneCheck(take);

  const look = () => tick().catch(() => {});
  const timer = setInterval(look, TICK_MS);
  timer.unref();
  look();
  return {
    async run() {
      const resumed = await resuming?.catch(() => undefined);
      const { done } = await run(ALL);
      return { done: done + (resumed?.done ?? 0) };
    },
    tick,
    stop(deadlineMs) {
      stopped = true;
      clearInterval(timer);
      const ended = oneRun(() => true);
      return Promise.race([ended, Bun.sleep(deadlineMs).then(() => false)]);
    },
  };
}

/** Carries out one batch of tasks in one pass over the events, and returns how many are done. */
async function runBatch(
  needs: DeletionRunNeeds,
  wanted: Wanted,
  stopped: () => boolean,
): Promise<number> {
  const { writes, now, log } = needs;
  if (stopped()) return 0;
  const batch = await writes.begin(wanted, isoTime(now()));
  const { tasks, isPurging } = batch;
  // A person who is deleted without events leaves the projection with the weekly run.
  const purge = isPurging && wanted.kinds.length > 0;
  if (tasks.length === 0 && !purge) {
    if (wanted.kinds.includes("nightly")) await putInOrder(needs, stopped);
    return 0;
  }
  log.info("deletions begin", { tasks: tasks.length });
  try {
    await erase(needs, batch, stopped);
  } catch (cause) {
    const error = reported(cause);
    const waits = error instanceof Failure;
    if (stopped()) await writes.interrupt(tasks);
    else await writes.fail(tasks, reasonOf(error), { counts: !waits });
    throw error;
  }
  log.info("deletions done", { tasks: tasks.length });
  return tasks.length;
}

/** Rewrites the event store in order if much is new: an event then takes 147 bytes, not 185 (decision 93). */
async function putInOrder({ events, log }: DeletionRunNeeds, stopped: () => boolean) {
  if (!(await events.needsReordering())) return;
  log.info("the event store is put in order");
  const nothing = async () => {};
  try {
    await events.erase([], { isPurging: true, stopped, ready: nothing, forget: nothing });
    log.info("the event store is in order");
  } catch (error) {
    if (!stopped()) log.warn("the event store stays as it is until the next night", { error });
  }
}

/** Erases the data of tasks. Each step may be repeated: after a kill, the first step comes again. */
async function erase(needs: DeletionRunNeeds, batch: Batch, stopped: () => boolean): Promise<void> {
  const { directory, writes, events, journal, eraseArchived, now, log } = needs;
  const { tasks } = batch;
  const step = (name: string) => {
    if (stopped()) throw new Error("The server is stopping");
    log.info("deletions go on", { step: name });
  };
  // The journal rotates first, so that entries which arrive meanwhile are in a later segment, which stays.
  const upTo = await journal.rotate();
  await caughtUp(needs, batch, { upTo, stopped });
  step("events");
  const purged_version = await eraseEvents(needs, batch, { stopped, step });
  step("leftovers");
  const projection_version = await events.projectionVersion();
  const stored = { applied: await events.applied(), projection_version };
  await writes.forget({ tasks, projection_version, purged_version });
  const removed = await needs.removeLeftovers(directory, tasks, stored);
  for (const file of removed.parts) {
    log.warn("removed quarantined journal data; its events cannot be attributed to persons", {
      file,
    });
  }
  await writes.count("dead_letters", removed.dead_letters);
  step("archive");
  await eraseArchived?.(tasks);
  step("journal");
  await journal.trim(upTo);
  step("temporary");
  await events.clearRemains();
  step("scrub");
  const ids = tasks.map(({ id }) => id);
  await withoutReaders(() => writes.scrub(ids), stopped);
  step("finish");
  await writes.finish(ids, isoTime(now()));
}

/** Waits until both stores have all events up to a sequence number, and the projection all deletions. */
async function caughtUp(
  { ingest, events }: DeletionRunNeeds,
  { removed_version }: Batch,
  { upTo, stopped }: { upTo: number; stopped: () => boolean },
): Promise<void> {
  let isCaughtUp = false;
  void ingest.caughtUp().then(() => {
    isCaughtUp = true;
  });
  const isCatchingUp = () => !isCaughtUp || ingest.applied() < upTo;
  const lacks = async () => isCatchingUp() || (await events.projectionVersion()) < removed_version;
  while (!stopped() && (await lacks())) await Bun.sleep(POLL_MS);
}

/** Erases events in the stores and in memory, and returns the versions of the projection. */
async function eraseEvents(
  { writes, events, batches }: DeletionRunNeeds,
  { tasks, isPurging }: Batch,
  { stopped, step }: { stopped: () => boolean; step: (name: string) => void },
) {
  let purged_version: number | undefined;
  await events.erase(tasks, {
    isPurging,
    stopped,
    async ready(rows, generation) {
      purged_version = await events.projectionVersion();
      await writes.erasing(tasks, rows, generation);
      step("switch");
    },
    forget: (entries) => batches.forgetErased(entries),
  });
  await batches.forgetErased(null);
  return purged_version;
}

/** The pause after a run that failed. Each check looks for the end of other reads. */
const retryMs = (error: unknown) => (isOfReaders(error) ? 0 : RETRY_MS);

const isOfReaders = (error: unknown) => error instanceof Failure && error.message === READERS;

/** Does a step that fails while others read the person store. It waits in this thread, so that ingest goes on. */
async function withoutReaders(step: () => Promise<void>, stopped: () => boolean): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += READERS_POLL_MS) {
    try {
      return await step();
    } catch (error) {
      if (!isOfReaders(error) || stopped() || waitedMs >= READERS_MS) throw error;
    }
    await Bun.sleep(READERS_POLL_MS);
  }
}

/** Returns the error to report: on a full disk, a task waits for space and keeps its finished steps. */
function reported(error: unknown): unknown {
  if (!(error instanceof Error && isDiskFull(error))) return error;
  return new Failure("unavailable", DISK_SPACE);
}

const DISK_SPACE = "disk_space: the disk is full. Finished steps stay; the rest waits for space.";
