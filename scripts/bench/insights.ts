import { cpSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openDuckdb, rows } from "../../src/stores/duckdb/engine/duckdb.ts";
import { PERSONAL_KEY, type Server, startServer } from "../../test/support/start/server.ts";
import { median, p99, seconds, whole } from "./figures.ts";
import { fillInsights, INSIGHT_DAYS, mergeMany } from "./insights-fill.ts";
import { BY_HAND, type Days } from "./insights-sql.ts";
import type { Sent } from "./load.ts";
import { usage } from "./machine.ts";
import type { Row } from "./rows.ts";

/** What a part over many events needs. */
export type Needs = {
  command: string[];
  /** An empty directory. */
  directory: string;
  events: number;
  /** How often each question is asked. */
  rounds: number;
  /** Sends single events at a steady pace for so long. */
  trickle: (server: Server, seconds: number) => Promise<Sent>;
};

/** What DuckDB gets, of the server and by hand: as the server takes it where there is much. */
export const MEMORY_MB = 256;

const DAY_MS = 86_400_000;

const TRICKLE_ALONE_SECONDS = 5;

/** One row of the table. */
type Asked = { work: string; query: object | string; hand: keyof typeof BY_HAND; must?: string };

const RATIO = "ratio 1.3";

function questions({ first, last }: Days): Asked[] {
  const dateRange = { date_from: first, date_to: last };
  const node = (event: string, more = {}) => ({ kind: "EventsNode", event, ...more });
  const views = { kind: "TrendsQuery", dateRange, interval: "day", series: [node("$pageview")] };
  const by = (breakdown: string) => ({
    ...views,
    breakdownFilter: { breakdown, breakdown_type: "event" },
  });
  const steps = ["$pageview", "signup", "purchase"].map((event) => node(event));
  const hot = { must: `${RATIO}; 2 s` };
  return [
    { work: "trend of page views by day", query: views, hand: "trend", ...hot },
    { work: "unique users by day", query: usersBy(views), hand: "users", ...hot },
    { work: "page views by $current_url", query: by("$current_url"), hand: "url", ...hot },
    { work: "page views by plan", query: by("plan"), hand: "plan", must: RATIO },
    {
      work: "page view, signup, purchase within 14 days",
      query: { kind: "FunnelsQuery", dateRange, series: steps },
      hand: "funnel",
      ...hot,
    },
    {
      work: "retention of page views over 8 weeks",
      query: {
        kind: "RetentionQuery",
        dateRange: { date_to: last },
        retentionFilter: {
          retentionType: "retention_first_time",
          period: "Week",
          totalIntervals: 8,
          targetEntity: { id: "$pageview" },
        },
      },
      hand: "retention",
      ...hot,
    },
    ...aboutSessions({ first, last }),
  ];
}

/** Questions in words, by the SQL that they run as over `sessions`. */
function aboutSessions({ first, last }: Omit<Days, "weeksFrom">): Asked[] {
  const asked = (words: string, hand: Asked["hand"]) => ({
    work: `"${words}"`,
    query: `${words} between ${first} and ${last}`,
    hand,
    must: RATIO,
  });
  return [
    asked("how many sessions", "sessions"),
    asked("average session length", "sessionSeconds"),
    asked("bounce rate", "bounceRate"),
    asked("top 10 entry pages", "entryPages"),
  ];
}

const usersBy = (views: object) => ({
  ...views,
  series: [{ kind: "EventsNode", event: "$pageview", math: "dau" }],
});

/**
 * Insights over many events, asked over HTTP and by hand in turns: by SQL on a copy of the store, in
 * an engine with the same settings. Throws if the two do not find the same numbers.
 */
