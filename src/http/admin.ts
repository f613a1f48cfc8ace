import { chmodSync, rmSync } from "node:fs";
import { type Answer, answer, type Call, proxies, type Surface } from "../remote.ts";

/** A server for the CLI on a unix socket; whoever may open the file may do everything. */
export type AdminServer = { stop(): Promise<void> };

/** Offers `surface` on the socket at `path`, replacing one that a killed process left. */
export function serveAdmin(path: string, surface: Surface): AdminServer {
  rmSync(path, { force: true });
  const server = Bun.serve({
    unix: path,
    development: false,
    fetch: async (request) => Response.json(await answer(surface, (await request.json()) as Call)),
  });
  chmodSync(path, 0o600);
  return {
    async stop() {
      await server.stop(true);
      rmSync(path, { force: true });
    },
  };
}

/** The objects that {@link serveAdmin} offers on a socket. */
export function adminClient<T extends Surface>(path: string): T {
  return proxies<T>(async (call) => {
    const response = await fetch("http://hoglet/", {
      unix: path,
      method: "POST",
      body: JSON.stringify(call),
    });
    return (await response.json()) as Answer;
  });
}
