import type { InsightDrafts, InsightQueries, Plan } from "../ports/insights.ts";
import { type Query, readQuery, sourceOf, WORDS_KIND } from "../queries/insight.ts";
import {
  ALL_TIME,
  type DateRange,
  earlierPeriod,
  type Period,
  periodOf,
  previousPeriod,
  withIntervalBefore,
} from "../queries/period.ts";
import { RETENTION_INTERVALS_MAX } from "../queries/retention.ts";
import { askedInterval, earlierBy, rangeOf } from "../questions/readings/compile.ts";
import type { Reading } from "../questions/readings/reading.ts";
import { explanationOf } from "../questions/readings/say.ts";
import { isTotal, sentenceOf } from "../questions/sentence.ts";
import type { Sql } from "../sql/sql.ts";
import { Failure } from "../values/failure.ts";
import type { JsonObject } from "../values/json.ts";
import { isoTime } from "../values/time.ts";
import { type Moment, wallClock } from "../values/zoned-time.ts";
import { explanationOfPlan } from "./explain.ts";
import { type InsightResults, resultsOf } from "./results.ts";
import { tableResults, withoutIntervals } from "./table-results.ts";
import type { Meant } from "./words.ts";

/** The needs of an answer. */
export type AnswerNeeds = {
  queries: Pick<InsightQueries, "run" | "firstEventAt">;
  drafts: InsightDrafts;
  sql: Pick<Sql, "runInTurn">;
};

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
  /** The time up to which events count, ISO 8601 in UTC. */
  calculated_at: string;
};

/**
 * Returns the plan of a query; `isWhole` as in the plan. Only for all time it reads the time of the first event. Fails as
 * `periodOf`.
 */
export async function planOf(
  needs: AnswerNeeds,
  query: Query,
  asking: Asking,
  isWhole: boolean,
): Promise<Plan> {
  const { timezone, now } = asking.moment;
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
        ? previousPeriod(period, divided, isWhole ? now : undefined)
        : earlierPeriod(period, query.compareTo, divided);
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
  { query: sent, reading, others }: Meant,
  asking: Asking,
  check: (query: Query) => void,
): Promise<{ answer: Answer; read: Query | undefined }> {
  const { timezone, now } = asking.moment;
  const described = (period: Period) =>
    reading === null
      ? {}
      : {
          explanation: explanationOf(reading, { ...period, timezone }),
          other_readings: others,
        };
  const query = sourceOf(sent);
  const shared = { query, calculated_at: isoTime(now) };
  if (reading !== null && sent["kind"] === WORDS_KIND) {
    const { results, sql, period } = await answerOfTable(needs, reading, asking);
    const explanation = explanationOf(reading, { ...period, timezone });
    const isFiltered = "dateRange" in query || "properties" in query;
    const sentence = isFiltered ? null : String(query["query"]);
    const answer = { ...results, ...shared, sentence, sql, explanation, other_readings: others };
    return { answer, read: undefined };
  }
  const read = readQuery(sent, asking.moment);
  check(read);
  const isWhole = isOfWholeTime(query, reading);
  const plan = await planOf(needs, read, asking, isWhole);
  const answered = resultsOf(await needs.queries.run(asking.project, plan, asking.signal));
  const shown = read.kind === "TrendsQuery" && isWhole ? withoutIntervals(answered) : answered;
  const sql = needs.drafts.sql(plan);
  const said = {
    sentence: sentenceOf(query, asking.moment),
    explanation: explanationOfPlan(plan, isWhole),
  };
  const answer = { ...shown, ...shared, sql, ...said, ...described(plan.period) };
  return { answer, read };
}

/**
 * Says in one sentence how a question was understood: its measure, filters and period. If the period cannot be answered,
 * the sentence says why.
 */
