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

/** An event with its measure; fields that the builder does not know are kept. */
export type SeriesNode = {
  kind?: "EventsNode";
  /** Null for every event. */
  event: string | null;
  math?: string;
  math_property?: string;
  math_property_type?: string;
  math_hogql?: string;
  custom_name?: string;
  properties?: unknown;
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
  /** The statement of a query in SQL, or the words of a question that was saved as words. */
  query?: string;
  /** Of lists of events: their name, and the period. */
  event?: string | null;
  after?: string | null;
  before?: string | null;
  /** Of lists of persons or events: how many rows are left out at their beginning. */
  offset?: number;
  /** Of nodes, which stand around a query in what PostHog's clients save. */
  source?: Query;
};

/** The query in a node, such as a `DataTableNode`; any other one as it is. */
export const innerQuery = (query: Query): Query =>
  /Node$/.test(query.kind) && query.source ? innerQuery(query.source) : query;

/** A query in the nodes in which another one is saved. */
export const inNodesOf = (saved: Query, query: Query): Query =>
  innerQuery(saved) === saved
    ? query
    : { ...saved, source: inNodesOf(saved.source as Query, query) };

/** One line of an answer. */
export type Line = Schemas["InsightResult"];

/** An answer: its numbers, how the question was read, and SQL that finds the same. */
export type Answer = Omit<Schemas["InsightReport"], "query"> & { query: Query };

/** An answer that has rows instead of lines: of a list of persons or events, or of a statement in SQL. */
export type TableAnswer = Pick<Schemas["InsightTable"], "columns" | "results"> &
  Partial<Omit<Schemas["InsightTable"], "query">> & { query: Query };

/** The rows of an answer; undefined if it has lines. */
export const tableIn = (answer: Answer): TableAnswer | undefined =>
  "types" in answer || "hasMore" in answer ? (answer as unknown as TableAnswer) : undefined;

/** Filters over a question: those of a dashboard, and others in place of them. */
export type Over = Pick<Schemas["QueryAsked"], "dashboard" | "filters_override">;

/** Asks a question, and keeps nothing of it. Throws a problem if it is refused. */
export async function ask(sent: Query, signal?: AbortSignal, over: Over = {}): Promise<Answer> {
  const query = innerQuery(sent);
  const answer = await read(
    api.POST("/api/environments/{project_id}/query/", {
      params: { path: inProject() },
      body: { query: query as unknown as Schemas["QueryAsked"]["query"], ...over },
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
