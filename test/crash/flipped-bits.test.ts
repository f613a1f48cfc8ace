import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { randomChoices } from "../support/data/random-choices.ts";
import { flipBit, overwrite } from "../support/disk/damage.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { WAIT_MS_MAX } from "../support/start/patience.ts";
import { preparedData } from "../support/start/prepared-data.ts";
import { type Started, start } from "../support/start/process.ts";
import { repeatable, rounds, seedOf } from "../support/start/rounds.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "../support/start/server.ts";

setDefaultTimeout(1_800_000);

const PERSONS = 300;
const ids = Array.from({ length: PERSONS }, (_, at) => `person-${at}`);

const root = temporaryDirectory();
afterAll(() => root[Symbol.dispose]());

/** A data directory with persons, groups, merges and a playlist, after a clean stop. */
const prepared = preparedData(async (data) => {
  await using server = start(data);
  const url = String(await server.listening);
  const events = ids.flatMap((distinct_id, at) => [
    {
      event: "seen",
      distinct_id,
      properties: { $set: { email: `${distinct_id}@example.com`, at } },
    },
    { event: "$create_alias", distinct_id, properties: { alias: `phone of ${distinct_id}` } },
    {
      event: "$groupidentify",
      distinct_id,
      properties: { $group_type: "company", $group_key: `c${at % 9}`, $group_set: { at } },
    },
  ]);
  await captured(url, events);
  expect(await countedBy(server, url, "seen", PERSONS)).toBe(PERSONS);
  expect(await server.stop()).toBe(0);
});

async function captured(url: string, events: object[]): Promise<void> {
  const answer = await fetch(`${url}/batch/`, {
    method: "POST",
    body: JSON.stringify({ api_key: PROJECT_KEY, batch: events }),
  });
  expect(answer.status).toBe(200);
}

/** Waits until so many events of a name can be queried, and returns their number; undefined if the server ended. */
async function countedBy(
  server: Started,
  url: string,
  event: string,
  wanted: number,
): Promise<number | undefined> {
  let count = 0;
  const ended = server.exited.then(() => "ended" as const);
  for (const until = Date.now() + WAIT_MS_MAX; Date.now() < until && count < wanted; ) {
    const asked = fetch(`${url}/api/environments/1/query/`, {
      method: "POST",
      headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        query: {
          kind: "HogQLQuery",
          query: `SELECT count(*) FROM events WHERE event = '${event}'`,
        },
      }),
    })
      .then((answer) => answer.json())
      .catch(() => ({}));
    const answer = await Promise.race([asked, ended]);
    if (answer === "ended") return undefined;
    count = Number((answer as { results?: number[][] }).results?.[0]?.[0] ?? 0);
    if (count < wanted) await Bun.sleep(100);
  }
  return count;
}

/** Starts on damaged data, and sends an event of each person. Returns what became of it. */
async function outcomeOf(data: string): Promise<"refused" | "ended" | "stored"> {
  await using server = start(data);
  const url = await server.listening;
  const isNamed = () => /hoglet\.sqlite/.test(server.output().err);
  if (url === undefined) {
    expect(await server.exited).not.toBe(0);
    expect(server.output().err).toContain("hoglet.sqlite");
    return "refused";
  }
  const events = ids.map((distinct_id, at) => ({
    event: "again",
    distinct_id,
    properties: { $set: { again: at }, $groups: { company: `c${at % 9}` } },
  }));
  try {
    await captured(url, events);
  } catch (error) {
    // A damaged row of the project, its key or the user refuses the request with an answer, or ends the process.
    if (!isNamed())
      expect(String(error)).toMatch(/401|403|500|ConnectionRefused|socket|ECONN|toBe/);
    return "refused";
  }
  const count = await countedBy(server, url, "again", PERSONS);
  if (count === undefined) {
    const advice = /hoglet\.sqlite is damaged; ending\. Restore it from a backup/;
    expect(server.output().err).toMatch(advice);
    return "ended";
  }
  expect([count, server.output().err]).toEqual([PERSONS, expect.any(String)]);
  return "stored";
}

test("a flipped bit of hoglet.sqlite is refused or ends the server, or events are stored: they never wait for ever", async () => {
  const seed = seedOf();
  await repeatable(seed, async () => {
    const dice = randomChoices(seed);
    const outcomes: Record<string, number> = {};
    for (let round = 0; round < rounds(4, 200); round += 1) {
      using directory = temporaryDirectory();
      await prepared(join(directory.path, "data"));
      const file = join(directory.path, "data", "hoglet.sqlite");
      flipBit(
        file,
        Math.floor(dice.random() * statSync(file).size),
        1 << Math.floor(dice.random() * 8),
      );
      const outcome = await outcomeOf(join(directory.path, "data"));
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    if (rounds(0, 1) === 1) console.info(`${JSON.stringify(outcomes)} of ${rounds(4, 200)}`);
  });
});

test("properties of a person that are no JSON any more end the server, which names the file and the way out", async () => {
  using directory = temporaryDirectory();
  const data = join(directory.path, "data");
  await prepared(data);
  const file = join(data, "hoglet.sqlite");
  const bytes = Buffer.from(await Bun.file(file).arrayBuffer());
  const found = `"email":"person-7@example.com"`;
  for (let at = bytes.indexOf(found); at >= 0; at = bytes.indexOf(found, at + 1)) {
    overwrite(file, at, Buffer.from("'"));
  }
  expect(await outcomeOf(data)).toBe("ended");
});
