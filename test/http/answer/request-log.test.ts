import { expect, test } from "bun:test";
import { openLog } from "../../../src/app/process/log.ts";
import { SQL_RUNNING_MAX, SQL_WAITING_MAX } from "../../../src/core/sql/sql.ts";
import { ROUTE_PARTS_MAX, requestLog } from "../../../src/http/answer/request-log.ts";
import { event } from "../../support/data/build-records.ts";
import { PERSONAL_KEY, PROJECT_KEY, startServer } from "../../support/start/server.ts";

/** Takes far longer than anybody waits. */
const ENDLESS = `SELECT max(a.seq + b.seq + c.seq + d.seq + e.seq + f.seq + g.seq)
  FROM events a, events b, events c, events d, events e, events f, events g`;

test("answers are logged by their ids without what may name anybody", () => {
  const lines: string[] = [];
  const log = openLog({ format: "json", now: () => 0, write: (line) => lines.push(line) });
  const paths = ["/api/environments/:project_id/persons/:id/"];
  const logged = requestLog(log, { paths, quiet: ["/docs"], quietHeader: "x-quiet" });
  const answered = (path: string, status: number, init: RequestInit = {}) => {
    lines.length = 0;
    const request = new Request(`http://localhost${path}`, init);
    logged({ request, status, requestId: "r-1", ms: 1.2345 });
    return lines.map((line) => JSON.parse(line));
  };
  const person = "/api/environments/1/persons/Ann%40x.y/?search=secret";
  const facts = { request_id: "r-1", method: "GET", route: "/api/environments/*/persons/*" };

  for (const [status, level] of [
    [200, "info"],
    [404, "warn"],
    [500, "error"],
    [503, "error"],
  ] as const) {
    expect(answered(person, status)).toMatchObject([{ level, ...facts, status, ms: 1.2 }]);
  }
  expect(answered("/", 404)).toMatchObject([{ route: "/" }]);
  expect(answered("/a".repeat(ROUTE_PARTS_MAX), 404)[0].route).toBe("/*".repeat(ROUTE_PARTS_MAX));
  expect(answered("/a".repeat(9000), 404)[0].route).toBe(`${"/*".repeat(ROUTE_PARTS_MAX)}/...`);
  expect(answered("/docs/", 200)).toEqual([]);
  const consoles = { headers: { "x-quiet": "1" } };
  expect(answered(person, 200, consoles)).toEqual([]);
  expect(answered(person, 403, consoles)).toMatchObject([{ status: 403 }]);
  expect(answered(person, 200, { ...consoles, method: "POST" })).toMatchObject([{ status: 200 }]);
});

test("a client that disconnects is logged as information, with any status of the answer", () => {
  const lines: string[] = [];
  const log = openLog({ format: "json", now: () => 0, write: (line) => lines.push(line) });
  const logged = requestLog(log, { paths: [], quiet: [], quietHeader: "x-quiet" });
  const request = new Request("http://localhost/", { signal: AbortSignal.abort() });
  for (const status of [200, 400, 504]) logged({ request, status, requestId: "r-1", ms: 1 });
  const gone = { level: "info", message: "client disconnected", request_id: "r-1", status: 499 };
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([gone, gone, gone]);
});

test("a query whose client disconnects is logged as such", async () => {
  await using server = await startServer({
    flags: ["--log-format", "json", "--query-seconds", "120"],
  });
  await server.capture(
    { api_key: PROJECT_KEY, batch: Array.from({ length: 20 }, () => event()) },
    "/batch/",
  );
  await server.stored(20);
  const leaving = new AbortController();
  const ask = (query: string, signal: AbortSignal | null = null) =>
    fetch(`${server.url}/api/environments/1/query/`, {
      method: "POST",
      headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ query: { kind: "SQLQuery", query } }),
      signal,
    });
  const endless = Array.from({ length: SQL_RUNNING_MAX + SQL_WAITING_MAX }, () =>
    ask(ENDLESS, leaving.signal).catch(() => undefined),
  );
  while ((await ask("SELECT 1")).status !== 429) await Bun.sleep(20);
  leaving.abort();
  await Promise.all(endless);
  const last = () => JSON.parse(server.output().err.trim().split("\n").at(-1) ?? "{}");
  while (last().message !== "client disconnected") await Bun.sleep(20);
  expect(last()).toMatchObject({ level: "info", route: "/api/environments/*/query", status: 499 });
});

test("every answer of the management API and of unknown routes is one line of the log, by its id", async () => {
  await using server = await startServer({ flags: ["--log-format", "json"] });
  const authorization = `Bearer ${PERSONAL_KEY}`;
  const persons = "/api/environments/1/persons/";
  const asked = [
    ["GET", `${persons}?search=s3cret`, 200, "/api/environments/*/persons"],
    ["GET", `${persons}s3cret/`, 400, "/api/environments/*/persons/*"],
    ["GET", "/api/s3cret/", 404, "/api/*"],
    ["GET", "/s3cret", 404, "/*"],
    ["PUT", persons, 405, "/api/environments/*/persons"],
    ["GET", "/docs/s3cret", 404, "/*/*"],
  ] as const;

  const expected = [];
  for (const [method, path, status, route] of asked) {
    const answered = await fetch(server.url + path, { method, headers: { authorization } });
    expect([path, answered.status]).toEqual([path, status]);
    expected.push({ request_id: answered.headers.get("x-request-id"), method, route, status });
  }
  // Frequent requests and probes of health have no line.
  await server.capture({ api_key: PROJECT_KEY, ...event() }, "/i/v0/e/");
  for (const path of ["/_readiness", "/docs", "/openapi.json", "/metrics", "/static/array.js"]) {
    await (await fetch(server.url + path, { headers: { authorization } })).text();
  }
  server.signal("SIGTERM");
  await server.exited;

  const lines = server.output().err.split("\n").filter(Boolean);
  const logged = lines.map((line) => JSON.parse(line)).filter(({ request_id }) => request_id);
  expect(logged).toEqual(
    expected.map((facts) => expect.objectContaining({ ...facts, ms: expect.any(Number) })),
  );
  expect(lines.join("\n")).not.toContain("s3cret");
});
