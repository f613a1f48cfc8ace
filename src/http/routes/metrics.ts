import { t } from "elysia";
import { sees } from "../../core/access/key.ts";
import type { Metrics } from "../../core/operations/metrics.ts";
import { route } from "../operation/route.ts";

/** The path of the metrics. */
export const METRICS_PATH = "/metrics";

/** Metrics for Prometheus, only with a personal key: through a proxy, each caller seems to be local. */
export const metricRoutes = (metrics: Metrics) => [
  route({
    method: "GET",
    path: METRICS_PATH,
    scope: "project:read",
    operationId: "metrics_retrieve",
    summary: "Read the server's metrics in the text format of Prometheus.",
    status: 200,
    response: t.String({ examples: ["hoglet_ready 1\n"] }),
    handle: ({ principal }) => metricsResponse(metrics, (project) => sees(principal, project)),
  }),
];

/** Metrics in the text format of Prometheus. */
export async function metricsResponse(
  metrics: Metrics,
  sees?: (project: number) => boolean,
): Promise<Response> {
  const headers = { "content-type": metrics.contentType };
  return new Response(await metrics.read(sees), { headers });
}
