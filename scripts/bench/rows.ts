import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Server, startServer } from "../../test/support/start/server.ts";
import { CHANGES, chainOfAliases, changesOfLarge, LINKS } from "./aliases.ts";
import { consoleRows } from "./console.ts";
import { decodeCosts } from "./decode.ts";
import { FILL_STREAM, PROJECT_KEY, type Run } from "./events.ts";
import { median, megabytes, ms, seconds, spread, whole } from "./figures.ts";
import { insightRows } from "./insights.ts";
import type { Job, Sent } from "./load.ts";
import { usage } from "./machine.ts";
import { personRows, TRICKLE_PER_SECOND } from "./persons.ts";
import {
  coldStart,
  type Floor,
  type Generator,
  portOf,
  startFloor,
  startGenerator,
} from "./process.ts";

/** One line of the table; texts as they are printed. */
export type Row = {
  work: string;
  figure: string;
  floor?: string;
  ratio?: string;
  must?: string;
  aim?: string;
};

/** How much is done. Seconds are of one round. */
export type Plan = {
  fillEvents: number;
  rounds: number;
  floorSeconds: number;
  singleSeconds: number;
  batchSeconds: number;
  backfillEvents: number;
  largeBatches: number;
  freshSamples: number;
  idleSeconds: number;
  coldStarts: number;
  decodeRounds: number;
  persons: number;
  personSeconds: number;
  insightEvents: number;
  insightRounds: number;
};

/** What the rows share: the server under test and what has been sent to it. */
export type Bench = {
  plan: Plan;
  command: string[];
  data: string;
  server: Server;
  floor: Floor;
  /** Sends everything but what must not wait behind it. */
  load: Generator;
  /** Sends at a steady pace beside the load. */
  pace: Generator;
  /** Events that the store must hold: each sent uuid once. */
  expected: number;
  /** Bytes of an event as it is sent, on average. */
  eventBytes: number;
  /** The most memory that a server of this run has taken, of those that have ended, in bytes. */
  peakBytes: number;
};

const CONNECTIONS = 64;
const BATCH_CONNECTIONS = 8;
const BATCH_EVENTS = 100;
const WARM_UP_SECONDS = 2;
const PACE_PER_SECOND = 1000;
const LARGE_BYTES = 20_500_000;
const POLL_MS = 200;
/** How long nothing has happened before a server counts as idle, in milliseconds. */
const REST_MS = 45_000;
const STORED_MS_MAX = 300_000;
const SHARE_OF_PERSONS = 5;

/** Streams of the mix; the floor has its own, because its events are in no store. */
const STREAM = { load: 1, floor: 2, pace: 3, paceFloor: 4 };

/** Starts what the rows need, and fills the store with persons and the window of uuids. */
export async function prepare(plan: Plan, command: string[], data: string): Promise<Bench> {
  const run: Run = {
    epoch: Date.now(),
    persons: plan.fillEvents / SHARE_OF_PERSONS,
    filled: plan.fillEvents,
  };
  const server = await startServer({ command, data });
  const [floor, load, pace] = await Promise.all([
    startFloor(),
    startGenerator(run),
    startGenerator(run),
  ]);
  const bench = {
    plan,
    command,
    data,
    server,
    floor,
    load,
    pace,
    expected: 0,
    eventBytes: 0,
    peakBytes: 0,
  };
  const { sent } = await sendStored(bench, {
    stream: FILL_STREAM,
    connections: BATCH_CONNECTIONS,
    batch: BATCH_EVENTS,
    seconds: 600,
    requestsMax: plan.fillEvents / BATCH_EVENTS,
  });
  bench.eventBytes = sent.bytes / sent.events;
  return bench;
}

/**
 * Single events on many connections, each acknowledged before the next of its connection: sent by
 * `fetch`, as SDKs do, and by raw sockets, which leave more of the machine to whoever answers.
 */
