import type { Insight, Query } from "../queries/insight.ts";
import type { Period } from "../queries/period.ts";
import type { Part } from "../values/page.ts";
import type { FunnelTimeRow, FunnelTrendRow } from "./insights/funnel-rows.ts";
import type { ProjectVocabulary } from "./vocabulary.ts";

/** A query of one kind, with everything that its answer depends on. */
export type PlanOf<Kind extends Query["kind"]> = {
  query: Extract<Query, { kind: Kind }>;
  /** The time that is asked for. Of a lifecycle, it begins with the interval before. */
  period: Period;
  /** The time to compare with; null without one. Only trends compare. */
  previous: Period | null;
  /** Whether a trend has only numbers of the whole time, and none of its intervals. */
  isWhole?: boolean;
  /** IANA name of the zone whose clock the periods are on. */
  timezone: string;
};

/** A query of any kind, with everything that its answer depends on. */
export type Plan = { [Kind in Query["kind"]]: PlanOf<Kind> }[Query["kind"]];

/** A value of a breakdown as stored: a list for several properties, with null for a missing value. */
export type FoundValue = string | (string | null)[] | null;

/** Kinds of lines of a breakdown: one value, events without a value, all other values. */
export type BreakdownKind = "value" | "none" | "other";

/** A line of an answer with a breakdown. */
export type Line = { kind: BreakdownKind; breakdown: FoundValue };

/** A number of an answer, whose persons are asked for. `line` is null for all lines together. */
export type CellOf = {
  /** `bucket` is null for the number of the whole period. */
  TrendsQuery: { series: number; bucket: string | null; isPrevious: boolean; line: Line | null };
  /**
   * A step from 1 on; a negative one has the persons that came to the step before, and not to it. With the interval
   * `bucket` of a trend, a negative one has the persons that began in it and did not convert.
   */
  FunnelsQuery: { step: number; bucket: string | null; line: Line | null };
  /** Indexes as in {@link RetentionRow}. */
  RetentionQuery: { began: number; later: number; line: Line | null };
  /** As in {@link PathsRow}. */
  PathsQuery: { step: number; source: string; target: string };
  /** As in {@link LifecycleRow}. */
  LifecycleQuery: { status: LifecycleRow["status"]; place: number };
  /** Persons who had events in exactly so many intervals. */
  StickinessQuery: { series: number; intervals: number };
};

/** A plan, and a number of its answer. */
export type Actors = {
  [Kind in Query["kind"]]: { kind: Kind; plan: PlanOf<Kind>; cell: CellOf[Kind] };
}[Query["kind"]];

/** The part of a list of persons to return; `search` is a part of the e-mail address, or the persons `owners`. */
export type ActorsPart = {
  limit: number;
  offset: number;
  search: { text: string; owners: readonly number[] } | null;
};

/** A person of a number. All persons without a profile together are one, whose `id` is null. */
export type ActorRow = {
  id: number | null;
  /**
   * Events that count, of a sum their sum, of sessions and groups these. Of a funnel the steps that were reached, of paths
   * the paths, of stickiness the intervals.
   */
  count: number;
  /** The time of the last of them, ISO 8601 in UTC. */
  last_at: string;
};

/** Persons of a number; `count` has all of them, each of those without a profile as one. */
export type FoundActors = { count: number; rows: ActorRow[] };

/**
 * One number of a series of a trend. A series without events has no rows. With a formula, all series
 * have the same values of the breakdown, the most frequent ones of the first series. The previous period has
 * those of the current one.
 */
export type TrendsRow = {
  kind: BreakdownKind;
  /** A value of the breakdown; null without a breakdown and for other kinds of rows. */
  breakdown: FoundValue;
  /** One of the period's `buckets`; null for the number of the whole period. */
  bucket: string | null;
  /** Null if no event has a number, or if the number is not finite. */
  value: number | null;
};

/**
 * Persons of a funnel; one row for each value of the breakdown. There is no row if no person began.
 * Each event of the first step is an attempt, and the best attempt of a person counts (decision 78).
 */
export type FunnelRow = {
  kind: BreakdownKind;
  breakdown: FoundValue;
  /** How many persons reached each step. */
  persons: number[];
  /** Seconds since the step before; null for the first step and for a step that no person reached. */
  average_s: (number | null)[];
  median_s: (number | null)[];
};

/**
 * How many of the persons that began in one interval came in another (decision 79). Pairs without
 * persons have no row.
 */
export type RetentionRow = {
  /** Index of the interval in the period's `buckets`. */
  began: number;
  /** Intervals after `began`. At 0 all persons that began count, also if they did not return. */
  later: number;
  persons: number;
  /** With a breakdown, the value of the first event by which a person began in the interval. */
  kind?: BreakdownKind;
  breakdown?: FoundValue;
};

/**
 * A step of paths, from one page or event to the next (decision 80). The most frequent steps come first, and
 * there are at most `edges`.
 */
export type PathsRow = {
  /** Position of `source` in its path, from 1 on. */
  step: number;
  source: string;
  target: string;
  /** How many paths have this step. */
  paths: number;
  average_ms: number;
  /** How many paths came to the source in this step, and how many of them ended there. */
  source_paths: number;
  source_ends: number;
  /** How many paths came to the target in the next step. */
  target_paths: number;
};

/** How many persons have a status in an interval (decision 79). Without persons there is no row. */
export type LifecycleRow = {
  /** One of LIFECYCLE_STATUSES. */
  status: "new" | "returning" | "resurrecting" | "dormant";
  /** Index of the interval in the period's `buckets`, from 1 on: 0 is the interval before. */
  place: number;
  persons: number;
};

/** How many persons had events in exactly so many intervals (decision 79). */
export type StickinessRow = { intervals: number; persons: number };

