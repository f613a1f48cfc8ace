import type { Entry, Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import type { Clock } from "../values/time.ts";
import { type Warning, warningLine } from "./warning.ts";

/** Warnings as an entry of the journal, where a kill neither loses nor repeats them (decision 38). */
export function warningEntry(
  found: readonly Warning[],
  from: Pick<Entry, "project_id" | "arrived_at">,
): Entry {
  const lines = new TextEncoder().encode(found.map(warningLine).join(""));
  return { ...from, kind: "warnings", count: found.length, lines };
}

/** How often it is logged that warnings are lost, in milliseconds. */
const LOST_MS = 15_000;

/**
 * Puts warnings into the journal, beside what they are about (decision 38). That the disk refuses
 * them is logged once in a while and never fails: what was sent counts more.
 */
export function warningTeller({ journal, now, log }: TellerNeeds) {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return async (
    found: readonly Warning[],
    from: Pick<Entry, "project_id" | "arrived_at">,
  ): Promise<void> => {
    if (found.length === 0) return;
    try {
      await journal.append(warningEntry(found, from));
    } catch (error) {
      if (now() - loggedAt < LOST_MS) return;
      loggedAt = now();
      log.warn("ingestion warnings are lost: the journal does not take them", { error });
    }
  };
}

type TellerNeeds = { journal: Pick<Journal, "append">; now: Clock; log: Log };
