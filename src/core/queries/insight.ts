import type { User } from "../access/key.ts";
import { Failure } from "../values/failure.ts";
import { insteadOf } from "../values/instead.ts";
import {
  foundIn,
  isNothing,
  isObject,
  type Json,
  type JsonObject,
  withoutNulls,
} from "../values/json.ts";
import type { Moment } from "../values/zoned-time.ts";
import { type Funnel, readFunnel } from "./funnel.ts";
import { type Lifecycle, readLifecycle } from "./lifecycle.ts";
import { type Paths, readPaths } from "./path.ts";
import { type Retention, readRetention } from "./retention.ts";
import { readStickiness, type Stickiness } from "./stickiness.ts";
import { readTrends, type Trends } from "./trend.ts";

/** A stored query, and when and by whom it was first run (decision 72). */
export type Insight = {
  id: number;
  /** Names it in paths; unique in its project. */
  short_id: string;
  name: string;
  description: string;
  /** Its `kind` is one of QUERY_KINDS or TABLE_KINDS, `HogQLQuery` or `SQLQuery`; it may be in one of NODE_KINDS. */
  query: JsonObject;
  /** As they were sent, in their order. */
  tags: string[];
  favorited: boolean;
  /** Whether it was saved. Insights that are neither saved nor on a dashboard are removed one day. */
  saved: boolean;
  /** The ids of the dashboards that have it, in ascending order. */
  dashboards: number[];
  /** Whether it is hidden, until the next nightly deletions remove it. */
  deleted: boolean;
  created_at: string;
  created_by: User;
  /** When and by whom name, description or query were last changed. */
  last_modified_at: string;
  last_modified_by: User;
  /** Fields that clients of PostHog expect: the time of the last change, and two that are always empty. */
  updated_at: string;
  derived_name: null;
  filters: Record<string, never>;
};

/** Characters of an insight's name. */
export const INSIGHT_NAME_CHARS_MAX = 400;

/** Characters of an insight's description. */
export const INSIGHT_DESCRIPTION_CHARS_MAX = 400;

/** Insights of a project that are neither saved nor on a dashboard; the oldest are removed for new ones. */
export const INSIGHTS_MAX = 10_000;

/** Bytes of a query as JSON. */
export const QUERY_BYTES_MAX = 65_536;

/** A parsed query of any kind. */
export type Query = Trends | Funnel | Retention | Paths | Lifecycle | Stickiness;

/** Kinds of queries by their name in `insight_type`. */
export const INSIGHT_TYPES = {
  trends: "TrendsQuery",
  funnel: "FunnelsQuery",
  retention: "RetentionQuery",
  paths: "PathsQuery",
  lifecycle: "LifecycleQuery",
  stickiness: "StickinessQuery",
} as const satisfies Record<string, Query["kind"]>;

/** A key of INSIGHT_TYPES. */
export type InsightType = keyof typeof INSIGHT_TYPES;

const READERS: Record<Query["kind"], (sent: JsonObject, moment: Moment) => Query> = {
  TrendsQuery: readTrends,
  FunnelsQuery: readFunnel,
  RetentionQuery: readRetention,
  PathsQuery: readPaths,
  LifecycleQuery: readLifecycle,
  StickinessQuery: readStickiness,
};

/** The kind of a query that is a question in words. */
export const WORDS_KIND = "WordsQuery";

/** Kinds of queries that are questions about events. */
export const QUERY_KINDS = [...Object.values(INSIGHT_TYPES), WORDS_KIND] as const;

/** Kinds of queries whose answer is a table of persons or events. */
export const TABLE_KINDS = ["ActorsQuery", "EventsQuery"] as const;

/** Returns the words of a question: a text by itself, or that of a `WordsQuery`; undefined for other queries. */
export function wordsIn(sent: Json | undefined): string | undefined {
  if (typeof sent === "string") return sent;
  if (!isObject(sent)) return undefined;
  const { kind, query } = sourceOf(sent);
  if (kind !== WORDS_KIND) return undefined;
  if (typeof query === "string") return query;
  throw new Failure("invalid_input", "A question in words is expected.", "query__query");
}

const isKind = (kind: unknown): kind is Query["kind"] =>
  typeof kind === "string" && Object.hasOwn(READERS, kind);

