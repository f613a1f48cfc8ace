import type { components } from "./types.ts";

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
  math_group_type_index?: number;
  custom_name?: string;
  properties?: unknown;
};

/** A query as the API takes it; fields that the builder does not know are kept. */
export type Query = {
  kind: string;
  series?: SeriesNode[];
  interval?: string;
  dateRange?: { date_from?: string | null; date_to?: string | null; explicitDate?: boolean };
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
  select?: string | string[];
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
export type Line = components["schemas"]["InsightResult"] & {
  /** The value of its breakdown in words, where that has other ones. */
  value_name?: string;
};
