import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Admin, openAdmin } from "../app.ts";
import type { Settings } from "../config.ts";
import { expectUsed, LockedError } from "../data-directory.ts";
import { adminClient } from "../http/admin.ts";
import { silentLog } from "../log.ts";

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
  return makingAdmin(settings, work);
}

/** The same for work that makes something, so that it may make the data directory first. */
export async function makingAdmin<T>(
  settings: Settings,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const surroundings = { now: Date.now, log: silentLog, logFormat: "human" as const };
  try {
    const admin = await openAdmin(settings, surroundings);
    try {
      return await work(admin);
    } finally {
      await admin.close();
    }
  } catch (error) {
    const socket = join(settings.data, SOCKET_FILE);
    if (!(error instanceof LockedError && existsSync(socket))) throw error;
    return work(adminClient<Admin>(socket));
  }
}
