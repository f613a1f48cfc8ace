import type { Scope } from "../access/key.ts";
import type { Projects } from "../access/projects.ts";
import type { TableReads } from "../ports/insights/tables.ts";
import type {
  InsightDrafts,
  InsightQueries,
  InsightReads,
  InsightWrites,
} from "../ports/insights.ts";
import type { GroupReads } from "../ports/persons/groups.ts";
import type { PersonReads } from "../ports/persons/reads.ts";
import {
  checkType,
  type Insight,
  type InsightType,
  insightTypeOf,
  type Query,
  sourceOf,
  wordsIn,
} from "../queries/insight.ts";
import { isTable } from "../queries/tables/table.ts";
import { Failure } from "../values/failure.ts";
import { withShortId } from "../values/ids.ts";
import { isObject, type Json, type JsonObject, keptJson } from "../values/json.ts";
import { type Clock, isoTime } from "../values/time.ts";
import type { Moment } from "../values/zoned-time.ts";
import { type ActorsAnswer, actorsAnswer } from "./actors.ts";
import { type Answer, type Asking, answerOf, draftOf } from "./answers.ts";
import { nameOf, tableName } from "./insight-name.ts";
import { type KeptInsights, keptInsights } from "./kept-insights.ts";
import { type TableAnswer, tableAnswer } from "./tables/answer.ts";
import { type ReadAsked, readAsked, type WordsRead } from "./words/read-words.ts";
import { filteredMeaning, type Meant, meaningOf } from "./words/words.ts";

/** An answer, and the milliseconds that it took. */
export type TimedAnswer = (Answer | TableAnswer) & { elapsed_ms: number };

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
  answer(
    project: number,
    query: Json | undefined,
    signal: AbortSignal,
    require?: Require,
  ): Promise<TimedAnswer>;
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
    require?: Require,
  ): Promise<InsightAnswer>;
  /**
   * A first query over the project's events, or what `prompt` asks, in words or as a query in JSON (decision 71). Fails `invalid_input` on words that are
   * not understood, `too_long`, and `unavailable` while the event store catches up.
   */
  draft(project: number, prompt: string | undefined, signal: AbortSignal): Promise<{ sql: string }>;
  /** Reads words as a query, or says a query in words, without an answer. Fails as `readAsked`. */
  read(project: number, asked: ReadAsked, signal: AbortSignal): Promise<WordsRead>;
  /** Returns the typed query of a question in words. Fails as `ask`. */
  typed(project: number, query: JsonObject): Promise<JsonObject>;
};

/** Fails `permission_denied` without a scope, which an answer with persons or events needs besides. */
export type Require = (scope: Scope) => void;

/** The project that asks, the time, and the field of the request to blame. */
type Asked = Asking & {
  attr: string;
  type?: InsightType | undefined;
  require?: Require | undefined;
};

type Needs = {
  reads: InsightReads;
  writes: InsightWrites;
  queries: InsightQueries;
  drafts: InsightDrafts;
  projects: Pick<Projects, "get">;
  groups: Pick<GroupReads, "types">;
  persons: Pick<PersonReads, "read" | "owners" | "find">;
  tables: TableReads;
  /** Makes the next read of a project's names a new one. */
  dropNames: (project: number) => void;
  /** Whether the event store lacks events of before the start. */
  isCatchingUp: () => boolean;
  now: Clock;
  randomBytes: (count: number) => Uint8Array;
};

