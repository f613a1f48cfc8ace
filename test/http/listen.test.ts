import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { PERSONAL_KEY, PROJECT_KEY, ROOT, startServer } from "../support/server.ts";

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

test.each([
  [["--host", "1.2.3.4"], "Cannot listen on 1.2.3.4"],
  [["--tls-cert", "/no/cert.pem", "--tls-key", "/no/key.pem"], "--tls-cert"],
  [["--tls-cert", join(PEM, "key.pem"), "--tls-key", join(PEM, "cert.pem")], "--tls-cert"],
])("a server that cannot listen with %p says so in a sentence", async (flags, sentence) => {
  const command = [process.execPath, join(ROOT, "src/main.ts"), "serve", "--port", "0", ...flags];
  const child = Bun.spawn([...command, "--data", "/tmp/hoglet-never-made"], {
    stderr: "pipe",
    stdout: "ignore",
  });

  expect(await child.exited).toBe(1);
  const said = await child.stderr.text();
  expect(said).toContain(sentence);
  expect(said.trim().split("\n")).toHaveLength(1);
});
