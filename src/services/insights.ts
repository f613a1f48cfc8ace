import { Failure } from "../domain/errors.ts";
import {
  checkInsightType,
  INSIGHT_NAME_CHARS_MAX,
  type Insight,
  readTrends,
  type Trends,
} from "../domain/insight.ts";
import { periodOf } from "../domain/insight-period.ts";
import { type EventNames, readWords } from "../domain/insight-words.ts";
import { isObject, type Json, type JsonObject, storableText } from "../domain/json.ts";
import { type Page, type PageQuery, walkedPage } from "../domain/page.ts";
import { newShortId } from "../domain/playlist.ts";
import { type Clock, isoTime } from "../domain/time.ts";
import type { InsightReads, InsightWrites } from "../storage/insights.ts";
import type { TrendQueries, TrendsPlan, TrendsRow } from "../storage/trends.ts";
import type { Projects } from "./projects.ts";

/** One line of a trend. */
export type TrendsResult = {
  label: string;
  event: string | null;
  math: string;
  math_property: string | null;
  /**
   * The value of the breakdown; null without one. Two are PostHog's words for events that have no
   * value, and for all values that are not told apart.
   */
  breakdown_value: string | null;
  /** A number for each of the answer's columns; null where there is nothing to calculate with. */
  data: (number | null)[];
  /** The same of the whole time: of `dau`, how many persons in all. */
  aggregated_value: number | null;
};

/** An insight and what it answers now. */
export type InsightAnswer = {
  insight: Insight;
  /** When each interval begins, on the clock of the project's time zone. */
  columns: string[];
  results: TrendsResult[];
  sql: string;
  elapsed_ms: number;
};

/** What is asked, as it was sent. */
export type InsightAsked = {
  query: Json | undefined;
  insight_type?: string | undefined;
  name?: string | undefined;
};

/** The insights of a project (contract 4.1, decision 72). */
export type Insights = {
  /**
   * Answers a query and keeps it. `user` is the id of who asks. Fails `required`, `invalid_input`,
   * `invalid_choice` and `too_long`, and `unavailable` while the event store is behind.
   */
  ask(project: number, user: number, asked: InsightAsked): Promise<InsightAnswer>;
  /** The newest first. `url` is the address that the caller is known to reach us by. */
  list(project: number, query: PageQuery, url: URL): Promise<Page<Insight>>;
  /** Fails `not_found`. */
  get(project: number, short_id: string): Promise<Insight>;
  /**
   * A first query over the project's events, or what `prompt` asks (decision 71). Fails `invalid_input` on words that are
   * not understood, `too_long`, and `unavailable` while the event store is behind.
   */
  draft(project: number, prompt: string | undefined): Promise<{ sql: string }>;
};

type Needs = {
  reads: InsightReads;
  writes: InsightWrites;
  trends: TrendQueries;
  draft: (project: number, names: EventNames) => string;
  projects: Pick<Projects, "get">;
  /** Whether the event store lacks events of before the start. */
  isBehind: () => boolean;
  now: Clock;
  randomBytes: (count: number) => Uint8Array;
};

/** Short ids that are tried: two in a row that are taken do not happen by chance. */
const SHORT_IDS_MAX = 8;

/** Insights over the stores. */
export function insights(needs: Needs): Insights {
  const { reads, trends, projects, now } = needs;
  const upToDate = () => {
    if (needs.isBehind()) {
      throw new Failure("unavailable", "The event store is being brought up from the journal.");
    }
  };
  const planOf = async (project: number, query: Trends): Promise<TrendsPlan> => {
    const { timezone } = await projects.get(project);
    const { interval, dateRange } = query;
    return { ...query, timezone, period: periodOf(dateRange, { interval, timezone, now: now() }) };
  };
  const understood = async (project: number, words: string, attr: string) =>
    readWords(words, await trends.names(project), attr);
  return {
    async ask(project, user, { query: sent, insight_type, name }) {
      checkInsightType(insight_type);
      upToDate();
      const query =
        typeof sent === "string" ? await understood(project, sent, "query") : typedQuery(sent);
      const read = readTrends(query, now());
      const title = nameOf(name || (typeof sent === "string" ? sent : ""), read);
      const plan = await planOf(project, read);
      const began = now();
      const found = await trends.run(project, plan);
      const elapsed_ms = now() - began;
      const insight = await keep(needs, { project, user, name: title, query });
      return {
        insight,
        columns: plan.period.buckets,
        results: found.flatMap((rows, index) => resultsOf(plan, index, rows)),
        sql: trends.sql(project, plan),
        elapsed_ms,
      };
    },
    list: (project, query, url) =>
      walkedPage(url, query, {
        keysOf: ({ id }: Insight) => [id] as const,
        like: [0],
        read: (part) => reads.list(project, part),
      }),
    async get(project, short_id) {
      const found = await reads.find(project, short_id);
      if (found === undefined) throw new Failure("not_found", "Not found.");
      return found;
    },
    async draft(project, prompt) {
      upToDate();
      if (prompt === undefined) {
        return { sql: needs.draft(project, await trends.names(project)) };
      }
      const query = readTrends(await understood(project, prompt, "prompt"), now());
      return { sql: trends.sql(project, await planOf(project, query)) };
    },
  };
}

