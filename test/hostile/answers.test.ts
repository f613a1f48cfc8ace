import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { OpenApi } from "../support/answers/document.ts";
import { concrete, OPERATIONS } from "../support/answers/operations.ts";
import { asker, type Told } from "../support/answers/requests.ts";
import { batch, event } from "../support/data/build-records.ts";
import { openConnection } from "../support/start/connection.ts";
import {
  filesBelow,
  PERSONAL_KEY,
  PROJECT_KEY,
  ROOT,
  type Server,
  startServer,
} from "../support/start/server.ts";
import { sharedServer } from "../support/start/shared-server.ts";

const ENVIRONMENT = "/api/environments/1";
const KEYS = "/api/personal_api_keys/";

/** A text that is sent and must not come back. */
const ECHO = "zebra7351";

/** Fields of bodies. */
const FIELDS = "query name label scopes properties ids distinct_ids key $unset".split(" ");

const server = sharedServer();
const ask = asker(server);

beforeAll(async () => {
  const group = (n: number) => ({
    event: "$groupidentify",
    distinct_id: "ann",
    properties: { $group_type: "company", $group_key: `k${n}`, $group_set: {} },
  });
  await server.capture(
    batch(
      ...["ann", "bob", "cat"].map((distinct_id) => event({ distinct_id })),
      ...[1, 2, 3].map((n) => event(group(n))),
      ...[{ event: "" }, { distinct_id: "" }, { uuid: "x" }].map((fields) => event(fields)),
    ),
  );
  await server.stored(6);
  for (let n = 0; n < 3; n++) {
    await ask("POST", `${ENVIRONMENT}/session_recording_playlists/`, { body: { name: `p${n}` } });
    await ask("POST", `${ENVIRONMENT}/max_tools/create_and_query_insight/`, {
      body: { query: { kind: "TrendsQuery", series: [{}] }, name: `i${n}` },
    });
    const person = await server.get<{ results: { id: number }[] }>(`/persons/?offset=${n}`);
    await ask("POST", `${ENVIRONMENT}/persons/${person.results[0]?.id}/delete_events/`);
    await ask("POST", "/api/projects/", { body: { name: `p${n}` } });
  }
});

describe("links to other pages", () => {
  const lists = OPERATIONS.flatMap(([method, path, , , parameters, { query = "" } = {}]) => {
    const isList = method === "GET" && /\b(offset|page)\b/.test(parameters);
    const pages = parameters.includes("offset") ? "limit=1&offset=1" : "limit=1&page=2";
    return isList && !/:(id|short_id)/.test(path)
      ? [`${concrete(path)}${query === "" ? "?" : `${query}&`}${pages}`]
      : [];
  });

  const HOSTS = [
    ...["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example"],
    ...["localhost.", "xn--lcalhost-3ya"],
  ];
  const FORWARDED = [
    ...["X-Forwarded-Host: evil.example", "X-Forwarded-Proto: javascript"],
    ...["X-Forwarded-Server: evil.example", "X-Host: evil.example"],
    "X-Original-Host: evil.example",
    "Forwarded: host=evil.example;proto=https;for=evil.example",
    ...["Referer: https://evil.example/", "Origin: https://evil.example"],
  ];

  async function linksOf(to: Server, path: string, headers: string[]): Promise<unknown[]> {
    using connection = await openConnection(to.url);
    const head = [...headers, `Authorization: Bearer ${PERSONAL_KEY}`, "Connection: close"];
    connection.write(`GET ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
    const answer = await connection.until("\0 never comes");
    expect([path, headers, answer]).toEqual([path, headers, expect.not.stringContaining("evil")]);
    const { next, previous } = JSON.parse(answer.split("\r\n\r\n")[1] ?? "");
    return [next, previous];
  }

  test("name the server, and never whom the request names", async () => {
    expect(lists.length).toBeGreaterThanOrEqual(8);
    let linked = 0;
    for (const path of lists) {
      for (const host of HOSTS) {
        const links = await linksOf(server, path, [`Host: ${host}`, ...FORWARDED]);
        const own = links.filter((link) => link !== null);
        expect(own.every((link) => String(link).startsWith(`${server.url}/api/`))).toBe(true);
        linked += own.length;
      }
    }
    expect(linked).toBeGreaterThanOrEqual(lists.length * HOSTS.length);
  });

  test("name the public address alone where there is one", async () => {
    await using other = await startServer({ flags: ["--public-url", "https://stats.example"] });
    await other.capture(batch(...["a", "b", "c"].map((distinct_id) => event({ distinct_id }))));
    await other.stored(3);

    for (const host of ["evil.example", "localhost", "127.0.0.1"]) {
      for (const path of [`${ENVIRONMENT}/persons/?limit=1&offset=1`, lists[0] ?? ""]) {
        const links = await linksOf(other, path, [`Host: ${host}`, ...FORWARDED]);
        const start = "https://stats.example/api/environments/1/";
        const own = links.filter((link) => link !== null);
        expect(own.every((link) => String(link).startsWith(start))).toBe(true);
        expect(own).not.toEqual([]);
      }
    }
  });

  test("are not made for two hosts at once", async () => {
    for (const hosts of [
      ["localhost", "evil.example"],
      ["evil.example", "localhost"],
    ]) {
      using connection = await openConnection(server.url);
      const head = hosts.map((host) => `Host: ${host}\r\n`).join("");
      connection.write(`GET /api/projects/ HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
      expect(await connection.until("\0 never comes")).toStartWith("HTTP/1.1 400");
    }
  });
});

