import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { METRICS } from "../../../src/core/operations/metric-definitions.ts";
import { metricValue, parseMetrics, scrape } from "../../support/answers/prometheus.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../support/start/app.ts";
import { openConnection } from "../../support/start/connection.ts";
import { startServer } from "../../support/start/server.ts";

const read = async (app: TestApp, key?: string) => {
  const { status, headers, body } = await app.ask("GET", "/metrics", key ? { key } : {});
  return { status, type: headers.get("content-type"), metrics: parseMetrics(String(body)) };
};

describe("GET /metrics", () => {
  test("is in Prometheus's text format 0.0.4, from the first start on", async () => {
    await using app = await testApp();

    const { status, type, metrics } = await read(app);

    expect([status, type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect([...metrics.keys()].sort()).toEqual(Object.keys(METRICS).sort());
    const value = (name: string) => metricValue(metrics, name);
    expect(value("hoglet_ready")).toBe(1);
    expect(value("process_start_time_seconds")).toBe(app.clock.now / 1000);
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
    expect(metrics.get("hoglet_build_info")?.samples).toEqual([
      { labels: { version: expect.stringMatching(/^\d+\.\d+\.\d+/) as never }, value: 1 },
    ]);
  });

  test("counts events by project and reason", async () => {
    await using app = await testApp();
    const sent = event();
    await app.app.projects.create({ name: "second", api_token: "phc_second" });

    await app.capture(batch(sent, event({ uuid: "none" }), event({ event: "" })));
    await app.capture(batch(sent));
    await app.capture({ ...batch(event(), event({ distinct_id: "" })), api_key: "phc_second" });

    const { metrics } = await read(app);
    const value = (name: string, labels = {}) => metricValue(metrics, `hoglet_${name}`, labels);
    const of = (project_id: string, reason: string) => ({ project_id, reason });
    expect(value("events_accepted_total", { project_id: "1" })).toBe(3);
    expect(value("events_accepted_total", { project_id: "2" })).toBe(1);
    expect(value("events_dropped_total", of("1", "missing_event_name"))).toBe(1);
    expect(value("events_dropped_total", of("2", "missing_distinct_id"))).toBe(1);
    expect(value("events_changed_total", of("1", "replaced_invalid_uuid"))).toBe(1);
    expect(value("events_stored_total")).toBe(3);
    expect(value("events_deduplicated_total")).toBe(1);
    expect(value("events_dead_lettered_total")).toBe(0);
    expect(value("journal_durable_seq")).toBe(value("ingest_applied_seq"));
    expect(value("ingest_lag_events")).toBe(0);
    expect(value("journal_bytes")).toBeGreaterThan(500);
    expect(value("journal_queue_bytes")).toBe(0);
    expect(value("capture_inflight_bytes")).toBe(0);
  });

  test("counts refused requests by code", async () => {
    await using app = await testApp();

    await app.capture({ ...batch(event()), api_key: "phc_stranger" });
    await app.capture({ ...batch(event()), api_key: "phc_stranger2" });
    await app.capture("{");

    const { metrics } = await read(app);
    expect(metrics.get("hoglet_capture_rejected_requests_total")?.samples).toEqual([
      { labels: { reason: "invalid_api_key" }, value: 2 },
      { labels: { reason: "invalid_payload" }, value: 1 },
    ]);
  });

  test("counts what its sender breaks off under a reason of its own", async () => {
    await using server = await startServer();
    // One that is received at one go, one that is counted as it comes.
    for (const length of [1000, 1_000_000]) {
      using connection = await openConnection(server.url);
      connection.write(`POST /e/ HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n{"ev`);
      // The server has begun to read before the connection ends.
      await server.get("/events/");
    }

    const refused = async () =>
      (await scrape(server)).get("hoglet_capture_rejected_requests_total")?.samples ?? [];
    while ((await refused()).reduce((sum, { value }) => sum + value, 0) < 2) await Bun.sleep(10);

    expect(await refused()).toEqual([{ labels: { reason: "upload_aborted" }, value: 2 }]);
  });

  test("shows a key that is confined to a project nothing of the others", async () => {
    await using app = await testApp();
    const second = await app.app.projects.create({ name: "second" });
    await app.capture(batch(event(), event({ event: "" })));
    const key = { label: "confined", scopes: ["project:read"], scoped_teams: [second.id] };
    const { value } = await app.app.keys.create(key);

    const { metrics } = await read(app, value);

    const labels = [...metrics.values()].flatMap(({ samples }) => samples.map((s) => s.labels));
    expect(labels.filter(({ project_id }) => project_id !== undefined)).toEqual([]);
    expect(metricValue(metrics, "hoglet_events_stored_total")).toBe(1);
  });

  test("says that the server is not ready while it is not", async () => {
    await using app = await testApp();
    app.app.drain();
    expect(metricValue((await read(app)).metrics, "hoglet_ready")).toBe(0);
  });

  test("answers without a key on the socket of the data directory alone", async () => {
    await using server = await startServer();

    const open = await fetch(`${server.url}/metrics`);
    const socket = await fetch("http://hoglet/metrics", { unix: join(server.data, "hoglet.sock") });

    expect([open.status, socket.status]).toEqual([401, 200]);
    expect(socket.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const names = [...parseMetrics(await socket.text()).keys()];
    expect(names).toEqual([...(await scrape(server)).keys()]);
  });
});

test("a flood of names, ids and keys makes no metric and no label", async () => {
  await using app = await testApp();
  const shapeOf = async () =>
    [...(await read(app)).metrics].map(([name, { samples }]) => [name, samples.length]);
  const flood = (round: number) =>
    Array.from({ length: 2000 }, (_, n) => {
      const name = `flood-${round}-${n}`;
      return [
        event({ event: name, distinct_id: name, properties: { [name]: 1, $set: { [name]: 1 } } }),
        event({ event: name, distinct_id: name, uuid: name }),
        event({ event: "", distinct_id: name, properties: { [name]: 1 } }),
      ];
    }).flat();
  const round = async (number: number) => {
    await app.capture(batch(...flood(number)));
    for (let n = 0; n < 50; n += 1) {
      await app.ask("POST", `/i/v0/e/?flood-${n}`, {
        key: null,
        body: { ...event(), api_key: `phc_flood${number}x${n}` },
        headers: { "user-agent": `flood-${n}` },
      });
      await app.ask("GET", "/metrics", { key: `phx_flood${number}x${n}` });
    }
  };

  await round(1);
  const before = await shapeOf();
  await round(2);

  expect(await shapeOf()).toEqual(before);
  expect(String((await app.ask("GET", "/metrics")).body)).not.toContain("flood");
});

test.each([
  ["no line feed at the end", "# HELP a b\n# TYPE a gauge\na 1"],
  ["a blank line inside a metric", "# HELP a b\n# TYPE a gauge\n\na 1\n"],
  ["a sample without TYPE", "# HELP a b\na 1\n"],
  ["TYPE without HELP", "# TYPE a gauge\na 1\n"],
  ["samples in two places", "# HELP a b\n# TYPE a gauge\na 1\n# HELP c b\n# TYPE c gauge\na 2\n"],
  ["the same labels twice", '# HELP a b\n# TYPE a gauge\na{x="1"} 1\na{x="1"} 2\n'],
  ["a quote that is not escaped", '# HELP a b\n# TYPE a gauge\na{x="""} 1\n'],
  ["a value that is no number", "# HELP a b\n# TYPE a gauge\na NaN1\n"],
  ["a counter by another name", "# HELP a b\n# TYPE a counter\na 1\n"],
])("the metrics reader of these tests refuses %s", (_case, text) => {
  expect(() => parseMetrics(text)).toThrow();
});
