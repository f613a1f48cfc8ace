import { afterAll, beforeAll } from "bun:test";
import { type Server, startServer } from "./server.ts";

/** One server for all tests of a file or `describe`. It runs from the first `beforeAll` on. */
export function sharedServer(options: Parameters<typeof startServer>[0] = {}): Server {
  let started: Server | undefined;

  beforeAll(async () => {
    started = await startServer(options);
  });

  afterAll(() => started?.[Symbol.asyncDispose]());

  return new Proxy({} as Server, {
    get: (_, name) => Reflect.get(started ?? {}, name),
  });
}
