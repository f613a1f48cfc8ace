import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PERSONAL_KEY, PROJECT_KEY, ROOT, type Server } from "../../test/support/start/server.ts";
import type { Run } from "./events.ts";
import type { Job, Sent } from "./load.ts";

/** A process that sends events. */
export type Generator = AsyncDisposable & { pid: number; send(job: Job): Promise<Sent> };

/** Starts a load generator. */
export async function startGenerator(run: Run): Promise<Generator> {
  let arrived = (_message: { sent?: Sent }) => {};
  const next = () =>
    new Promise<{ sent?: Sent }>((resolve) => {
      arrived = resolve;
    });
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "load.ts")], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    ipc: (message: { sent?: Sent }) => arrived(message),
  });
  const ended = child.exited.then((code): never => {
    throw new Error(`The load generator ended with ${code}`);
  });
  ended.catch(() => undefined);
  const ask = (message: { run: Run } | { job: Job }) => {
    const answer = next();
    child.send(message);
    return Promise.race([answer, ended]);
  };
  await ask({ run });
  return {
    pid: child.pid,
    async send(job) {
      const { sent } = await ask({ job });
      if (sent === undefined) throw new Error("The load generator sent no result");
      if (sent.errors > 0) throw new Error(`${sent.errors} bad answers; first: ${sent.firstError}`);
      return sent;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** The bare server that parses and answers. */
export type Floor = AsyncDisposable & { port: number; pid: number; startedInMs: number };

/** Starts the floor and waits until it listens. */
export async function startFloor(): Promise<Floor> {
  const started = performance.now();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "floor.ts")], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await child.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
  return {
    port,
    pid: child.pid,
    startedInMs: performance.now() - started,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** The port of a server. */
export const portOf = ({ url }: Server): number => Number(new URL(url).port);

/**
 * Starts a server on `data` and stops it again; milliseconds from the start of the process to
 * the first 200 of `/_readiness`. `end` is how it is stopped.
 */
export async function coldStart(
  command: string[],
  data: string,
  end: "SIGTERM" | "SIGKILL" = "SIGTERM",
): Promise<number> {
  const port = freePort();
  const started = performance.now();
  const child = Bun.spawn([...command, "serve", "--data", data, "--port", String(port)], {
    env: {
      HOME: process.env["HOME"],
      HOGLET_PROJECT_KEY: PROJECT_KEY,
      HOGLET_PERSONAL_KEY: PERSONAL_KEY,
    },
    cwd: ROOT,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  try {
    while (child.exitCode === null && performance.now() - started < START_MS_MAX) {
      const answer = await fetch(`http://127.0.0.1:${port}/_readiness`).catch(() => undefined);
      await answer?.arrayBuffer();
      if (answer?.ok) return performance.now() - started;
      await Bun.sleep(2);
    }
    throw new Error(`The server on ${data} did not become ready`);
  } finally {
    child.kill(end);
    await child.exited;
  }
}

const START_MS_MAX = 60_000;

function freePort(): number {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}

/** A new directory that is removed when it is disposed. */
export function temporaryDirectory(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), "hoglet-bench-"));
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
