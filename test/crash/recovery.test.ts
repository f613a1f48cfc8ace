import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { metricValue, scrape } from "../support/answers/prometheus.ts";
import {
  bodyOf,
  clockBefore,
  eventOf,
  type Senders,
  type Sent,
  startSenders,
} from "../support/data/senders.ts";
import {
  type Everything,
  everything,
  expectKept,
  expectProjected,
} from "../support/disk/project-contents.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { preparedData } from "../support/start/prepared-data.ts";
import { runCommand } from "../support/start/process.ts";
import { rounds } from "../support/start/rounds.ts";
import { type Server, startServer } from "../support/start/server.ts";

let root = temporaryDirectory();
let data = "";

beforeEach(() => {
  root = temporaryDirectory();
  data = join(root.path, "data");
});

afterEach(() => root[Symbol.dispose]());

/** The directory of a server that had some events of one person until a signal ended it. */
const endedBy = (signal: "SIGTERM" | "SIGKILL") =>
  preparedData(async (data) => {
    const events = steps("one");
    await using server = await startServer({ data });
    await accept(server, events);
    server.signal(signal);
    await server.exited;
    return events;
  });
const stopped = endedBy("SIGTERM");
const killed = endedBy("SIGKILL");

describe("an event store that is older than the persons", () => {
  test("gets what it lacks from the journal, once, and the persons stay", async () => {
    using senders = startSenders({ count: 4, seed: 1 });
    await sendSome(senders);
    cpSync(join(data, "events"), join(root.path, "events"), { recursive: true });
    const before = await sendSome(senders);

    rmSync(join(data, "events"), { recursive: true });
    cpSync(join(root.path, "events"), join(data, "events"), { recursive: true });

    await expectGoesOn(senders, before);
  });

  test("is rebuilt when it is missing", async () => {
    using senders = startSenders({ count: 4, seed: 2 });
    await sendSome(senders);
    const before = await sendSome(senders);

    rmSync(join(data, "events"), { recursive: true });

    await expectSame(senders.sent(), before);
    await using server = await startServer({ data });
    senders.open(server.url);
    await senders.finish();
    await expectKept(server, senders.sent());
  });

  test("is never served empty: without a journal to make it from, the start is refused", async () => {
    using senders = startSenders({ count: 2, seed: 3 });
    await sendSome(senders);
    rmSync(join(data, "events"), { recursive: true });
    for (const name of readdirSync(join(data, "journal"))) {
      rmSync(join(data, "journal", name), { recursive: true });
    }

    const refused = await runCommand(["serve", "--port", "0", "--data", data]);

    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain("lacks events, and the journal does not have them");
  });

  test("knows earlier uuids, also after the point it is set back to", async () => {
    const [early, late] = [await stopped(data), steps("late")];
    cpSync(join(data, "events"), join(root.path, "events"), { recursive: true });
    await using second = await startServer({ data });
    await accept(second, late);
    expect(await second.stop()).toBe(0);
    rmSync(join(data, "events"), { recursive: true });
    cpSync(join(root.path, "events"), join(data, "events"), { recursive: true });

    await using server = await startServer({ data });
    await accept(server, [...early, ...late]);

    await expectKept(server, [...early, ...late]);
  });
});

describe("persons that are older than the event store", () => {
  const files = ["hoglet.sqlite", "hoglet.sqlite-wal", "hoglet.sqlite-shm"];
  const put = (from: string, to: string) => {
    for (const name of files) {
      rmSync(join(to, name), { force: true });
      if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name));
    }
  };

  test("are brought up by a rebuild, which the refused start names, with every event", async () => {
    using senders = startSenders({ count: 4, seed: 9 });
    await sendSome(senders);
    put(data, root.path);
    const before = await sendSome(senders);
    put(root.path, data);

    const refused = await runCommand(["serve", "--port", "0", "--data", data]);
    const rebuilt = await runCommand(["rebuild", "--data", data]);

    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toMatch(/older than the event store .* Or run hoglet rebuild: no event is/);
    expect([rebuilt.code, rebuilt.err]).toEqual([0, ""]);
    await expectGoesOn(senders, before);
  });
});