/** The rows of each kind of query. Lists of lists have one list for each series, in order. */
export type Found = {
  TrendsQuery: {
    current: TrendsRow[][];
    previous: TrendsRow[][];
    /** The persons of each line in the whole time: by a breakdown, of a formula, an average or a percentile. */
    persons?: { current: TrendsRow[][]; previous: TrendsRow[][] };
  };
  /** Rows of the funnel's `viz`. */
  FunnelsQuery: FunnelRow[] | FunnelTrendRow[] | FunnelTimeRow[];
  RetentionQuery: RetentionRow[];
  PathsQuery: PathsRow[];
  LifecycleQuery: LifecycleRow[];
  StickinessQuery: StickinessRow[][];
};

/** A query and its rows. */
export type Answered = {
  [Kind in Query["kind"]]: { kind: Kind; plan: PlanOf<Kind>; found: Found[Kind] };
}[Query["kind"]];

/**
 * Analyses of the events of one project. Persons and groups count with their properties as they are
 * now, and an event counts for the person that its distinct id has now. The rules of all ports are in
 * `events.ts`.
 */
export type InsightQueries = {
  /**
   * Returns the rows of a query of any kind; the caller sorts and names them.
   * Counts are exact. Fails `invalid_input` for a filter with an invalid regular expression.
   */
  run(project: number, plan: Plan, signal: AbortSignal): Promise<Answered>;
  /**
   * Returns the persons of a number of an answer: those with the greatest count first, then the last to come, then by
   * id. Each person counts that `run` counted. Fails as `run`.
   */
  actors(
    project: number,
    asked: Actors,
    part: ActorsPart,
    signal: AbortSignal,
  ): Promise<FoundActors>;
  /** Returns those of some names that nothing in the project has. A property with dots may be a way into another. */
  missing(
    project: number,
    names: readonly MentionedName[],
    signal: AbortSignal,
  ): Promise<MentionedName[]>;

  /** Returns the most frequent names of events and properties, for a first query; it is bounded. */
  names(project: number, signal: AbortSignal): Promise<EventNames>;

  /**
   * Returns the names and values that the questions of a project can mention. Every name of an event is there up to a bound, with the
   * properties and values of its own newest events, so that a rare name is known as well as a frequent one.
   */
  vocabulary(project: number, signal: AbortSignal): Promise<ProjectVocabulary>;

  /** Returns the time of the project's first event in milliseconds; undefined without events. */
  firstEventAt(project: number, signal: AbortSignal): Promise<number | undefined>;
};

/** A name that a query has, and what may have it. */
export type MentionedName = {
  of: "event" | "event_property" | "person_property" | "group_property";
  name: string;
};

/** Names of events and properties, the most frequent first, then by name. */
export type EventNames = {
  events: { name: string; count: number }[];
  properties: { name: string; count: number }[];
};

/**
 * Queries as SQL over the public views (decision 81), to be read and changed by people. These methods
 * only write text: they read nothing and never fail.
 */
export type InsightDrafts = {
  /** Returns SQL with comments that finds the same numbers as the query (decision 89). */
  sql(plan: Plan): string;
  /** Returns a first query over a project, with its most frequent names in comments (decision 71). */
  overview(names: EventNames): string;
};

/** Conditions on the insights of a list, which all hold. */
export type InsightFilter = {
  /** A part of the name or the description, in any case of its letters. */
  search?: string | undefined;
  short_id?: string | undefined;
  /** Any of these tags. */
  tags?: readonly string[] | undefined;
  /** Ids of dashboards that all have it. */
  dashboards?: readonly number[] | undefined;
  favorited?: boolean | undefined;
  /** Whether it is saved or on a dashboard. */
  saved?: boolean | undefined;
  /** Id of its author. */
  created_by?: number | undefined;
  /** Whether it is deleted; without it, no deleted ones are listed. */
  deleted?: boolean | undefined;
};

/** The insights of a project. */
export type InsightReads = {
  /** Returns a part of the project's insights, the newest first; `count` is exact. */
  list(
    project: number,
    filter: InsightFilter,
    part: Part,
  ): Promise<{ count: number; rows: Insight[] }>;
  /** Returns one insight by its short id, unless it is deleted. */
  find(project: number, short_id: string): Promise<Insight | undefined>;
};

/** The fields of an insight that are written; users and dashboards are named by their ids. */
export type InsightFields = Omit<
  Insight,
  | ("id" | "short_id" | "created_at" | "created_by" | "last_modified_by")
  | ("updated_at" | "derived_name" | "filters")
> & { last_modified_by: number };

/** An insight to be kept; `created_by` is the id of its author. */
export type NewInsight = Omit<InsightFields, "deleted"> &
  Pick<Insight, "short_id" | "created_at"> & { project_id: number; created_by: number };

/** Changes to the insights of a project. */
export type InsightWrites = {
  /**
   * Keeps an insight and returns it. A question that was only `asked`, with the same author, name and query as
   * an insight, is that one: then the newest of these is returned, so a repeated call is harmless (decision 72).
   * Beyond INSIGHTS_MAX the oldest insights of the project that are neither saved nor on a dashboard are removed.
   * Returns undefined if the project has the short id already. Fails as `update`, and if the disk is full.
   */
  insert(draft: NewInsight, by?: "asked" | "made"): Promise<Insight | undefined>;

  /**
   * Changes an insight, also a deleted one, and returns it; undefined if it does not exist. `dashboards` adds it
   * to these and removes it from all others. Fails `invalid_input` on a dashboard that the project does not have,
   * or that has DASHBOARD_TILES_MAX tiles.
   */
  update(
    project: number,
    short_id: string,
    change: Partial<InsightFields>,
  ): Promise<Insight | undefined>;
};
