import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bodyOf, clockBefore, eventOf } from "../../support/data/senders.ts";
import { randomOf } from "../../support/disk/faulty-disk.ts";
import { temporaryDirectory } from "../../support/start/app.ts";
import { rounds, seedOf } from "../../support/start/rounds.ts";
import { type Server, startServer } from "../../support/start/server.ts";

const EVENTS = 600;
const PAGE = 4096;
const BLOCK = 262_144;

/** The data directory of a server that was stopped. */
const template = temporaryDirectory();
const FILE = "events/1.duckdb";
let whole: Buffer;

beforeAll(async () => {
  const clock = clockBefore(Date.now());
  await using server = await startServer({ data: join(template.path, "data") });
  const events = Array.from({ length: EVENTS }, (_, n) => {
    const properties = { $set: { email: `${n}@example.com` }, text: `${Math.sin(n)}`.repeat(20) };
    return eventOf({ distinct_id: `person-${n % 50}`, timestamp: clock(), properties });
  });
  await server.capture(bodyOf(events));
  await server.stored(EVENTS);
  server.signal("SIGTERM");
  await server.exited;
  whole = readFileSync(join(template.path, "data", FILE));
});

afterAll(() => template[Symbol.dispose]());

type Place = { bytes: Buffer; at: number };

const DAMAGES: Record<string, (place: Place) => Buffer> = {
  "a bit": ({ bytes, at }) => {
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
    return bytes;
  },
  "a page of zeros": ({ bytes, at }) => bytes.fill(0, at - (at % PAGE), at - (at % PAGE) + PAGE),
  "a block of zeros": ({ bytes, at }) =>
    bytes.fill(0, at - (at % BLOCK), at - (at % BLOCK) + BLOCK),
  garbage: ({ bytes, at }) => bytes.fill("garbage", at, at + 700),
  "its end": ({ bytes, at }) => bytes.subarray(0, at),
};

/** Rounds of each kind. */
const ROUNDS = rounds(1, 20);
const random = randomOf(seedOf(1));

const TRIALS = Object.keys(DAMAGES).flatMap((what) =>
  Array.from({ length: ROUNDS }, () => ({ what, part: random() })),
);

/**
 * Starts a server, and stops it once it has answered: event uuids, and the number of persons. Undefined
 * if it ended, which damage makes it do where it is found; a supervisor starts it again.
 */
async function contents(data: string): Promise<{ uuids: string[]; persons: number } | undefined> {
  let server: Server | undefined;
  try {
    server = await startServer({ data });
    await server.stored(EVENTS);
    const uuids = (await server.events()).map(({ uuid }) => uuid);
    const { count } = await server.get<{ count: number }>("/persons/?limit=1");
    expect(await server.stop()).toBe(0);
    return { uuids, persons: count };
  } catch (error) {
    const ended = server === undefined ? String(error) : server.output().err;
    if (ended.includes("the event store failed")) return undefined;
    throw error;
  } finally {
    await server?.[Symbol.asyncDispose]();
  }
}

test.each(TRIALS)(
  "a file with $what at $part has all events after one restart at most",
  async (trial) => {
    using root = temporaryDirectory();
    const data = join(root.path, "data");
    const filter = (path: string) => !path.endsWith(".sock");
    cpSync(join(template.path, "data"), data, { recursive: true, filter });
    const at = Math.floor(trial.part * whole.length);
    const damage = DAMAGES[trial.what]?.({ bytes: Buffer.from(whole), at }) ?? whole;
    writeFileSync(join(data, FILE), damage);

    const found = (await contents(data)) ?? (await contents(data));

    expect(new Set(found?.uuids).size).toBe(EVENTS);
    expect(found).toMatchObject({ uuids: { length: EVENTS }, persons: 50 });
  },
);
