import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { logsBody, storedLogs } from "../support/data/logs.ts";
import { randomOf } from "../support/disk/faulty-disk.ts";
import { settled } from "../support/disk/project-contents.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { TEST_MS_MAX } from "../support/start/patience.ts";
import { type Started, start } from "../support/start/process.ts";
import { repeatable, rounds, seedOf } from "../support/start/rounds.ts";
import { PROJECT_KEY, startServer } from "../support/start/server.ts";

/** How often the server is killed while it takes log records. */
const KILLS = rounds(1, 100);

const SEED = seedOf();

const SENDERS = 4;

/** Records of a request: a few, and so many that they are decoded on a thread of their own. */
const RECORDS = { few: 5, many: 3000 };

/** The kill comes so many acknowledged requests after the server listens, and so much later. */
const REQUESTS_MAX = 60;
const LATER_MS_MAX = 200;

/** What was sent, each once: the bodies of the records, and whether they were acknowledged. */
type Sent = { bodies: string[]; acknowledged: boolean };

test(
  "a server killed at random instants keeps each acknowledged log record once",
  async () => {
    const random = randomOf(SEED);
    using directory = temporaryDirectory();
    const data = directory.path;
    const sent: Sent[] = [];
    await repeatable(SEED, async () => {
      for (let kill = 0; kill < KILLS; kill += 1) await killUnderLoad(data, sent, random);
      await using server = await startServer({ data });
      await settled(server);
      expect(await server.stop()).toBe(0);

      const stored = (await storedLogs(data)).map(({ body }) => body);
      const known = new Set(stored);
      expect(known.size).toBe(stored.length);
      const promised = sent.filter(({ acknowledged }) => acknowledged);
      expect(promised.length).toBeGreaterThanOrEqual(KILLS);
      const lost = promised.flatMap(({ bodies }) => bodies.filter((body) => !known.has(body)));
      expect(lost.slice(0, 5)).toEqual([]);
      const all = new Set(sent.flatMap(({ bodies }) => bodies));
      expect(stored.filter((body) => !all.has(body)).slice(0, 5)).toEqual([]);
      expect(readdirSync(join(data, "loads"))).toEqual([]);
    });
  },
  TEST_MS_MAX + KILLS * 20_000,
);

/** Starts a server, sends it log records and events, and kills it among the requests. */
async function killUnderLoad(data: string, sent: Sent[], random: () => number): Promise<void> {
  await using server = start(data);
  const url = await server.listening;
  if (url === undefined) throw new Error(`The server ended before it listened: ${said(server)}`);
  let left = 1 + Math.floor(random() * REQUESTS_MAX);
  const enough = Promise.withResolvers<void>();
  const senders = Array.from({ length: SENDERS }, async () => {
    while (await send(url, sent, random)) {
      left -= 1;
      if (left <= 0) enough.resolve();
    }
    // Nobody is left to wait for.
    enough.resolve();
  });
  await enough.promise;
  await Bun.sleep(random() * LATER_MS_MAX);
  server.signal("SIGKILL");
  await Promise.all([...senders, server.exited]);
}

/** Sends one request, and an event beside it now and then; false when the server is gone. */
async function send(url: string, sent: Sent[], random: () => number): Promise<boolean> {
  const count = random() < 0.1 ? RECORDS.many : 1 + Math.floor(random() * RECORDS.few);
  const one: Sent = { bodies: [], acknowledged: false };
  const number = sent.push(one);
  one.bodies = Array.from({ length: count }, (_, n) => `${number}-${n} ${"x".repeat(40)}`);
  const records = one.bodies.map((stringValue) => ({ body: { stringValue } }));
  try {
    const answer = await post(`${url}/i/v1/logs?token=${PROJECT_KEY}`, logsBody(records));
    one.acknowledged = answer.status === 200;
    if (random() < 0.5) {
      const event = { api_key: PROJECT_KEY, event: "beside", distinct_id: `d${number % 10}` };
      await post(`${url}/i/v0/e/`, event);
    }
    return true;
  } catch {
    return false;
  }
}

async function post(url: string, body: unknown): Promise<{ status: number }> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  await answer.text();
  return answer;
}

function said(server: Started): string {
  const { out, err } = server.output();
  return `\n${out}\n${err}`;
}
