import type { InsightDrafts, InsightQueries, Plan } from "../ports/insights.ts";
import type { GroupReads } from "../ports/persons/groups.ts";
import { isTotal } from "../queries/display.ts";
import { earlierPeriod, previousPeriod } from "../queries/earlier-period.ts";
import { type Query, readQuery, sourceOf } from "../queries/insight.ts";
import {
  ALL_TIME,
  type DateRange,
  type Period,
  periodOf,
  shownPeriod,
  withIntervalBefore,
} from "../queries/period.ts";
import { RETENTION_INTERVALS_MAX } from "../queries/retention.ts";
import type { JsonObject } from "../values/json.ts";
import { isoTime } from "../values/time.ts";
import type { Moment } from "../values/zoned-time.ts";
import { funnelResults } from "./lines/funnel-results.ts";
import { type InsightResults, resultsOf } from "./lines/results.ts";
import { sumOf, TOTAL_COLUMN } from "./lines/trend-days.ts";
import { explanationOf, sentenceOf } from "./sentence/sentence.ts";
import { formulaName } from "./sentence/trends.ts";
import { unknownNames } from "./unknown-names.ts";

/** The needs of an answer. */
export type AnswerNeeds = {
  queries: Pick<InsightQueries, "run" | "firstEventAt" | "missing" | "names">;
  drafts: InsightDrafts;
  groups: Pick<GroupReads, "types">;
};

/** Returns the names of the types of groups of a project, by index. */
export async function groupNames(
  { groups }: Pick<AnswerNeeds, "groups">,
  project: number,
): Promise<string[]> {
  const names: string[] = [];
  for (const one of await groups.types(project)) names[one.group_type_index] = one.group_type;
  return names;
}

/** The project that asks, and the time. */
export type Asking = { project: number; moment: Moment; signal: AbortSignal };

/** The answer to a question. */
export type Answer = InsightResults & {
  sql: string;
  /** The query as it was understood, without an `InsightVizNode` around it. */
  query: JsonObject;
  /** Words that ask the same; null if the language of questions cannot say it. */
  sentence: string | null;
  /** The measure, the filters and the period, in one sentence. */
  explanation: string;
  /** Other meanings of the words, the likeliest first; only of a question in words. */
  other_readings?: string[];
  /** A sentence for each name of the query that nothing in the project has. */
  warnings?: string[];
  /** The time up to which events count, ISO 8601 in UTC. */
  calculated_at: string;
};

/**
 * Returns the plan of a query; `asWhole` as `isWhole` in the plan, but for numbers of a typical interval. An earlier period
 * counts as far as the period itself has come, in numbers and in lines alike. Only for all time it reads the time of the first event. Fails as
 * `periodOf`.
 */
export async function planOf(
  needs: AnswerNeeds,
  query: Query,
  asking: Asking,
  asWhole: boolean,
): Promise<Plan> {
  const { timezone, now } = asking.moment;
  const isWhole = asWhole && !(query.kind === "TrendsQuery" && query.shown.typical !== null);
  const interval = "interval" in query ? query.interval : null;
  const max = query.kind === "RetentionQuery" ? RETENTION_INTERVALS_MAX : undefined;
  const period = await spanOf(needs, query.dateRange, { ...asking, interval, max });
  const plan = { query, period, previous: null, timezone, isWhole } as Plan;
  if (query.kind === "LifecycleQuery") {
    plan.period = withIntervalBefore(period, { interval: query.interval, timezone });
  }
  if (query.kind === "TrendsQuery" && query.compare) {
    const divided = { interval: query.interval, timezone };
    plan.previous =
      query.compareTo === null
        ? previousPeriod(period, divided, now)
        : earlierPeriod(period, query.compareTo, divided, now);
  }
  return plan;
}

type Divided = Asking & {
  interval: Parameters<typeof periodOf>[1]["interval"];
  max?: number | undefined;
};

async function spanOf(
  { queries }: AnswerNeeds,
  range: DateRange,
  { project, moment, signal, interval, max }: Divided,
): Promise<Period> {
  const isAll = range.date_from === ALL_TIME;
  const first = isAll ? await queries.firstEventAt(project, signal) : undefined;
  return periodOf(range, { interval, ...moment, max, first });
}

/** Returns the answer. `check` sees a query before it runs. Fails as the query, or as its SQL. */
export async function answerOf(
  needs: AnswerNeeds,
  sent: JsonObject,
  asking: Asking,
  check: (query: Query) => void,
): Promise<{ answer: Answer; read: Query }> {
  const query = sourceOf(sent);
  const read = readQuery(sent, asking.moment);
  check(read);
  const isWhole = isTotal(query);
  const plan = await planOf(needs, read, asking, isWhole);
  const found = await needs.queries.run(asking.project, plan, asking.signal);
  const answered =
    found.kind === "FunnelsQuery" ? funnelResults(found.plan, found.found) : resultsOf(found);
  const shown = read.kind === "TrendsQuery" && isWhole ? withoutIntervals(answered) : answered;
  const groups = await groupNames(needs, asking.project);
  const sentence = sentenceOf(query, { groups });
  const name =
    read.kind === "TrendsQuery" && read.formula && !read.formula.name
      ? formulaName(query, { quotesAll: false, groups })
      : undefined;
  const warnings = await unknownNames(needs, read, asking, groups);
  const answer = {
    ...shown,
    results: shown.results.map((line) => (name === undefined ? line : { ...line, name })),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...{ query, calculated_at: isoTime(asking.moment.now), sql: needs.drafts.sql(plan), sentence },
    explanation: explanationOfPlan(query, plan, groups),
  };
  return { answer, read };
}

/** Says in one sentence how a question was understood: its measure, filters and period. Fails as {@link planOf}. */
export async function queryExplanation(
  needs: AnswerNeeds,
  query: JsonObject,
  asking: Asking,
): Promise<string> {
  const read = readQuery(query, asking.moment);
  const plan = await planOf(needs, read, asking, isTotal(query));
  return explanationOfPlan(sourceOf(query), plan, await groupNames(needs, asking.project));
}

/** Says a query with the dates of its plan; the first interval of a lifecycle is only there to compare with. */
function explanationOfPlan(
  query: JsonObject,
  { query: { kind }, period, previous, timezone }: Plan,
  groups: readonly string[],
): string {
  const shown = shownPeriod(period);
  const from = kind === "LifecycleQuery" ? (period.buckets[1] ?? shown.from) : shown.from;
  const wall = from.includes("T")
    ? from
    : `${from.replace(" ", "T")}${from.length > 10 ? "" : "T00:00:00"}`;
  const bounds = { from: wall, before: shown.before };
  const before = previous === null ? null : shownPeriod(previous);
  return explanationOf(query, bounds, { timezone, groups, previous: before });
}

/** Returns the answer as SQL. */
export async function draftOf(
  needs: AnswerNeeds,
  query: JsonObject,
  asking: Asking,
): Promise<string> {
  const read = readQuery(query, asking.moment);
  return needs.drafts.sql(await planOf(needs, read, asking, isTotal(sourceOf(query))));
}

/** Returns the results of one number, or one for each line, without its intervals. */
function withoutIntervals({ results }: InsightResults): InsightResults {
  return {
    columns: [TOTAL_COLUMN],
    results: results.map((line) => {
      const { days: _days, labels: _labels, ...rest } = line;
      const data = [line.aggregated_value];
      return { ...rest, data, count: sumOf(data) };
    }),
  };
}
