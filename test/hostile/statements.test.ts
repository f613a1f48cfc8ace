import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesIn, MARKER } from "../support/answers/sql.ts";
import { event } from "../support/data/build-records.ts";
import { randomStatements } from "../support/data/random-statements.ts";
import { MINUTES, repeatable, rounds, seedOf } from "../support/start/rounds.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server, startServer } from "../support/start/server.ts";

/** Statements that are tried; `HOGLET_TEST_MINUTES` asks for as many as these minutes allow. */
const STATEMENTS = rounds(150, 20_000);
const SEED = seedOf(1);

/** More events than DuckDB handles at once, so that a table has a second vector. */
const EVENTS = 2500;

/** Statuses that say something about the statement, or that the server has too little time or memory for it. */
const STATUSES = [200, 400, 413, 429, 503, 504];

let files: string;

beforeAll(() => {
  files = mkdtempSync(join(tmpdir(), "hoglet-test-planted-"));
  for (const name of ["planted.csv", "planted.json", "planted.txt"]) {
    writeFileSync(join(files, name), `{"a": "${MARKER}"}\n`);
  }
});

afterAll(() => rmSync(files, { recursive: true }));

/** An event with values at the ends of their types, other ones for each `index`. */
function edgeEvent(index: number): object {
  const of = (values: readonly unknown[]) => values[index % values.length];
  return event({
    event: of(["view", "paid", "é🙂", "signed up", "a_b%c", "x".repeat(60)]),
    distinct_id: `user-${index % 97}`,
    timestamp: new Date(Date.UTC(2026, 10, 1) + index * 977_000).toISOString(),
    properties: {
      n: of([1.5, "7", null, Number.MAX_SAFE_INTEGER, -1, 1e308, "x"]),
      plan: of(["pro", null, "free", 3]),
      tags: of([["é", 1, null], { a: { b: [1, 2] } }, []]),
      ...(index % 3 === 0 ? {} : { $browser: of(["Firefox", "Chrome"]) }),
      ...(index % 11 === 0 ? { $set: { email: `${index % 97}@x.y`, age: index } } : {}),
    },
  });
}

const groups = Array.from({ length: 20 }, (_, index) =>
  event({
    event: "$groupidentify",
    properties: { $group_type: "company", $group_key: `${index}`, $group_set: { size: index } },
  }),
);

/** Starts the executable with events, persons and groups of two projects; statements are about the first. */
async function filledServer(): Promise<Server> {
  const server = await startServer({ flags: ["--query-seconds", "1"] });
  const headers = { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" };
  const made = await fetch(`${server.url}/api/projects/`, {
    ...{ method: "POST", headers, body: JSON.stringify({ name: "second" }) },
  });
  const { api_token } = (await made.json()) as { api_token: string };
  const $set = { email: MARKER };
  const foreign = event({ event: MARKER, distinct_id: MARKER, properties: { a: MARKER, $set } });
  await server.capture({ api_key: api_token, batch: [foreign] });
  const all = [...groups, ...Array.from({ length: EVENTS }, (_, index) => edgeEvent(index))];
  for (let at = 0; at < all.length; at += 1000) {
    const sent = await server.capture({ api_key: PROJECT_KEY, batch: all.slice(at, at + 1000) });
    expect(sent.status).toBe(200);
  }
  await server.stored(all.length);
  return server;
}

/** The answer to a statement; status 0 if the server ended. */
async function run({ url }: Server, text: string): Promise<{ status: number; said: string }> {
  try {
    const response = await fetch(`${url}/api/environments/1/query/`, {
      method: "POST",
      headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ query: { kind: "HogQLQuery", query: text } }),
    });
    return { status: response.status, said: await response.text() };
  } catch (error) {
    return { status: 0, said: String(error) };
  }
}

/** Tries statements, and starts another server after one that ended. Returns the statements with a wrong answer. */
async function tryStatements(isOver: (count: number) => boolean) {
  const next = randomStatements(SEED, files);
  const tally = { ran: 0, refused: 0, forbidden: 0 };
  const faults: object[] = [];
  let server = await filledServer();
  let count = 0;
  for (; !isOver(count); count++) {
    const { text, isForbidden } = next();
    let { status, said } = await run(server, text);
    // A server that is busy may refuse the statement, or run out of time, before it has looked at it.
    while (isForbidden && [429, 504].includes(status)) {
      ({ status, said } = await run(server, text));
    }
    const allowed = isForbidden ? [400] : STATUSES;
    if (!allowed.includes(status) || said.includes(MARKER)) {
      const { err } = server.output();
      const fault = { count, text, isForbidden, status, said, log: err.slice(-2000) };
      if (MINUTES > 0) console.log(fault);
      faults.push(fault);
      await server[Symbol.asyncDispose]();
      server = await filledServer();
    }
    if (isForbidden) tally.forbidden += 1;
    else if (status === 200 || status === 504) tally.ran += 1;
    else tally.refused += 1;
  }
  const code = await server.stop();
  await server[Symbol.asyncDispose]();
  return { count, tally, faults, code };
}

describe("random statements", () => {
  test("end no server, and run nothing that is not allowed", async () => {
    await repeatable(SEED, async () => {
      const before = filesIn(files);
      const end = Date.now() + MINUTES * 60_000;
      const isOver = (done: number) => (MINUTES > 0 ? Date.now() > end : done >= STATEMENTS);

      const { count, tally, faults, code } = await tryStatements(isOver);

      if (MINUTES > 0) console.log(`${count} statements`, tally);
      expect(faults).toEqual([]);
      expect(code).toBe(0);
      expect(filesIn(files)).toEqual(before);
      // Statements that only fail would prove little.
      expect(tally.ran).toBeGreaterThan(count / 4);
      expect(tally.forbidden).toBeGreaterThan(count / 50);
    });
  }, 7_200_000);
});
