import type { Projects } from "../access/projects.ts";
import { checkUpToDate, type IsBehind } from "../events/freshness.ts";
import type { LogReads, LogRow } from "../ports/logs.ts";
import { cursorOf } from "../values/page.ts";
import type { Clock } from "../values/time.ts";
import { type LogQueryAsked, logQuery } from "./query.ts";

/** What a query found. */
export type LogsFound = {
  /** As it was sent. */
  query: LogQueryAsked;
  results: LogRow[];
  hasMore: boolean;
  /** What the next page's query has as `after`; null if there is none. */
  nextCursor: string | null;
};

/** Finds log records of one project (contract 4.1), a page by 16 MiB of text at most (decision 70). */
export type LogQueries = {
  /** Fails as {@link logQuery} and {@link LogReads} do, `unavailable` and `query_timeout`. */
  run(project: number, asked: LogQueryAsked, signal: AbortSignal): Promise<LogsFound>;
};

type Needs = {
  reads: LogReads;
  projects: Pick<Projects, "get">;
  isBehind: IsBehind;
  now: Clock;
};

/** Queries of the log records in a store. */
export function logQueries({ reads, projects, isBehind, now }: Needs): LogQueries {
  return {
    async run(project, asked, signal) {
      const { timezone } = await projects.get(project);
      const query = logQuery(asked, { now: now(), timezone });
      checkUpToDate(isBehind);
      const { rows, isMore } = await reads.list(project, query, signal);
      const last = isMore ? rows.at(-1) : undefined;
      return {
        query: asked,
        results: rows.map(({ seq: _, ...row }) => row),
        hasMore: isMore,
        nextCursor: last === undefined ? null : cursorOf({ at: last.timestamp, id: last.seq }),
      };
    },
  };
}