describe("a journal whose end is damaged", () => {
  const ends: [string, string, (last: Buffer) => Buffer][] = [
    ["cut off", "the first half of a frame", (last) => last.subarray(0, last.length >> 1)],
    [
      "quarantined",
      "a frame with a wrong byte",
      (last) => {
        const frame = Buffer.from(last);
        frame.writeUInt8(frame.readUInt8(frame.length - 5) ^ 1, frame.length - 5);
        return frame;
      },
    ],
  ];

  test.each(ends)("has it %s: %s", async (how, _what, damage) => {
    const events = await killed(data);
    const segment = lastSegment();
    const bytes = readFileSync(segment);
    const tail = damage(bytes.subarray(bytes.lastIndexOf(FRAME_MAGIC)));
    appendFileSync(segment, tail);

    await using server = await startServer({ data });

    const part = { segment: nameOf(segment), offset: bytes.length, bytes: tail.length };
    const cut = how === "cut off" ? [part] : [];
    const kept = how === "quarantined" ? [part] : [];
    expect(cutsIn(server)).toEqual(cut.map((one) => expect.objectContaining(one)));
    expect(quarantinedIn(server)).toEqual(kept.map((one) => expect.objectContaining(one)));
    const counted = metricValue(await scrape(server), "hoglet_journal_quarantined_files");
    expect(counted).toBe(kept.length);
    expect(readFileSync(segment).equals(bytes)).toBe(true);
    const more = steps("two");
    await accept(server, more);
    await expectKept(server, [...events, ...more]);
  });

  test("loses no event that is stored, and takes no new one for an old one", async () => {
    const events = await stopped(data);
    const segment = lastSegment();
    truncateSync(segment, statSync(segment).size - 7);

    await using second = await startServer({ data });
    // The stores have them: so they were durable.
    expect([cutsIn(second).length, quarantinedIn(second).length]).toEqual([0, 1]);
    const more = steps("two");
    await accept(second, more);
    await expectKept(second, [...events, ...more]);
    await kill(second);

    await using third = await startServer({ data });
    await accept(third, [...events, ...more]);
    await expectKept(third, [...events, ...more]);
  });

  test("costs no stored event when all of it is gone", async () => {
    const events = await stopped(data);
    rmSync(join(data, "journal"), { recursive: true });

    await using server = await startServer({ data });
    const more = steps("two");
    await accept(server, [...events, ...more]);

    await expectKept(server, [...events, ...more]);
  });
});

test("a damaged frame within the journal is quarantined, and later frames are replayed", async () => {
  const [before, damaged, after] = [steps("before"), steps("damaged"), steps("after")];
  await using first = await startServer({ data });
  await accept(first, [...before, ...damaged, ...after]);
  const { persons } = await everything(first);
  expect(await first.stop()).toBe(0);
  const segment = lastSegment();
  const bytes = readFileSync(segment);
  const at = bytes.indexOf(damaged[1]?.uuid ?? "");
  bytes.write("00000000", at);
  writeFileSync(segment, bytes);
  rmSync(join(data, "events"), { recursive: true });

  await using server = await startServer({ data });

  const lost = damaged[1] as Sent;
  const kept = [...before, ...damaged, ...after].filter((event) => event !== lost);
  const { events, persons: now } = await everything(server);
  expect(events.map(({ uuid }) => uuid)).toEqual(kept.map(({ uuid }) => uuid).reverse());
  expect(now).toEqual(persons);
  expect(server.output().err).toContain("quarantined corrupt journal data");
  const [copy = ""] = readdirSync(join(data, "journal", "corrupt"));
  const bytesKept = readFileSync(join(data, "journal", "corrupt", copy), "utf8");
  expect(bytesKept).toContain(lost.uuid.slice(8));
  expect(metricValue(await scrape(server), "hoglet_journal_quarantined_files")).toBe(1);
});