async function singles(bench: Bench): Promise<Row[]> {
  const byFetch = await singlesBy(bench, true);
  const raw = await singlesBy(bench, false);
  const work = `single events, ${CONNECTIONS} connections, acknowledged and durable`;
  const under = ({ took, cpu }: Singles): Row[] => [
    { work: "  their answers under that load, p50 / p99 / max", figure: spread(took) },
    { work: "  the server's CPU time an event, until stored", figure: cpuText(cpu) },
  ];
  return [
    { work, ...byFetch.compared, must: "0.45; 12,000/s", aim: "0.6" },
    ...under(byFetch),
    { work: "  the same by raw sockets", ...raw.compared },
    ...under(raw),
  ];
}

type Singles = {
  compared: Pick<Row, "figure" | "floor" | "ratio">;
  took: number[];
  cpu: (number | undefined)[];
};

async function singlesBy(bench: Bench, fetch: boolean): Promise<Singles> {
  const { plan, floor, load } = bench;
  const job = { connections: CONNECTIONS, batch: 1, fetch };
  const rates: Rates = { ours: [], floor: [], cpu: [] };
  await sendStored(bench, { ...job, stream: STREAM.load, seconds: WARM_UP_SECONDS });
  const took: number[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    const bare = { ...job, port: floor.port, stream: STREAM.floor, seconds: plan.floorSeconds };
    rates.floor.push(rate(await load.send(bare)));
    const before = usage(bench.server.pid)?.cpuSeconds;
    const { sent } = await sendStored(bench, {
      ...job,
      stream: STREAM.load,
      seconds: plan.singleSeconds,
    });
    rates.ours.push(rate(sent));
    rates.cpu.push(cpuPerEvent(bench, before, sent));
    took.push(...sent.took.filter((_, at) => at % 7 === 0));
  }
  return { compared: compared(rates, "events/s"), took, cpu: rates.cpu };
}

/** Batches, and how long after the last answer all of their events can be read. */
async function batches(bench: Bench): Promise<Row[]> {
  const { plan, floor, load } = bench;
  const job = { connections: BATCH_CONNECTIONS, batch: BATCH_EVENTS };
  const rates: Rates = { ours: [], floor: [], cpu: [] };
  const drains: number[] = [];
  const sustained: number[] = [];
  await sendStored(bench, { ...job, stream: STREAM.load, seconds: WARM_UP_SECONDS });
  for (let round = 0; round < plan.rounds; round += 1) {
    const bare = { ...job, port: floor.port, stream: STREAM.floor, seconds: plan.floorSeconds };
    rates.floor.push(rate(await load.send(bare)));
    const before = usage(bench.server.pid)?.cpuSeconds;
    const { sent, storedAfterMs } = await sendStored(bench, {
      ...job,
      stream: STREAM.load,
      seconds: plan.batchSeconds,
    });
    rates.ours.push(rate(sent));
    rates.cpu.push(cpuPerEvent(bench, before, sent));
    drains.push(storedAfterMs);
    const seconds = (sent.lastAnswerAt - sent.startedAt + storedAfterMs) / 1000;
    sustained.push(sent.events / seconds);
  }
  return [
    {
      work: `batches of ${BATCH_EVENTS}, ${BATCH_CONNECTIONS} connections, acknowledged and durable`,
      ...compared(rates, "events/s"),
      must: "45,000/s",
      aim: "70,000/s",
    },
    {
      work: "  all queryable after the last answer",
      figure: `${seconds(median(drains))} (worst ${seconds(Math.max(...drains))})`,
      must: "5 s",
    },
    { work: "  first request to all queryable", figure: `${whole(median(sustained))} events/s` },
    { work: "  the server's CPU time an event, until stored", figure: cpuText(rates.cpu) },
  ];
}

