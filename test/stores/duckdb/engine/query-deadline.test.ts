import { afterAll, beforeAll, expect, test } from "bun:test";
import { Failure } from "../../../../src/core/values/failure.ts";
import { type Duckdb, rows } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import { apiReads } from "../../../../src/stores/duckdb/engine/query-deadline.ts";
import { FOREVER } from "../../../support/data/build-records.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";
import { testDuckdb } from "../../../support/start/duckdb-store.ts";

/** Takes longer than any test may. */
const ENDLESS = "SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b";

/** One text of 1 GB, which cannot be put on disk in parts. */
const LARGE =
  "SELECT length(string_agg(repeat('x', 1000), ''))::INTEGER AS length FROM range(1000000)";

/** More than there are readers. */
const MANY = 9;

const directory = temporaryDirectory();
let duckdb: Duckdb;

beforeAll(async () => {
  duckdb = await testDuckdb(directory.path);
});

afterAll(async () => {
  await duckdb.close();
  directory[Symbol.dispose]();
});

const ask = (sql: string, { seconds = 600, signal = FOREVER } = {}) =>
  apiReads(duckdb, seconds).read(signal, (connection) => rows(connection, sql));

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ code, message }) => ({ code, message }),
  );

test("a read has an end, also of its waiting for a reader, and the next finds them free", async () => {
  const late = await Promise.all(
    Array.from({ length: MANY }, () => codeOf(ask(ENDLESS, { seconds: 0.2 }))),
  );

  expect(late).toEqual(
    Array(MANY).fill({
      code: "query_timeout",
      message: "Reading took longer than 0.2 s. Ask for less, or for a shorter time.",
    }),
  );
  expect(await ask("SELECT 42::INTEGER AS answer")).toEqual([{ answer: 42 }]);
});

test("a read ends when its client disconnects, also between statements", async () => {
  const end = new AbortController();
  const { promise: began, resolve } = Promise.withResolvers<void>();
  const steps = Array.from({ length: MANY }, () =>
    codeOf(
      apiReads(duckdb, 600).read(end.signal, async (connection) => {
        for (;;) {
          resolve();
          await rows(connection, ENDLESS);
        }
      }),
    ),
  );
  await began;
  end.abort();

  expect(new Set((await Promise.all(steps)).map((one) => one?.code))).toEqual(
    new Set(["query_timeout"]),
  );
  expect(await ask("SELECT 42::INTEGER AS answer")).toEqual([{ answer: 42 }]);
});

test("a client that has disconnected gets no read", async () => {
  let isRead = false;
  const gone = apiReads(duckdb, 600).read(AbortSignal.abort(), async () => {
    isRead = true;
  });

  expect(await codeOf(gone)).toMatchObject({ code: "query_timeout" });
  await ask("SELECT 1");
  expect(isRead).toBe(false);
});

test("a read that fails by itself keeps its error", async () => {
  expect(ask("SELECT nothing")).rejects.toThrow("Binder Error");
  expect(await ask("SELECT 1::INTEGER AS one")).toEqual([{ one: 1 }]);
});

test("a read for which there is no memory may be tried again, is noted, and harms no other", async () => {
  const noted: string[] = [];
  const reads = apiReads(duckdb, 600, ({ message }) => noted.push(message));
  const large = () => reads.read(FOREVER, (connection) => rows(connection, LARGE));

  const refused = await large().catch((error: unknown) => error);

  expect(refused).toBeInstanceOf(Failure);
  expect(refused).toMatchObject({
    ...{ code: "unavailable", status: 503, retryAfterS: 5 },
    message:
      "Reading this takes more memory than is free now. Try again later, ask for less, or start the server with more --memory.",
  });
  expect(noted).toEqual([expect.stringMatching(/^Out of Memory Error/)]);
  expect(await ask("SELECT 42::INTEGER AS answer")).toEqual([{ answer: 42 }]);
});