describe("a slice", () => {
  test("that cannot be written is tried again, and its events are neither lost nor doubled", async () => {
    await using server = await startServer({ data });
    const events = steps("one");
    rmSync(join(data, "loads"), { recursive: true });
    await send(server, events);
    await logged(server, "failed; retrying");
    expect(await everything(server)).toMatchObject({ events: [] });

    mkdirSync(join(data, "loads"), { mode: 0o700 });

    const more = steps("two");
    await accept(server, more);
    await expectKept(server, [...events, ...more]);
    expect(await server.stop()).toBe(0);
    expect(readdirSync(join(data, "loads"))).toEqual([]);
  });

  test("that a crash has left half written does no harm", async () => {
    const events = await killed(data);
    const left = join(data, "loads", "1.events.ndjson");
    writeFileSync(left, '{"seq":1,"project_id":1,"uu');

    await using server = await startServer({ data });

    expect(existsSync(left)).toBe(false);
    await expectKept(server, events);
  });
});

/** First bytes of every frame of the journal. */
const FRAME_MAGIC = Buffer.from("ff484aff", "hex");

/** Lets senders send to a server of its own, that ends well; returns what it then held. */
async function sendSome(senders: ReturnType<typeof startSenders>): Promise<Everything> {
  await using server = await startServer({ data });
  const enough = senders.acknowledged(rounds(25, 100));
  senders.open(server.url);
  await enough;
  await senders.close();
  const held = await expectKept(server, senders.sent());
  expect(await server.stop()).toBe(0);
  return held;
}

/** Checks that a server started now holds what one held before, and so does its event store. */
async function expectSame(sent: readonly Sent[], before: Everything): Promise<void> {
  await using server = await startServer({ data });
  const { events, persons } = await everything(server);
  expect(events.length).toBe(before.events.length);
  expect(Bun.deepEquals(events, before.events)).toBe(true);
  expect(persons).toEqual(before.persons);
  await expectKept(server, sent);
  expect(await server.stop()).toBe(0);
  await expectProjected(data, before);
}

/** Checks that all is as it was before, and that senders go on from there with nothing lost. */
async function expectGoesOn(senders: Senders, before: Everything): Promise<void> {
  await expectSame(senders.sent(), before);
  await using server = await startServer({ data });
  senders.open(server.url);
  await senders.finish();
  const after = await expectKept(server, senders.sent());
  expect(await server.stop()).toBe(0);
  await expectProjected(data, after);
}

const clock = clockBefore(Date.now());

/** A few events of one person, each of which overwrites what the last one wrote. */
function steps(distinct_id: string): Sent[] {
  return [1, 2, 3].map((n) =>
    eventOf({
      event: "step",
      distinct_id,
      timestamp: clock(),
      properties: { n, $set: { n }, $set_once: { first: n } },
    }),
  );
}

/** Sends events, one a request. */
async function send(server: Server, events: readonly Sent[]): Promise<void> {
  for (const event of events) {
    const { status } = await server.capture(bodyOf([event]));
    expect(status).toBe(200);
    event.acknowledged = true;
  }
}

/** Sends events and waits until they are stored. */
async function accept(server: Server, events: readonly Sent[]): Promise<void> {
  await send(server, events);
  const last = events.at(-1);
  await server.stored(1, `&uuid=${last?.uuid}`);
}

async function kill(server: Server): Promise<void> {
  server.signal("SIGKILL");
  await server.exited;
}

function lastSegment(): string {
  const names = readdirSync(join(data, "journal")).filter((name) => name.endsWith(".journal"));
  return join(data, "journal", names.sort().at(-1) ?? "");
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Log lines about torn and about quarantined parts of the journal. */
const cutsIn = (server: Server) => logs(server, "warn", "truncated torn write at journal end");
const quarantinedIn = (server: Server) => logs(server, "error", "quarantined corrupt journal data");

function logs(server: Server, level: string, message: string): Record<string, unknown>[] {
  const lines = server.output().err.split("\n").filter(Boolean);
  return lines
    .map((line) => JSON.parse(line))
    .filter((line) => line.level === level && line.message === message);
}

/** Waits until the server has logged something. */
async function logged(server: Server, text: string): Promise<void> {
  while (!server.output().err.includes(text)) await Bun.sleep(5);
}