/** Answers to a steady trickle while a backfill loads as fast as it is accepted. */
async function backfill(bench: Bench): Promise<Row[]> {
  const { plan, floor } = bench;
  const trickle = { connections: CONNECTIONS, batch: 1, rate: PACE_PER_SECOND };
  const bulk = { connections: BATCH_CONNECTIONS, batch: BATCH_EVENTS };
  const requestsMax = plan.backfillEvents / BATCH_EVENTS;

  const bare = await together(bench, {
    bulk: { ...bulk, port: floor.port, stream: STREAM.floor, seconds: plan.floorSeconds },
    trickle: { ...trickle, port: floor.port, stream: STREAM.paceFloor },
  });
  const port = portOf(bench.server);
  const ours = await together(bench, {
    bulk: { ...bulk, port, stream: STREAM.load, seconds: 600, requestsMax },
    trickle: { ...trickle, port, stream: STREAM.pace },
  });
  bench.expected += ours.bulk.unique + ours.trickle;
  await stored(bench);
  return [
    {
      work: `answers at ${whole(PACE_PER_SECOND)}/s while ${whole(ours.bulk.events)} events load, p50 / p99 / max`,
      figure: spread(ours.took),
      floor: spread(bare.took),
      must: "p99 60 ms",
      aim: "p99 25 ms",
    },
    {
      work: "  the load meanwhile, acknowledged",
      figure: `${whole(rate(ours.bulk))} events/s`,
      floor: `${whole(rate(bare.bulk))} events/s`,
    },
  ];
}

/** What it takes to decode and admit a body, by how it is packed; in this process. */
async function decode({ plan }: Bench): Promise<Row[]> {
  return decodeCosts(plan.decodeRounds).map(({ name, bytes, events, micros }) => ({
    work: `decode and admit ${events === 1 ? "one event" : `${events} events`}, ${name}`,
    figure: `${(micros / events).toFixed(1)} µs an event, ${(bytes / micros).toFixed(0)} MB/s`,
  }));
}

/** One batch of the largest size, and other clients meanwhile. */
async function large(bench: Bench): Promise<Row[]> {
  const { plan, floor } = bench;
  const events = Math.floor(LARGE_BYTES / bench.eventBytes);
  const bulk = { connections: 1, batch: events, seconds: 60, requestsMax: 1 };
  const trickle = { connections: CONNECTIONS, batch: 1, rate: PACE_PER_SECOND };
  const answers = { ours: [] as number[], floor: [] as number[] };
  const others = { ours: [] as number[], floor: [] as number[] };
  for (let sample = 0; sample < plan.largeBatches; sample += 1) {
    const bare = await together(bench, {
      bulk: { ...bulk, port: floor.port, stream: STREAM.floor },
      trickle: { ...trickle, port: floor.port, stream: STREAM.paceFloor },
    });
    answers.floor.push(...bare.bulk.took);
    others.floor.push(...bare.took);
    const port = portOf(bench.server);
    const ours = await together(bench, {
      bulk: { ...bulk, port, stream: STREAM.load },
      trickle: { ...trickle, port, stream: STREAM.pace },
    });
    bench.expected += ours.bulk.unique + ours.trickle;
    answers.ours.push(...ours.bulk.took);
    others.ours.push(...ours.took);
    await stored(bench);
  }
  return [
    {
      work: `one batch of ${(LARGE_BYTES / 1e6).toFixed(0)} MB (${whole(events)} events), until its answer`,
      figure: `${seconds(median(answers.ours))} (worst ${seconds(Math.max(...answers.ours))})`,
      floor: seconds(median(answers.floor)),
      must: "1 s",
    },
    {
      work: "  other clients' answers meanwhile, p50 / p99 / max",
      figure: spread(others.ours),
      floor: spread(others.floor),
      must: "p99 100 ms",
      aim: "p99 50 ms",
    },
  ];
}

/** From the answer to one event until it can be read by its uuid. */
async function fresh(bench: Bench): Promise<Row[]> {
  const { server, plan } = bench;
  const took: number[] = [];
  for (let sample = 0; sample < plan.freshSamples; sample += 1) {
    await Bun.sleep(200 + ((sample * 137) % 300));
    const uuid = Bun.randomUUIDv7();
    const response = await server.capture(
      { api_key: PROJECT_KEY, event: "fresh", distinct_id: "fresh", uuid },
      "/i/v0/e/",
    );
    if (!response.ok) throw new Error(`capture answered ${response.status}`);
    const answered = performance.now();
    bench.expected += 1;
    for (;;) {
      const { count } = await server.get<{ count: number }>(`/events/?limit=1&uuid=${uuid}`);
      if (count === 1) break;
      if (performance.now() - answered > STORED_MS_MAX) throw new Error("An event was lost");
      await Bun.sleep(10);
    }
    took.push(performance.now() - answered);
  }
  const sorted = took.toSorted((a, b) => a - b);
  return [
    {
      work: `idle, one event: answer to queryable, median / worst of ${took.length}`,
      figure: `${ms(median(took))} / ${ms(sorted.at(-1) ?? 0)}`,
      must: "1.5 s",
      aim: "0.5 s",
    },
  ];
}

