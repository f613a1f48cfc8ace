import type { Projects } from "../access/projects.ts";
import type { GroupReads } from "../ports/groups.ts";
import type {
  InsightDrafts,
  InsightQueries,
  InsightReads,
  InsightWrites,
} from "../ports/insights.ts";
import type { Breakdown } from "../queries/breakdown.ts";
import {
  checkType,
  INSIGHT_NAME_CHARS_MAX,
  type Insight,
  insightTypeOf,
  type Query,
} from "../queries/insight.ts";
import { seriesLabel } from "../queries/trend.ts";
import type { Sql } from "../sql/sql.ts";
import { Failure } from "../values/failure.ts";
import { withShortId } from "../values/ids.ts";
import { isObject, type Json, type JsonObject, storableText } from "../values/json.ts";
import { cursorPage, type Page, type PageQuery } from "../values/page.ts";
import { type Clock, isoTime } from "../values/time.ts";
import type { Moment } from "../values/zoned-time.ts";
import { type Answer, answerOf, draftOf } from "./answers.ts";
import { meaningOf } from "./words.ts";

/** An insight and what it answers now. */
export type InsightAnswer = Answer & { insight: Insight; elapsed_ms: number };

/** A question as it was sent: a query, or words. */
export type InsightAsked = {
  query: Json | undefined;
  insight_type?: string | undefined;
  name?: string | undefined;
};

/** Insights of a project (contract 4.1); an unknown field is refused, because a wrong number is worse than a refusal (decision 72). */
export type Insights = {
  /**
   * Answers a query and keeps it for the user with the id `user`. Fails `required`, `invalid_input`,
   * `invalid_choice`, `too_long`, `query_timeout`, and `unavailable` while the event store catches up.
   * `signal` ends the query when the client disconnects.
   */
  ask(
    project: number,
    user: number,
    asked: InsightAsked,
    signal: AbortSignal,
  ): Promise<InsightAnswer>;
  /** The newest first. `url` is the public address of the request, for links. */
  list(project: number, query: PageQuery, url: URL): Promise<Page<Insight>>;
  /** Fails `not_found`. */
  get(project: number, short_id: string): Promise<Insight>;
  /**
   * Changes the name, or deletes and restores. Nightly deletions erase deleted insights. Fails `not_found` and
   * `too_long`.
   */
  change(
    project: number,
    short_id: string,
    sent: { name?: string | undefined; deleted?: boolean | undefined },
  ): Promise<Insight>;
  /**
   * A first query over the project's events, or what `prompt` asks (decision 71). Fails `invalid_input` on words that are
   * not understood, `too_long`, and `unavailable` while the event store catches up.
   */
  draft(project: number, prompt: string | undefined, signal: AbortSignal): Promise<{ sql: string }>;
};

type Needs = {
  reads: InsightReads;
  writes: InsightWrites;
  queries: InsightQueries;
  drafts: InsightDrafts;
  projects: Pick<Projects, "get">;
  groups: Pick<GroupReads, "types">;
  sql: Pick<Sql, "runInTurn">;
  /** Whether the event store lacks events of before the start. */
  isCatchingUp: () => boolean;
  now: Clock;
  randomBytes: (count: number) => Uint8Array;
};