type Made = { id: number; value: string };

describe("a wrong key", () => {
  /** Everything of an answer but what differs from answer to answer. */
  const bare = ({ status, headers, text }: Told) => {
    const shown = [...headers].filter(([name]) => !["date", "x-request-id"].includes(name));
    return { status, text, headers: shown.sort() };
  };

  test("gets the same answer for every reason, and must wait after five tries", async () => {
    await using other = await startServer();
    const ask = asker(other);
    const draft = { label: "x", scopes: ["*"] };
    const make = async (fields: object) =>
      (await ask("POST", KEYS, { body: { ...draft, ...fields } })).body as Partial<Made>;
    const revoked = await make({});
    await ask("DELETE", `${KEYS}${revoked.id}/`);
    // A time that has passed when it arrives is refused.
    const [expired, soon] = await (async () => {
      for (let ms = 1000; ; ms *= 2) {
        const soon = Date.now() + ms;
        const key = await make({ expires_at: new Date(soon).toISOString() });
        if (key.value !== undefined) return [key, soon] as const;
      }
    })();
    while (Date.now() <= soon) await Bun.sleep(20);
    const unknown = `phx_${"a".repeat(43)}`;
    const wrong = [unknown, revoked.value, expired.value, "phx_", "x".repeat(5000)];

    const first: Told[] = [];
    for (const key of wrong) first.push(await ask("GET", "/api/projects/", { key: key ?? "" }));
    const late = await Promise.all(
      wrong.map((key) => ask("GET", `${ENVIRONMENT}/persons/`, { key: key ?? "" })),
    );

    expect(first[0]?.status).toBe(401);
    expect(first.map(bare)).toEqual(first.map(() => bare(first[0] as Told)));
    for (const answer of late) {
      expect(answer).toMatchObject({ status: 429, body: { code: "throttled" } });
      const wait = Number(answer.headers.get("retry-after"));
      expect(wait > 0 && wait <= 60).toBe(true);
      expect(answer.text.replace(/\d+/, "")).toBe(late[0]?.text.replace(/\d+/, "") ?? "");
    }
    const valid = await ask("GET", `${ENVIRONMENT}/persons/`);
    const captured = await other.capture(batch(event()));
    expect([valid.status, captured.status]).toEqual([200, 200]);
    const none = await ask("GET", "/api/projects/", { key: null });
    expect(none).toMatchObject({ status: 401, body: { code: "not_authenticated" } });
  });

  test.each([
    ["in the query", `?api_key=${PERSONAL_KEY}&personal_api_key=${PERSONAL_KEY}`, {}],
    ["in another header", "", { "x-api-key": PERSONAL_KEY, cookie: `key=${PERSONAL_KEY}` }],
    ["with another scheme", "", { authorization: `Basic ${btoa(`x:${PERSONAL_KEY}`)}` }],
    ["without a scheme", "", { authorization: PERSONAL_KEY }],
  ])("is one that is sent %s", async (_where, query, headers) => {
    const answered = await ask("GET", `/api/projects/${query}`, { key: null, headers });
    expect(answered).toMatchObject({ status: 401, body: { type: "authentication_error" } });
  });
});