/** A chain of merges, which has to become one person. */
async function aliases(bench: Bench): Promise<Row[]> {
  const { chain, plain } = await chainOfAliases(bench.server, async (events) => {
    bench.expected += events;
    await stored(bench);
  });
  return [
    {
      work: `a chain of ${whole(LINKS)} aliases in one batch, until it is one person and queryable`,
      figure: seconds(chain),
    },
    { work: "  as many events that merge nobody, by the same server", figure: seconds(plain) },
  ];
}

/** Changes of persons and groups that have much already: an event must cost about as much as for plain ones. */
async function changes(bench: Bench): Promise<Row[]> {
  const { plain, manyKeys, group } = await changesOfLarge(bench.server, async (events) => {
    bench.expected += events;
    await stored(bench);
  });
  return [
    {
      work: `${whole(CHANGES)} events that each change a plain person, until they are queryable`,
      figure: seconds(plain),
    },
    { work: "  a person of 2,000 properties", figure: seconds(manyKeys) },
    { work: "  a group of 400 kB", figure: seconds(group) },
  ];
}

/** Stops the server cleanly and weighs its files, as they were loaded and after a nightly run. */
async function disk(bench: Bench): Promise<Row[]> {
  await stop(bench);
  const { data, expected } = bench;
  const bytes = () => bytesOf(data, "events", ".duckdb") / expected;
  const loaded = bytes();
  await nightlyRun(bench);
  const perEvent = (directory: string, ending: string) =>
    bytesOf(data, directory, ending) / expected;
  const row = (work: string, weight: number) => ({ work, figure: `${weight.toFixed(0)} B` });
  const rows = [
    {
      ...row(`DuckDB file after a nightly run, an event (of ${whole(expected)})`, bytes()),
      floor: `${bench.eventBytes.toFixed(0)} B of JSON`,
      must: "160 B",
      aim: "130 B",
    },
    row("  as it was loaded, an event", loaded),
    row("  journal, an event", perEvent("journal", ".journal")),
    row("  SQLite, an event", perEvent(".", ".sqlite")),
  ];
  await restart(bench);
  return rows;
}

/** Has the event store put in order, as every night, and stops the server. */
async function nightlyRun(bench: Bench): Promise<void> {
  const { command, data } = bench;
  const files = () => readdirSync(join(data, "events")).filter((name) => name.endsWith(".duckdb"));
  const before = files();
  bench.server = await startServer({
    ...{ command, data },
    env: { HOGLET_DELETIONS_NIGHTLY: "* * * * *" },
  });
  const deadline = performance.now() + STORED_MS_MAX;
  while (files().some((name) => name === before[0] || !/^\d/.test(name))) {
    if (performance.now() > deadline) throw new Error("The nightly run does not end");
    await Bun.sleep(POLL_MS);
  }
  await stored(bench);
  await stop(bench);
}

/** Process start to readiness with the store as it is, after a clean stop and after SIGKILL. */
async function cold(bench: Bench): Promise<Row[]> {
  const { command, data, plan, expected } = bench;
  await stop(bench);
  const clean: number[] = [];
  const bare: number[] = [];
  // The first start may have native files to unpack.
  await coldStart(command, data);
  for (let start = 0; start < plan.coldStarts; start += 1) {
    clean.push(await coldStart(command, data));
    await using again = await startFloor();
    bare.push(again.startedInMs);
  }
  await restart(bench);
  const logged = expected;
  await sendStored(bench, {
    stream: STREAM.load,
    connections: BATCH_CONNECTIONS,
    batch: BATCH_EVENTS,
    seconds: 60,
    requestsMax: plan.fillEvents / 5 / BATCH_EVENTS,
  });
  bench.server.signal("SIGKILL");
  await bench.server.exited;
  const killed = await coldStart(command, data);
  await restart(bench);
  return [
    {
      work: `cold start with ${whole(expected)} events, median / worst of ${clean.length}`,
      figure: `${ms(median(clean))} / ${ms(Math.max(...clean))}`,
      floor: ms(median(bare)),
      must: "500 ms",
      aim: "300 ms",
    },
    {
      work: `  after SIGKILL, ${whole(bench.expected - logged)} events past the last checkpoint`,
      figure: ms(killed),
    },
  ];
}

