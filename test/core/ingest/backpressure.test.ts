import { describe, expect, test } from "bun:test";
import {
  BACKLOG_FREE_MS,
  BACKLOG_MAX_MS,
  BULK_EVENTS_MIN,
  type DiskGuard,
  diskGuard,
  EACH_MS_AT_FIRST,
  FLOOR_BYTES_MAX,
  FLOOR_BYTES_MIN,
  LIVE_FACTOR,
  pace,
  rejectWhenDiskLow,
  responseDelayMs,
} from "../../../src/core/ingest/backpressure.ts";
import { BATCH_EVENTS_MAX } from "../../../src/core/ingest/batches.ts";
import type { Volume } from "../../../src/core/ports/volume.ts";
import { metricValue, parseMetrics } from "../../support/answers/prometheus.ts";
import { batch, event } from "../../support/data/build-records.ts";
import { testApp } from "../../support/start/app.ts";

const BATCH = 100;

describe("an answer", () => {
  test("goes at once while the stores keep up", () => {
    expect(responseDelayMs(0, 1)).toBe(0);
    expect(responseDelayMs(BACKLOG_FREE_MS, 1_000_000)).toBe(0);
  });

  test("waits longer the more the stores have to do", () => {
    const backlogMs = [0.2, 0.4, 0.6, 0.8, 1].map(
      (share) => BACKLOG_FREE_MS + share * (BACKLOG_MAX_MS - BACKLOG_FREE_MS),
    );
    const holds = backlogMs.map((ms) => responseDelayMs(ms, BATCH));
    expect(holds).toEqual(holds.toSorted((a, b) => a - b));
    expect(new Set(holds).size).toBe(holds.length);
  });

  test("waits the longer the more events it is to", () => {
    const backlogMs = (BACKLOG_FREE_MS + BACKLOG_MAX_MS) / 2;
    expect([responseDelayMs(backlogMs, BATCH / 2), responseDelayMs(backlogMs, BATCH)]).toEqual([
      63, 125,
    ]);
  });

  test("to a few events, as browsers send them, is held back only far later", () => {
    const few = BULK_EVENTS_MIN - 1;
    expect([
      responseDelayMs(BACKLOG_FREE_MS * LIVE_FACTOR, few),
      responseDelayMs(BACKLOG_MAX_MS, few),
    ]).toEqual([0, 0]);
    expect(responseDelayMs(BACKLOG_MAX_MS * LIVE_FACTOR, 1)).toBe(10);
  });

  test("never waits for more than a second", () => {
    expect(responseDelayMs(BACKLOG_MAX_MS, 1_000_000)).toBe(1000);
    expect(responseDelayMs(Number.MAX_SAFE_INTEGER, BATCH)).toBe(1000);
  });
});

test("the time of events is measured by the latest batches; without batches it is zero", () => {
  const known = pace();
  expect(known.msFor(100_000)).toBeCloseTo(EACH_MS_AT_FIRST * 100_000);

  let at = 0;
  const batch = (count: number, ms: number, waiting = BATCH_EVENTS_MAX) => {
    at += ms;
    return known.sinceLast({ count }, at, waiting);
  };
  for (let more = 0; more < 200; more++) batch(8000, 800);
  expect(known.msFor(1000)).toBeCloseTo(100);
  expect(batch(8000, 1600)).toBe(1600);
  expect(known.msFor(1000)).toBeGreaterThan(100);
  expect(known.msFor(1000)).toBeLessThan(120);

  const before = known.msFor(1000);
  // A batch after an empty queue may have waited for a sender.
  batch(10, 60_000, 0);
  for (let hour = 0; hour < 100; hour++) batch(8000, 3_600_000, 0);
  expect(known.msFor(1000)).toBe(before);
  // Nor does a disk that refused for an hour count for more than a slow one.
  batch(8000, 1000);
  batch(8000, 3_600_000, 0);
  expect(known.msFor(1000)).toBeCloseTo(before + (500 - before) / 16);
  expect([known.msFor(0), known.msFor(-5)]).toEqual([0, 0]);
});

const GB = 1_000_000_000;

/** A room on a volume that can be changed, and a clock that is set by hand. */
function room({ total = 10 * GB, floorPercent = 5 } = {}) {
  const volume = { free: total, total };
  const clock = { now: 0 };
  const looks = { count: 0 };
  const logged: string[] = [];
  const log = (message: string) => logged.push(message);
  const made: DiskGuard = diskGuard({
    volume() {
      looks.count += 1;
      return volume;
    },
    floorPercent,
    elapsedMs: () => clock.now,
    log: { info: log, warn: log, error: log },
  });
  return { volume, clock, looks, logged, ...made };
}

