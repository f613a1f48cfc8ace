import { t } from "elysia";
import type { Metric, MetricSample } from "../domain/metric.ts";
import { sees } from "../domain/principal.ts";
import type { Metrics } from "../services/metrics.ts";
import { route } from "./route.ts";

const TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

/** Where metrics are read. */
export const METRICS_PATH = "/metrics";

/** Metrics for Prometheus, behind a personal key: a proxy in front makes everybody local. */
export const metricRoutes = (metrics: Metrics) => [
  route({
    method: "GET",
    path: METRICS_PATH,
    scope: "project:read",
    operationId: "metrics_retrieve",
    summary: "Read the server's metrics in the text format of Prometheus.",
    status: 200,
    response: t.String({ examples: ["hoglet_ready 1\n"] }),
    handle: async ({ principal }) =>
      metricsResponse(await metrics.read((project) => sees(principal, project))),
  }),
];

/** Metrics in the text format 0.0.4 of Prometheus. */
export function metricsResponse(metrics: readonly Metric[]): Response {
  const text = metrics.map(exposition).join("");
  return new Response(text, { headers: { "content-type": TEXT_FORMAT } });
}

function exposition({ name, type, help, samples }: Metric): string {
  const lines = [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`];
  for (const { part, labels, value } of samples) {
    lines.push(`${part === undefined ? name : `${name}_${part}`}${labelSet(labels)} ${value}`);
  }
  return `${lines.join("\n")}\n`;
}

function labelSet(labels: MetricSample["labels"]): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(String(value)).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
