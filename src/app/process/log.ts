import type { Log, LogFacts } from "../../core/ports/log.ts";
import { inert } from "../../core/values/visible-text.ts";

/** How lines look: for people, or JSON for machines. */
export type LogFormat = "human" | "json";

type Options = { format: LogFormat; now: () => number; write?: (line: string) => void };

/** A log. Whatever facts hold, a line is one line, and moves no terminal. */
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
      write([time.slice(11, 19), level.padEnd(5), message, ...rest].join(" "));
    };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

/** Not by console.error, which Bun colours red. */
function toStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A log that nobody reads. */
export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** A fact as JSON, in which nothing is left that a terminal would act on. */
function written(fact: unknown): string {
  return inert(JSON.stringify(fact) ?? "null");
}

/** From the first quote to the last: what is quoted may hold quotes and line breaks itself. */
const QUOTED = /["'`][\s\S]*["'`]/;

/** A file of the event store by the engine's word for it: what comes behind is the reason of an error. */
const OWN_FILE = /\b(database) "(draft|events_\d+)"/gi;

/** An error with its stack. The engines quote data in their messages: that is left out. */
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
