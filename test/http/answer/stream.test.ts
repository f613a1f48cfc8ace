import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { event } from "../../support/data/build-records.ts";
import { testApp } from "../../support/start/app.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server, startServer } from "../../support/start/server.ts";

const PERSONS = 4000;

const KEYS = "/api/personal_api_keys/";

/** Makes each person large enough that an export is far more than what sockets hold. */
const PAD = "x".repeat(4000);

/** A caller who reads a part of an answer at each call. */
type Slow = Disposable & {
  /** Resolves once the first persons have come. */
  begin(): Promise<void>;
  /** Resolves to all that came, once the connection is at its end. */
  end(): Promise<string>;
};

const authorization = (key: string) => ({ authorization: `Bearer ${key}` });

function slowReader({ url }: Server, path: string, key: string): Slow {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  let isReading = false;
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
    if (isReading || !received.includes("BEFORE")) return;
    socket.pause();
    begun.resolve();
  });
  socket.on("error", () => {});
  socket.on("close", () => ended.resolve());
  const head = [`GET ${path} HTTP/1.1`, `Host: ${hostname}`, `Authorization: Bearer ${key}`];
  socket.write(`${[...head, "Connection: close"].join("\r\n")}\r\n\r\n`);
  return {
    begin: () => begun.promise,
    async end() {
      isReading = true;
      socket.resume();
      await ended.promise;
      return received;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}

async function asked(server: Server, method: string, path: string, body?: object) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { ...authorization(PERSONAL_KEY), "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json().catch(() => ({}))) as { id: number; value: string };
}

async function withPersons(server: Server): Promise<void> {
  for (let from = 0; from < PERSONS; from += 500) {
    const batch = Array.from({ length: 500 }, (_, at) =>
      event({ distinct_id: `p${from + at}`, properties: { $set: { pad: PAD, plan: "BEFORE" } } }),
    );
    expect((await server.capture({ api_key: PROJECT_KEY, batch })).status).toBe(200);
  }
  await server.stored(PERSONS);
}

/** The log line of an aborted answer; it may be written after the answer's end. */
async function brokenOff(server: Server, requestId: string): Promise<string> {
  for (;;) {
    const lines = server.output().err.split("\n");
    const line = lines.find((one) => one.includes(requestId) && one.includes("response aborted"));
    if (line !== undefined) return line;
    await Bun.sleep(10);
  }
}

test("an answer in progress ends as incomplete when its key is revoked", async () => {
  await using server = await startServer({ flags: ["--log-format", "json"] });
  await withPersons(server);
  const { results } = await server.get<{ results: { id: number }[] }>(
    `/persons/?limit=1&offset=${PERSONS - 1}`,
  );
  const last = `/api/environments/1/persons/${results[0]?.id}/`;
  const change = (changes: object) => (id: number) =>
    asked(server, "PATCH", `${KEYS}${id}/`, changes);
  const ways: [string, (id: number) => Promise<unknown>][] = [
    ["is not valid", (id) => asked(server, "DELETE", `${KEYS}${id}/`)],
    ["is not valid", (id) => asked(server, "POST", `${KEYS}${id}/roll/`)],
    ["lacks the scope 'person:read'", change({ scopes: ["activity_log:read"] })],
    ["may not see this project", change({ scoped_teams: [2] })],
  ];
  await asked(server, "POST", "/api/projects/", { name: "Other" });

  for (const [at, [why, end]] of ways.entries()) {
    const key = await asked(server, "POST", KEYS, { label: "csv", scopes: ["person:read"] });
    const path = "/api/environments/@current/persons/?format=csv";
    using reader = slowReader(server, path, key.value);
    await reader.begin();
    await end(key.id);
    await asked(server, "PATCH", last, { properties: { plan: `AFTER${at}` } });

    const received = await reader.end();

    expect(received).toStartWith("HTTP/1.1 200");
    expect(received).toContain("BEFORE");
    expect(received).not.toContain(`AFTER${at}`);
    expect(received).not.toEndWith("0\r\n\r\n");
    const requestId = /x-request-id: (\S+)/i.exec(received)?.[1] ?? "none";
    expect(await brokenOff(server, requestId)).toContain(why);
  }

  using whole = slowReader(server, "/api/environments/1/persons/?format=csv", PERSONAL_KEY);
  expect(await whole.end()).toEndWith("0\r\n\r\n");
});

test("an answer in progress ends with the time of its key", async () => {
  await using app = await testApp();
  const batch = Array.from({ length: 600 }, (_, at) =>
    event({ distinct_id: `p${at}`, properties: { $set: { plan: "pro" } } }),
  );
  await app.capture({ api_key: PROJECT_KEY, batch });
  const key = await app.app.keys.create({
    ...{ label: "csv", scopes: ["person:read"] },
    expires_at: new Date(app.clock.now + 60_000).toISOString(),
  });
  const url = "http://localhost:8000/api/environments/1/persons/?format=csv";
  const answer = await app.app.http("http://127.0.0.1:8000")(
    new Request(url, { headers: authorization(key.value) }),
  );
  const reader = answer.body?.getReader();
  await reader?.read();

  app.clock.now += 60_000;

  const readOn = async () => {
    while ((await reader?.read())?.done === false);
  };
  await expect(readOn()).rejects.toThrow("not valid");
});
