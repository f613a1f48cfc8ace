import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bodyOf, eventOf, type Senders, startSenders } from "../support/data/senders.ts";
import { randomOf } from "../support/disk/faulty-disk.ts";
import { expectKept, expectProjected } from "../support/disk/project-contents.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { type Connection, openConnection, rawRequest } from "../support/start/connection.ts";
import { TEST_MS_MAX } from "../support/start/patience.ts";
import { type Started, start } from "../support/start/process.ts";
import { repeatable, rounds, seedOf } from "../support/start/rounds.ts";
import { type Server, startServer } from "../support/start/server.ts";

/** How often the server is killed under load. */
const KILLS = rounds(1, 500);

/** How often it is stopped under load. */
const STOPS = rounds(1, 2);

const SEED = seedOf();

const SENDERS = 6;

/** The kill comes so many acknowledged requests after the server listens, and so much later. */
const REQUESTS_MAX = rounds(60, 120);
const LATER_MS_MAX = 200;

/** The longest part of a start that is let pass, in milliseconds, before it is killed. */
const START_MS_MAX = 700;

/** A slow client sends so many characters at a time: it takes longer than a server that just ends. */
const PIECE_CHARS = 20;
const PIECE_MS = 50;

test(
  "a server killed at random instants keeps each acknowledged event, once, with its effects",
  async () => {
    const random = randomOf(SEED);
    using directory = temporaryDirectory();
    const data = directory.path;
    using senders = startSenders({ count: SENDERS, seed: SEED });
    await repeatable(SEED, async () => {
      for (let kill = 0; kill < KILLS; kill += 1) {
        while (random() < 0.5) await killInStart(data, random);
        await killUnderLoad(data, senders, random);
      }
      while (random() < 0.5) await killInStart(data, random);

      await using server = await startServer({ data });
      senders.open(server.url);
      await senders.finish();
      const kept = await expectKept(server, senders.sent());
      expect(senders.surprises()).toEqual([]);
      expect(await server.stop()).toBe(0);
      await expectProjected(data, kept);
      expect(readdirSync(join(data, "loads"))).toEqual([]);
    });
  },
  TEST_MS_MAX + KILLS * 10_000,
);

describe("a server that is stopped", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "ends with 0 on %s under load and loses nothing",
    async (signal) => {
      using directory = temporaryDirectory();
      const data = directory.path;
      using senders = startSenders({ count: SENDERS, seed: 1 });
      for (let stop = 0; stop < STOPS; stop += 1) await stopUnderLoad(data, senders, signal);

      await using server = await startServer({ data });
      senders.open(server.url);
      await senders.finish();
      await expectKept(server, senders.sent());
      expect(senders.surprises()).toEqual([]);
    },
  );

  test("answers requests that it has begun to read, and refuses later ones", async () => {
    await using server = await startServer();
    using begun = await openConnection(server.url);
    using idle = await openConnection(server.url);
    const finish = await begin(begun, idle);

    server.signal("SIGTERM");
    await logged(server, "stopping");
    const { head, body } = rawRequest("/i/v0/e/", bodyOf([someone("late")]));
    idle.write(head + body);
    const onOpen = await idle.until("}");
    const onNew = await server.capture(bodyOf([someone("later")])).catch(() => undefined);
    const answered = await finish();

    expect(answered).toStartWith("HTTP/1.1 200 OK");
    if (onOpen !== "") expect(onOpen).toMatch(/^HTTP\/1.1 503 .*\r\nretry-after: \d+\r\n/is);
    if (onNew !== undefined) {
      expect([onNew.status, onNew.headers.has("retry-after")]).toEqual([503, true]);
    }
    expect(await server.exited).toBe(0);
    await using again = await startServer({ data: server.data });
    await again.stored(1);
    expect((await again.events()).map(({ distinct_id }) => distinct_id)).toEqual(["begun"]);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)(
    "ends at a second signal, %s, without waiting, and loses nothing",
    async (signal, code) => {
      using senders = startSenders({ count: SENDERS, seed: 1 });
      await using server = await startServer();
      using begun = await openConnection(server.url);
      using idle = await openConnection(server.url);
      await begin(begun, idle);
      const enough = senders.acknowledged(rounds(25, 50));
      senders.open(server.url);
      await enough;

      // It waits for the request that was begun, until it is told again.
      server.signal("SIGTERM");
      await logged(server, "stopping");
      server.signal(signal);

      expect(await server.exited).toBe(code);
      senders.close();
      await using again = await startServer({ data: server.data });
      senders.open(again.url);
      await senders.finish();
      await expectKept(again, senders.sent());
      expect(senders.surprises()).toEqual([]);
    },
  );
});

/** Starts a server and stops it among the requests of the senders. */
async function stopUnderLoad(
  data: string,
  senders: Senders,
  signal: NodeJS.Signals,
): Promise<void> {
  await using server = await startServer({ data });
  const enough = senders.acknowledged(rounds(30, 80));
  senders.open(server.url);
  await enough;
  server.signal(signal);
  const code = await server.exited;
  await senders.close();
  expect(code).toBe(0);
}

/** Sends half of a request on one connection; returns what sends the rest, slowly. */
async function begin(begun: Connection, other: Connection): Promise<() => Promise<string>> {
  const { head, body } = rawRequest("/i/v0/e/", bodyOf([someone("begun")]));
  begun.write(head + body.slice(0, 10));
  // Once this is answered, the server has seen what came before it.
  other.write("GET /_liveness HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await other.until("}")).toStartWith("HTTP/1.1 200 OK");
  return async () => {
    for (let at = 10; at < body.length; at += PIECE_CHARS) {
      begun.write(body.slice(at, at + PIECE_CHARS));
      await Bun.sleep(PIECE_MS);
    }
    return begun.until("}");
  };
}

function someone(distinct_id: string) {
  return eventOf({ distinct_id, timestamp: Date.now() });
}

/** Waits until the server has logged a message. */
async function logged(server: Server, message: string): Promise<void> {
  while (!server.output().err.includes(`"message":"${message}"`)) await Bun.sleep(5);
}

/** Starts a server and kills it somewhere before, while or just after it replays its journal. */
async function killInStart(data: string, random: () => number): Promise<void> {
  await using server = start(data);
  await Promise.race([Bun.sleep(random() * START_MS_MAX), endedByItself(server)]);
}

/** Starts a server, lets the senders find it, and kills it among their requests. */
async function killUnderLoad(data: string, senders: Senders, random: () => number): Promise<void> {
  await using server = start(data);
  const enough = senders.acknowledged(1 + Math.floor(random() * REQUESTS_MAX));
  const url = await Promise.race([server.listening, endedByItself(server)]);
  if (url === undefined) throw new Error("The server ended before it listened");
  senders.open(url);
  await Promise.race([enough, endedByItself(server)]);
  await Bun.sleep(random() * LATER_MS_MAX);
  server.signal("SIGKILL");
  await Promise.all([senders.close(), server.exited]);
}

async function endedByItself(server: Started): Promise<never> {
  const code = await server.exited;
  const { out, err } = server.output();
  throw new Error(`The server ended by itself with ${code}:\n${out}\n${err}`);
}
