import type { Projects } from "../access/projects.ts";
import type { GroupReads } from "../ports/groups.ts";
import type {
  InsightDrafts,
  InsightQueries,
  InsightReads,
  InsightWrites,
} from "../ports/insights.ts";
import { checkType, type Insight, insightTypeOf, type Query } from "../queries/insight.ts";
import type { Sql } from "../sql/sql.ts";
import { Failure } from "../values/failure.ts";
import { withShortId } from "../values/ids.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";
import { type Clock, isoTime } from "../values/time.ts";
import type { Moment } from "../values/zoned-time.ts";
import { type Answer, answerOf, draftOf } from "./answers.ts";
import { nameOf } from "./insight-name.ts";
import { type KeptInsights, keptInsights } from "./kept-insights.ts";
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
export type Insights = KeptInsights & {
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
  const { queries, drafts, projects, now } = needs;
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
    ...keptInsights({ ...needs, momentOf }),
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

/** Keeps an asked query; it is not saved, so that it is removed one day. */
async function keep(
  { writes, now, randomBytes }: Needs,
  asked: { project: number; user: number; name: string; query: JsonObject },
): Promise<Insight> {
  const { project: project_id, user, name, query } = asked;
  const at = isoTime(now());
  const draft = {
    ...{ project_id, name, query, description: "", favorited: false, saved: false, dashboards: [] },
    ...{ created_at: at, created_by: user, last_modified_at: at, last_modified_by: user },
  };
  return withShortId(randomBytes, (short_id) => writes.insert({ ...draft, short_id }));
}
