import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DESCRIPTORS_MIN, expectDescriptors } from "../../../src/app/process/connections.ts";
import { metricValue, scrape } from "../../support/answers/prometheus.ts";
import { event } from "../../support/data/build-records.ts";
import { openConnection } from "../../support/start/connection.ts";
import { executable } from "../../support/start/executable.ts";
import { runCommand } from "../../support/start/process.ts";
import { PERSONAL_KEY, PROJECT_KEY, type Server, startServer } from "../../support/start/server.ts";

/** The executable with so many descriptors. */
const withDescriptors = (count: number) => [
  ...["sh", "-c", `ulimit -n ${count}; exec "$0" "$@"`],
  executable(),
];

test("the smallest limit is enough, and one below it is refused", () => {
  expect(() => expectDescriptors(DESCRIPTORS_MIN)).not.toThrow();
  expect(() => expectDescriptors(DESCRIPTORS_MIN - 1)).toThrow("only 255 files and connections");
});

test.each([24, 64])(
  "a start with %i descriptors says how to raise them, and makes no file",
  async (count) => {
    const data = mkdtempSync(join(tmpdir(), "hoglet-test-"));

    const ended = await runCommand(["serve", "--data", data, "--port", "0"], {
      command: withDescriptors(count),
    });

    expect(ended.code).toBe(1);
    expect(ended.err).toContain("ulimit -n 65536");
    expect(readdirSync(data)).toEqual([]);
    rmSync(data, { recursive: true });
  },
);

const LIVENESS = "GET /_liveness HTTP/1.1\r\nHost: localhost\r\n\r\n";

test.each([
  ["idle", LIVENESS],
  ["with half a head", "GET / HTTP/1.1\r\nHost: localhost\r\n"],
  ["with half a body", "POST /batch/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"],
])(
  "connections beyond the descriptors, %s, take none from clients before and after them",
  async (_how, text) => {
    await using server = await startServer({ command: withDescriptors(DESCRIPTORS_MIN) });
    using before = await openConnection(server.url);
    before.write(LIVENESS);
    await before.until("200 OK");

    const connections = await Promise.all(
      Array.from({ length: 2 * DESCRIPTORS_MIN }, () => openConnection(server.url)),
    );
    for (const connection of connections) connection.write(text);
    while (!server.output().err.includes("too many connections")) await Bun.sleep(10);

    while (metricValue(await scrape(server), "process_open_fds") > 192) await Bun.sleep(10);
    expect(await answers(server)).toEqual([200, 200, 200]);
    expect(await answers(server)).toEqual([200, 200, 200]);
    const metrics = await scrape(server);
    expect(metricValue(metrics, "process_max_fds")).toBe(DESCRIPTORS_MIN);
    expect(metricValue(metrics, "hoglet_connections_ended_total")).toBeGreaterThan(256);
    for (const connection of connections) connection[Symbol.dispose]();
    while (!server.output().err.includes("few enough connections again")) await Bun.sleep(10);
    expect(await server.stop()).toBe(0);
  },
);

/** The statuses of a capture, of SQL and of a list. */
async function answers({ url, capture }: Server): Promise<number[]> {
  const headers = { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" };
  const body = JSON.stringify({
    query: { kind: "HogQLQuery", query: "SELECT count() FROM events" },
  });
  const captured = await capture({ api_key: PROJECT_KEY, batch: [event({ event: "kept" })] });
  const queried = await fetch(`${url}/api/environments/1/query/`, {
    method: "POST",
    headers,
    body,
  });
  const listed = await fetch(`${url}/api/environments/1/persons/`, { headers });
  return [captured, queried, listed].map(({ status }) => status);
}
