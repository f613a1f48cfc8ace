import { expect, test } from "bun:test";
import { ROUTE_PARTS_MAX, requestLog } from "../../src/http/request-log.ts";
import { openLog } from "../../src/log.ts";
import { event } from "../support/make.ts";
import { PERSONAL_KEY, PROJECT_KEY, startServer } from "../support/server.ts";

test("answers are logged by their ids without what may name anybody", () => {
  const lines: string[] = [];
  const log = openLog({ format: "json", now: () => 0, write: (line) => lines.push(line) });
  const paths = ["/api/environments/:project_id/persons/:id/"];
  const logged = requestLog(log, { paths, quiet: ["/docs"] });
  const answered = (path: string, status: number) => {
    lines.length = 0;
    const request = new Request(`http://localhost${path}`);
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
});

test("every answer of the management API and of unknown routes is one line of the log, by its id (decision 98)", async () => {
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
  // Of what is asked by the thousand, or by nobody, there is none.
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
