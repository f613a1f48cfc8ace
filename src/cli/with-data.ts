import { existsSync } from "node:fs";
import { join } from "node:path";
import { adminClient } from "../app/admin-socket.ts";
import { DataError, expectUsed, isUsed, LockedError } from "../app/process/data-directory.ts";
import { silentLog } from "../app/process/log.ts";
import { type App, openAdmin, openApp } from "../app/server.ts";
import type { Admin } from "../app/services.ts";
import type { Settings } from "../app/settings/settings.ts";
import type { LinkDraft } from "../core/access/sessions.ts";
import { escapeControlChars } from "../core/values/json.ts";
import type { Io } from "./command.ts";
import { firstSignal } from "./stop-signal.ts";

/** The file in the data directory through which the CLI reaches a running server. */
export const SOCKET_FILE = "hoglet.sock";

/**
 * Runs `work` on projects and keys: in the running server, if one has the data directory, else
 * on the files themselves. Throws DataError if the directory is not one of Hoglet; {@link makingAdmin}
 * creates it.
 */
export async function withAdmin<T>(
  settings: Settings,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  expectUsed(settings.data);
  return here(settings, () => openAdmin(settings, SURROUNDINGS), work);
}

/** The same for work that creates something: it may create the data directory first, and says so. */
export async function makingAdmin<T>(
  settings: Settings,
  io: Pick<Io, "err">,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const open = async () => {
    const isNew = !isUsed(settings.data);
    const admin = await openAdmin(settings, SURROUNDINGS);
    if (isNew) io.err(`A new data directory was created at ${escapeControlChars(settings.data)}.`);
    return admin;
  };
  return here(settings, open, work);
}

/** The API that the CLI has of a running server: {@link Admin} and runs of deletions. */
export type Running = Admin & Pick<App, "deletionRuns">;

/** The longest time for ingest after a command, in milliseconds; the journal keeps the rest. */
const APPLY_MS_MAX = 3000;

/** The same as {@link withAdmin} for work that needs the whole server. */
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
      // The caller waits for this as well.
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

/** The part of the API that only a running server has: its address is in the links to the console. */
export type Serving = {
  console: {
    /** Returns an address that signs in once. */
    link(draft: LinkDraft): Promise<{ url: string; scopes: readonly string[]; made_user?: string }>;
    /** Ends all sessions and links, and returns how many sessions there were. */
    signOutAll(): Promise<number>;
  };
};

/** Runs `work` in the running server. Throws DataError if no server has the data directory. */
export async function withServer<T>(
  settings: Settings,
  work: (server: Serving) => Promise<T>,
): Promise<T> {
  expectUsed(settings.data);
  const open = async () => {
    await (await openAdmin(settings, SURROUNDINGS)).close();
    throw new DataError(`No server runs on ${settings.data}. Start it first: hoglet serve.`);
  };
  return here<Serving, T>(settings, open, work);
}

const STOPPED = "Stopped. The next start or run continues it.";

const SURROUNDINGS = { now: Date.now, log: silentLog, logFormat: "human" as const };

/** Runs in this process if the data directory is free, else in the process that uses it. */
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