/** Memory and CPU with nothing to do: as it is now, and after a new start. */
async function memory(bench: Bench): Promise<Row[]> {
  notePeak(bench);
  const after = await idle(bench);
  await stop(bench);
  await restart(bench);
  const again = await idle(bench);
  const floor = usage(bench.floor.pid);
  return [
    {
      work: "memory (RSS): most of any server under all of the above",
      figure: megabytes(bench.peakBytes),
      floor: megabytes(floor?.peakBytes),
      must: "800 MB",
      aim: "500 MB",
    },
    {
      work: "  idle after the load; CPU",
      figure: `${megabytes(after.rss)}; ${after.cpu}`,
      floor: megabytes(floor?.rssBytes),
    },
    {
      work: "  idle after a new start; CPU",
      figure: `${megabytes(again.rss)}; ${again.cpu}`,
      must: "200 MB; 0 %",
      aim: "120 MB",
    },
  ];
}

/** Requests for persons of a large store, beside a trickle of events. */
async function persons(bench: Bench): Promise<Row[]> {
  const { plan, server, pace } = bench;
  return personRows({
    server,
    persons: plan.persons,
    seconds: plan.personSeconds,
    async stored(events) {
      bench.expected += events;
      await stored(bench);
    },
    async trickle(seconds) {
      const sent = await pace.send({
        port: portOf(server),
        stream: STREAM.pace,
        connections: CONNECTIONS,
        batch: 1,
        rate: TRICKLE_PER_SECOND,
        seconds,
      });
      bench.expected += sent.unique;
      return sent;
    },
  });
}

/** Insights of a store of their own, beside a trickle of events. */
async function insights({ plan, command, data, pace }: Bench): Promise<Row[]> {
  return insightRows({
    ...{ command, events: plan.insightEvents, rounds: plan.insightRounds },
    directory: `${data}-insights`,
    trickle: (server, seconds) =>
      pace.send({
        ...{ port: portOf(server), stream: STREAM.pace, connections: CONNECTIONS, batch: 1 },
        ...{ rate: PACE_PER_SECOND, seconds },
      }),
  });
}

/** A dashboard, and consoles that watch, over the events of {@link insights} in a store of their own. */
async function consoles({ plan, command, data, pace }: Bench): Promise<Row[]> {
  return consoleRows({
    ...{ command, events: plan.insightEvents, rounds: plan.insightRounds },
    directory: `${data}-console`,
    trickle: (server, seconds) =>
      pace.send({
        ...{ port: portOf(server), stream: STREAM.pace, connections: CONNECTIONS, batch: 1 },
        ...{ rate: PACE_PER_SECOND, seconds },
      }),
  });
}

/** The parts that can be chosen, in the order in which they are measured. */
export const PARTS: Record<string, (bench: Bench) => Promise<Row[]>> = {
  decode,
  fresh,
  aliases,
  changes,
  large,
  backfill,
  disk,
  cold,
  singles,
  batches,
  memory,
  persons,
  insights,
  console: consoles,
};

/** Parts that take minutes, and change what others measure: only by name. */
export const PARTS_BY_NAME: readonly string[] = ["persons", "insights", "console"];

/** Stops the server as an operator would, and fails if it does not end well. */
export async function stop(bench: Bench): Promise<void> {
  notePeak(bench);
  const { server } = bench;
  server.signal("SIGTERM");
  const code = await server.exited;
  if (code !== 0) throw new Error(`The server ended with ${code}: ${server.output().err}`);
}

function notePeak(bench: Bench): void {
  bench.peakBytes = Math.max(bench.peakBytes, usage(bench.server.pid)?.peakBytes ?? 0);
}