export async function insightRows(needs: Needs): Promise<Row[]> {
  const { command, directory, events, trickle } = needs;
  const data = join(directory, "data");
  const flags = ["--memory", String(MEMORY_MB), "--threads", String(availableParallelism())];
  const start = () => startServer({ command, data, flags });
  await ended(await start());
  const days = daysBefore(Date.now());
  const began = performance.now();
  await fillInsights({ data, events, from: days.first });
  const filled = performance.now() - began;
  const copy = join(directory, "copy");
  cpSync(join(data, "events"), join(copy, "events"), { recursive: true });
  const found: Row[] = [
    {
      work: `${whole(events)} events of ${INSIGHT_DAYS} days, put into the store`,
      figure: seconds(filled),
    },
  ];

  let server = await start();
  const asked = questions(days);
  try {
    for (const one of asked) found.push(await compared({ ...needs, server, copy, days }, one));
    await ended(server);
    for (const store of [data, copy]) await mergeMany(store);
    server = await start();
    const many = { work: "unique users with 1 M merged persons", hand: "usersOfMany" } as const;
    const users = { ...many, query: asked[1]?.query ?? {}, must: `${RATIO}; 2 s` };
    found.push(await compared({ ...needs, server, copy, days }, users));
    found.push(await meanwhile(server, asked, (seconds) => trickle(server, seconds)));
    await ended(server);
  } finally {
    await server[Symbol.asyncDispose]();
  }
  rmSync(directory, { recursive: true });
  return found;
}

type Answer = {
  sql?: string;
  columns: string[];
  results: {
    breakdown_value: string | null;
    data: (number | null)[];
    aggregated_value: number;
    average_conversion_times?: (number | null)[];
    median_conversion_times?: (number | null)[];
  }[];
};

async function compared(
  { server, copy, days, rounds }: Needs & { server: Server; copy: string; days: Days },
  { work, query, hand, must }: Asked,
): Promise<Row> {
  const took = { ours: [] as number[], hand: [] as number[] };
  const cpu = { ours: 0, hand: 0 };
  const duckdb = await openDuckdb({
    ...{ directory: copy, generation: 1, memory_bytes: MEMORY_MB * 1e6 },
    threads: availableParallelism(),
    onFatal: (error) => console.error(error),
  });
  const timed = async <T>(of: "ours" | "hand", pid: number, ask: () => Promise<T>) => {
    const [before, at] = [usage(pid)?.cpuSeconds, performance.now()];
    const answer = await ask();
    took[of].push(performance.now() - at);
    cpu[of] += (usage(pid)?.cpuSeconds ?? Number.NaN) - Number(before);
    return answer;
  };
  // The first of each is not counted: it reads from disk. Of words it gives the SQL that is asked from then on.
  const state: { sql?: string | undefined } = {};
  const askAgain = async () => {
    if (state.sql !== undefined) return await askSql(server, state.sql);
    const answer = await ask(server, query);
    if (typeof query === "string") state.sql = answer.sql;
    return answer;
  };
  for (let round = 0; round <= rounds; round += 1) {
    const answer = await timed("ours", server.pid, () => askAgain());
    const by = await timed("hand", process.pid, () =>
      duckdb.read((connection) => rows(connection, BY_HAND[hand](days))),
    );
    expectSame(work, answer, by);
    if (round > 0) continue;
    for (const of of ["ours", "hand"] as const) [took[of], cpu[of]] = [[], 0];
  }
  await duckdb.close();
  const cpuOf = (of: "ours" | "hand") => `CPU ${seconds((cpu[of] / rounds) * 1000)}`;
  return {
    work: `  ${work}, p50 of ${rounds}`,
    figure: `${seconds(median(took.ours))}; ${cpuOf("ours")}`,
    floor: `${seconds(median(took.hand))} by hand; ${cpuOf("hand")}`,
    ratio: `${(median(took.ours) / median(took.hand)).toFixed(2)}; CPU ${(cpu.ours / cpu.hand).toFixed(2)}`,
    ...(must === undefined ? {} : { must }),
  };
}

