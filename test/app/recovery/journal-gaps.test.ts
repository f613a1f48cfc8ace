import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { nodeDisk } from "../../../src/stores/files/disk.ts";
import { lastSeq, openSegment, segmentName } from "../../../src/stores/journal/segment.ts";
import { metricValue, scrape } from "../../support/answers/prometheus.ts";
import { logsBody, storedLogs } from "../../support/data/logs.ts";
import { bodyOf, clockBefore, eventOf, type Sent, sendStored } from "../../support/data/senders.ts";
import { flipBit } from "../../support/disk/damage.ts";
import {
  type Everything,
  everything,
  expectProjected,
} from "../../support/disk/project-contents.ts";
import { temporaryDirectory } from "../../support/start/app.ts";
import { executable } from "../../support/start/executable.ts";
import { preparedData } from "../../support/start/prepared-data.ts";
import { environment, runCommand } from "../../support/start/process.ts";
import { casesOf } from "../../support/start/rounds.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server, startServer } from "../../support/start/server.ts";

let root = temporaryDirectory();
let data = "";

beforeEach(() => {
  root = temporaryDirectory();
  data = join(root.path, "data");
});

afterEach(() => root[Symbol.dispose]());

const clock = clockBefore(Date.now());
const PADDING = "padding ".repeat(512);

/** Events of a few persons; each request of fifty is a frame of the journal. */
function events(count: number, padding = ""): Sent[] {
  return Array.from({ length: count }, (_, n) => {
    const properties = { n, padding, $browser: "Firefox", $set: { n } };
    return eventOf({ distinct_id: `person-${n % 7}`, timestamp: clock(), properties });
  });
}

/** Contents of a directory, and its log records, once its server has stopped. */
type Held = Everything & { logs: Awaited<ReturnType<typeof storedLogs>> };

/** Has a server take events and log records into the journal, and stops it. */
async function taken(server: Server, sent: readonly Sent[]): Promise<Held> {
  await sendStored(server, sent);
  const path = `/i/v1/logs?token=${PROJECT_KEY}`;
  const record = { body: { stringValue: "lost record" } };
  expect((await server.capture(logsBody([record]), path)).status).toBe(200);
  await sendStored(server, events(50));
  const held = await everything(server);
  expect(await server.stop()).toBe(0);
  return { ...held, logs: await storedLogs(server.data) };
}

/** A stopped server had 300 events, a log record and 50 more events. */
const withLogs = preparedData(async (data) => {
  const sent = events(300);
  return { sent, before: await taken(await startServer({ data }), sent) };
});

/** A server had 300 events. Stopped, it has written all into its file; killed, it leaves a write-ahead log. */
const endedBy = (signal: "SIGTERM" | "SIGKILL") =>
  preparedData(async (data) => {
    const sent = events(300);
    await using server = await startServer({ data });
    await sendStored(server, sent);
    server.signal(signal);
    await server.exited;
    return sent;
  });
const stopped = endedBy("SIGTERM");
const killed = endedBy("SIGKILL");

/** Makes one bit of the journal another one, in the frame that has this text. */
function flip(text: string): void {
  for (const name of readdirSync(join(data, "journal"))) {
    if (!name.endsWith(".journal")) continue;
    const path = join(data, "journal", name);
    const at = readFileSync(path).indexOf(text);
    if (at === -1) continue;
    flipBit(path, at);
    return;
  }
  throw new Error(`${text} is not in the journal`);
}

async function expectSame(before: Held): Promise<void> {
  await using server = await startServer({ data });
  const { events: found, persons } = await everything(server);
  expect(found.length).toBe(before.events.length);
  expect(Bun.deepEquals(found, before.events)).toBe(true);
  expect(persons).toEqual(before.persons);
  expect(await server.stop()).toBe(0);
  await expectProjected(data, before);
  expect(await storedLogs(data)).toEqual(before.logs);
}

const leftovers = () =>
  readdirSync(join(data, "events")).filter((name) => !/duckdb(.wal)?$/.test(name));

