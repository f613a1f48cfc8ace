import { existsSync } from "node:fs";
import { join } from "node:path";
import { type AdminServer, serveAdmin } from "../app/admin-socket.ts";
import { expectDescriptors, guardConnections } from "../app/process/connections.ts";
import { codeOf, DataError } from "../app/process/data-directory.ts";
import { type LogFormat, openLog } from "../app/process/log.ts";
import { VERSION } from "../app/process/version.ts";
import { type App, openApp } from "../app/server.ts";
import type { Settings } from "../app/settings/settings.ts";
import type { Log } from "../core/ports/log.ts";
import { isDiskFull } from "../core/values/failure.ts";
import { type Listening, listen } from "../http/listen.ts";
import { type Command, EXIT } from "./command.ts";
import { consoleDesk } from "./console.ts";
import { firstSignal } from "./stop-signal.ts";
import { banner, firstLink, keptKey, welcome } from "./welcome.ts";
import { type Running, type Serving, SOCKET_FILE } from "./with-data.ts";

/** The longest time for open requests once the server stops, in milliseconds. */
const DRAIN_MS_MAX = 10_000;

/** The longest time for ingest after that, in milliseconds; the journal keeps the rest. */
const APPLY_MS_MAX = 3000;

/** The pause between tries of a start on a full disk, in milliseconds. */
const ROOM_POLL_MS = 5000;

/** Runs the server until a signal. */
export const serve: Command = {
  name: "serve",
  summary: "Run the server in the foreground, until Ctrl-C or SIGTERM.",
  async run({ config: { settings } }, io) {
    const started = performance.now();
    const logFormat = logFormatOf(settings);
    const log = openLog({ format: logFormat, now: Date.now });
    expectDescriptors();
    const listening = listenOn(settings);
    const guard = guardConnections(listening, log);
    const environment = { now: Date.now, log, logFormat, descriptors: guard.counts };
    const open = () => openApp(settings, environment);
    const app = await openWithRoom(open, listening, log);
    listening.open(app.http(listening.url, listening.connectionOf));
    const console = consoleDesk(app.sessions, settings, listening.url);
    const admin = openSocket(settings, { ...app, console }, log);
    for (const line of banner(settings, listening.url)) io.out(line);
    if (app.firstStart !== undefined) {
      const [project] = await app.projects.all();
      const personalKey = keptKey(app.firstStart.personal_key, settings, io);
      const keys = { projectKey: project?.api_token ?? "", personalKey };
      const key = app.firstStart.personal_key ?? settings.personal_key;
      const link = await firstLink(settings, io, () => console.link(key ? { key } : {}));
      for (const line of welcome(settings, listening.url, { ...keys, link })) io.out(line);
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(2);
    io.out(`ready in ${seconds} s; Ctrl-C stops`);
    log.info("ready", { url: listening.url, data: settings.data, version: VERSION });

    const signal = await firstSignal();
    log.info("stopping", { signal });
    app.drain();
    await listening.stop(DRAIN_MS_MAX);
    guard.stop();
    await admin?.stop();
    await app.close(APPLY_MS_MAX);
    log.info("stopped");
    return EXIT.ok;
  },
};

/**
 * Opens the stores; on a full disk, waits for space (decision 66). A supervisor would give up after some
 * restarts.
 */
async function openWithRoom(
  open: () => Promise<App>,
  listening: Listening,
  log: Log,
): Promise<App> {
  for (let isReported = false; ; isReported = true) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof Error) || !isDiskFull(error)) throw error;
      listening.setReason("The disk is full: the server starts when there is space.");
      const facts = { url: listening.url, why: error.message };
      if (!isReported) log.error("the disk is full; the start waits for space", facts);
      await Bun.sleep(ROOM_POLL_MS);
    }
  }
}

function logFormatOf({ log_format }: Settings): LogFormat {
  if (log_format !== "auto") return log_format;
  return process.stderr.isTTY ? "human" : "json";
}

function listenOn(settings: Settings): Listening {
  const { host, port } = settings;
  try {
    return listen({ host, port, tls: tlsOf(settings), seed: Bun.randomUUIDv7() });
  } catch (error) {
    const code = codeOf(error);
    const reason = listenFault(settings, code);
    throw new DataError(`Cannot listen on ${host} port ${port}. ${reason}.`);
  }
}

/** Why the server cannot listen. Bun reports an address of another machine as a taken port. */
function listenFault({ tls_cert, tls_key }: Settings, code: string): string {
  const files = { "--tls-cert": tls_cert, "--tls-key": tls_key };
  const missing = Object.entries(files).find(([, path]) => path !== undefined && !existsSync(path));
  if (missing !== undefined) return `There is no file ${missing[1]}, which ${missing[0]} names`;
  return code === "EADDRINUSE"
    ? "The port is taken by another program, or --host is no address of this machine: give another"
    : `Check --host, --port, --tls-cert and --tls-key (${code})`;
}

function tlsOf({ tls_cert: cert, tls_key: key }: Settings) {
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

/** The socket for the CLI. The server also runs without it, for example if its path is too long. */
function openSocket(
  { data }: Settings,
  { projects, keys, deletionDesk, deletionRuns, metrics, console }: App & Serving,
  log: Log,
): AdminServer | undefined {
  try {
    const api = { projects, keys, deletionDesk, deletionRuns, console } satisfies Running & Serving;
    return serveAdmin(join(data, SOCKET_FILE), api, metrics);
  } catch (error) {
    log.warn("no socket for the command line: stop the server to use other commands", { error });
    return undefined;
  }
}
