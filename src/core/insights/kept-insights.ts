import { checkFolder } from "../dashboards/sent.ts";
import type { InsightFilter, InsightReads, InsightWrites } from "../ports/insights.ts";
import {
  INSIGHT_DESCRIPTION_CHARS_MAX,
  INSIGHT_NAME_CHARS_MAX,
  type Insight,
  QUERY_BYTES_MAX,
  type Query,
  readQuery,
  sourceOf,
  wordsIn,
} from "../queries/insight.ts";
import { periodOf } from "../queries/period.ts";
import { readSql } from "../queries/sql-query.ts";
import { isTable, readTable } from "../queries/tables/table.ts";
import { Failure } from "../values/failure.ts";
import { withShortId } from "../values/ids.ts";
import { isLonger, isObject, type Json, type JsonObject, storableText } from "../values/json.ts";
import { cursorPage, type Page, type PageQuery } from "../values/page.ts";
import { storableTags } from "../values/tags.ts";
import { type Clock, isoTime } from "../values/time.ts";
import type { Moment } from "../values/zoned-time.ts";
import { checkName, nameOf, tableName } from "./insight-name.ts";
import { tablePeriod } from "./tables/events.ts";

/** The fields of an insight as they are sent. */
export type SentInsight = {
  name?: string | undefined;
  description?: string | undefined;
  query?: Json | undefined;
  tags?: string[] | undefined;
  _create_in_folder?: string | undefined;
  favorited?: boolean | undefined;
  /** Whether it stays; true if it is not sent, unless nothing but `deleted` is sent. */
  saved?: boolean | undefined;
  deleted?: boolean | undefined;
  /** Ids of the dashboards that shall have it. */
  dashboards?: number[] | undefined;
};

/** Insights that are kept (decisions 72 and 180). */
export type KeptInsights = {
  /** The newest first. `url` is the public address of the request, for links. */
  list(project: number, filter: InsightFilter, query: PageQuery, url: URL): Promise<Page<Insight>>;
  /** Fails `not_found`, also when it is deleted. */
  get(project: number, short_id: string): Promise<Insight>;
  /**
   * Saves a query without running it; `user` is the id of its author. Fails `required`, `invalid_input`,
   * `invalid_choice` and `too_long`.
   */
  save(project: number, user: number, sent: SentInsight): Promise<Insight>;
  /**
   * Changes the sent fields, also of a deleted insight. Nightly deletions erase deleted insights. Fails `not_found`,
   * and as `save` does.
   */
  change(place: InsightPlace, user: number, sent: SentInsight): Promise<Insight>;
};

/** Identity of an insight. */
export type InsightPlace = { project: number; short_id: string };

type Needs = {
  reads: InsightReads;
  writes: InsightWrites;
  /** The time now, on the clock of a project. */
  momentOf: (project: number) => Promise<Moment>;
  /** Returns the typed query of a question in words, and any other query as it is. */
  typed: (project: number, query: JsonObject) => Promise<JsonObject>;
  now: Clock;
  randomBytes: (count: number) => Uint8Array;
};