/** Answers to single events while all questions are asked, one after the other. */
async function meanwhile(
  server: Server,
  asked: readonly Asked[],
  trickle: (seconds: number) => Promise<Sent>,
): Promise<Row> {
  await trickle(TRICKLE_ALONE_SECONDS);
  const alone = await trickle(TRICKLE_ALONE_SECONDS);
  const took: number[] = [];
  const state = { done: false };
  const pace = (async () => {
    while (!state.done) took.push(...(await trickle(1)).took);
  })();
  for (const { query } of [...asked, ...asked]) await ask(server, query);
  state.done = true;
  await pace;
  return {
    work: `  answers to ${whole(took.length)} single events, 1,000/s, while all of these are asked`,
    figure: `p99 ${p99(took)}; while nothing is asked p99 ${p99(alone.took)}`,
    must: "p99 60 ms",
  };
}

const ask = (server: Server, query: object | string): Promise<Answer> =>
  posted(server, "max_tools/create_and_query_insight", query);

/** The answer of SQL, whose last column is a number, as that of an insight. */
async function askSql(server: Server, query: string): Promise<Answer> {
  const { results } = await posted<{ results: (string | number)[][] }>(server, "query", {
    kind: "HogQLQuery",
    query,
  });
  const lines = results.map((row) => ({
    breakdown_value: row.length > 1 ? String(row[0]) : null,
    data: [Number(row.at(-1))],
    aggregated_value: Number(row.at(-1)),
  }));
  return { columns: ["total"], results: lines };
}

async function posted<Body = Answer>(
  server: Server,
  path: string,
  query: object | string,
): Promise<Body> {
  const response = await fetch(`${server.url}/api/environments/1/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${PERSONAL_KEY}`,
      "content-type": "application/json",
      prefer: "return=representation",
    },
    body: JSON.stringify({ query }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}

/** Numbers that are not 0, by what they are of; of a fraction, as many digits as are exact. */
type Numbers = Record<string, string>;

function expectSame(work: string, answer: Answer, by: Record<string, unknown>[]): void {
  const ours = numbersOf(answer);
  const hand: Numbers = {};
  for (const { line, place, value } of by) put(hand, String(line), place as string | null, value);
  if (isDeepStrictEqual(ours, hand)) return;
  const name = Object.keys({ ...ours, ...hand }).find((key) => ours[key] !== hand[key]) ?? "";
  throw new Error(`${work}: ${name} is ${ours[name]}, by hand it is ${hand[name]}`);
}

function put(numbers: Numbers, line: string, place: string | null, value: unknown): void {
  if (value !== null && Number(value) !== 0) {
    numbers[`${line} ${place ?? "all"}`] = Number(value).toPrecision(9);
  }
}

/** The numbers of an answer: of trends also the whole, of funnels also the times. */
function numbersOf({ columns, results }: Answer): Numbers {
  const numbers: Numbers = {};
  for (const [index, one] of results.entries()) {
    const { breakdown_value, data, average_conversion_times: average } = one;
    const line = breakdown_value ?? (results.length === 1 ? "" : String(index));
    const isTrend = /^\d{4}-/.test(columns[0] ?? "");
    const place = (at: number) => (isTrend ? String(columns[at]) : String(at));
    for (const [at, value] of data.entries()) put(numbers, line, place(at), value);
    if (isTrend) put(numbers, line, null, one.aggregated_value);
    for (const [at, value] of (average ?? []).entries()) put(numbers, "average", place(at), value);
    for (const [at, value] of (one.median_conversion_times ?? []).entries()) {
      put(numbers, "median", place(at), value);
    }
  }
  return numbers;
}

/** Whole days before this one, and the Monday with which the last eight weeks of them begin. */
export function daysBefore(now: number): Days {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const last = Math.floor(now / DAY_MS) * DAY_MS - DAY_MS;
  const sinceMonday = (new Date(last).getUTCDay() + 6) % 7;
  const weeksFrom = day(last - (sinceMonday + 7 * 7) * DAY_MS);
  return { first: day(last - (INSIGHT_DAYS - 1) * DAY_MS), last: day(last), weeksFrom };
}

/** Stops a server as an operator would. Throws if it does not end well. */
export async function ended(server: Server): Promise<void> {
  server.signal("SIGTERM");
  const code = await server.exited;
  if (code !== 0) throw new Error(`The server ended with ${code}: ${server.output().err}`);
}
