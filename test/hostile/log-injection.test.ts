import { expect, test } from "bun:test";
import { join } from "node:path";
import { caughtUp } from "../support/answers/prometheus.ts";
import { batch, event } from "../support/data/build-records.ts";
import { openConnection } from "../support/start/connection.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server, startServer } from "../support/start/server.ts";

/** Secrets that no log may have, and texts that would break its lines or move a terminal. */
const SECRET = "s3cret";
const HOSTILE = `\r\n{"level":"error","message":"${SECRET}"}\r\n\u001b[2J\u001b]0;${SECRET}\u0007\u009b31m\u2028${SECRET}'"`;

test.each(["json", "human"])(
  "each %s log line is one line and repeats nothing of a request",
  async (format) => {
    await using server = await startServer({ flags: ["--log-format", format] });

    await sendHostileEvents(server);
    await sendHostileRequests(server);
    await sendHostileBytes(server);
    await sendToSocket(server);
    await caughtUp(server);
    expect(await server.stop()).toBe(0);

    const { out, err } = server.output();
    const lines = err.split("\n").slice(0, -1);
    const known = lines.filter((line) => line.includes("uuid reused by another event"));
    expect(known).not.toEqual([]);
    for (const line of lines) {
      expect(line).toMatch(/^[\x20-\x7e]+$/);
      if (format === "json") expect(JSON.parse(line)).toMatchObject({ time: expect.any(String) });
      else expect(line).toMatch(/^\d\d:\d\d:\d\d (info|warn|error) /);
    }
    for (const secret of [SECRET, PROJECT_KEY, PERSONAL_KEY]) {
      expect(err).not.toContain(secret);
    }
    expect(out).not.toContain(SECRET);
  },
);

/** Events that are stored, changed, dropped, or another event under a known uuid. */
async function sendHostileEvents(server: Server): Promise<void> {
  const hostile = event({
    event: HOSTILE,
    distinct_id: HOSTILE,
    properties: { [HOSTILE]: HOSTILE, $set: { [HOSTILE]: HOSTILE } },
  });
  const answered = await server.capture(
    batch(
      hostile,
      { ...hostile, event: `other ${HOSTILE}` },
      { ...hostile, uuid: HOSTILE, timestamp: HOSTILE, distinct_id: HOSTILE.repeat(20) },
      { ...hostile, event: "" },
      { ...hostile, distinct_id: "" },
      HOSTILE,
    ),
  );
  expect(answered.status).toBe(200);
}

/** Requests that are refused, for every part of them. */
async function sendHostileRequests({ url }: Server): Promise<void> {
  const path = encodeURIComponent(HOSTILE);
  const post = (body: string, headers: Record<string, string> = {}, query = "") =>
    fetch(`${url}/i/v0/e/${query}`, { method: "POST", body, headers });
  const answers = await Promise.all([
    post(JSON.stringify({ ...event(), api_key: HOSTILE })),
    post(JSON.stringify({ ...event(), api_key: `phc_${SECRET}` })),
    post(`{"${SECRET}`),
    post(`\u001f\u008b${SECRET}`),
    post("{}", { "content-encoding": SECRET, "user-agent": SECRET }),
    post("{}", { "x-forwarded-for": SECRET, origin: SECRET }, `?${path}=${path}`),
    fetch(`${url}/api/environments/1/events/`, { headers: { authorization: `Bearer ${SECRET}` } }),
    fetch(`${url}/api/environments/${path}/events/?uuid=${path}`, {
      headers: { authorization: `Bearer ${PERSONAL_KEY}` },
    }),
    fetch(`${url}/api/environments/1/persons/${path}/`, {
      headers: { authorization: `Bearer ${PERSONAL_KEY}` },
    }),
    fetch(`${url}/${path}`),
  ]);
  for (const { status } of answers) expect([400, 401, 404, 415]).toContain(status);
}

/** Requests that no HTTP client would send. */
async function sendHostileBytes({ url }: Server): Promise<void> {
  const requests = [
    `GET /${SECRET}\u001b[2J HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `GET /_liveness HTTP/1.1\r\nHost: localhost\r\nUser-Agent: a\u001b[31m${SECRET}\r\n\r\n`,
    `GET /_liveness HTTP/1.1\r\nHost: localhost\r\nUser-Agent: a\n${SECRET}: b\r\n\r\n`,
    `GET /_liveness HTTP/1.1\r\nHost: ${SECRET}\u001b[2J\r\n\r\n`,
    `GET http://[${SECRET} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `OPTIONS * HTTP/1.1\r\nHost: ${SECRET}\r\n\r\n`,
    `${SECRET} / HTTP/1.1\r\n\r\n`,
    `POST /i/v0/e/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"${SECRET}`,
  ];
  for (const request of requests) {
    using connection = await openConnection(url);
    connection.write(request);
    if (!request.startsWith("POST")) await connection.until("\r\n\r\n");
  }
}

/** Requests to the socket of the command line that are no calls. */
async function sendToSocket({ data }: Server): Promise<void> {
  const unix = join(data, "hoglet.sock");
  for (const body of [SECRET, "null", `{"object":"${SECRET}","method":"x","args":[]}`]) {
    await (await fetch("http://hoglet/", { unix, method: "POST", body })).text();
  }
  expect((await fetch(`http://hoglet/${SECRET}`, { unix })).status).toBe(400);
}