test("a rebuild takes rows that the journal has lost from the event store that it replaces", async () => {
  const { sent, before } = await withLogs(data);
  flip(sent[120]?.uuid ?? "");
  flip("lost record");

  const { code, out, err } = await runCommand(["rebuild", "--data", data]);

  expect([code, out]).toEqual([0, expect.stringContaining("350 events, 1 log records.")]);
  expect(err.match(/quarantined corrupt journal data/g)?.length).toBe(2);
  expect(err).not.toContain("sequence numbers missing from journal and stores");
  await expectSame(before);
  expect(leftovers()).toEqual([]);
});

test("it does so for events after the archive, and stores a repeated event once", async () => {
  const small = ["--journal", "1"];
  {
    await using server = await startServer({ data, flags: small });
    await sendStored(server, events(600, PADDING));
    const list = join(data, "archive", "archive.json");
    while (JSON.parse(readFileSync(list, "utf8")).last < 600) await Bun.sleep(50);
    expect(await server.stop()).toBe(0);
  }
  const sent = events(200);
  const server = await startServer({ data });
  await sendStored(server, sent);
  // Sent again within the window: the journal has it twice, the event store once.
  const before = await taken(server, sent.slice(100, 150));
  for (const at of [20, 120]) flip(sent[at]?.uuid ?? "");

  expect(await runCommand(["rebuild", "--data", data])).toMatchObject({ code: 0 });

  await expectSame(before);
});

test("a start takes it from a damaged event store, too, as far as that can be read", async () => {
  const { sent, before } = await withLogs(data);
  flip(sent[120]?.uuid ?? "");
  writeFileSync(join(data, "events", "1.duckdb.damaged"), "");

  await expectSame(before);

  expect(leftovers()).toEqual([expect.stringMatching(/^1\.duckdb\.damaged-/)]);
});

test("a rebuild reports rows that no store has, keeps the rest, and keeps the old file", async () => {
  const { sent, before } = await withLogs(data);
  flip(sent[120]?.uuid ?? "");
  writeFileSync(join(data, "events", "1.duckdb"), "nonsense");

  const { code, out, err } = await runCommand(["rebuild", "--data", data]);

  expect([code, out]).toEqual([0, expect.stringContaining("300 events, 1 log records.")]);
  expect(out).toEndWith(
    "The journal has lost 50 sequence numbers, which no store has either: unless they were refused, the disk failing, events are lost.\n",
  );
  expect(err).toContain("quarantined event store is unreadable; gaps of the journal may be in it");
  expect(err).toMatch(
    /sequence numbers missing from journal and stores.*first=101 last=150 count=50/,
  );
  const [kept = "", ...others] = leftovers();
  expect([kept, others]).toEqual([expect.stringMatching(/^1\.duckdb\.damaged-/), []]);
  expect(readFileSync(join(data, "events", kept), "utf8")).toBe("nonsense");
  const gone = new Set(sent.slice(100, 150).map(({ uuid }) => uuid));
  await expectSame({ ...before, events: before.events.filter(({ uuid }) => !gone.has(uuid)) });
});

test("a missing segment is logged, and counted from then on, once the event store lacks its events as well", async () => {
  // Small segments. This server is stopped before it archives them, and later ones have no reason to.
  const first = await startServer({ data, flags: ["--journal", "2"] });
  const sent = events(250, "padding ".repeat(400));
  for (let at = 0; at < sent.length; at += 50) {
    expect((await first.capture(bodyOf(sent.slice(at, at + 50)))).status).toBe(200);
  }
  expect(await first.stop()).toBe(0);
  rmSync(join(data, "journal", segmentName(101)));
  const starts: unknown[] = [];
  const start = async () => {
    await using server = await startServer({ data });
    const { events: found } = await everything(server);
    const lost = metricValue(await scrape(server), "hoglet_journal_events_lost_total");
    expect(await server.stop()).toBe(0);
    starts.push([found.length, lost, lostIn(server)]);
  };

  await start();
  for (const name of readdirSync(join(data, "events"))) rmSync(join(data, "events", name));
  await start();
  await start();

  expect(starts).toEqual([
    [250, 0, []],
    [150, 100, [{ first: 101, last: 200, count: 100 }]],
    [150, 100, []],
  ]);
});