function typedQuery(sent: Json | undefined): JsonObject {
  if (sent === undefined || sent === null) {
    throw new Failure("required", "This field is required.", "query");
  }
  if (isObject(sent)) return sent;
  throw new Failure("invalid_input", "A TrendsQuery is expected, or a question in words.", "query");
}

async function keep(
  { writes, now, randomBytes }: Needs,
  asked: { project: number; user: number; name: string; query: JsonObject },
): Promise<Insight> {
  const { project: project_id, user: created_by, name, query } = asked;
  const draft = { project_id, created_by, name, query, created_at: isoTime(now()) };
  for (let tried = 0; tried < SHORT_IDS_MAX; tried++) {
    const made = await writes.insert({ ...draft, short_id: newShortId(randomBytes) });
    if (made !== undefined) return made;
  }
  throw new Error(`${SHORT_IDS_MAX} new short ids were taken`);
}

function nameOf(name: string, { series, breakdown }: Trends): string {
  if (name.length > INSIGHT_NAME_CHARS_MAX) {
    throw new Failure("too_long", `At most ${INSIGHT_NAME_CHARS_MAX} characters.`, "name");
  }
  const labels = series.map(labelOf).join(", ");
  const made = breakdown === null ? labels : `${labels} by ${breakdown.property}`;
  return storableText(name || made.slice(0, INSIGHT_NAME_CHARS_MAX));
}

function labelOf({ name, math, math_property }: Trends["series"][number]): string {
  if (math === "total") return name;
  return math_property === null ? `${math} of ${name}` : `${math} of ${math_property} of ${name}`;
}

/** What PostHog's clients know values of a breakdown by that are no values. */
const BREAKDOWN_WORDS = {
  none: "$$_posthog_breakdown_null_$$",
  other: "$$_posthog_breakdown_other_$$",
};

function resultsOf(plan: TrendsPlan, index: number, rows: TrendsRow[]): TrendsResult[] {
  const series = plan.series[index] as TrendsPlan["series"][number];
  const { event, math, math_property } = series;
  const isCount = math_property === null || math === "sum";
  const lines = new Map<string, TrendsRow[]>();
  for (const row of rows) {
    const key = row.kind === "value" ? `=${row.breakdown}` : row.kind;
    lines.set(key, [...(lines.get(key) ?? []), row]);
  }
  if (plan.breakdown === null && lines.size === 0) lines.set("", []);
  const made = [...lines.values()].map((line) => {
    const values = new Map(line.map(({ bucket, value }) => [bucket, value]));
    const valueAt = (bucket: string | null) => values.get(bucket) ?? (isCount ? 0 : null);
    const [{ kind, breakdown } = { kind: "value" as const, breakdown: null }] = line;
    const breakdown_value = kind === "value" ? breakdown : BREAKDOWN_WORDS[kind];
    const result = {
      label: labelOf(series),
      event,
      math,
      math_property,
      breakdown_value,
      data: plan.period.buckets.map(valueAt),
      aggregated_value: valueAt(null),
    };
    return { kind, result };
  });
  return made.sort(byRank).map(({ result }) => result);
}

type Ranked = { kind: TrendsRow["kind"]; result: TrendsResult };

/** The greatest first, texts decide between equals, and what is not told apart is last. */
function byRank(one: Ranked, other: Ranked): number {
  const [a, b] = [one.result, other.result];
  const last = Number(one.kind === "other") - Number(other.kind === "other");
  if (last !== 0) return last;
  const [x, y] = [a.aggregated_value, b.aggregated_value];
  if (x !== y) return (y ?? Number.NEGATIVE_INFINITY) > (x ?? Number.NEGATIVE_INFINITY) ? 1 : -1;
  const none = Number(one.kind === "none") - Number(other.kind === "none");
  return (
    none ||
    Buffer.compare(Buffer.from(a.breakdown_value ?? ""), Buffer.from(b.breakdown_value ?? ""))
  );
}
