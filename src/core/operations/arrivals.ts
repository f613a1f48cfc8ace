import type { Clock } from "../values/time.ts";

/** Minutes that the counts of arrivals look back. */
export const ARRIVALS_MINUTES = 15;

/** Refused requests in memory. Equal ones are counted as one. */
export const REFUSALS_MAX = 50;

/** Times of arrival in memory, from which the lag is read. */
const MARKS_MAX = 1000;

/** Events that arrive within so many milliseconds share a time of arrival. */
const MARK_MS = 50;

/** The unit of the counts, in milliseconds. */
const STEP_MS = 5000;

const MINUTE_MS = 60_000;
const KEPT_MS = ARRIVALS_MINUTES * MINUTE_MS;

/** A refused request of a sender. It has no address of the client and nothing of the body. */
export type Refusal = {
  status: number;
  /** The code of the failure. */
  code: string;
  method: string;
  /** The path without its query, cut to a length. */
  path: string;
  /** Name and version of the SDK; null if the request did not name one. */
  sdk: string | null;
  /** The header Origin; null without one. */
  origin: string | null;
  /** Start and end of the key; null if the request was refused for another reason. */
  key_mask: string | null;
};

/** Equal refusals, with the time of the last one in milliseconds. */
export type CountedRefusal = Refusal & { at: number; count: number };

/** Events of one request that are durable. */
export type Arrived = { accepted: number; dropped: number; last_seq: number };

/** The last request of a page for the configuration of posthog-js. `origin` is null if the request names no page. */
export type LoadedPage = { at: number; origin: string | null };

/** The arrivals of the last minutes, in memory: a start begins without any. */
export type Arrivals = {
  /** Notes that a page with the project's key asked for the configuration of posthog-js. */
  noteLoaded(project: number, origin: string | null): void;
  /** Returns the last such request within ARRIVALS_MINUTES. */
  loadedBy(project: number): LoadedPage | undefined;
  /** Counts the events of a request. */
  count(project: number, arrived: Arrived): void;
  /** Counts a refused request. */
  refuse(refusal: Refusal): void;
  /** Returns what arrived for a project within ARRIVALS_MINUTES, and the events accepted within a minute. */
  of(project: number): { accepted: number; dropped: number; lastMinute: number };
  /** Returns the refusals of ARRIVALS_MINUTES of all projects, the newest first. */
  refused(): CountedRefusal[];
  /** Returns how long the oldest event after a sequence number waits, in milliseconds; 0 if none does. */
  waitMs(applied: number): number;
};

type Step = { at: number; accepted: number; dropped: number };

/** Counts from now on. */
export function arrivals(now: Clock): Arrivals {
  const stepsOf = new Map<number, Step[]>();
  const refusals = new Map<string, CountedRefusal>();
  const loaded = new Map<number, LoadedPage>();
  let marks: { at: number; seq: number }[] = [];

  const recent = (project: number) => {
    const from = now() - KEPT_MS;
    const steps = (stepsOf.get(project) ?? []).filter(({ at }) => at + STEP_MS > from);
    stepsOf.set(project, steps);
    return steps;
  };

  const mark = (seq: number) => {
    const last = marks.at(-1);
    if (last !== undefined && (now() - last.at < MARK_MS || marks.length >= MARKS_MAX)) {
      // The earlier time stands for both, so that the wait is never reported too short.
      last.seq = Math.max(last.seq, seq);
    } else marks.push({ at: now(), seq });
  };

  return {
    noteLoaded(project, origin) {
      loaded.set(project, { at: now(), origin });
    },

    loadedBy(project) {
      const page = loaded.get(project);
      return page !== undefined && page.at >= now() - KEPT_MS ? page : undefined;
    },

    count(project, { accepted, dropped, last_seq }) {
      const at = now() - (now() % STEP_MS);
      const steps = stepsOf.get(project) ?? [];
      const last = steps.at(-1);
      if (last?.at === at) {
        last.accepted += accepted;
        last.dropped += dropped;
      } else stepsOf.set(project, [...recent(project), { at, accepted, dropped }]);
      if (accepted > 0) mark(last_seq);
    },

    refuse(refusal) {
      const key = JSON.stringify(refusal);
      const count = (refusals.get(key)?.count ?? 0) + 1;
      // Set again, so that the order of the map is that of the last times.
      refusals.delete(key);
      refusals.set(key, { ...refusal, at: now(), count });
      const [oldest] = refusals.keys();
      if (refusals.size > REFUSALS_MAX && oldest !== undefined) refusals.delete(oldest);
    },

    of(project) {
      const steps = recent(project);
      const sum = (of: readonly Step[], field: "accepted" | "dropped") =>
        of.reduce((total, step) => total + step[field], 0);
      const minute = steps.filter(({ at }) => at + STEP_MS > now() - MINUTE_MS);
      return {
        accepted: sum(steps, "accepted"),
        dropped: sum(steps, "dropped"),
        lastMinute: sum(minute, "accepted"),
      };
    },

    refused() {
      for (const [key, { at }] of refusals) {
        if (at < now() - KEPT_MS) refusals.delete(key);
      }
      return [...refusals.values()].reverse();
    },

    waitMs(applied) {
      marks = marks.filter(({ seq }) => seq > applied);
      return marks[0] === undefined ? 0 : Math.max(0, now() - marks[0].at);
    },
  };
}