/** Reads and answers of queries, for {@link insights}. */
function asking(needs: Needs) {
  const { projects, now } = needs;
  const momentOf = async (project: number): Promise<Moment> => {
    const { timezone } = await projects.get(project);
    return { now: now(), timezone };
  };
  /** Fails `unavailable` while the event store catches up. */
  const askedIn = async (project: number, signal: AbortSignal, attr: string) => {
    if (needs.isCatchingUp()) {
      throw new Failure("unavailable", "The event store is being brought up from the journal.");
    }
    return { project, signal, attr, moment: await momentOf(project) };
  };
  const meant = async (sent: Json | undefined, asked: Asked): Promise<Meant> => {
    const words = wordsIn(sent);
    return words === undefined
      ? { query: typedQuery(sent), others: [] }
      : filteredMeaning(await meaningOf(needs, { ...asked, words }), sent);
  };
  const tabled = async (query: JsonObject, { type, require, ...asked }: Asked) => {
    const { kind } = sourceOf(query);
    checkType({ kind: kind ?? null }, type);
    require?.(kind === "ActorsQuery" ? "person:read" : "query:read");
    return await tableAnswer(needs, query, asked);
  };
  /** Answers a query, after `check` has seen it. */
  const answered = async (sent: Json | undefined, asked: Asked, check: (read: Query) => void) => {
    const began = now();
    const { query, others } = await meant(sent, asked);
    if (isTable(query)) {
      const answer = await tabled(query, asked);
      return { query, read: undefined, answer: { ...answer, elapsed_ms: now() - began } };
    }
    const { answer, read } = await answerOf(needs, query, asked, (checked) => {
      checkType(checked, asked.type);
      check(checked);
    });
    const readings = others.length === 0 ? {} : { other_readings: others };
    return { query, read, answer: { ...answer, ...readings, elapsed_ms: now() - began } };
  };
  return { momentOf, askedIn, meant, answered };
}

/** Insights over the stores. */
export function insights(needs: Needs): Insights {
  const { queries, drafts } = needs;
  const { momentOf, askedIn, meant, answered } = asking(needs);
  const typed = async (project: number, query: JsonObject) => {
    if (wordsIn(query) === undefined) return query;
    const asked = await askedIn(project, new AbortController().signal, "query");
    return (await meant(query, asked)).query;
  };
  return {
    ...keptInsights({ ...needs, momentOf, typed }),
    typed,
    async answer(project, query, signal, require) {
      const asked = { ...(await askedIn(project, signal, "query")), require };
      const { answer } = await answered(query, asked, () => undefined);
      return answer;
    },
    async actors(project, sent, signal) {
      const asked = await askedIn(project, signal, "query");
      const queryOf = async (source: JsonObject) => sourceOf((await meant(source, asked)).query);
      return await actorsAnswer(needs, sent, asked, queryOf);
    },
    async ask(project, user, { query: sent, insight_type, name }, signal, require) {
      const type = insightTypeOf(insight_type);
      const asked = { ...(await askedIn(project, signal, "query")), type, require };
      const title = (read: Query | undefined) => nameOf(name || wordsIn(sent) || "", read);
      const { query, read, answer } = await answered(sent, asked, title);
      const draft = { project, user, name: title(read) || tableName(query), query };
      return { insight: await keep(needs, draft), ...answer };
    },
    async read(project, asked, signal) {
      return readAsked(needs, asked, await askedIn(project, signal, "words"));
    },
    async draft(project, prompt, signal) {
      const asked = await askedIn(project, signal, "prompt");
      if (prompt === undefined) {
        return { sql: drafts.overview(await queries.names(project, signal)) };
      }
      const { query } = await meant(promptOf(prompt), asked);
      if (isTable(query)) {
        const detail = "Of a list of persons or events there is no draft.";
        throw new Failure("invalid_input", detail, "prompt");
      }
      return { sql: await draftOf(needs, query, asked) };
    },
  };
}

/** Returns a query in JSON as a query, and other texts as they are. */
function promptOf(prompt: string): Json {
  if (!prompt.trimStart().startsWith("{")) return prompt;
  try {
    return keptJson(prompt, "prompt");
  } catch (error) {
    if (error instanceof Failure) throw error;
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
    ...{
      project_id,
      name,
      query,
      description: "",
      tags: [],
      favorited: false,
      saved: false,
      dashboards: [],
    },
    ...{ created_at: at, created_by: user, last_modified_at: at, last_modified_by: user },
  };
  return withShortId(randomBytes, (short_id) => writes.insert({ ...draft, short_id }, "asked"));
}