/** Insights in the store. */
export function keptInsights({
  reads,
  writes,
  momentOf,
  typed,
  now,
  randomBytes,
}: Needs): KeptInsights {
  const typedOf = async (sent: Json, project: number) =>
    isObject(sent) ? await typed(project, sent) : sent;
  const changedQuery = async (sent: Json, project: number) => {
    const { query } = keptQuery(await typedOf(sent, project), await momentOf(project));
    return { query };
  };
  return {
    list: (project, filter, query, url) =>
      cursorPage(url, query, {
        keysOf: ({ id }: Insight) => [id] as const,
        keyTypes: [0],
        read: (part) => reads.list(project, { ...filter, search: searched(filter) }, part),
      }),
    get: async (project, short_id) => existing(await reads.find(project, short_id)),
    async save(project_id, user, { query: sent, ...others }) {
      if (sent === undefined || sent === null) {
        throw new Failure("required", "This field is required.", "query");
      }
      const { query, read } = keptQuery(
        await typedOf(sent, project_id),
        await momentOf(project_id),
      );
      const at = isoTime(now());
      const { deleted: _deleted, name = "", ...fields } = storableFields(others);
      const draft = {
        ...{
          project_id,
          query,
          description: "",
          tags: [],
          favorited: false,
          saved: true,
          dashboards: [],
        },
        ...fields,
        name: nameOf(name || wordsOf(sent) || tableName(query), read),
        ...{ created_at: at, created_by: user, last_modified_at: at, last_modified_by: user },
      };
      return withShortId(randomBytes, (short_id) => writes.insert({ ...draft, short_id }, "made"));
    },
    async change({ project, short_id }, user, { query: sent, ...others }) {
      const query = sent === undefined ? {} : await changedQuery(sent, project);
      const fields = { ...storableFields(others), ...query };
      const isModified = ["name", "description", "query"].some((field) => field in fields);
      const { deleted: _deleted, ...saving } = fields;
      const change = {
        ...(Object.keys(saving).length > 0 ? { saved: true } : {}),
        ...fields,
        ...(isModified ? { last_modified_at: isoTime(now()), last_modified_by: user } : {}),
      };
      return existing(await writes.update(project, short_id, change));
    },
  };
}

const searched = ({ search }: InsightFilter) => search && storableText(search);

function existing(insight: Insight | undefined): Insight {
  if (insight === undefined) throw new Failure("not_found", "Not found.");
  return insight;
}

/** Returns the sent fields in storable form; a field that is absent stays absent. Fails `too_long`. */
function storableFields({ name, description, ...others }: Omit<SentInsight, "query">) {
  if (name !== undefined) checkName(name);
  if (description !== undefined && isLonger(description, INSIGHT_DESCRIPTION_CHARS_MAX)) {
    const detail = `At most ${INSIGHT_DESCRIPTION_CHARS_MAX} characters.`;
    throw new Failure("too_long", detail, "description");
  }
  const { tags, favorited, saved, deleted, dashboards } = others;
  checkFolder(others._create_in_folder);
  return {
    ...(tags === undefined ? {} : { tags: storableTags(tags) }),
    ...(name === undefined ? {} : { name: storableText(name) }),
    ...(description === undefined ? {} : { description: storableText(description) }),
    ...(favorited === undefined ? {} : { favorited }),
    ...(saved === undefined ? {} : { saved }),
    ...(deleted === undefined ? {} : { deleted }),
    ...(dashboards === undefined ? {} : { dashboards }),
  };
}

/** Kinds of queries that are a text. It is read when the query runs. */
const TEXT_KINDS: readonly Json[] = ["HogQLQuery", "SQLQuery"];

/** Checks a query that is saved. `read` is undefined for one that is a text. Fails as {@link readQuery}. */
function keptQuery(sent: Json, moment: Moment): { query: JsonObject; read: Query | undefined } {
  if (!isObject(sent)) throw new Failure("invalid_input", "A query is an object.", "query");
  const { kind = null } = sourceOf(sent);
  if (isTable(sent)) {
    const table = readTable(sent, moment);
    if (table.kind === "EventsQuery") tablePeriod(table, moment);
    return { query: sent, read: undefined };
  }
  if (!TEXT_KINDS.includes(kind)) {
    const read = readQuery(sent, moment);
    // Intervals are counted when it runs, because a dashboard may give it another period.
    periodOf(read.dateRange, { interval: null, ...moment });
    return { query: sent, read };
  }
  readSql(sourceOf(sent));
  if (Buffer.byteLength(JSON.stringify(sent)) > QUERY_BYTES_MAX) {
    throw new Failure("too_long", `At most ${QUERY_BYTES_MAX} bytes as JSON.`, "query");
  }
  return { query: sent, read: undefined };
}

/** The text of a question in words, as a name; empty for other queries and for longer texts. */
const wordsOf = (sent: Json): string => (wordsIn(sent) ?? "").slice(0, INSIGHT_NAME_CHARS_MAX);