/** Ways to damage the newest segment while no server runs, and the events that are lost by it. */
const CUTS: [string, (file: string, end: number) => void, number][] = [
  ["emptied", (file) => truncateSync(file, 0), 120],
  ["removed", (file) => rmSync(file), 120],
  ["cut at the end of a frame", (file, end) => truncateSync(file, end), 80],
  ["cut within a frame", (file, end) => truncateSync(file, end + 100), 80],
];

test.each(CUTS)(
  "a newest segment that was %s is logged once, and counted at each later start",
  async (_how, cut, lost) => {
    const first = await startServer({ data });
    await sendStored(first, events(60));
    expect(await first.stop()).toBe(0);
    const stores = join(root.path, "stores");
    cpSync(data, stores, { recursive: true });
    const second = await startServer({ data });
    for (let sent = 0; sent < 3; sent += 1) await sendStored(second, events(40));
    await second[Symbol.asyncDispose]();
    // The stores as they were before, so that only the journal has the last three requests.
    for (const name of ["journal", "journal.end"]) {
      rmSync(join(stores, name), { recursive: true });
      cpSync(join(data, name), join(stores, name), { recursive: true });
    }
    const segment = join(
      stores,
      "journal",
      readdirSync(join(stores, "journal")).sort().at(-1) ?? "",
    );
    cut(segment, endOf(100, segment));
    const start = async () => {
      await using server = await startServer({ data: stores });
      // New events get the lost numbers again, so a kill after the first of them must hide nothing.
      const [before = ""] = server.output().err.split('"message":"ready"');
      const isSaid = before.includes("sequence numbers missing from journal");
      const counted = metricValue(await scrape(server), "hoglet_journal_events_lost_total");
      const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
      const status = await fetch(`${server.url}/api/projects/1/status/`, { headers });
      const isAdvised = (await status.text()).includes('"journal_lost"');
      const found = (await everything(server)).events.length;
      await sendStored(server, events(1));
      expect(await server.stop()).toBe(0);
      return [found, counted, lostIn(server), isAdvised, isSaid];
    };

    const numbers = { first: 181 - lost, last: 180, count: lost };
    expect(await start()).toEqual([180 - lost, lost, [numbers], true, true]);
    expect(await start()).toEqual([181 - lost, lost, [], true, false]);
    // Whoever has read of it removes the list.
    rmSync(join(stores, "journal.lost"));
    expect(await start()).toEqual([182 - lost, 0, [], false, false]);
  },
);

test("without damage nothing is said to be lost, however a server ended", async () => {
  for (let round = 0; round < 5; round += 1) {
    await using server = await startServer({ data });
    expect(lostIn(server)).toEqual([]);
    const answers = events(200).map((event) =>
      server.capture(bodyOf([event])).catch(() => undefined),
    );
    await Bun.sleep(round * 20);
    server.signal("SIGKILL");
    await Promise.all(answers);
  }
  await using server = await startServer({ data });
  expect(lostIn(server)).toEqual([]);
});

/** The offset in a segment at which the frame with a sequence number ends. */
function endOf(seq: number, path: string): number {
  const segment = openSegment(nodeDisk, dirname(path), Number.parseInt(basename(path), 10));
  try {
    for (let at = segment.start(); ; ) {
      const placed = segment.frameAt(at);
      if (placed === undefined) throw new Error(`${path} has no frame with ${seq}`);
      if (lastSeq(placed.frame) === seq) return placed.end;
      at = placed.end;
    }
  } finally {
    segment.close();
  }
}

/** Sequence numbers that a server has reported as lost. */
function lostIn(server: Server): object[] {
  const lines = server.output().err.split("\n").filter(Boolean);
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message.startsWith("sequence numbers missing from journal"))
    .map(({ first, last, count }) => ({ first, last, count }));
}

test("a rebuild takes the end that the journal has lost from the event store that it replaces", async () => {
  const { before } = await withLogs(data);
  flip(lastLine());

  expect(await runCommand(["rebuild", "--data", data])).toMatchObject({ code: 0 });

  await expectSame(before);
  expect(leftovers()).toEqual([]);
});

