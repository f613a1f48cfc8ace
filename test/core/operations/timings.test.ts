import { expect, test } from "bun:test";
import { Registry } from "prom-client";
import { BUCKETS_S, timings } from "../../../src/core/operations/timings.ts";
import { metricValue, parseMetrics } from "../../support/answers/prometheus.ts";

test("requests are counted in every bucket that they fit in, by kind", async () => {
  const clock = { now: 0 };
  const timed = timings(() => clock.now);
  const took = (ms: number) => {
    const done = timed.begin();
    clock.now += ms;
    return done;
  };
  took(1)("capture");
  took(3)("capture");
  took(20_000)("capture");
  took(100)("api");

  const registry = new Registry();
  registry.registerMetric(timed.histogram);
  const metrics = parseMetrics(await registry.metrics());

  const value = (kind: string, part: string, le?: string) =>
    metricValue(metrics, "hoglet_http_request_duration_seconds", {
      kind,
      ...(le === undefined ? {} : { le }),
      part,
    });
  expect(
    ["0.001", "0.0025", "0.005", "10", "+Inf"].map((le) => value("capture", "bucket", le)),
  ).toEqual([1, 1, 2, 2, 3]);
  expect(value("capture", "sum")).toBeCloseTo(20.004);
  expect(value("capture", "count")).toBe(3);
  expect([value("api", "bucket", "0.05"), value("api", "bucket", "0.1")]).toEqual([0, 1]);
  expect(value("other", "count")).toBe(0);
  expect(metrics.get("hoglet_http_request_duration_seconds")?.samples).toHaveLength(
    3 * (BUCKETS_S.length + 1 + 2),
  );
});
