import { existsSync } from "node:fs";
import { join } from "node:path";
import { adminClient } from "../app/admin-socket.ts";
import { DataError, expectUsed, isUsed, LockedError } from "../app/process/data-directory.ts";
import { silentLog } from "../app/process/log.ts";
import { type App, openAdmin, openApp } from "../app/server.ts";
import type { Admin } from "../app/services.ts";
import type { Settings } from "../app/settings/settings.ts";
import { inert } from "../core/values/visible-text.ts";
import type { Io } from "./command.ts";
import { firstSignal } from "./stop-signal.ts";

/** The file in the data directory through which the CLI reaches a running server. */
export const SOCKET_FILE = "hoglet.sock";

/**
 * Runs `work` on projects and keys: in the running server, if one has the data directory, else
 * on the files themselves. Throws DataError where there are none: to make them is for
 * {@link makingAdmin}.
 */
export async function withAdmin<T>(
  settings: Settings,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  expectUsed(settings.data);
  return here(settings, () => openAdmin(settings, SURROUNDINGS), work);
}

/** The same for work that makes something: it may make the data directory first, and says so. */
export async function makingAdmin<T>(
  settings: Settings,
  io: Pick<Io, "err">,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const open = async () => {
    const isNew = !isUsed(settings.data);
    const admin = await openAdmin(settings, SURROUNDINGS);
    if (isNew) io.err(`A new data directory was made at ${inert(settings.data)}.`);
    return admin;
  };
  return here(settings, open, work);
}

/** What of the running server the CLI reaches, beside {@link Admin}. */
export type Running = Admin & Pick<App, "deletionRuns">;

/** How long ingest may go on when a command is done, in milliseconds; the journal keeps the rest. */
const APPLY_MS_MAX = 3000;

/** The same as {@link withAdmin} for work that needs the whole appliance. */
export async function withApp<T>(
  settings: Settings,
  work: (app: Running) => Promise<T>,
): Promise<T> {
  expectUsed(settings.data);
  let isStopped = false;
  const open = async () => {
    const app = await openApp(settings, SURROUNDINGS);
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= app.close(APPLY_MS_MAX);
      return closing;
    };
    firstSignal().then(() => {
      isStopped = true;
      // Whoever waits for the work waits for this, too.
      return close().catch(() => {});
    });
    return { ...app, close };
  };
  try {
    return await here<Running, T>(settings, open, work);
  } catch (error) {
    throw isStopped ? new DataError(STOPPED) : error;
  }
}

const STOPPED = "Stopped. What it had begun goes on with the next start or run.";

const SURROUNDINGS = { now: Date.now, log: silentLog, logFormat: "human" as const };

/** In this process if nobody has the data directory, else in the one that has. */
async function here<Opened extends Record<string, object>, T>(
  settings: Settings,
  open: () => Promise<Opened & { close(): Promise<void> }>,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  try {
    const opened = await open();
    try {
      return await work(opened);
    } finally {
      await opened.close();
    }
  } catch (error) {
    const socket = join(settings.data, SOCKET_FILE);
    if (!(error instanceof LockedError && existsSync(socket))) throw error;
    return work(adminClient<Opened>(socket));
  }
}