export async function explained(
  needs: AnswerNeeds,
  { query, reading }: Meant,
  asking: Asking,
): Promise<string> {
  const { timezone } = asking.moment;
  try {
    if (reading !== null && query["kind"] === WORDS_KIND) {
      const { period } = await periodsOf(needs, reading, asking);
      return explanationOf(reading, { ...period, timezone });
    }
    const isWhole = isOfWholeTime(query, reading);
    const plan = await planOf(needs, readQuery(query, asking.moment), asking, isWhole);
    return reading === null
      ? explanationOfPlan(plan, isWhole)
      : explanationOf(reading, { ...plan.period, timezone });
  } catch (error) {
    if (error instanceof Failure && error.code === "invalid_input") return error.message;
    throw error;
  }
}

/** Returns the answer as SQL. */
export async function draftOf(
  needs: AnswerNeeds,
  { query, reading }: Meant,
  asking: Asking,
): Promise<string> {
  if (reading !== null && query["kind"] === WORDS_KIND) {
    const { period } = await periodsOf(needs, reading, asking);
    return needs.drafts.question({ reading, period, timezone: asking.moment.timezone });
  }
  const read = readQuery(query, asking.moment);
  return needs.drafts.sql(
    await planOf(needs, read, asking, isOfWholeTime(sourceOf(query), reading)),
  );
}

/** Whether a query has numbers of the whole time, and none of its intervals. */
const isOfWholeTime = (query: JsonObject, reading: Reading | null): boolean =>
  isTotal(query) || (reading !== null && askedInterval(reading) === null);

async function periodsOf(needs: AnswerNeeds, reading: Reading, asking: Asking) {
  const { timezone, now } = asking.moment;
  const { measure } = reading;
  const interval = askedInterval(reading) ?? (measure.of === "mean_of_days" ? measure.unit : "day");
  const { date_from, date_to = null, ...range } = rangeOf(reading) as DateRange;
  const isAll = date_from === ALL_TIME && askedInterval(reading) === null;
  const divided = { interval: isAll ? ("month" as const) : interval, timezone };
  const spanUntil = (until: string | null) => {
    const asked = { ...range, date_from, date_to: until };
    return spanOf(needs, asked, { ...asking, interval: divided.interval });
  };
  const upToNow = await spanUntil(date_to);
  const isWithoutToday =
    ranksLowDays(reading) && date_to === null && hasEarlierDays(upToNow, asking);
  const period = isWithoutToday ? await spanUntil("-1d") : upToNow;
  if (reading.when.compare !== true) return { period, previous: null };
  const age = earlierBy(reading);
  const reached = askedInterval(reading) === null ? now : undefined;
  const previous =
    age === undefined
      ? previousPeriod(period, divided, reached)
      : earlierPeriod(period, age, divided);
  return { period, previous };
}

/** Whether the days with the least are asked for. Today would be among them, because it is not over. */
const ranksLowDays = ({ top, by }: Reading): boolean =>
  top?.isAscending === true && by.some((label) => label.by === "date");

/** Whether a period began before today. */
const hasEarlierDays = ({ from }: Period, { moment: { now, timezone } }: Asking): boolean =>
  from.slice(0, 10) < isoTime(wallClock(now, timezone)).slice(0, 10);

/** Answers a reading by SQL, also of the period before where that is asked. */
async function answerOfTable(needs: AnswerNeeds, reading: Reading, asking: Asking) {
  const { project, moment, signal } = asking;
  const { period, previous } = await periodsOf(needs, reading, asking);
  const isOverTime = askedInterval(reading) !== null;
  const resultsIn = async (one: Period) => {
    const sql = needs.drafts.question({ reading, period: one, timezone: moment.timezone });
    const table = await needs.sql.runInTurn(project, sql, signal);
    return {
      sql,
      results: tableResults(
        reading,
        { columns: table.columns, rows: table.results },
        one,
        isOverTime,
      ),
    };
  };
  const current = await resultsIn(period);
  if (previous === null) return { ...current, period };
  const before = await resultsIn(previous);
  const results = [
    ...current.results.results.map((line) => ({ ...line, compare_label: "current" as const })),
    ...before.results.results.map((line) => ({ ...line, compare_label: "previous" as const })),
  ];
  return { sql: current.sql, results: { columns: current.results.columns, results }, period };
}
