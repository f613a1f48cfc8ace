import { inProject } from "../state/project.ts";
import { api, read, type Schemas } from "./client.ts";

/** The kinds of query that the builder makes. */
export type Kind =
  | "TrendsQuery"
  | "FunnelsQuery"
  | "RetentionQuery"
  | "PathsQuery"
  | "LifecycleQuery"
  | "StickinessQuery";

/** An event with its measure. */
export type SeriesNode = {
  kind?: "EventsNode";
  /** Null for every event. */
  event: string | null;
  math?: string;
  math_property?: string;
  custom_name?: string;
};

/** A query as the API takes it; fields that the builder does not know are kept. */
export type Query = {
  kind: string;
  series?: SeriesNode[];
  interval?: string;
  dateRange?: { date_from?: string | null; date_to?: string | null };
  properties?: unknown;
  breakdownFilter?: Record<string, unknown>;
  compareFilter?: { compare?: boolean; compare_to?: string };
  trendsFilter?: Record<string, unknown>;
  retentionFilter?: Record<string, unknown>;
  funnelsFilter?: Record<string, unknown>;
  pathsFilter?: Record<string, unknown>;
  /** The statement of a query in SQL, or the words of one in words. */
  query?: string;
};

/** An answer: its numbers, how the question was read, and SQL that finds the same. */
export type Answer = Omit<Schemas["InsightAnswer"], "insight"> & { query: Query };

/** Asks a query, or a question in words. Throws a problem if it is refused. */
export async function ask(asked: Query | string, signal?: AbortSignal): Promise<Answer> {
  const { insight, ...answer } = await read(
    api.POST("/api/environments/{project_id}/max_tools/create_and_query_insight/", {
      params: { path: inProject(), header: { Prefer: "return=representation" } },
      body: { query: asked },
      signal: signal ?? null,
    }),
  );
  return { ...answer, query: insight.query as Query };
}
