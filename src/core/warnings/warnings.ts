import type { Entry, Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import type { Clock } from "../values/time.ts";
import { type Warning, warningLine } from "./warning.ts";

/** Warnings as an entry of the journal, so that a crash neither loses nor repeats them (decision 38). */
export function warningEntry(
  batch: readonly Warning[],
  from: Pick<Entry, "project_id" | "arrived_at">,
): Entry {
  const lines = new TextEncoder().encode(batch.map(warningLine).join(""));
  return { ...from, kind: "warnings", count: batch.length, lines };
}

/** Milliseconds between two log lines about lost warnings. */
const LOST_LOG_MS = 15_000;

/**
 * Returns a function that appends warnings to the journal (decision 38). It never fails, because the
 * events count more than their warnings. Lost warnings are logged.
 */
export function warningAppender({ journal, now, log }: AppenderNeeds) {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return async (
    batch: readonly Warning[],
    from: Pick<Entry, "project_id" | "arrived_at">,
  ): Promise<void> => {
    if (batch.length === 0) return;
    try {
      await journal.append(warningEntry(batch, from));
    } catch (error) {
      if (now() - loggedAt < LOST_LOG_MS) return;
      loggedAt = now();
      log.warn("append of ingestion warnings failed; warnings lost", { error });
    }
  };
}

type AppenderNeeds = { journal: Pick<Journal, "append">; now: Clock; log: Log };
