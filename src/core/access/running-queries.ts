import { Failure } from "../values/failure.ts";
import { callerOf, noteCaller } from "./callers.ts";

/** Characters of the name that a caller gives a query. */
export const CLIENT_QUERY_ID_CHARS_MAX = 100;

/** Queries that run now, by the project, the key of their caller, and the name that the caller gave them. */
export type RunningQueries = {
  /**
   * Runs a query that `cancel` ends by its name; without a name only `signal` ends it. A cancelled query fails
   * `query_cancelled`. Fails `too_long`, and as the query.
   */
  run<T>(
    project: number,
    id: string | undefined,
    signal: AbortSignal,
    query: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Ends all running queries with a name in a project, of the key whose request has the signal. */
  cancel(project: number, id: string, signal: AbortSignal): void;
};

/** Begins with no running query. */
export function runningQueries(): RunningQueries {
  const running = new Map<string, Set<AbortController>>();
  const nameOf = (project: number, id: string, signal: AbortSignal) =>
    JSON.stringify([project, callerOf(signal), id]);
  return {
    async run(project, id, signal, query) {
      if (id === undefined) return await query(signal);
      if (id.length > CLIENT_QUERY_ID_CHARS_MAX) {
        const detail = `At most ${CLIENT_QUERY_ID_CHARS_MAX} characters.`;
        throw new Failure("too_long", detail, "client_query_id");
      }
      const name = nameOf(project, id, signal);
      const all = running.get(name) ?? new Set();
      const controller = new AbortController();
      const either = AbortSignal.any([signal, controller.signal]);
      const key = callerOf(signal);
      if (key !== undefined) noteCaller(either, key);
      running.set(name, all.add(controller));
      try {
        return await query(either);
      } finally {
        all.delete(controller);
        if (all.size === 0) running.delete(name);
      }
    },
    cancel(project, id, signal) {
      const cancelled = new Failure("query_cancelled", "The query was cancelled.");
      for (const one of running.get(nameOf(project, id, signal)) ?? []) one.abort(cancelled);
    },
  };
}
