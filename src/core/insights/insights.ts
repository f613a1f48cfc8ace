import type { Projects } from "../access/projects.ts";
import type { GroupReads } from "../ports/groups.ts";
import type {
  InsightDrafts,
  InsightQueries,
  InsightReads,
  InsightWrites,
} from "../ports/insights.ts";
import type { PersonReads } from "../ports/person-reads.ts";
import {
  checkType,
  type Insight,
  type InsightType,
  insightTypeOf,
  type Query,
  sourceOf,
  wordsIn,
} from "../queries/insight.ts";
import type { Sql } from "../sql/sql.ts";
import { Failure } from "../values/failure.ts";
import { withShortId } from "../values/ids.ts";
import { isObject, type Json, type JsonObject } from "../values/json.ts";
import { type Clock, isoTime } from "../values/time.ts";
import type { Moment } from "../values/zoned-time.ts";
import { type ActorsAnswer, actorsAnswer } from "./actors.ts";
import { type Answer, type Asking, answerOf, draftOf } from "./answers.ts";
import { filteredMeaning } from "./filtered-words.ts";
import { nameOf } from "./insight-name.ts";
import { type KeptInsights, keptInsights } from "./kept-insights.ts";
import { keptValues } from "./kept-values.ts";
import { type ReadAsked, readAsked, type WordsRead } from "./read-words.ts";
import { meaningOf } from "./words.ts";

/** An answer, and the milliseconds that it took. */
export type TimedAnswer = Answer & { elapsed_ms: number };

/** An insight and what it answers now. */
export type InsightAnswer = TimedAnswer & { insight: Insight };

/** A question as it was sent: a query, or words. */
export type InsightAsked = {
  query: Json | undefined;
  insight_type?: string | undefined;
  name?: string | undefined;
};

/** Insights of a project (contract 4.1); an unknown field is refused, because a wrong number is worse than a refusal (decision 72). */
export type Insights = KeptInsights & {
  /** Answers a query, and keeps nothing. Fails as `ask`. */
  answer(project: number, query: Json | undefined, signal: AbortSignal): Promise<TimedAnswer>;
  /** Returns persons of a number of an answer. Fails as `actorsAnswer`, and `unavailable` as `ask`. */
  actors(project: number, sent: Json | undefined, signal: AbortSignal): Promise<ActorsAnswer>;
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
   * A first query over the project's events, or what `prompt` asks, in words or as a query in JSON (decision 71). Fails `invalid_input` on words that are
   * not understood, `too_long`, and `unavailable` while the event store catches up.
   */
  draft(project: number, prompt: string | undefined, signal: AbortSignal): Promise<{ sql: string }>;
  /** Reads words as a query, or says a query in words, without an answer. Fails as `readAsked`. */
  read(project: number, asked: ReadAsked, signal: AbortSignal): Promise<WordsRead>;
};

/** The project that asks, the time, and the field of the request to blame. */
type Asked = Asking & { attr: "query" | "prompt"; type?: InsightType | undefined };

type Needs = {
  reads: InsightReads;
  writes: InsightWrites;
  queries: InsightQueries;
  drafts: InsightDrafts;
  projects: Pick<Projects, "get">;
  groups: Pick<GroupReads, "types">;
  persons: Pick<PersonReads, "read" | "owners">;
  sql: Pick<Sql, "runInTurn">;
  /** Whether the event store lacks events of before the start. */
  isCatchingUp: () => boolean;
  now: Clock;
  randomBytes: (count: number) => Uint8Array;
};

/** Insights over the stores. */
export function insights(needs: Needs): Insights {
  const { queries, drafts, projects, now } = needs;
  const typing = { ...needs, queries: { ...queries, values: keptValues(queries.values, now) } };
  const upToDate = () => {
    if (needs.isCatchingUp()) {
      throw new Failure("unavailable", "The event store is being brought up from the journal.");
    }
  };
  const momentOf = async (project: number): Promise<Moment> => {
    const { timezone } = await projects.get(project);
    return { now: now(), timezone };
  };
  const meant = async (sent: Json | undefined, asked: Asked) => {
    const words = wordsIn(sent);
    return words === undefined
      ? { query: typedQuery(sent), reading: null, others: [] }
      : filteredMeaning(await meaningOf(needs, { ...asked, words }), sent, asked.moment);
  };
  /** Answers a query, after `check` has seen it. */
  const answered = async (sent: Json | undefined, asked: Asked, check: (read: Query) => void) => {
    const began = now();
    const understood = await meant(sent, asked);
    const { answer, read } = await answerOf(needs, understood, asked, (query) => {
      checkType(query, asked.type);
      check(query);
    });
    return { meaning: understood, read, answer: { ...answer, elapsed_ms: now() - began } };
  };
  const askedIn = async (project: number, signal: AbortSignal, attr: Asked["attr"]) => {
    upToDate();
    return { project, signal, attr, moment: await momentOf(project) };
  };
  return {
    ...keptInsights({ ...needs, momentOf }),
    async answer(project, query, signal) {
      const asked = await askedIn(project, signal, "query");
      const { answer } = await answered(query, asked, () => undefined);
      return answer;
    },
    async actors(project, sent, signal) {
      const asked = await askedIn(project, signal, "query");
      const queryOf = async (source: JsonObject) => sourceOf((await meant(source, asked)).query);
      return await actorsAnswer(needs, sent, asked, queryOf);
    },
    async ask(project, user, { query, insight_type, name }, signal) {
      const type = insightTypeOf(insight_type);
      const asked = { ...(await askedIn(project, signal, "query")), type };
      const title = (read: Query | undefined) => nameOf(name || wordsIn(query) || "", read);
      const { meaning, read, answer } = await answered(query, asked, title);
      const draft = { project, user, name: title(read), query: meaning.query };
      return { insight: await keep(needs, draft), ...answer };
    },
    async read(project, asked, signal) {
      upToDate();
      return readAsked(typing, asked, { project, signal, moment: await momentOf(project) });
    },
    async draft(project, prompt, signal) {
      upToDate();
      if (prompt === undefined) {
        return { sql: drafts.overview(await queries.names(project, signal)) };
      }
      const asked = await askedIn(project, signal, "prompt");
      return { sql: await draftOf(needs, await meant(promptOf(prompt), asked), asked) };
    },
  };
}

/** Returns a query in JSON as a query, and other texts as they are. */
function promptOf(prompt: string): Json {
  if (!prompt.trimStart().startsWith("{")) return prompt;
  try {
    return JSON.parse(prompt);
  } catch {
    throw new Failure("invalid_input", "The query is not valid JSON.", "prompt");
  }
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
