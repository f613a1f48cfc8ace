import { chmodSync, rmSync } from "node:fs";
import type { Metrics } from "../core/operations/metrics.ts";
import { Failure } from "../core/values/failure.ts";
import { metricsResponse } from "../http/routes/metrics.ts";
import { type Answer, answer, type Call, type RpcApi, rpcClient } from "./threads/rpc.ts";

/** A server for the CLI on a unix socket. Any user who may open the file may do everything. */
export type AdminServer = { stop(): Promise<void> };

/**
 * Serves `api` on the socket at `path`, replacing one that a killed process left. GET /metrics
 * answers there too, without a key.
 */
export function serveAdmin(path: string, api: RpcApi, metrics: Metrics): AdminServer {
  rmSync(path, { force: true });
  const server = Bun.serve({
    unix: path,
    development: false,
    // Bun's own error page would print the request.
    error: () => new Response("Not a call.\n", { status: 400 }),
    async fetch(request) {
      // A run of deletions may take minutes.
      server.timeout(request, 0);
      const asksMetrics = request.method === "GET" && new URL(request.url).pathname === "/metrics";
      if (asksMetrics) return metricsResponse(metrics);
      return Response.json(await answer(api, (await request.json()) as Call));
    },
  });
  chmodSync(path, 0o600);
  return {
    async stop() {
      await server.stop(true);
      rmSync(path, { force: true });
    },
  };
}

/** The objects that {@link serveAdmin} serves on a socket. */
export function adminClient<T extends RpcApi>(path: string): T {
  return rpcClient<T>(async (call) => {
    const request = {
      unix: path,
      method: "POST",
      body: JSON.stringify(call),
      timeout: false,
    } as const;
    try {
      const response = await fetch("http://hoglet/", request);
      return (await response.json()) as Answer;
    } catch {
      const detail =
        "The server ended before it answered. It continues what it began after its next start.";
      throw new Failure("unavailable", detail);
    }
  });
}
