import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PERSONAL_KEY, ROOT } from "../start/server.ts";

/** The command `api` of `@posthog/cli`, which is one file. Its native part is another program, and does not run here. */
const FILE = join(ROOT, "node_modules/@posthog/cli/lib/posthog-api-cli.mjs");

/** The environment that points the command to a server, with its own measuring of itself switched off. */
const environment = (url: string) => ({
  POSTHOG_CLI_HOST: url,
  POSTHOG_CLI_API_KEY: PERSONAL_KEY,
  POSTHOG_ANALYTICS_API_KEY: "",
});

/** Runs the command as a process, as `posthog-cli api` does. */
export async function runCli(url: string, args: readonly string[], env: object = {}) {
  const child = Bun.spawn([process.execPath, FILE, ...args], {
    env: { PATH: process.env["PATH"], ...environment(url), ...env },
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

/** Calls tools of the command in this process: each process of its own would take a second. */
export type Cli = Disposable & {
  /** The JSON that `call --json --confirm TOOL ARGUMENTS` prints. Fails with the message that it prints. */
  call<T = Record<string, unknown>>(tool: string, args?: object): Promise<T>;
};

type Built = {
  context: unknown;
  execTool: { handler(context: unknown, input: { command: string }): Promise<unknown> };
};

/** Loads the file of the command without its last statement, which runs it. */
export async function openCli(url: string): Promise<Cli> {
  const directory = mkdtempSync(join(tmpdir(), "hoglet-test-cli-"));
  const text = readFileSync(FILE, "utf8");
  const path = join(directory, "posthog-api-cli.mjs");
  writeFileSync(path, `${text.slice(0, text.lastIndexOf("main().catch("))}export { buildExec };`);
  Object.assign(process.env, environment(url));
  const { buildExec } = (await import(path)) as { buildExec(): Promise<Built> };
  const { context, execTool } = await buildExec();
  return {
    async call<T>(tool: string, args: object = {}): Promise<T> {
      const command = `call --json --confirm ${tool} ${JSON.stringify(args)}`;
      const answer = await execTool.handler(context, { command });
      return (typeof answer === "string" ? JSON.parse(answer) : answer) as T;
    },
    [Symbol.dispose]() {
      for (const name of Object.keys(environment(url))) delete process.env[name];
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
