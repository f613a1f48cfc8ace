import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { batch, event } from "../support/data/build-records.ts";
import { bodyOf, clockBefore, eventOf, type Sent } from "../support/data/senders.ts";
import { findPlanted } from "../support/disk/bytes-on-disk.ts";
import { randomOf } from "../support/disk/faulty-disk.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { runCommand } from "../support/start/process.ts";
import { casesOf, repeatable, rounds, seedOf } from "../support/start/rounds.ts";
import { PERSONAL_KEY, type Server, startServer } from "../support/start/server.ts";

const SEED = seedOf();

/** The steps of a run, as the log names them. */
const STEPS = [
  "events",
  "switch",
  "leftovers",
  "archive",
  "journal",
  "temporary",
  "scrub",
  "finish",
];

/** The kill comes so long after the step was told, in milliseconds, and less. */
const LATER_MS_MAX = 40;

/** Events of others, so that writing the file anew takes a while. */
const OTHERS = rounds(10_000, 30_000);

type Deletion = { status: string; attempts: number; counts: Record<string, number> };

/** A person with an event and property that can be found again; every second one is a visitor without a profile. */
function person(at: number) {
  const [id, text] = [`person-${at}-${crypto.randomUUID()}`, `text-${crypto.randomUUID()}`];
  const anonymous = { text, $process_person_profile: false };
  const properties = at % 2 === 0 ? { text, $set: { text } } : anonymous;
  return { id, planted: [id, text], events: [event({ distinct_id: id, properties })] };
}

async function capture(server: Server, events: unknown[]): Promise<void> {
  expect((await server.capture(batch(...events))).status).toBe(200);
}

/** Asks for the deletion of a person with its events. */
async function remove(server: Server, distinctId: string): Promise<void> {
  const url = `${server.url}/api/environments/1/persons/bulk_delete/`;
  const headers = { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" };
  const body = JSON.stringify({ distinct_ids: [distinctId], delete_events: true });
  expect((await fetch(url, { method: "POST", headers, body })).status).toBe(202);
}

const newest = async (server: Server): Promise<Deletion | undefined> =>
  (await server.get<{ results: Deletion[] }>("/persons/deletion_status/")).results[0];

test("S36, S46: a server killed at any step of a deletion goes on with it at its next start", async () => {
  const random = randomOf(SEED);
  using directory = temporaryDirectory();
  const data = directory.path;
  let server = await startServer({ data });
  await repeatable(SEED, async () => {
    let kept = 0;
    for (; kept < OTHERS; kept += 5000) {
      const others = Array.from({ length: 5000 }, (_, n) => event({ distinct_id: `user-${n}` }));
      await capture(server, others);
    }
    const one = STEPS.slice(Math.floor(random() * STEPS.length)).slice(0, 1);
    for (const [at, step] of casesOf(one, STEPS).entries()) {
      const { id, planted, events } = person(at + Math.floor(random() * 2));
      await capture(server, events);
      await server.stored(kept + 1);
      await remove(server, id);
      const { length } = server.output().err;
      const running = runCommand(["deletions", "run", "--data", data]);
      while (!server.output().err.includes(`"step":"${step}"`, length)) await Bun.sleep(1);
      await Bun.sleep(random() * LATER_MS_MAX);
      server.signal("SIGKILL");
      await Promise.all([server.exited, running]);

      server = await startServer({ data });
      await capture(server, [event({ distinct_id: "later" })]);
      kept += 1;
      while ((await newest(server))?.status !== "completed") await Bun.sleep(20);
      await server.stored(kept);

      expect((await newest(server))?.counts).toMatchObject({ events: 1 });
      expect(await findPlanted(data, planted)).toEqual({});
      expect((await server.get<{ count: number }>("/events/?limit=1")).count).toBe(kept);
      const files = readdirSync(join(data, "events")).filter((name) => name.endsWith(".duckdb"));
      expect(files).toHaveLength(1);
    }
    expect(await server.stop()).toBe(0);
  }).finally(() => server[Symbol.asyncDispose]());
});

test("a server that is stopped during a deletion ends at once, and continues at its next start", async () => {
  using directory = temporaryDirectory();
  const data = directory.path;
  const { id, planted, events } = person(1);
  {
    await using server = await startServer({ data });
    await capture(server, events);
    await server.stored(1);
    await remove(server, id);
    const running = runCommand(["deletions", "run", "--data", data]);
    while (!server.output().err.includes('"step":"events"')) await Bun.sleep(1);
    expect(await server.stop()).toBe(0);
    await running;
  }
  await using server = await startServer({ data });
  while ((await newest(server))?.status !== "completed") await Bun.sleep(20);
  expect(await findPlanted(data, planted)).toEqual({});
});

test.each(casesOf(["journal"], ["journal", "temporary", "finish"]))(
  "events that come during deletions are there after a kill at the step %s",
  async (step) => {
    using directory = temporaryDirectory();
    const data = directory.path;
    const sent: Sent[] = [];
    {
      await using server = await startServer({ data });
      const { id, events } = person(0);
      await capture(server, events);
      await server.stored(1);
      await remove(server, id);
      const sending = sendAlong(server, sent);
      while (sent.length < 10 * SENDER_PERSONS) await Bun.sleep(1);
      const running = runCommand(["deletions", "run", "--data", data]);
      while (!server.output().err.includes(`"step":"${step}"`)) await Bun.sleep(1);
      server.signal("SIGKILL");
      await Promise.all([server.exited, running, sending]);
    }
    await using server = await startServer({ data });
    const acknowledged = sent.filter((one) => one.acknowledged);
    await server.stored(acknowledged.length);
    while ((await newest(server))?.status !== "completed") await Bun.sleep(20);
    const stored = new Set<string>();
    for (let n = 0; n < SENDER_PERSONS; n += 1) {
      for (const { uuid } of await server.events(`&distinct_id=user-${n}`)) stored.add(uuid);
    }
    expect(acknowledged.filter(({ uuid }) => !stored.has(uuid))).toEqual([]);
  },
);

/** Persons whose events {@link sendAlong} sends: one of each in a batch. */
const SENDER_PERSONS = rounds(25, 100);

/** Sends batch after batch until the server is gone. */
async function sendAlong(server: Server, sent: Sent[]): Promise<void> {
  const clock = clockBefore(Date.now());
  for (;;) {
    const events = Array.from({ length: SENDER_PERSONS }, (_, n) =>
      eventOf({ distinct_id: `user-${n}`, timestamp: clock(), properties: {} }),
    );
    sent.push(...events);
    const answer = await server.capture(bodyOf(events)).catch(() => undefined);
    if (answer === undefined) return;
    if (answer.ok) for (const one of events) one.acknowledged = true;
    await Bun.sleep(5);
  }
}
