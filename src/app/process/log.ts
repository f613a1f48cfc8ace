import type { Log, LogFacts } from "../../core/ports/log.ts";
import { escapeControlChars } from "../../core/values/json.ts";

/** How lines look: for people, or JSON for machines. */
export type LogFormat = "human" | "json";

type Options = { format: LogFormat; now: () => number; write?: (line: string) => void };

/** A log. Each entry is one line, and no fact can send control characters to a terminal. */
export function openLog({ format, now, write = toStandardError }: Options): Log {
  const at =
    (level: string) =>
    (message: string, facts: LogFacts = {}) => {
      const time = new Date(now()).toISOString();
      const shown = Object.fromEntries(
        Object.entries(facts).map(([key, fact]) => [key, plain(fact)]),
      );
      if (format === "json") {
        write(written({ time, level, message, ...shown }));
        return;
      }
      const rest = Object.entries(shown).map(([key, fact]) => `${key}=${written(fact)}`);
      write([time.slice(11, 19), level.padEnd(5), escapeControlChars(message), ...rest].join(" "));
    };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

/** Writes without console.error, which Bun colours red. */
function toStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A log that writes nothing. */
export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** A fact as JSON, without control characters. */
function written(fact: unknown): string {
  return escapeControlChars(JSON.stringify(fact) ?? "null");
}

/** From the first quote to the last: quoted text may hold quotes and line breaks itself. */
const QUOTED = /["'`][\s\S]*["'`]/;

/** A file of the event store as DuckDB names it; the reason of an error follows the name. */
const OWN_FILE = /\b(database) "(draft|events_\d+)"/gi;

/** An error with its stack, without quoted text: DuckDB and SQLite quote data in their messages. */
function plain(fact: unknown): unknown {
  if (!(fact instanceof Error)) return fact;
  const { name, message, stack = "" } = fact;
  const frames = stack
    .replace(message, "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line));
  return [`${name}: ${message.replace(OWN_FILE, "$1 $2").replace(QUOTED, "'…'")}`, ...frames].join(
    "\n",
  );
}
