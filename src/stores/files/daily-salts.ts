import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DailySalts } from "../../core/capture/cookieless.ts";
import type { Log } from "../../core/ports/log.ts";
import { isObject } from "../../core/values/json.ts";
import type { Clock } from "../../core/values/time.ts";

/** The file of the secrets. It is no part of a database, whose free pages and backups would keep them longer. */
const FILE = "daily-salts.json";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * How long before and after its beginning in UTC a day has a secret, in milliseconds. The last zone ends a day 36
 * hours after that, so events may be 12 hours late.
 */
export const SALT_MS = 48 * HOUR_MS;

const SALT_BYTES = 32;

type Needs = {
  directory: string;
  now: Clock;
  randomBytes: (count: number) => Uint8Array;
  log: Log;
};

/** The secrets of the days around now; `current` makes missing ones, which are durable when it returns. */
export type SaltFile = { current(): DailySalts; close(): void };

/** Opens the secrets of a data directory, and deletes each when its time is over, also while no event comes. */
export function openSalts({ directory, now, randomBytes, log }: Needs): SaltFile {
  const path = join(directory, FILE);
  let salts = keptIn(path);
  let hour = Number.NaN;

  /** Writes the secrets of the days from now on; with `isAdding` also new ones. */
  const turn = (isAdding: boolean) => {
    const days = daysAround(now());
    const wanted = Object.entries(salts).filter(([day]) => days.includes(day));
    const missing = isAdding ? days.filter((day) => !Object.hasOwn(salts, day)) : [];
    if (wanted.length === Object.keys(salts).length && missing.length === 0) return;
    salts = Object.fromEntries(wanted);
    const made = missing.map((day) => [
      day,
      Buffer.from(randomBytes(SALT_BYTES)).toString("base64"),
    ]);
    const next = { ...salts, ...Object.fromEntries(made) };
    try {
      write(path, JSON.stringify(next));
      salts = next;
    } catch (error) {
      log.warn("the secrets of visitors without cookies cannot be written", { error });
    }
  };

  turn(false);
  const timer = setInterval(() => turn(false), HOUR_MS);
  timer.unref();
  return {
    current() {
      const current = Math.floor(now() / HOUR_MS);
      if (current !== hour) turn(true);
      hour = current;
      return salts;
    },
    close: () => clearInterval(timer),
  };
}

/** The days that begin less than {@link SALT_MS} before or after a time, as `2026-11-21`. */
function daysAround(ms: number): string[] {
  const first = Math.floor((ms - SALT_MS) / DAY_MS) + 1;
  const last = Math.ceil((ms + SALT_MS) / DAY_MS) - 1;
  return Array.from({ length: last - first + 1 }, (_, index) =>
    new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
  );
}

function keptIn(path: string): Record<string, string> {
  try {
    const kept: unknown = JSON.parse(readFileSync(path, "utf8"));
    const salts = Object.entries(isObject(kept) ? kept : {});
    return Object.fromEntries(
      salts.flatMap(([day, salt]) => (typeof salt === "string" ? [[day, salt]] : [])),
    );
  } catch {
    return {};
  }
}

function write(path: string, text: string): void {
  const file = openSync(`${path}.new`, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
  // Windows cannot open a directory, and NTFS journals its names.
  if (process.platform === "win32") return;
  const directory = openSync(dirname(path), "r");
  fsyncSync(directory);
  closeSync(directory);
}
