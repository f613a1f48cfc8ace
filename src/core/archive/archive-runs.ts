import type { Ingest } from "../ingest/ingest.ts";
import type { Restoring } from "../ingest/restore.ts";
import { stopSignal } from "../ingest/retry.ts";
import type { Archive } from "../ports/archive.ts";
import type { EventStore } from "../ports/events.ts";
import type { Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import type { Clock } from "../values/time.ts";

/** Most sequence numbers that are archived at once. Each failure halves the number. */
const STEP_MAX = 200_000;

/** The pause between checks of the journal's size, in milliseconds. */
const POLL_MS = 500;

/**
 * The least time between two files, in milliseconds, while the journal is within its bound. So a backlog is
 * archived while it is applied.
 */
const PAUSE_MS_MIN = 2000;

/** Longest time until applied events are archived, in milliseconds. */
const JOURNAL_MS_MAX = 3_600_000;

/**
 * Waiting events that make ingest busy, and shares of the journal's bound at which archiving begins. While
 * events are loaded, archiving would take threads from queries: p99 380 ms instead of 60.
 */
const LAG_BUSY = 20_000;
const SHARE_BUSY = 3 / 4;
const SHARE_QUIET = 1 / 16;

/** Time in which each file of the archive is checked once, in milliseconds (decision 76). */
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

/** Archives events, and removes them from the journal. */
export type Archiving = {
  /** Archives all applied events, and trims the journal. Fails with the error of DuckDB or the disk. */
  run(): Promise<void>;
  /** Ends the loop after its current step. Returns false if that step takes longer than the given time. */
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
  /** Whether small files may exist that can be joined. */
  let mayBeJoined = true;
  /** The last sequence number at the last look, and the round of checks at that time. */
  let seen = -1;
  let checked = -1;

  const isBusy = () => ingest.lag() > LAG_BUSY;

  /** Writes missing files again from the event store, once after a start (decision 76). */
  const complete = async (): Promise<void> => {
    if (!isComplete) await needs.archive.complete();
    isComplete = true;
  };

  /** Checks one file while no events arrive. The clock selects it, so that frequent restarts skip no file. */
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
      // The event store may have the only copy then, so its own log is first moved into its file.
      await events.checkpoint();
      await trim(applied);
    } else {
      // After a crash, archived events may still be in the journal. The archive may also be ahead.
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
