import type { Ingest } from "../ingest/ingest.ts";
import type { Restoring } from "../ingest/restore.ts";
import { stopSignal } from "../ingest/retry.ts";
import type { Archive } from "../ports/archive.ts";
import type { EventStore } from "../ports/events.ts";
import type { Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import type { Clock } from "../values/time.ts";

/** Sequence numbers that are archived at once; half as many after each failure. */
const STEP_MAX = 200_000;

/** The pause between checks of the journal's size, in milliseconds. */
const POLL_MS = 500;

/**
 * The least time between two files, in milliseconds, while the journal is within its bound: a backlog
 * is archived while it is applied.
 */
const PAUSE_MS_MIN = 2000;

/** How long applied events may be in the journal alone, in milliseconds. */
const JOURNAL_MS_MAX = 3_600_000;

/**
 * Waiting events that make ingest busy, and shares of the journal's bound at which archiving begins. While
 * events are loaded, archiving would take threads from queries: p99 380 ms instead of 60.
 */
const LAG_BUSY = 20_000;
const SHARE_BUSY = 3 / 4;
const SHARE_QUIET = 1 / 16;

/** In how long each file of the archive is read and compared once, in milliseconds (decision 76). */
export const CHECK_ROUND_MS = 604_800_000;

/** The pause after a failure, in milliseconds. */
const RETRY_MS = 30_000;

type Needs = {
  journal: Pick<Journal, "bytes" | "trim">;
  ingest: Pick<Ingest, "applied" | "lag">;
  restoring: Pick<Restoring, "active">;
  events: Pick<EventStore, "checkpoint">;
  archive: Archive;
  /** Whether new events are archived. Otherwise the existing files are kept complete. */
  isArchiving: boolean;
  /** Bytes that the journal may have without events that are not applied yet (decision 63). */
  journalBytesMax: number;
  now: Clock;
  log: Log;
};

/** Keeps the journal small: archived events leave it. */
export type Archiving = {
  /** Archives all that is applied, and trims the journal. Throws what DuckDB or the disk throws. */
  run(): Promise<void>;
  /** Ends the loop within so many milliseconds, and says whether it has: a step may take longer. */
  stop(deadlineMs: number): Promise<boolean>;
};

/** Starts to archive. */
export function startArchiving(needs: Needs): Archiving {
  const { journal, ingest, restoring, events, journalBytesMax, now, log } = needs;
  const archive = needs.isArchiving ? needs.archive : undefined;
  const signal = stopSignal();
  let step = STEP_MAX;
  let trimmed = 0;
  let lastAt = performance.now();
  let isComplete = false;
  /** Whether there may be small files that are worth joining. */
  let mayBeJoined = true;
  /** The last sequence number at the last look, and whose turn it was. */
  let seen = -1;
  let checked = -1;

  const isBusy = () => ingest.lag() > LAG_BUSY;

  /** Once after a start, missing files are written again from the event store (decision 76). */
  const complete = async (): Promise<void> => {
    if (!isComplete) await needs.archive.complete();
    isComplete = true;
  };

  /** Checks one file while no events arrive. The clock says which, so frequent restarts skip none. */
  const check = async (): Promise<void> => {
    const isQuiet = ingest.lag() <= 0 && ingest.applied() === seen;
    seen = ingest.applied();
    const count = archive?.files() ?? 0;
    const turn = Math.floor(now() / (CHECK_ROUND_MS / count));
    if (!isQuiet || count === 0) return;
    await compact();
    if (turn === checked) return;
    await archive?.check(turn % count);
    checked = turn;
  };

  /** Removes events from the journal that another store has durably. */
  const trim = async (upTo: number): Promise<void> => {
    await journal.trim(upTo);
    trimmed = upTo;
  };

  /** Joins small files while ingest is not busy, because each is read and written again. */
  const compact = async (): Promise<void> => {
    while (mayBeJoined && !signal.stopped() && !isBusy()) {
      mayBeJoined = (await archive?.compact()) ?? false;
    }
  };

  const run = async (): Promise<void> => {
    await complete();
    const applied = ingest.applied();
    if (archive === undefined) {
      // The event store has the only copy from here on: not one that is in its log alone.
      await events.checkpoint();
      await trim(applied);
    } else {
      // A crash may have come between the archive and this; and the archive may be ahead.
      await trim(Math.min(archive.last(), applied));
    }
    while (archive !== undefined && archive.last() < applied && !signal.stopped()) {
      await archive.add(Math.min(applied, archive.last() + step));
      mayBeJoined = true;
      await trim(archive.last());
      step = STEP_MAX;
    }
    lastAt = performance.now();
    await compact();
  };

  const isDue = (): boolean => {
    if (ingest.applied() <= trimmed) return false;
    const age = performance.now() - lastAt;
    if (age < PAUSE_MS_MIN && journal.bytes() <= journalBytesMax) return false;
    const share = isBusy() ? SHARE_BUSY : SHARE_QUIET;
    return journal.bytes() > journalBytesMax * share || age > JOURNAL_MS_MAX;
  };

  const loop = async (): Promise<void> => {
    while (!signal.stopped()) {
      await signal.sleep(POLL_MS);
      const isFilled = !restoring.active() && ingest.applied() >= needs.archive.last();
      if (signal.stopped() || !isFilled) continue;
      try {
        await complete();
        if (isDue()) await run();
        else await check();
      } catch (error) {
        step = Math.max(1, Math.floor(step / 2));
        log.warn("archiving failed; retrying", { error, wait_ms: RETRY_MS });
        await signal.sleep(RETRY_MS);
      }
    }
  };
  const running = loop();

  return {
    run,
    stop(deadlineMs) {
      signal.stop();
      const ended = running.then(() => true);
      return Promise.race([ended, Bun.sleep(deadlineMs).then(() => false)]);
    },
  };
}
