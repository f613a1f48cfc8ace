import type { Config } from "../app/settings/settings.ts";

/** The inputs and outputs of a command. */
export type Io = {
  out(line: string): void;
  err(line: string): void;
  /** The error code if some output could not be written; undefined if all was written. */
  unprinted(): Promise<string | undefined>;
  /** Whether output is lost: `out` is closed, or the null device. */
  isNowhere: boolean;
  /** Whether `out` is a terminal. */
  isTerminal: boolean;
  env: Readonly<Record<string, string | undefined>>;
};

/** The arguments and flags of a command. */
export type Typed = {
  args: string[];
  /** The command's own flags with their values; settings are in `config`. */
  flags: Readonly<Record<string, string>>;
  /** Every setting, read on first use: some commands must work with a wrong setting. */
  readonly config: Config;
};

/** One command of the CLI. */
export type Command = {
  /** The words that name it, such as `key create`. */
  name: string;
  summary: string;
  /** Names of the arguments that it requires. */
  args?: readonly string[];
  /** Names of the arguments that may follow those. */
  optionalArgs?: readonly string[];
  /** Its own flags, each with a value, and what they mean. */
  flags?: Readonly<Record<string, string>>;
  /** Flags without a value, and what they mean. In `flags` each that is typed is an empty text. */
  switches?: Readonly<Record<string, string>>;
  /** Returns the exit code. */
  run(typed: Typed, io: Io): Promise<number>;
};

/** How a command is typed, without its flags: `key roll ID`, `docs [NAME]`. */
export function usageOf({ name, args = [], optionalArgs = [] }: Command): string {
  return [name, ...args, ...optionalArgs.map((arg) => `[${arg}]`)].join(" ");
}

/** Exit codes, as in `hoglet help`. */
export const EXIT = { ok: 0, error: 1, usage: 2, locked: 4, internal: 70 } as const;

/** Output that could not be written; the message says what happened to the printed thing. */
export class PrintError extends Error {}

/** A wrong command line; the message shows the right one. */
export class UsageError extends Error {}
