import { api, type Schemas } from "./client.ts";
import { innerQuery, type Line, type Query } from "./query.ts";
import { sourceNames } from "./source-name.ts";
import { askTogether } from "./together.ts";

/** An answer: its numbers, how the question was read, and SQL that finds the same. */
export type Answer = Omit<Schemas["InsightReport"], "query" | "results"> & {
  query: Query;
  results: Line[];
};

/** An answer that has rows instead of lines: of a list of persons or events, or of a statement in SQL. */
export type TableAnswer = Pick<Schemas["InsightTable"], "columns" | "results"> &
  Partial<Omit<Schemas["InsightTable"], "query">> & { query: Query };

/** The rows of an answer; undefined if it has lines. */
export const tableIn = (answer: Answer): TableAnswer | undefined =>
  "types" in answer || "hasMore" in answer ? (answer as unknown as TableAnswer) : undefined;

/** Filters over a question: those of a dashboard, and others in place of them. */
export type Over = Pick<Schemas["QueryAsked"], "dashboard" | "filters_override">;

/** Asks a question, and keeps nothing of it. Throws a problem if it is refused. */
export const ask = (sent: Query, signal?: AbortSignal): Promise<Answer> =>
  askedBy(sent, (body) => api.post("query/", { body, signal }));

/** Asks a question of a tile, in one request with those of the other tiles. Throws a problem if it is refused. */
export const askForTile = (sent: Query, signal: AbortSignal, over: Over): Promise<Answer> =>
  askedBy(sent, (body) => askTogether({ ...body, ...over }, signal));

type Body = Pick<Schemas["QueryAsked"], "query">;

async function askedBy(sent: Query, by: (body: Body) => Promise<unknown>): Promise<Answer> {
  const query = innerQuery(sent);
  const answer = await by({ query: query as unknown as Body["query"] });
  // The answer to a statement in SQL has no query of its own.
  const whole = { query, ...(answer as object) } as Answer;
  return tableIn(whole) ? whole : { ...whole, results: namedLines(whole.results, whole.query) };
}

/** A question as it was read: its query, its sentence, and the places of words that are not understood. */
export type Reading = Omit<Schemas["WordsRead"], "query"> & { query: Query | null };

/** Reads words as a query, or says a query in words. It looks at names only, and so is quick. */
export async function readQuestion(
  question: { words: string } | { query: Query },
  signal?: AbortSignal,
): Promise<Reading> {
  const reading = await api.post("query/read/", { body: question, signal });
  return reading as Reading;
}

/** The lines of an answer with their names in words: formulas by their measure, and sites by their names. */
function namedLines(lines: readonly Line[], { breakdownFilter = {} }: Query): Line[] {
  const isOfSources = /referring_domain$/.test(String(breakdownFilter["breakdown"]));
  const values = isOfSources ? lines.map(({ breakdown_value }) => breakdown_value) : [];
  const domains = [...new Set(values)].filter((value) => typeof value === "string");
  const names = new Map(sourceNames(domains).map((name, at) => [domains[at], name]));
  return lines.map((line) => {
    const { label, name, breakdown_value: value } = line;
    const site = typeof value === "string" ? names.get(value) : undefined;
    const named = { ...line, label: name ?? label };
    return site === undefined || site === value ? named : { ...named, value_name: site };
  });
}
