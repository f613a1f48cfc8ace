import { expect, setDefaultTimeout } from "bun:test";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { batch, event } from "../support/data/build-records.ts";
import { executable } from "../support/start/executable.ts";
import { longTest } from "../support/start/long-test.ts";
import { runCommand } from "../support/start/process.ts";
import { filesBelow, PERSONAL_KEY, type Server, startServer } from "../support/start/server.ts";

setDefaultTimeout(7_200_000);

/** Servers that are filled anew. */
const SERVERS = 100;

/** Deletion runs of each server: each writes the next generation of the event store. */
const RUNS = 5;

/** Persons that each run deletes, and events of others that come meanwhile with each request. */
const PERSONS = 12;
const OTHERS = 10;

const token = () => randomBytes(12).toString("hex");

longTest(
  "no file has an id of a deleted person once the run has returned, while others send and ask",
  async () => {
    for (let made = 0; made < SERVERS; made += 1) {
      await using server = await startServer({ flags: ["--archive", "off"] });
      const ending = new AbortController();
      const load = Promise.allSettled([send(server, ending.signal), ask(server, ending.signal)]);
      try {
        for (let run = 0; run < RUNS; run += 1) {
          const left = await erased(server);

          expect({ made, run, left }).toEqual({ made, run, left: [] });
        }
      } finally {
        ending.abort();
        await load;
      }
    }
  },
);

/** Stores persons, deletes them with all events, and returns what the files have of them then. */
async function erased(server: Server): Promise<string[]> {
  const ids = Array.from({ length: PERSONS }, token);
  const secrets = ids.map(token);
  const events = ids.flatMap((distinct_id, at) =>
    Array.from({ length: 20 }, (_, number) =>
      event({ distinct_id, properties: { number, secret: secrets[at], $set: { note: token() } } }),
    ),
  );
  expect((await server.capture(batch(...events))).status).toBe(200);
  for (const id of ids) await server.stored(20, `&distinct_id=${id}`);
  for (const id of ids) await deletePerson(server, id);
  const args = ["deletions", "run", "--now", "--data", server.data];
  const { code, out } = await runCommand(args, { command: [executable()] });
  expect([code, out.trim()]).toEqual([0, `${PERSONS} done`]);
  const files = filesBelow(server.data).filter((path) => !path.includes("/engine/"));
  return files.filter((path) => {
    const bytes = bytesIn(path);
    return [...ids, ...secrets].some((text) => bytes.includes(text));
  });
}

/** The bytes of a file; none if it has been removed meanwhile, as loads are once they are applied. */
function bytesIn(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return Buffer.alloc(0);
    throw error;
  }
}

async function deletePerson({ url, get }: Server, distinctId: string): Promise<void> {
  const { results } = await get<{ results: { id: number }[] }>(
    `/persons/?distinct_id=${distinctId}`,
  );
  const path = `/api/environments/1/persons/${results[0]?.id}/?delete_events=true`;
  const headers = { authorization: `Bearer ${PERSONAL_KEY}` };
  expect((await fetch(`${url}${path}`, { method: "DELETE", headers })).status).toBe(204);
}

/** Sends events of others until it is ended. */
async function send(server: Server, ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    const events = Array.from({ length: OTHERS }, (_, at) =>
      event({ distinct_id: `other-${at}`, properties: { pad: token(), at } }),
    );
    await (await server.capture(batch(...events))).text();
    await Bun.sleep(50);
  }
}

/** Reads all events until it is ended, so that their blocks are in memory. */
async function ask({ url }: Server, ending: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" };
  const query = "SELECT distinct_id, max(properties), count() FROM events GROUP BY 1 LIMIT 9";
  const body = JSON.stringify({ query: { kind: "HogQLQuery", query } });
  while (!ending.aborted) {
    const asked = { method: "POST", headers, body };
    await (await fetch(`${url}/api/environments/1/query/`, asked)).text();
    await Bun.sleep(20);
  }
}
