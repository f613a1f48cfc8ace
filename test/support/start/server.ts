import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { documented } from "../answers/document.ts";
import { keepEngine, lendEngine } from "../disk/engine.ts";
import { executable } from "./executable.ts";
import { WAIT_MS_MAX } from "./patience.ts";

/** Keys that every test server is started with. */
export const PROJECT_KEY = "phc_testproject";
export const PERSONAL_KEY = "phx_test0123456789abcdefghijklmnop";

/** Where the sources are. */
export const ROOT = join(import.meta.dir, "../../..");

/** Looks at the lag, after which the events are asked for even if other events are still waiting. */
const LOOKS_MAX = 25;

type Options = {
  /** The data directory; a new temporary one by default, removed when the server is disposed. */
  data?: string;
  /** The command to run; the executable by default. */
  command?: string[];
  /** Working directory of the process. */
  cwd?: string;
  /** Where it listens; any free port by default. */
  port?: number;
  flags?: string[];
  env?: Record<string, string>;
};

/** A server that runs as a process of its own, on a port of its own. */
export type Server = AsyncDisposable & {
  url: string;
  data: string;
  pid: number;
  /** Its output so far. */
  output(): { out: string; err: string };
  /**
   * A management request with the personal key; paths are relative to the first project. Fails if
   * the answer is not as the OpenAPI document has it.
   */
  get<T = Record<string, unknown>>(path: string): Promise<T>;
  /** Posts to a capture path. */
  capture(body: unknown, path?: string): Promise<Response>;
  /** All events of project 1 that `query` asks for, page by page. */
  events(query?: string): Promise<StoredEvent[]>;
  /** Waits until `count` events are queryable; fails after a while. */
  stored(count: number, query?: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Asks it to end, and resolves with its exit code. */
  stop(): Promise<number>;
  /** The exit code, once it has ended and all its output is here. */
  exited: Promise<number>;
};

/** An event as the API shows it. */
export type StoredEvent = {
  uuid: string;
  event: string;
  distinct_id: string;
  person_id: string;
  timestamp: string;
  properties: Record<string, unknown>;
};

/** Starts a server and waits until it is ready. */
export async function startServer(options: Options = {}): Promise<Server> {
  const own = options.data === undefined;
  const data = options.data ?? mkdtempSync(join(tmpdir(), "hoglet-test-"));
  const command = options.command ?? [executable()];
  if (options.command === undefined) lendEngine(data);
  const child = Bun.spawn(
    [
      ...[...command, "serve", "--data", data, "--port", String(options.port ?? 0)],
      ...(options.flags ?? []),
    ],
    {
      cwd: options.cwd ?? ROOT,
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        HOGLET_PROJECT_KEY: PROJECT_KEY,
        HOGLET_PERSONAL_KEY: PERSONAL_KEY,
        ...options.env,
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const text = { out: "", err: "" };
  const drain = async (stream: ReadableStream<Uint8Array>, to: "out" | "err") => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text[to] += decoder.decode(chunk, { stream: true });
  };
  const drained = Promise.all([drain(child.stdout, "out"), drain(child.stderr, "err")]);
  const exited = child.exited.then(async (code) => {
    await drained;
    return code;
  });
  const url = await readyUrl(text, child).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  const api = `${url}/api/environments/1`;
  const get = async <T>(path: string, until = Date.now() + WAIT_MS_MAX): Promise<T> => {
    const address = path.startsWith("http") ? path : `${api}${path}`;
    const tls = { rejectUnauthorized: false };
    const response = await fetch(address, {
      tls,
      headers: { authorization: `Bearer ${PERSONAL_KEY}` },
    });
    const { status, headers } = response;
    const text = await response.text();
    // A busy server asks every client to come again.
    const wait = status === 503 ? Number(headers.get("retry-after")) : 0;
    if (wait > 0 && Date.now() < until) {
      await Bun.sleep(wait * 1000);
      return get<T>(path, until);
    }
    if (!response.ok) throw new Error(`${path}: ${status} ${text}`);
    const check = await documented(() => fetch(`${url}/openapi.json`, { tls }));
    check({ method: "GET", path: new URL(address).pathname, status, headers, text });
    return JSON.parse(text) as T;
  };
  const server: Server = {
    url,
    data,
    pid: child.pid,
    output: () => ({ ...text }),
    get,
    capture: (body, path = "/batch/") =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    async events(query = "") {
      const found: StoredEvent[] = [];
      for (let before = ""; ; ) {
        const page = await get<{ count: number; results: StoredEvent[] }>(
          `/events/?limit=1000&offset=${found.length}${query}${before}`,
        );
        found.push(...page.results);
        if (found.length >= page.count || page.results.length === 0) return found;
      }
    },
    async stored(count, query = "") {
      const deadline = Date.now() + WAIT_MS_MAX;
      for (;;) {
        await caughtUp(url);
        const page = await get<{ count: number }>(`/events/?limit=1${query}`);
        if (page.count >= count) return;
        if (Date.now() > deadline) {
          throw new Error(`${page.count} of ${count} events are stored:\n${text.out}\n${text.err}`);
        }
        await Bun.sleep(20);
      }
    },
    signal: (name) => child.kill(name),
    stop() {
      child.kill("SIGTERM");
      return exited;
    },
    exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
      if (!own) return;
      keepEngine(data);
      rmSync(data, { recursive: true, force: true });
    },
  };
  return server;
}

/**
 * Waits until queries see all accepted events, or for a while: the metrics cost a tenth of a query, and a server
 * without the key of the tests has none.
 */
async function caughtUp(url: string): Promise<void> {
  const request = {
    tls: { rejectUnauthorized: false },
    headers: { authorization: `Bearer ${PERSONAL_KEY}` },
  };
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const metrics = await (await fetch(`${url}/metrics`, request)).text();
    const lag = /^hoglet_ingest_lag_events (\d+)/m.exec(metrics)?.[1] ?? "0";
    if (lag === "0") return;
    await Bun.sleep(20);
  }
}

async function readyUrl(
  text: { out: string; err: string },
  child: { exitCode: number | null },
): Promise<string> {
  const deadline = Date.now() + WAIT_MS_MAX;
  while (Date.now() < deadline && child.exitCode === null) {
    const url = /capture\s+(\S+)\/i\/v0\/e\//.exec(text.out)?.[1];
    if (url !== undefined && text.out.includes("ready in")) {
      const ready = await fetch(`${url}/_readiness`, { tls: { rejectUnauthorized: false } }).catch(
        () => undefined,
      );
      if (ready?.ok) return url;
    }
    await Bun.sleep(10);
  }
  throw new Error(`The server did not become ready:\n${text.out}\n${text.err}`);
}

/** Every file below a directory; without those that are removed meanwhile. */
export function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true })
    .map((name) => join(directory, String(name)))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

/** Lines of a JSON-lines file. */
export function readLines<T>(path: string): T[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}