/** Insights over the stores. */
export function insights(needs: Needs): Insights {
  const { reads, queries, drafts, projects, now } = needs;
  const upToDate = () => {
    if (needs.isCatchingUp()) {
      throw new Failure("unavailable", "The event store is being brought up from the journal.");
    }
  };
  const momentOf = async (project: number): Promise<Moment> => {
    const { timezone } = await projects.get(project);
    return { now: now(), timezone };
  };
  return {
    async ask(project, user, { query: sent, insight_type, name }, signal) {
      const type = insightTypeOf(insight_type);
      upToDate();
      const moment = await momentOf(project);
      const began = now();
      const asked = { project, moment, signal };
      const meant =
        typeof sent === "string"
          ? await meaningOf(needs, { ...asked, words: sent, attr: "query", type })
          : { query: typedQuery(sent), reading: null, others: [] };
      const words = typeof sent === "string" ? sent : "";
      const title = (query: Query | undefined) => nameOf(name || words, query);
      const answer = await answerOf(needs, meant, asked, (query) => {
        checkType(query, type);
        title(query);
      });
      const elapsed_ms = now() - began;
      const { read, ...shown } = answer;
      const kept = { project, user, name: title(read), query: meant.query };
      return { insight: await keep(needs, kept), ...shown, elapsed_ms };
    },
    list: (project, query, url) =>
      cursorPage(url, query, {
        keysOf: ({ id }: Insight) => [id] as const,
        keyTypes: [0],
        read: (part) => reads.list(project, part),
      }),
    get: async (project, short_id) => existing(await reads.find(project, short_id)),
    async change(project, short_id, { name, deleted }) {
      if (name !== undefined) checkName(name);
      const change = {
        ...(name === undefined ? {} : { name: storableText(name) }),
        ...(deleted === undefined ? {} : { deleted }),
      };
      return existing(await needs.writes.update(project, short_id, change));
    },
    async draft(project, prompt, signal) {
      upToDate();
      if (prompt === undefined) {
        return { sql: drafts.overview(await queries.names(project, signal)) };
      }
      const moment = await momentOf(project);
      const asked = { project, moment, signal };
      const meant = await meaningOf(needs, { ...asked, words: prompt, attr: "prompt" });
      return { sql: await draftOf(needs, meant, asked) };
    },
  };
}

function typedQuery(sent: Json | undefined): JsonObject {
  if (sent === undefined || sent === null) {
    throw new Failure("required", "This field is required.", "query");
  }
  if (isObject(sent)) return sent;
  throw new Failure("invalid_input", "A query is expected, or a question in words.", "query");
}

async function keep(
  { writes, now, randomBytes }: Needs,
  asked: { project: number; user: number; name: string; query: JsonObject },
): Promise<Insight> {
  const { project: project_id, user: created_by, name, query } = asked;
  const draft = { project_id, created_by, name, query, created_at: isoTime(now()) };
  return withShortId(randomBytes, (short_id) => writes.insert({ ...draft, short_id }));
}

function existing(insight: Insight | undefined): Insight {
  if (insight === undefined) throw new Failure("not_found", "Not found.");
  return insight;
}

function checkName(name: string): void {
  if (name.length <= INSIGHT_NAME_CHARS_MAX) return;
  throw new Failure("too_long", `At most ${INSIGHT_NAME_CHARS_MAX} characters.`, "name");
}

/** The name of an insight: as it was sent, else the words of the question, else a description of the query. */
function nameOf(name: string, query: Query | undefined): string {
  checkName(name);
  const said = query === undefined ? "" : insightName(query);
  return storableText(name || said.slice(0, INSIGHT_NAME_CHARS_MAX));
}

/** The name of an insight that was saved without a name. */
function insightName(query: Query): string {
  switch (query.kind) {
    case "TrendsQuery":
      return by(query, query.formula?.text ?? query.series.map(seriesLabel).join(", "));
    case "FunnelsQuery":
      return by(query, `Funnel of ${query.steps.map(({ name }) => name).join(", ")}`);
    case "RetentionQuery":
      return by(query, `Retention of ${query.target.name}`);
    case "PathsQuery":
      return ["Paths", ...said("from", query.start), ...said("to", query.end)].join(" ");
    case "LifecycleQuery":
      return `Lifecycle of ${query.series.name}`;
    case "StickinessQuery":
      return `Stickiness of ${query.series.map(({ name }) => name).join(", ")}`;
  }
}

function by({ breakdown }: { breakdown: Breakdown | null }, what: string): string {
  return breakdown === null
    ? what
    : `${what} by ${breakdown.by.map(({ property }) => property).join(", ")}`;
}

const said = (word: string, place: string | null) => (place === null ? [] : [`${word} ${place}`]);