/** Returns the requested type; undefined without one and for `sql`, which each answer has. Fails `invalid_choice`. */
export function insightTypeOf(type: string | undefined): InsightType | undefined {
  if (type === undefined || type === "sql") return undefined;
  const types = Object.keys(INSIGHT_TYPES) as InsightType[];
  const found = types.find((known) => known === type);
  if (found !== undefined) return found;
  const detail = `One of ${types.join(", ")}, sql is expected.`;
  throw new Failure("invalid_choice", detail, "insight_type");
}

/** Fails `invalid_choice` if a query is not of the requested type. */
export function checkType({ kind }: JsonObject | Query, type: InsightType | undefined): void {
  if (type === undefined || INSIGHT_TYPES[type] === kind) return;
  const own = Object.entries(INSIGHT_TYPES).find(([, known]) => known === kind)?.[0];
  const instead = own === undefined ? "leave out insight_type" : `write ${own}, or leave it out`;
  const detail = `The query is a ${kind}: ${instead}, or ask for a ${INSIGHT_TYPES[type]}.`;
  throw new Failure("invalid_choice", detail, "insight_type");
}

/**
 * Reads a query as PostHog's clients write it, by itself or in an `InsightVizNode`. Dates of filters
 * count from `moment`. Refuses unknown fields that would change the answer. Fails `required`,
 * `invalid_input`, `invalid_choice`, `too_long`.
 */
export function readQuery(sent: JsonObject, moment: Moment): Query {
  const kind = kindOf(sent);
  if (Buffer.byteLength(JSON.stringify(sent)) > QUERY_BYTES_MAX) {
    throw new Failure("too_long", `At most ${QUERY_BYTES_MAX} bytes as JSON.`, "query");
  }
  return READERS[kind](sourceOf(sent), moment);
}

/** Returns the kind of a query. Fails `invalid_choice`. */
export function kindOf(sent: JsonObject): Query["kind"] {
  const { kind } = sourceOf(sent);
  if (isKind(kind)) return kind;
  if (kind === "ActorsQuery") {
    const detail = "Persons of a number are answered by POST …/query/ alone.";
    throw new Failure("invalid_choice", detail, "query__kind");
  }
  const kinds = [...QUERY_KINDS, ...TABLE_KINDS].join(", ");
  const detail = `${insteadOf("kind", kind)}One of ${kinds} is expected.${AROUND} SQL, as a HogQLQuery, is taken by POST …/query/ and POST …/insights/.`;
  throw new Failure("invalid_choice", detail, "query__kind");
}

/** Kinds of nodes around a query, which say how PostHog's clients show its answer. */
export const NODE_KINDS: readonly Json[] = [
  ...["InsightVizNode", "DataTableNode", "DataVisualizationNode"],
];

/** The sentence of a refusal that says where a query may stand. */
export const AROUND = ` It may be the source of a node: ${NODE_KINDS.join(", ")}.`;

/** Fields of queries that a node around one does not have. */
const INNER_FIELDS = [
  ...["series", "dateRange", "properties", "interval", "breakdownFilter", "compareFilter"],
  ...["query", "filters", "values", "variables", "select", "where", "event", "after", "before"],
];

/**
 * Returns the query in nodes around it, which are of NODE_KINDS or of any other kind that is no query; a query by itself
 * as it is, without nulls. Fails `invalid_input` on a field of the query that stands outside of it, and on a node of
 * NODE_KINDS without a query.
 */
export function sourceOf(sent: JsonObject): JsonObject {
  let query = sent;
  for (let { source, kind } = query; isObject(source); { source, kind } = query) {
    // These say whose persons or options are asked for.
    if (typeof kind === "string" && /Query(?:Options)?$/.test(kind)) break;
    const outside = INNER_FIELDS.find((name) => !isNothing(query[name] ?? null));
    if (outside !== undefined) {
      const detail = "The node around a query does not have it: write it into source.";
      throw new Failure("invalid_input", detail, `query__${outside}`);
    }
    query = source;
  }
  if (NODE_KINDS.includes(query["kind"] ?? null)) {
    const detail = `The source of the node ${query["kind"]} is a query, and this one is ${foundIn(query["source"])}.`;
    throw new Failure("invalid_input", detail, "query__source");
  }
  // Null is a value of SQL.
  return query["kind"] === "HogQLQuery" || query["kind"] === "SQLQuery"
    ? query
    : withoutNulls(query);
}