test("a disk is low below its limit and critical below half of it, and that is logged once", () => {
  const { volume, clock, logged, isLow, isCritical } = room();
  const at = (free: number) => {
    volume.free = free;
    clock.now += 1000;
    return [isLow(), isCritical()];
  };

  expect(at(0.5 * GB)).toEqual([false, false]);
  expect(at(0.5 * GB - 1)).toEqual([true, false]);
  expect(at(0.25 * GB)).toEqual([true, false]);
  expect(at(0.25 * GB - 1)).toEqual([true, true]);
  expect(at(0)).toEqual([true, true]);
  expect(logged).toHaveLength(1);
  expect(at(GB)).toEqual([false, false]);
  expect(logged).toHaveLength(2);
});

test("is checked at most once a second", () => {
  const { clock, looks, isLow, isCritical } = room();
  for (let ms = 0; ms < 3000; ms += 10) {
    clock.now = ms;
    isLow();
    isCritical();
  }
  expect(looks.count).toBe(3);
});

test("a floor is a share of the volume within two bounds, or none", () => {
  const floorOf = (total: number, floorPercent: number) =>
    room({ total, floorPercent }).figures()?.floor;
  expect(floorOf(10 * GB, 5)).toBe(0.5 * GB);
  expect(floorOf(10 * GB, 10)).toBe(GB);
  expect(floorOf(1 * GB, 5)).toBe(FLOOR_BYTES_MIN);
  expect(floorOf(1000 * GB, 5)).toBe(FLOOR_BYTES_MAX);
  expect(floorOf(1000 * GB, 0)).toBe(0);
});

test("a volume of unknown size has space", () => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const unknown = diskGuard({ volume: () => undefined, floorPercent: 5, elapsedMs: () => 0, log });
  expect([unknown.isLow(), unknown.isCritical(), unknown.figures()]).toEqual([
    false,
    false,
    undefined,
  ]);
});

test("a journal below the floor takes nothing", async () => {
  const entry = { kind: "events" as const, project_id: 1, arrived_at: 0, count: 1, lines: LINE };
  const state = { low: false };
  const journal = rejectWhenDiskLow({ append: async () => 7 }, { isLow: () => state.low });

  expect(await journal.append(entry)).toBe(7);
  state.low = true;
  const refused = await journal.append(entry).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "unavailable", status: 503 });
});

const LINE = new TextEncoder().encode("{}\n");

test("below the floor events and logs get 503, strangers 401, and reads and changes go on", async () => {
  const volume: Volume = { free: 10 * GB, total: 10 * GB };
  await using app = await testApp({ volume: () => volume });
  await app.capture(batch(event()));
  volume.free = GB / 10;
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    app.ask("POST", path, { body, key: null, headers });
  const ready = () => app.ask("GET", "/_readiness", { key: null });
  while ((await ready()).status === 200) await Bun.sleep(20);

  const refused = await post("/batch/", batch(event()));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  const record = { body: { stringValue: "x" } };
  const records = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] };
  const logs = await post("/i/v1/logs?token=phc_testproject", records);
  expect([logs.status, logs.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await post("/batch/", { ...batch(event()), api_key: "phc_nobody" })).status).toBe(401);
  expect((await ready()).body).toMatchObject({
    reasons: expect.arrayContaining(["disk_full"]) as never,
  });
  expect((await app.get("/events/")).body).toMatchObject({ count: 1 });
  const people = (await app.get("/persons/")).body as { results: { id: number }[] };
  const change = { body: { properties: { plan: "pro" } } };
  const path = `/api/environments/1/persons/${people.results[0]?.id}/`;
  const changed = await app.ask("PATCH", path, change);
  expect(changed.status).toBe(200);
  const metrics = parseMetrics(String((await app.ask("GET", "/metrics")).body));
  expect(metricValue(metrics, "hoglet_disk_free_bytes")).toBe(GB / 10);
  expect(
    metricValue(metrics, "hoglet_capture_rejected_requests_total", { reason: "unavailable" }),
  ).toBe(1);

  volume.free = 10 * GB;
  while ((await post("/batch/", batch(event()))).status !== 200) await Bun.sleep(20);
  await app.app.ingest.caughtUp();
  expect((await app.get("/events/")).body).toMatchObject({ count: 2 });
  expect((await ready()).status).toBe(200);
});
