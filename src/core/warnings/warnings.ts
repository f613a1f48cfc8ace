import type { Entry, Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import type { WarningCount, WarningReads, WarningRow } from "../ports/warnings.ts";
import { Failure } from "../values/failure.ts";
import { type Page, type PageQuery, walkedPage } from "../values/page.ts";
import type { Clock } from "../values/time.ts";
import { isWarningType, type Meaning, meaningOf, type Warning, warningLine } from "./warning.ts";

/** A type of warning in a project: what it means, how often it was given, and to whom lately. */
export type ShownWarning = Omit<WarningRow, "project_id"> & Meaning;

/** Ingestion warnings, read by reason, so that a flood of one cannot hide another (decision 38). */
export type Warnings = {
  /**
   * The types that the project has had, the last seen first. Fails `invalid_choice` on a type that
   * there is not. `url` is the address that the caller is known to reach us by.
   */
  list(
    project: number,
    filter: { type?: string | undefined },
    query: PageQuery,
    url: URL,
  ): Promise<Page<ShownWarning>>;
  /** How often each project had each type. */
  counts(): Promise<WarningCount[]>;
};

/** Ingestion warnings in a store. */
export function warnings(reads: WarningReads): Warnings {
  return {
    async list(project, filter, query, url) {
      if (filter.type !== undefined && !isWarningType(filter.type)) {
        throw new Failure("invalid_choice", "There is no such type of warning.", "type");
      }
      const listed = await walkedPage(url, query, {
        keysOf: ({ last_at, type }: WarningRow) => [last_at, type] as const,
        like: ["", ""],
        read: (part) => reads.list(project, filter, part),
      });
      return { ...listed, results: listed.results.map(shown) };
    },
    counts: () => reads.counts(),
  };
}

function shown({ project_id: _project, type, ...row }: WarningRow): ShownWarning {
  return { type, ...meaningOf(type), ...row };
}

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