/** The last bytes of the journal. */
function lastLine(): string {
  const [name = ""] = readdirSync(join(data, "journal")).filter((one) => one.endsWith("journal"));
  return readFileSync(join(data, "journal", name))
    .subarray(-600, -560)
    .toString();
}

test.each([
  ["its last frame", [250], 50],
  ["its last two frames", [200, 250], 100],
  ["all of it", [0, 50, 100, 150, 200, 250], 300],
])(
  "a journal that has lost %s and an event store that is gone: the rest is there",
  async (_what, damaged, lost) => {
    const sent = await stopped(data);
    for (const at of damaged) flip(sent[at]?.uuid ?? "");
    for (const name of readdirSync(join(data, "events"))) rmSync(join(data, "events", name));

    const starts: unknown[] = [];
    for (const more of [1, 0]) {
      await using server = await startServer({ data });
      await sendStored(server, events(more));
      const { events: found } = await everything(server);
      const reported = metricValue(await scrape(server), "hoglet_journal_events_lost_total");
      expect(await server.stop()).toBe(0);
      starts.push([found.length, reported]);
    }

    expect(starts).toEqual([
      [301 - lost, lost],
      [301 - lost, lost],
    ]);
  },
);

test("a start that is refused without the journal names a way on, which logs the lost events", async () => {
  const first = await startServer({ data });
  await sendStored(first, events(100));
  expect(await first.stop()).toBe(0);
  cpSync(join(data, "events"), join(root.path, "events"), { recursive: true });
  const second = await startServer({ data });
  await sendStored(second, events(100));
  expect(await second.stop()).toBe(0);
  rmSync(join(data, "events"), { recursive: true });
  renameSync(join(root.path, "events"), join(data, "events"));
  rmSync(join(data, "journal"), { recursive: true });

  const refused = await runCommand(["serve", "--port", "0", "--data", data]);
  const path = /make an empty file (\S+\.journal):/.exec(refused.err)?.[1] ?? "";
  mkdirSync(join(data, "journal"), { recursive: true, mode: 0o700 });
  writeFileSync(path, "");
  await using server = await startServer({ data });
  await sendStored(server, events(1));
  const { events: found } = await everything(server);
  expect(await server.stop()).toBe(0);

  expect([refused.code, found.length]).toEqual([1, 101]);
  expect(lostIn(server)).toEqual([{ first: 101, last: 200, count: 100 }]);
});

test("acknowledged events that were damaged before a store had them are counted, too", async () => {
  const sent = events(300);
  const first = await startServer({ data });
  await sendStored(first, sent.slice(0, 50));
  // The stores do not get the later events: this copy of them comes back.
  expect(await first.stop()).toBe(0);
  renameSync(data, join(root.path, "before"));
  cpSync(join(root.path, "before"), data, { recursive: true });
  const second = await startServer({ data });
  await sendStored(second, sent.slice(50));
  expect(await second.stop()).toBe(0);
  rmSync(join(root.path, "before", "journal"), { recursive: true });
  renameSync(join(data, "journal"), join(root.path, "before", "journal"));
  rmSync(data, { recursive: true });
  renameSync(join(root.path, "before"), data);
  for (const at of [100, 200, 250]) flip(sent[at]?.uuid ?? "");

  await using server = await startServer({ data });
  await sendStored(server, events(1));
  const { events: found } = await everything(server);
  const reported = metricValue(await scrape(server), "hoglet_journal_events_lost_total");
  expect(await server.stop()).toBe(0);

  expect([found.length, reported]).toEqual([151, 150]);
  expect(lostIn(server)).toEqual([
    { first: 101, last: 150, count: 50 },
    { first: 201, last: 300, count: 100 },
  ]);
});

test("warnings that were damaged are no lost events", async () => {
  const sent = events(100);
  const first = await startServer({ data });
  await sendStored(first, sent.slice(0, 50));
  const nameless = Array.from({ length: 40 }, () => ({ distinct_id: "nameless", properties: {} }));
  const answer = await first.capture({ api_key: PROJECT_KEY, batch: nameless });
  expect(answer.headers.get("hoglet-dropped")).toBe("40");
  await sendStored(first, sent.slice(50));
  expect(await first.stop()).toBe(0);
  flip("missing_event_name");
  for (const name of readdirSync(join(data, "events"))) rmSync(join(data, "events", name));

  await using server = await startServer({ data });
  const { events: found } = await everything(server);
  const reported = metricValue(await scrape(server), "hoglet_journal_events_lost_total");
  expect(await server.stop()).toBe(0);

  expect([found.length, reported, lostIn(server)]).toEqual([100, 0, []]);
});