test("a personal key is neither in the data directory nor in the output", async () => {
  const draft = { label: "planted", scopes: ["*"] };
  const made = (await ask("POST", KEYS, { body: draft })).body as { id: number; value: string };
  const rolled = await ask("POST", `${KEYS}${made.id}/roll/`, { key: made.value });
  const { value } = rolled.body as { value: string };
  await ask("GET", `/api/projects/?key=${value}`, { key: value });
  await ask("GET", `${KEYS}${value}/`, { key: value });
  await ask("GET", `/${value}`, { key: value, headers: { "x-key": value } });

  const { out, err } = server.output();
  const files = filesBelow(server.data).map((path) => readFileSync(path));
  expect(files.length).toBeGreaterThan(3);
  for (const key of [PERSONAL_KEY, made.value, value]) {
    expect(files.filter((bytes) => bytes.includes(key))).toEqual([]);
    expect([out.includes(key), err.includes(key)]).toEqual([false, false]);
  }
});

test("no error of any operation has more than its envelope", async () => {
  const { info } = (await ask("GET", "/openapi.json")).body as OpenApi;
  const leaks = new RegExp(
    [ECHO, ROOT, server.data, info.version, "node_modules", "\\.ts\\b", "   at ", "SELECT"]
      .concat([
        "INSERT",
        "duckdb",
        "sqlite",
        "elysia",
        "typebox",
        "\\bbun\\b",
        "Error:",
        PROJECT_KEY,
      ])
      .map((leak) => leak.replaceAll(".", "\\.").replaceAll("\\\\", "\\"))
      .join("|"),
    "i",
  );
  const bodies = [
    `{"${ECHO}`,
    `["${ECHO}"]`,
    `"${ECHO}"`,
    JSON.stringify({ [ECHO]: ECHO }),
    ...FIELDS.map((field) => JSON.stringify({ [field]: { [ECHO]: [ECHO] } })),
    JSON.stringify({ query: { kind: ECHO, series: [{ [ECHO]: ECHO }] }, insight_type: ECHO }),
    JSON.stringify({ label: ECHO, scopes: [ECHO], expires_at: ECHO }),
  ];
  let refused = 0;
  const check = ({ status, headers, text, body }: Told, what: unknown[]) => {
    if (status < 400 || text === "") return;
    refused += 1;
    expect([what, Object.keys(body as object)]).toEqual([what, ["type", "code", "detail", "attr"]]);
    expect([what, status < 500]).toEqual([what, true]);
    // The id is of random letters.
    const shown = [...headers].filter(([name]) => !["x-request-id", "date"].includes(name));
    // Fields that are not known are named, and nothing of their values (decision 59).
    const { detail, attr } = body as { detail: string; attr: string | null };
    const isNamed = detail.startsWith("This field is not known.") && attr?.endsWith(ECHO);
    const rest = isNamed ? text.replace(`${ECHO}"}`, "") : text;
    expect([what, leaks.exec(`${rest}\n${shown.join("\n")}`)?.[0]]).toEqual([what, undefined]);
    expect([headers.has("server"), headers.has("x-powered-by")]).toEqual([false, false]);
    expect([headers.get("x-content-type-options"), headers.get("content-type")]).toEqual([
      "nosniff",
      expect.stringMatching(/^application\/json/),
    ]);
    expect(headers.get("x-request-id")).toMatch(/^\w+-\w+$/);
  };

  for (const [method, path, , , parameters] of OPERATIONS) {
    const own = concrete(path);
    // Words of a question are repeated, to say which were not understood (decision 72).
    const names = parameters.split(" ").filter((name) => name !== "prompt");
    const queries = ["", ...names.map((name) => `?${name}=${ECHO}`)];
    for (const address of [own, path.replace(":project_id", "1").replace(/:\w+/g, ECHO)]) {
      for (const query of queries) {
        const headers = { prefer: ECHO, accept: `text/${ECHO}`, "x-request-id": ECHO };
        // Nothing that is valid is sent to what would change the keys of this test.
        if (method !== "GET" && address === own && own.includes("@current")) continue;
        if (method === "DELETE" && address === own && query === "") continue;
        check(await ask(method, address + query, { headers }), [method, address, query]);
      }
      if (method === "GET" || method === "DELETE") continue;
      for (const body of bodies)
        check(await ask(method, address, { body }), [method, address, body]);
      const headers = { "content-type": `text/${ECHO}` };
      check(await ask(method, address, { body: ECHO, headers }), [method, address, headers]);
    }
  }
  for (const path of [
    `/${ECHO}`,
    `/api/${ECHO}/`,
    `/docs/${ECHO}`,
    `/static/${ECHO}`,
    `/<${ECHO}>`,
  ]) {
    for (const method of ["GET", "POST", "PUT"]) check(await ask(method, path), [method, path]);
  }
  expect(refused).toBeGreaterThan(300);
});
