import { beforeAll, describe, expect, test } from "bun:test";
import { type OpenApi, operationsOf } from "../support/answers/document.ts";
import { concrete, OPERATIONS } from "../support/answers/operations.ts";
import { asker } from "../support/answers/requests.ts";
import { batch, event } from "../support/data/build-records.ts";
import { openConnection } from "../support/start/connection.ts";
import { filesBelow, PERSONAL_KEY } from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const ENVIRONMENT = "/api/environments/1";
const PLAYLISTS = `${ENVIRONMENT}/session_recording_playlists/`;
const AUTHORIZED = `Authorization: Bearer ${PERSONAL_KEY}`;

const server = sharedServer();
const ask = asker(server);
let narrow: string;
let playlist: string;

beforeAll(async () => {
  await server.capture(batch(...["ann", "bob"].map((distinct_id) => event({ distinct_id }))));
  await server.stored(2);
  const draft = { label: "narrow", scopes: ["group:read"] };
  const made = await ask("POST", "/api/personal_api_keys/", { body: draft });
  narrow = (made.body as { value: string }).value;
  const created = await ask("POST", PLAYLISTS, { body: { name: "carts" } });
  playlist = `${PLAYLISTS}${(created.body as { short_id: string }).short_id}/`;
});

/** Sends a request line as it stands, which no client of HTTP would. */
async function raw(line: string, headers: string[] = [AUTHORIZED], body = ""): Promise<string> {
  using connection = await openConnection(server.url);
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = ["Host: localhost", "Connection: close", ...headers, ...length];
  connection.write(`${line} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n${body}`);
  return await connection.until("\0 never comes");
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

/** All that there is of persons and playlists. */
async function everything(): Promise<string> {
  const paths = [`${ENVIRONMENT}/persons/`, PLAYLISTS, playlist, `${playlist}recordings/`];
  return (await Promise.all(paths.map((path) => ask("GET", path)))).map(({ text }) => text).join();
}

/** An operation's addresses in which some parameters are dots, as clients and servers normalise them. */
function dotted(path: string): string[] {
  const [parameter] = /:\w+/.exec(path) ?? [];
  if (parameter === undefined) return [new URL(path, "http://localhost").pathname];
  return ["1", "%2e", "%2E%2E"].flatMap((value) => dotted(path.replace(parameter, value)));
}

describe("a path", () => {
  test("whose parameters are dots is the address of nothing else that changes anything", () => {
    const changing = OPERATIONS.filter(([method]) => method !== "GET");
    const reached = changing.flatMap(([method, path]) => {
      const own = path.replace(/:\w+/g, "1");
      const others = dotted(path).filter((address) => address !== own);
      return changing
        .filter(([other]) => other === method)
        .flatMap(([, to]) => {
          const pattern = new RegExp(`^${to.replace(/:\w+/g, "[^/]+")}$`);
          return others.some((address) => pattern.test(address)) ? [`${method} ${path} ${to}`] : [];
        });
    });

    const environment = "/api/environments/:project_id/";
    const playlists = `${environment}session_recording_playlists/`;
    const recording = `${playlists}:short_id/recordings/:session_recording_id/`;
    const project = "/api/projects/:project_id/";
    expect(reached).toEqual([
      // Of a project that is called logs, which none is.
      `POST ${environment}logs/query/ ${environment}query/`,
      // Where the short id is a dot, which is of our making, and the recording two.
      `POST ${recording} ${playlists}`,
      // Which is always refused.
      `DELETE ${recording} ${playlists}:short_id/`,
      // Of a project that is called reset_token, which none is.
      `PATCH ${project}reset_token/ ${project}`,
    ]);
  });

  test.each<[string, number]>([
    ["/api//environments/1/persons/", 404],
    ["//api/environments/1/persons/", 404],
    [`${ENVIRONMENT}/persons//`, 404],
    [`${ENVIRONMENT}/%70ersons/`, 404],
    ["/api/environments/1%2fpersons/", 404],
    ["/api/environments/1%2f..%2f2/persons/", 404],
    ["/API/environments/1/persons/", 404],
    [`${ENVIRONMENT}/persons;a=1/`, 404],
    [`${ENVIRONMENT}/persons/..%2f..%2f..%2fprojects/`, 400],
    [`${ENVIRONMENT}/persons/%2e%2e%2f1/`, 400],
    [`${ENVIRONMENT}/persons/%00/`, 400],
    [`${ENVIRONMENT}/persons/1%00/`, 400],
    [`${ENVIRONMENT}/persons/%zz/`, 400],
    [`${ENVIRONMENT}/persons/%c0%ae/`, 400],
    [`${ENVIRONMENT}/persons/%ed%a0%80/`, 400],
    [`${ENVIRONMENT}/persons/%EF%BC%91/`, 400],
    [`${ENVIRONMENT}/persons/+1/`, 400],
    [`${ENVIRONMENT}/persons/01/`, 400],
    [`${ENVIRONMENT}/persons/1e0/`, 400],
    ["/api/environments/01/persons/", 404],
    ["/api/environments/%31/persons/x/", 400],
    ["/api/environments/%D9%A1/persons/", 404],
    [`${PLAYLISTS}..%2f..%2f`, 404],
    [`${PLAYLISTS}%2e%2e%2fx/`, 404],
    [`${PLAYLISTS}a%2fb/recordings/`, 404],
    ["/docs/..%2f..%2fetc%2fpasswd", 404],
    ["/docs/%2e%2e%2fpackage.json", 404],
    ["/static/..%2f..%2f..%2fetc%2fpasswd", 404],
    ["/static/array.js%00.png", 400],
    ["/static/array.js%20", 404],
    ["/etc/passwd", 404],
    ["/.env", 404],
    ["/hoglet.sqlite", 404],
    [`/${"a".repeat(8000)}`, 404],
    [`${ENVIRONMENT}/persons/${"a".repeat(8000)}/`, 400],
    [`${PLAYLISTS}${"%F0%9F%A6%94".repeat(600)}/`, 404],
    [`/${"a".repeat(20_000)}`, 431],
  ])("is not taken for another: %s", async (path, status) => {
    const answer = await raw(`GET ${path}`);

    expect(statusOf(answer)).toBe(status);
    expect(answer).not.toMatch(/root:|"results"|"count"|SQLite format/);
  });

  test.each([
    `${ENVIRONMENT}/./persons/`,
    "/api/environments/2/../1/persons/",
    "/docs/../api/environments/1/persons/",
    "/static/%2e%2e/api/environments/1/persons/",
    `${ENVIRONMENT}/groups_types/%2E%2e/persons/`,
    "/_liveness/..\\api\\environments\\1\\persons\\",
    "http://evil.example/api/environments/1/persons/",
    "http://evil.example@localhost/api/environments/1/persons/",
  ])("that leads to another route needs its rights: %s", async (path) => {
    const answers = await Promise.all([
      raw(`GET ${path}`),
      raw(`GET ${path}`, []),
      raw(`GET ${path}`, [`Authorization: Bearer ${narrow}`]),
    ]);

    expect(answers.map(statusOf)).toEqual([200, 401, 403]);
    expect(answers[0]).toContain('"count":2');
  });

  test.each(["", "/"])("ends with a slash or not, and means the same: %p", async (end) => {
    for (const path of [`${ENVIRONMENT}/persons`, playlist.slice(0, -1), "/api/projects"]) {
      const [one, other] = [await ask("GET", path + end), await ask("GET", `${path}/`)];
      expect([one.status, one.text]).toEqual([200, other.text]);
    }
  });

  test("of a recording may be any text, kept as it is, and names no file", async () => {
    const ids = [
      ...["..", "../..", "/etc/passwd", "a/b", "a\\b", "c:\\x", "a\u0301", "á", "🦔", "%2e%2e"],
      ...["-rf", "CON", "nul.txt", "a b", "'; --", ".", "x".repeat(200), "\u202e", "#", "?", "&"],
    ];
    const names = () => filesBelow(server.data).map((path) => path.slice(server.data.length));
    const before = names().filter((name) => !name.includes("journal"));

    for (const id of ids) {
      const path = `${playlist}recordings/${encodeURIComponent(id).replaceAll(".", "%2E")}/`;
      // Dots alone are of the path, however they are written (WHATWG URL 4.4).
      const isDots = /^\.+$/.test(id);
      expect([id, statusOf(await raw(`POST ${path}`))]).toEqual([id, isDots ? 405 : 200]);
    }

    const { body } = await ask("GET", `${playlist}recordings/`);
    const kept = (body as { results: { id: string }[] }).results.map(({ id }) => id);
    expect(kept).toEqual(ids.filter((id) => !/^\.+$/.test(id)).reverse());
    expect(names().filter((name) => !name.includes("journal"))).toEqual(before);
    for (const id of kept) {
      const path = `${playlist}recordings/${encodeURIComponent(id)}/`;
      expect([id, (await ask("DELETE", path)).status]).toEqual([id, 200]);
    }
  });
});

test.each([
  ...["/storybook", "/debug", "/debug/pprof/", "/dev", "/admin", "/swagger"],
  ...["/swagger/json", "/docs/json", "/scalar", "/graphql", "/_bun/client", "/bun:info"],
  ...[
    "/src/main.ts",
    "/__bun__/inspect",
    "/test",
    "/phpinfo.php",
    "/actuator",
    "/server-status",
    "/.git/config",
  ],
])("only the product is served: %s", async (path) => {
  for (const method of ["GET", "POST", "OPTIONS"]) {
    // Pages of the documentation are read by GET alone, also a page that does not exist.
    const status = path.startsWith("/docs/") && method !== "GET" ? 405 : 404;
    expect([method, statusOf(await raw(`${method} ${path}`))]).toEqual([method, status]);
  }
});

describe("a method", () => {
  const METHODS = [
    ...["TRACE", "OPTIONS", "PUT", "PROPFIND", "COPY", "MOVE", "LOCK", "PURGE", "SEARCH"],
  ];

  test("that is not served is refused on every path, and does nothing", async () => {
    const before = await everything();
    const { body } = await ask("GET", "/openapi.json");
    const paths = new Set(operationsOf(body as OpenApi).map(({ path }) => path));
    for (const path of paths) {
      if (!path.startsWith("/api/") && path !== "/metrics") continue;
      const address = concrete(path.replace(/\{(\w+)\}/g, ":$1"));
      for (const method of METHODS) {
        const answer = await raw(`${method} ${address}`, [AUTHORIZED, "X-Probe: s3cret"]);
        expect([method, path, statusOf(answer)]).toEqual([method, path, 405]);
        expect(answer).toMatch(/^allow: /im);
        expect(answer).not.toMatch(/s3cret|access-control-/i);
      }
    }
    expect(await everything()).toBe(before);
  });

  test("of HEAD is that of GET, guarded as GET is, and does nothing", async () => {
    for (const [method, path] of OPERATIONS.filter(([method]) => method !== "GET")) {
      const isRead = OPERATIONS.some(([other, same]) => other === "GET" && same === path);
      if (isRead) continue;
      const address = concrete(path);
      expect([method, path, statusOf(await raw(`HEAD ${address}`))]).toEqual([method, path, 405]);
    }
    const head = await raw(`HEAD ${ENVIRONMENT}/persons/`);
    const refused = [
      await raw(`HEAD ${ENVIRONMENT}/persons/`, []),
      await raw(`HEAD ${ENVIRONMENT}/persons/`, [`Authorization: Bearer ${narrow}`]),
    ];
    expect([statusOf(head), head.split("\r\n\r\n")[1]]).toEqual([200, ""]);
    expect(refused.map(statusOf)).toEqual([401, 403]);
  });

  test.each([
    "CONNECT localhost:80",
    `CONNECT ${ENVIRONMENT}/persons/`,
    "OPTIONS *",
    "GET *",
    `get ${ENVIRONMENT}/persons/`,
    `GETT ${ENVIRONMENT}/persons/`,
    `G\u00c9T ${ENVIRONMENT}/persons/`,
    `GET\t${ENVIRONMENT}/persons/`,
  ])("that does not exist is refused: %s", async (line) => {
    const answer = await raw(line);
    expect([0, 400, 404, 405, 501, 505]).toContain(statusOf(answer));
    expect(answer).not.toContain('"results"');
    expect((await ask("GET", `${ENVIRONMENT}/persons/`)).status).toBe(200);
  });

  test.each([
    ["X-HTTP-Method-Override: DELETE", ""],
    ["X-HTTP-Method: DELETE", ""],
    ["X-Method-Override: DELETE", ""],
    ["Content-Type: application/x-www-form-urlencoded", "_method=DELETE"],
    ["Content-Type: application/json", '{"_method":"DELETE","deleted":null}'],
    ["X-Original-URL: /api/personal_api_keys/", ""],
    ["X-Rewrite-URL: /api/personal_api_keys/", ""],
  ])("is the one of the request line, not of a header or body: %s %s", async (header, body) => {
    const before = await everything();

    for (const path of [playlist, `${ENVIRONMENT}/persons/1/`]) {
      const read = await raw(`GET ${path}`, [AUTHORIZED, header]);
      expect([path, statusOf(read)]).toEqual([path, 200]);
      const named = await raw(`GET ${path}?_method=DELETE`, [AUTHORIZED, header]);
      expect([path, statusOf(named)]).toEqual([path, 400]);
      expect(read).not.toContain("mask_value");
      const posted = await raw(`POST ${path}?_method=DELETE`, [AUTHORIZED, header], body);
      expect([path, statusOf(posted)]).toEqual([path, 405]);
    }

    expect(await everything()).toBe(before);
  });
});
