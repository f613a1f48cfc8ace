import type { Config } from "../app/settings/settings.ts";

/** Where a command reads and writes. */
export type Io = {
  out(line: string): void;
  err(line: string): void;
  /** Why something of what was given to `out` could not be written, as a code; undefined if all is. */
  unprinted(): Promise<string | undefined>;
  /** Whether what is given to `out` is seen by nobody: it is closed, or the null device. */
  isNowhere: boolean;
  /** Whether a person reads `out`. */
  isTerminal: boolean;
  env: Readonly<Record<string, string | undefined>>;
};

/** What was typed behind a command's name. */
export type Typed = {
  args: string[];
  /** Flags of the command's own, with their values; settings are in `config`. */
  flags: Readonly<Record<string, string>>;
  /** Every setting, read when a command asks for it: some must work where one is wrong. */
  readonly config: Config;
};

/** One command of the CLI. */
export type Command = {
  /** The words that name it, such as `key create`. */
  name: string;
  summary: string;
  /** Names of the arguments it takes, all required. */
  args?: readonly string[];
  /** Its own flags, each with a value, and what they mean. */
  flags?: Readonly<Record<string, string>>;
  /** Flags that have no value and say nothing new, and what they mean. */
  switches?: Readonly<Record<string, string>>;
  /** Returns the exit code. */
  run(typed: Typed, io: Io): Promise<number>;
};

/** Exit codes, as in `hoglet help`. */
export const EXIT = { ok: 0, error: 1, usage: 2, locked: 4, internal: 70 } as const;

/** What a command had to print could not be printed; the message says what became of it. */
export class PrintError extends Error {}

/** A command typed wrongly; the message says how it is right. */
export class UsageError extends Error {}
