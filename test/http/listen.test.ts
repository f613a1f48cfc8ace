import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { listen } from "../../src/http/listen.ts";
import { executable } from "../support/start/executable.ts";
import { PERSONAL_KEY, PROJECT_KEY, ROOT, startServer } from "../support/start/server.ts";

const PEM = join(ROOT, "test/fixtures/tls");
const TLS = ["--tls-cert", join(PEM, "cert.pem"), "--tls-key", join(PEM, "key.pem")];

describe("a server with a certificate", () => {
  test("captures, answers and links over https", async () => {
    await using server = await startServer({ flags: TLS });
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(server.url.replace("127.0.0.1", "localhost") + path, {
        ...init,
        tls: { rejectUnauthorized: false },
      });

    const body = JSON.stringify({
      api_key: PROJECT_KEY,
      batch: [1, 2].map((n) => ({ event: "e", distinct_id: `user-${n}` })),
    });
    const captured = await ask("/batch/", { method: "POST", body });
    await server.stored(2);
    const persons = await ask("/api/environments/1/persons/?limit=1", {
      headers: { authorization: `Bearer ${PERSONAL_KEY}` },
    });

    expect(server.url).toStartWith("https://");
    expect(captured.status).toBe(200);
    expect(await persons.json()).toMatchObject({
      count: 2,
      next: expect.stringMatching(/^https:\/\/localhost:\d+\/api\/environments\/1\/persons\/\?/),
    });
    expect((await ask("/docs")).status).toBe(200);
  });
});

test.each(["0.0.0.0", "::"])(
  "a server on all addresses (%s) names one that reaches it",
  async (host) => {
    const { url, stop } = listen({ host, port: 0, tls: undefined, seed: "start0" });
    const answer = await fetch(`${url}/_liveness`);
    await stop(0);

    expect(new URL(url).hostname).toBe(host === "::" ? "[::1]" : "127.0.0.1");
    expect(answer.status).toBe(200);
  },
);

describe("a server that does not serve yet", () => {
  const origin = "https://site.example";
  const listening = () => listen({ host: "127.0.0.1", port: 0, tls: undefined, seed: "start0" });

  test.each(["/e/?ip=0", "/i/v0/e", "/batch/", "/flags/?v=2", "/array/phc_a/config.js"])(
    "answers 503 on %s, which a page may read, and its preflight",
    async (path) => {
      const { url, stop } = listening();
      const preflight = await fetch(url + path, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-headers": "content-encoding" },
      });
      const answered = await fetch(url + path, { headers: { origin } });
      await stop(0);

      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-headers")).toBe("content-encoding");
      expect(answered.status).toBe(503);
      expect(await answered.json()).toMatchObject({ code: "unavailable" });
      expect(Number(answered.headers.get("retry-after"))).toBeGreaterThan(0);
      for (const { headers } of [preflight, answered]) {
        expect(headers.get("x-request-id")).toMatch(/^start0-\d$/);
        expect(headers.get("access-control-allow-origin")).toBe(origin);
        expect(headers.get("access-control-allow-credentials")).toBe("true");
      }
    },
  );

  test.each(["/api/environments/1/persons/", "/api/projects/", "/docs", "/_readiness", "/"])(
    "answers 503 on %s, which no page of another origin may read",
    async (path) => {
      const { url, stop } = listening();
      const answers = [
        await fetch(url + path, { headers: { origin } }),
        await fetch(url + path, { method: "OPTIONS", headers: { origin } }),
      ];
      await stop(0);

      for (const { status, headers } of answers) {
        expect([status, headers.get("access-control-allow-origin")]).toEqual([503, null]);
      }
    },
  );

  test("lives", async () => {
    const { url, setReason, stop } = listening();
    setReason("The disk is full: the server starts when there is space.");
    const answers = await Promise.all(
      ["/_liveness", "/_liveness/?now"].map(async (path) => {
        const answer = await fetch(url + path);
        return [answer.status, await answer.json()];
      }),
    );
    await stop(0);

    expect(answers).toEqual([
      [200, { status: "ok" }],
      [200, { status: "ok" }],
    ]);
  });
});

test.each([
  [["--host", "1.2.3.4"], "Cannot listen on 1.2.3.4"],
  [["--tls-cert", "/no/cert.pem", "--tls-key", "/no/key.pem"], "--tls-cert"],
  [["--tls-cert", join(PEM, "key.pem"), "--tls-key", join(PEM, "cert.pem")], "--tls-cert"],
])("a server that cannot listen with %p says so in a sentence", async (flags, sentence) => {
  const command = [executable(), "serve", "--port", "0", ...flags];
  const child = Bun.spawn([...command, "--data", "/tmp/hoglet-never-made"], {
    stderr: "pipe",
    stdout: "ignore",
  });

  expect(await child.exited).toBe(1);
  const said = await child.stderr.text();
  expect(said).toContain(sentence);
  expect(said.trim().split("\n")).toHaveLength(1);
});
