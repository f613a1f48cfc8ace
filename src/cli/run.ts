import { DataError, LockedError } from "../app/process/data-directory.ts";
import { ConfigError, isSettingFlag, readConfig, settingsHelp } from "../app/settings/settings.ts";
import { Failure, isDiskFull } from "../core/values/failure.ts";
import { table } from "../core/values/table.ts";
import {
  type Command,
  EXIT,
  type Io,
  PrintError,
  type Typed,
  UsageError,
  usageOf,
} from "./command.ts";
import { configShow } from "./config.ts";
import { consoleLink } from "./console.ts";
import { deletionsCancel, deletionsList, deletionsReceipt, deletionsRun } from "./deletions.ts";
import { docs } from "./docs.ts";
import { health } from "./health.ts";
import { keyCreate, keyList, keyRevoke, keyRoll } from "./key.ts";
import { licensesShow } from "./licenses.ts";
import { projectCreate, projectList, projectRename, projectRotateKey } from "./project.ts";
import { rebuild } from "./rebuild.ts";
import { serve } from "./serve.ts";
import { versionShow } from "./version.ts";

const help: Command = {
  name: "help",
  summary: "Print this.",
  run: async (_typed, io) => printHelp(io),
};

/** Every command, in the order of `hoglet help`. */
export const COMMANDS: readonly Command[] = [
  serve,
  consoleLink,
  keyCreate,
  keyList,
  keyRoll,
  keyRevoke,
  projectList,
  projectCreate,
  projectRename,
  projectRotateKey,
  rebuild,
  deletionsList,
  deletionsRun,
  deletionsCancel,
  deletionsReceipt,
  configShow,
  health,
  docs,
  versionShow,
  licensesShow,
  help,
];

/** Finds the command that `argv` names and runs it; returns the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    // Every usual way to ask for help works.
    const [flagged] = cutAtEnd(argv);
    if (argv[0] === "help" || flagged.includes("--help") || flagged.includes("-h")) {
      return await printedBy(help, printHelp(io), io);
    }
    const asked = argv[0] === "--version" || argv[0] === "-v" ? ["version"] : argv;
    const { command, args, flags } = parse(asked);
    const typed: Typed = {
      args,
      flags,
      get config() {
        return readConfig(flags, io.env);
      },
    };
    return await printedBy(command, await command.run(typed, io), io);
  } catch (error) {
    return explain(error, io);
  }
}

/** A command's exit code, after all its output is written; a server runs on without output. */
async function printedBy(command: Command, code: number, io: Io): Promise<number> {
  if (command === serve) return code;
  const why = await io.unprinted();
  if (why === undefined) return code;
  // A reader such as `head` may stop early: that is no error.
  if (why !== "EPIPE") throw new PrintError(`The output could not be written (${why}).`);
  return code || EXIT.error;
}

/** Prints an error as a sentence; only a bug shows its stack. */
function explain(error: unknown, io: Io): number {
  if (error instanceof UsageError || error instanceof ConfigError) {
    io.err(error.message);
    return EXIT.usage;
  }
  if (error instanceof PrintError || error instanceof DataError || error instanceof Failure) {
    io.err(error.message);
    if (error instanceof Failure && error.status === 400) return EXIT.usage;
    return error instanceof LockedError ? EXIT.locked : EXIT.error;
  }
  if (error instanceof Error && isDiskFull(error)) {
    io.err("The disk is full, and nothing was changed. Free space, then try again.");
    return EXIT.error;
  }
  io.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.internal;
}

const SWITCHES = new Set(COMMANDS.flatMap(({ switches = {} }) => Object.keys(switches)));

/** The words before and after the first `--`, which ends the flags. */
function cutAtEnd(argv: readonly string[]): [string[], string[]] {
  const end = argv.indexOf("--");
  return end < 0 ? [[...argv], []] : [argv.slice(0, end), argv.slice(end + 1)];
}

/** Separates words and flags. A flag has a value, after `=` or as the next word; a switch has no value. */
function split(typed: readonly string[]) {
  const [argv, others] = cutAtEnd(typed);
  const words: string[] = [];
  const flags: Record<string, string | undefined> = {};
  for (let at = 0; at < argv.length; at++) {
    const [word = "", ...inline] = (argv[at] ?? "").split("=");
    if (!word.startsWith("--")) {
      words.push(argv[at] ?? "");
      continue;
    }
    if (Object.hasOwn(flags, word)) throw new UsageError(`${word} is there twice: write it once.`);
    const isAlone = SWITCHES.has(word) || argv[at + 1]?.startsWith("--");
    const following = isAlone ? undefined : argv[at + 1];
    flags[word] = inline.length === 0 ? following : inline.join("=");
    if (inline.length === 0 && following !== undefined) at += 1;
  }
  words.push(...others);
  return { words, flags };
}

/** Finds the command, its arguments and its flags in a command line. */
function parse(argv: readonly string[]) {
  const { words, flags: given } = split(argv);
  const command = commandOf(words);
  const flags: Record<string, string> = {};
  for (const [flag, value] of Object.entries(given)) {
    if (Object.hasOwn(command.switches ?? {}, flag)) {
      if (value !== undefined) throw new UsageError(`${flag} takes no value.`);
      flags[flag] = "";
      continue;
    }
    if (!isSettingFlag(flag) && !Object.hasOwn(command.flags ?? {}, flag)) {
      throw new UsageError(`hoglet ${command.name} knows no flag ${flag}. See: hoglet help.`);
    }
    if (value === undefined) throw new UsageError(`${flag} needs a value.`);
    flags[flag] = value;
  }
  return { command, args: argsOf(command, words), flags };
}

function argsOf(command: Command, words: readonly string[]): string[] {
  const args = words.slice(command.name.split(" ").length);
  const required = command.args?.length ?? 0;
  const most = required + (command.optionalArgs?.length ?? 0);
  if (args.length >= required && args.length <= most) return args;
  throw new UsageError(`Usage: hoglet ${usageOf(command)}`);
}

function commandOf(words: readonly string[]): Command {
  const typed = words.join(" ");
  const found = COMMANDS.find(({ name }) => typed === name || typed.startsWith(`${name} `));
  if (found !== undefined) return found;
  if (words.length === 0)
    throw new UsageError("What should hoglet do? Try: hoglet serve, or hoglet help.");
  const like = COMMANDS.filter(({ name }) => name.startsWith(`${words[0]} `));
  const names = like.map(({ name }) => name).join(", ");
  const help = names === "" ? "See: hoglet help." : `There are: ${names}.`;
  throw new UsageError(`There is no command ${words.slice(0, 2).join(" ")}. ${help}`);
}

function printHelp(io: Io): number {
  for (const line of helpLines()) io.out(line);
  return EXIT.ok;
}

function helpLines(): string[] {
  const commands = COMMANDS.flatMap((command) => [
    [`  hoglet ${usageOf(command)}`, command.summary],
    ...Object.entries({ ...command.flags, ...command.switches }).map(([flag, meaning]) => [
      `      ${flag}`,
      meaning,
    ]),
  ]);
  const settings = settingsHelp().map(([flag, meaning]) => [`  ${flag}`, meaning]);
  return [
    "hoglet: product analytics in one executable",
    "",
    ...table(["Commands", ""], commands),
    "",
    ...table(["Settings", ""], settings),
    "",
    "A setting is read from its flag, else from HOGLET_<NAME>, else from hoglet.toml (--config",
    "FILE), else it has the value in brackets. After -- no word is a flag. Exit codes: 0 done,",
    "1 refused, 2 typed wrongly, 4 the data directory is in use, 70 a bug.",
  ];
}