async function restart(bench: Bench): Promise<void> {
  bench.server = await startServer({ command: bench.command, data: bench.data });
  await stored(bench);
}

async function idle({ server, plan }: Bench): Promise<{ rss: number | undefined; cpu: string }> {
  await Bun.sleep(REST_MS);
  const before = usage(server.pid);
  await Bun.sleep(plan.idleSeconds * 1000);
  const after = usage(server.pid);
  if (before === undefined || after === undefined) return { rss: undefined, cpu: "n/a" };
  const share = (after.cpuSeconds - before.cpuSeconds) / plan.idleSeconds;
  return { rss: after.rssBytes, cpu: `${(share * 100).toFixed(1)} %` };
}

/** Runs a bulk load and a trickle beside it; `took` are the trickle's answers meanwhile. */
async function together(
  { load, pace }: Bench,
  jobs: { bulk: Job; trickle: Omit<Job, "seconds"> },
): Promise<{ bulk: Sent; took: number[]; trickle: number }> {
  const took: number[] = [];
  let unique = 0;
  const bulk = load.send(jobs.bulk);
  let done: Sent | undefined;
  bulk.then(
    (sent) => {
      done = sent;
    },
    () => undefined,
  );
  const slices: Sent[] = [];
  // The trickle's end is not known ahead, so it comes in short jobs.
  while (done === undefined) {
    const sent = await pace.send({ ...jobs.trickle, seconds: 1 });
    slices.push(sent);
    unique += sent.unique;
    await Promise.race([bulk, Bun.sleep(0)]);
  }
  const { startedAt, lastAnswerAt } = await bulk;
  for (const sent of slices) {
    sent.due.forEach((at, index) => {
      if (at >= startedAt && at <= lastAnswerAt) took.push(sent.took[index] ?? 0);
    });
  }
  return { bulk: done, took, trickle: unique };
}

/** Sends a job to the server and waits until all of it can be read. */
async function sendStored(
  bench: Bench,
  job: Omit<Job, "port">,
): Promise<{ sent: Sent; storedAfterMs: number }> {
  const sent = await bench.load.send({ ...job, port: portOf(bench.server) });
  bench.expected += sent.unique;
  await stored(bench);
  const now = performance.timeOrigin + performance.now();
  return { sent, storedAfterMs: now - sent.lastAnswerAt };
}

/** Waits until the store holds exactly what was sent to it. */
async function stored({ server, expected }: Bench): Promise<void> {
  const deadline = performance.now() + STORED_MS_MAX;
  for (;;) {
    const { count } = await server.get<{ count: number }>("/events/?limit=1");
    if (count === expected) return;
    if (count > expected) throw new Error(`${count} events are stored, ${expected} were sent`);
    if (performance.now() > deadline) throw new Error(`${count} of ${expected} events are stored`);
    await Bun.sleep(POLL_MS);
  }
}

function bytesOf(data: string, directory: string, ending: string): number {
  const path = join(data, directory);
  return readdirSync(path)
    .filter((name) => name.endsWith(ending))
    .reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}

type Rates = { ours: number[]; floor: number[]; cpu: (number | undefined)[] };

function compared({ ours, floor }: Rates, unit: string): Pick<Row, "figure" | "floor" | "ratio"> {
  const ratios = ours.map((value, at) => value / (floor[at] ?? Number.NaN));
  return {
    figure: `${whole(median(ours))} ${unit} (${whole(Math.min(...ours))} to ${whole(Math.max(...ours))})`,
    floor: `${whole(median(floor))} ${unit}`,
    ratio: median(ratios).toFixed(2),
  };
}

function cpuPerEvent({ server }: Bench, before: number | undefined, sent: Sent) {
  const after = usage(server.pid)?.cpuSeconds;
  if (before === undefined || after === undefined) return undefined;
  return ((after - before) * 1e6) / sent.events;
}

function cpuText(cpu: (number | undefined)[]): string {
  const known = cpu.filter((value) => value !== undefined);
  return known.length === 0 ? "n/a" : `${median(known).toFixed(0)} µs`;
}

const rate = ({ events, startedAt, lastAnswerAt }: Sent): number =>
  (events * 1000) / (lastAnswerAt - startedAt);
