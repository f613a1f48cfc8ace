import { lendEngine } from "../disk/engine.ts";
import { executable } from "./executable.ts";
import { PERSONAL_KEY, PROJECT_KEY, ROOT } from "./server.ts";

type Options = {
  /** The command to run; the executable by default. */
  command?: readonly string[];
  cwd?: string;
  /** The environment in addition to PATH; the two keys by default. */
  env?: Record<string, string>;
};

/** The environment of a server by default. */
export const KEYS = { HOGLET_PROJECT_KEY: PROJECT_KEY, HOGLET_PERSONAL_KEY: PERSONAL_KEY };

/** A server from the first instant of its start, to be killed at any. */
export type Started = AsyncDisposable & {
  pid: number;
  /** Where it listens; undefined if it ended before. It may still be replaying its journal. */
  listening: Promise<string | undefined>;
  /** Its output so far. */
  output(): { out: string; err: string };
  signal(name: NodeJS.Signals): void;
  /** Asks it to end, and resolves with its exit code. */
  stop(): Promise<number>;
  /** The exit code, once it has ended; 128 and the signal's number if a signal ended it. */
  exited: Promise<number>;
};

/** Starts a server on a data directory and waits for nothing. */
export function start(data: string, options: Options = {}): Started {
  const { command = [executable()], cwd = ROOT, env = KEYS } = options;
  if (options.command === undefined) lendEngine(data);
  const child = Bun.spawn([...command, "serve", "--data", data, "--port", "0"], {
    cwd,
    env: environment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const text = { out: "", err: "" };
  const listening = Promise.withResolvers<string | undefined>();
  const drain = async (stream: ReadableStream<Uint8Array>, to: "out" | "err") => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text[to] += decoder.decode(chunk, { stream: true });
      const url = /^capture\s+(\S+)\/i\/v0\/e\//m.exec(text.out)?.[1];
      if (url !== undefined) listening.resolve(url);
    }
  };
  const drained = Promise.all([drain(child.stdout, "out"), drain(child.stderr, "err")]);
  const exited = child.exited.then(async (code) => {
    await drained;
    listening.resolve(undefined);
    return code;
  });
  return {
    pid: child.pid,
    listening: listening.promise,
    output: () => ({ ...text }),
    signal: (name) => child.kill(name),
    stop() {
      child.kill("SIGTERM");
      return exited;
    },
    exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The result of a command. */
export type Outcome = { code: number; out: string; err: string };

/** Runs a hoglet command to its end. */
export async function runCommand(
  args: readonly string[],
  { command = [executable()], cwd = ROOT, env = KEYS }: Options = {},
): Promise<Outcome> {
  const child = Bun.spawn([...command, ...args], {
    cwd,
    env: environment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, out, err };
}

/** The environment of a command: PATH, and nothing of the test run, whose variables are no settings of Hoglet. */
export function environment(env: Record<string, string> = KEYS): Record<string, string> {
  const { PATH = "" } = process.env;
  return { PATH, ...env };
}
