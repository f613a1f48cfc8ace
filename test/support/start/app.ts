import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../../../src/app/process/log.ts";
import { type App, openApp } from "../../../src/app/server.ts";
import { readConfig } from "../../../src/app/settings/settings.ts";
import type { Volume } from "../../../src/core/ports/volume.ts";
import { bodyText } from "../answers/body.ts";
import { documented } from "../answers/document.ts";
import { keepEngine } from "../disk/engine.ts";
import { PERSONAL_KEY, PROJECT_KEY } from "./server.ts";

/** A temporary directory, gone when it is disposed. */
export function temporaryDirectory(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), "hoglet-test-"));
  return {
    path,
    [Symbol.dispose]() {
      for (const data of [path, join(path, "data")]) keepEngine(data);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** An answer, read whole: `body` is parsed when it is JSON, else `text`. */
export type Answered = { status: number; headers: Headers; text: string; body: unknown };

type RequestOptions = {
  body?: unknown;
  /** The personal key; null for no key. */
  key?: string | null;
  headers?: Record<string, string>;
  /** Tells that the caller has gone. */
  signal?: AbortSignal;
};

/** A project of an appliance. */
export type TestProject = {
  app: App;
  directory: string;
  /** Moves the appliance's clock; it stands still between. */
  clock: { now: number };
  /** The project's number. */
  id: number;
  /** The project's key, for captures. */
  token: string;
  /** The path of the project's management API: `/api/environments/<id>`. */
  api: string;
  /**
   * Any request, without a socket. `body` is sent as JSON unless it is text or bytes. The key of the tests
   * is replaced by the key of this project, except in bytes. Fails if the answer of an operation is not
   * as the OpenAPI document has it.
   */
  ask(method: string, path: string, asked?: RequestOptions): Promise<Answered>;
  /** A management GET below {@link TestProject.api}. */
  get(path: string, asked?: RequestOptions): Promise<Answered>;
  /** Captures events and waits until both stores have them. */
  capture(body: unknown, path?: string): Promise<Answered>;
};

/** A whole appliance in this process, on real stores in a temporary directory, and its first project. */
export type TestApp = AsyncDisposable &
  TestProject & {
    /** Makes another project; the clock is set back to when the appliance was started. */
    project(): Promise<TestProject>;
  };

const LISTEN_URL = "http://127.0.0.1:8000";

/** Starts an appliance; `data` reopens a directory that another one has closed. */
export async function testApp(
  options: {
    data?: string;
    now?: number;
    idleMs?: number;
    flags?: Record<string, string>;
    volume?: () => Volume;
  } = {},
): Promise<TestApp> {
  const own = options.data === undefined ? temporaryDirectory() : undefined;
  const directory = options.data ?? own?.path ?? "";
  const { settings } = readConfig(
    {
      "--data": directory,
      "--project-key": PROJECT_KEY,
      "--personal-key": PERSONAL_KEY,
      ...options.flags,
    },
    {},
  );
  const startedAt = options.now ?? Date.parse("2026-11-21T12:00:00Z");
  const clock = { now: startedAt };
  const app = await openApp(settings, {
    now: () => clock.now,
    log: silentLog,
    logFormat: "json",
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
    ...(options.volume === undefined ? {} : { volume: options.volume }),
  });
  const handle = app.http(LISTEN_URL);

  const ask = async (
    method: string,
    path: string,
    { body, key = PERSONAL_KEY, headers, signal }: RequestOptions = {},
  ): Promise<Answered> => {
    const raw = typeof body === "string" || body instanceof Uint8Array;
    const response = await handle(
      new Request(`http://localhost:8000${path}`, {
        method,
        ...(signal === undefined ? {} : { signal }),
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined || raw ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
      }),
    );
    const text = await bodyText(response);
    const { status, headers: answered } = response;
    const check = await documented(() => handle(new Request(`${LISTEN_URL}/openapi.json`)));
    check({ method, path, status, headers: answered, text });
    const json = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: json ? JSON.parse(text) : text,
    };
  };
  const projectOf = (id: number, token: string): TestProject => {
    const api = `/api/environments/${id}`;
    const withKey: TestProject["ask"] = (method, path, asked = {}) => {
      const own = (text: string) => text.replaceAll(PROJECT_KEY, token);
      return ask(method, own(path), token === PROJECT_KEY ? asked : ownKeys(asked, own));
    };
    return {
      ...{ app, directory, clock, id, token, api, ask: withKey },
      get: (path, asked) => ask("GET", api + path, asked),
      async capture(body, path = "/batch/") {
        const answered = await withKey("POST", path, { body, key: null });
        await app.ingest.caughtUp();
        return answered;
      },
    };
  };
  return {
    ...projectOf(1, PROJECT_KEY),
    async project() {
      clock.now = startedAt;
      const { id, api_token } = await app.projects.create({ name: "tests" });
      return projectOf(id, api_token);
    },
    async [Symbol.asyncDispose]() {
      await app.close(5000);
      own?.[Symbol.dispose]();
    },
  };
}

/** A request with other keys in its texts. */
function ownKeys(
  { body, key, headers = {}, ...asked }: RequestOptions,
  own: (text: string) => string,
): RequestOptions {
  const isBytes = body === undefined || body instanceof Uint8Array;
  const replaced =
    typeof body === "string" ? own(body) : JSON.parse(own(JSON.stringify(body ?? null)));
  return {
    ...asked,
    ...(isBytes ? { body } : { body: replaced }),
    ...(key === undefined ? {} : { key: key === null ? null : own(key) }),
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, own(text)])),
  };
}