test("a deletion takes also what only the event store has, the journal's end being lost", async () => {
  const sent = events(300).map((event) => ({ ...event, distinct_id: "victim" }));
  const first = await startServer({ data });
  await sendStored(first, sent);
  expect(await first.stop()).toBe(0);
  flip(lastLine());

  await using server = await startServer({ data });
  const persons = await server.get<{ results: { id: number }[] }>("/persons/?distinct_id=victim");
  const person = `${server.url}/api/environments/1/persons/${persons.results[0]?.id}/`;
  const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
  const deleted = await fetch(`${person}?delete_events=true`, { method: "DELETE", headers });
  expect(deleted.status).toBe(204);
  expect(await runCommand(["deletions", "run", "--data", data])).toMatchObject({ code: 0 });
  const { count } = await server.get<{ count: number }>("/events/?distinct_id=victim");
  expect(await server.stop()).toBe(0);

  expect(count).toBe(0);
});

/** Milliseconds after which a rebuild is killed, until one ends before; some are for a machine with much other work. */
const KILLED_MS = casesOf(
  [300],
  Array.from({ length: 100 }, (_, at) => 100 + at * 50),
);

/** Kills a rebuild when `isTime` says so; returns whether it was still at it. */
async function killedRebuild(isTime: (ms: number) => boolean): Promise<boolean> {
  const from = performance.now();
  const child = Bun.spawn([executable(), "rebuild", "--data", data], {
    env: environment(),
    stdout: "ignore",
    stderr: "ignore",
  });
  while (child.exitCode === null && !isTime(performance.now() - from)) await Bun.sleep(1);
  child.kill("SIGKILL");
  return (await child.exited) !== 0;
}

test("a rebuild that is killed is undone by the next one or a start, and leaves no copies", async () => {
  const { sent, before } = await withLogs(data);
  flip(sent[120]?.uuid ?? "");

  const copies = () => leftovers().filter((name) => !name.endsWith(".wal"));
  // It may be quicker than the kill.
  while (copies().length === 0) await killedRebuild(() => copies().length > 0);
  for (const ms of KILLED_MS) {
    if (!(await killedRebuild((passed) => passed > ms))) break;
    expect(copies().length).toBeLessThan(2);
  }

  await expectSame(before);
  expect(leftovers()).toEqual([]);
});

/** Steps of a rebuild between which it may be killed, as they leave the event store's files. */
const KILLED: Record<string, (file: string) => void> = {
  "before the log followed the file, or went back without it": (file) =>
    renameSync(file, `${file}.${REPLACED}`),
  "before there was a new file": (file) => {
    renameSync(file, `${file}.${REPLACED}`);
    renameSync(`${file}.wal`, `${file}.${REPLACED}.wal`);
  },
  "while the new file was made": (file) => {
    renameSync(file, `${file}.${REPLACED}`);
    renameSync(`${file}.wal`, `${file}.${REPLACED}.wal`);
    writeFileSync(file, Buffer.alloc(12_288, 7));
  },
};
const REPLACED = "replaced-20260101T000000Z";

test.each(Object.entries(KILLED))(
  "a rebuild killed %s leaves the old event store",
  async (_, kill) => {
    const sent = await killed(data);
    const file = join(data, "events", "1.duckdb");
    expect(existsSync(`${file}.wal`)).toBe(true);
    flip(sent[120]?.uuid ?? "");
    // Another generation is as good.
    for (const end of ["", ".wal"]) renameSync(file + end, file.replace("1.d", "4.d") + end);
    kill(file.replace("1.d", "4.d"));

    await using server = await startServer({ data });

    expect((await everything(server)).events.length).toBe(300);
    expect(leftovers()).toEqual([]);
    expect(readdirSync(join(data, "events"))).toContain("4.duckdb");
    expect(await server.stop()).toBe(0);
  },
);
