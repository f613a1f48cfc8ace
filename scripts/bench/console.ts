import { availableParallelism } from "node:os";
import { join } from "node:path";
import { PERSONAL_KEY, type Server, startServer } from "../../test/support/start/server.ts";
import { median, p99, seconds, whole } from "./figures.ts";
import { daysBefore, ended, MEMORY_MB, type Needs } from "./insights.ts";
import { fillInsights } from "./insights-fill.ts";
import type { Row } from "./rows.ts";

/** Consoles that watch: each has a stream of events, and asks for the state every two seconds. */
const CONSOLES = 10;
const CONSOLES_PER_KEY = 4;
const STATE_EVERY_MS = 2000;

/** Rounds of events without and with consoles, in turns, their length, and the time in which pages open before. */
const TURNS = 3;
const TURN_SECONDS = 8;
const OPENING_SECONDS = 2;

const ENVIRONMENT = "/api/environments/1";

/** The dashboard "Website" over many events, and answers to SDKs while consoles watch. */
export async function consoleRows(needs: Needs): Promise<Row[]> {
  const { command, directory, events, rounds, trickle } = needs;
  const data = join(directory, "data");
  const flags = ["--memory", String(MEMORY_MB), "--threads", String(availableParallelism())];
  await ended(await startServer({ command, data, flags }));
  await fillInsights({ data, events, from: daysBefore(Date.now()).first });
  await using server = await startServer({ command, data, flags });
  const took = await opened(server, rounds);
  const [first = Number.NaN, ...others] = took.all;
  const watched = await watchedAnswers(server, trickle);
  await ended(server);
  return [
    {
      work: `a dashboard of ${took.tiles} tiles over 30 days of ${whole(events)} events, until all are there, p50 of ${others.length}`,
      figure: `${seconds(median(others))}; the first time ${seconds(first)}`,
      must: "3 s",
    },
    {
      work: `answers to single events, 1,000/s, while ${CONSOLES} consoles watch`,
      figure: `p99 ${p99(watched.with)}; without consoles p99 ${p99(watched.without)}`,
      must: "p99 60 ms",
    },
  ];
}

type Tile = { insight: { query: { source: object } }; layouts: { sm: { x: number; y: number } } };

/**
 * Opens the dashboard "Website" again and again; how long each took in milliseconds. As the console does, it asks the
 * numbers, the chart of the first one, and the first list of each card in one request.
 */
async function opened(server: Server, rounds: number): Promise<{ tiles: number; all: number[] }> {
  const draft = { name: "bench", use_template: "website" };
  const { tiles } = await asked<{ tiles: Tile[] }>(server, `${ENVIRONMENT}/dashboards/`, draft);
  const cards = new Map<string, Tile[]>();
  for (const tile of tiles) {
    const { x, y } = tile.layouts.sm;
    cards.set(`${x} ${y}`, [...(cards.get(`${x} ${y}`) ?? []), tile]);
  }
  const [numbers = [], ...lists] = [...cards.values()];
  const shown = [...numbers, ...lists.flatMap((list) => list.slice(0, 1))];
  const chart = {
    ...numbers[0]?.insight.query.source,
    trendsFilter: { display: "ActionsLineGraph" },
  };
  const queries = [chart, ...shown.map(({ insight }) => insight.query)].map((query) => ({
    ...{ query, filters_override: { date_from: "-30d" } },
  }));
  const all: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const began = performance.now();
    const text = await sent(server, `${ENVIRONMENT}/query/stream/`, { queries });
    all.push(performance.now() - began);
    const answers = text.trim().split("\n");
    const failed = answers.filter((line) => !line.includes('"status":200'));
    if (answers.length !== queries.length || failed.length > 0) throw new Error(failed[0]);
  }
  return { tiles: queries.length, all };
}

/** Times of answers to single events in milliseconds, in turns without and with consoles. */
async function watchedAnswers(
  server: Server,
  trickle: Needs["trickle"],
): Promise<{ with: number[]; without: number[] }> {
  const keys = await Promise.all(
    Array.from({ length: Math.ceil(CONSOLES / CONSOLES_PER_KEY) }, async (_, at) => {
      const draft = { label: `console ${at}`, scopes: ["query:read", "project:read"] };
      return (await asked<{ value: string }>(server, "/api/personal_api_keys/", draft)).value;
    }),
  );
  const answers = { with: [] as number[], without: [] as number[] };
  const measured = async () => {
    await trickle(server, OPENING_SECONDS);
    return (await trickle(server, TURN_SECONDS)).took;
  };
  for (let turn = 0; turn < TURNS; turn += 1) {
    answers.without.push(...(await measured()));
    const leaving = new AbortController();
    const consoles = Array.from({ length: CONSOLES }, (_, at) =>
      watch(server, keys[at % keys.length] ?? "", { at, signal: leaving.signal }),
    );
    answers.with.push(...(await measured()));
    leaving.abort();
    await Promise.all(consoles);
  }
  return answers;
}

/** Reads events as they come, and the state now and then, until it leaves. People open their pages one by one. */
async function watch(
  { url }: Server,
  key: string,
  { at, signal }: { at: number; signal: AbortSignal },
): Promise<void> {
  const options = { headers: { authorization: `Bearer ${key}` }, signal };
  const read = async (path: string) => {
    const response = await fetch(url + path, options);
    if (!response.ok) throw new Error(`${path} answers ${response.status}`);
    await response.body?.pipeTo(new WritableStream());
  };
  const state = async () => {
    await Bun.sleep((at * STATE_EVERY_MS) / CONSOLES);
    for (;;) {
      await read("/api/projects/1/status/");
      await Bun.sleep(STATE_EVERY_MS);
    }
  };
  await Promise.race([read(`${ENVIRONMENT}/events/live/`), state()]).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

async function asked<Body>(server: Server, path: string, body: object): Promise<Body> {
  return JSON.parse(await sent(server, path, body)) as Body;
}

async function sent({ url }: Server, path: string, body: object): Promise<string> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text;
}
