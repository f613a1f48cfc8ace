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
  /** The words of a question that only words can ask, or the statement of a query in SQL. */
  query?: string;
};

/** An answer: its numbers, how the question was read, and SQL that finds the same. */
export type Answer = Omit<Schemas["InsightReport"], "query"> & { query: Query };

/** Filters over a question: those of a dashboard, and others in place of them. */
export type Over = Pick<Schemas["QueryAsked"], "dashboard" | "filters_override">;

/** Asks a question, and keeps nothing of it. Throws a problem if it is refused. */
export async function ask(query: Query, signal?: AbortSignal, over: Over = {}): Promise<Answer> {
  const answer = await read(
    api.POST("/api/environments/{project_id}/query/", {
      params: { path: inProject() },
      body: { query: query as Schemas["QueryAsked"]["query"], ...over },
      signal: signal ?? null,
    }),
  );
  // The answer to a statement in SQL has no query of its own.
  return { query, ...(answer as object) } as Answer;
}

/** A question as it was read: its query, its sentence, and the places of words that are not understood. */
export type Reading = Omit<Schemas["WordsRead"], "query"> & { query: Query | null };

/** Reads words as a query, or says a query in words. It looks at names only, and so is quick. */
export async function readQuestion(
  question: { words: string } | { query: Query },
  signal?: AbortSignal,
): Promise<Reading> {
  const reading = await read(
    api.POST("/api/environments/{project_id}/query/read/", {
      params: { path: inProject() },
      body: question,
      signal: signal ?? null,
    }),
  );
  return reading as Reading;
}
