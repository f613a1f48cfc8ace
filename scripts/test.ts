/**
 * Runs tests, and ends with the line `N passed, N failed`.
 *
 *   npm test               the linter, the type check, the executable and every test file
 *   npm test -- FILE ...   these test files alone
 *   npm run test:long      the test files that have long rounds, with all of them
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { executable } from "../test/support/start/executable.ts";
import { TEST_MS_MAX } from "../test/support/start/patience.ts";
import { LONG_VARIABLE } from "../test/support/start/rounds.ts";

const ROOT = join(import.meta.dir, "..");

/** Test files that run at once. Many of them wait for a process or the disk most of the time. */
const FILES_AT_ONCE = 4;

/** How long each test file took at its last run, by which the slow ones start first. */
const TIMINGS = join(ROOT, "node_modules/.cache/hoglet/timings.json");

/** The slow files, for a first run: the slowest first. */
const SLOW_FILES = [
  ...["app/rebuild", "http/docs/pages", "app/recovery/journal-gaps", "hostile/docs"],
  ...["crash/disk-full", "console/pages", "console/lists", "core/erasure/deletion-runs"],
  ...["executable/executable", "core/erasure/erased-data", "console/settings", "crash/recovery"],
  ...["crash/kill-steps", "sdk/posthog-js", "sdk/outage", "hostile/large-events"],
  ...["console/dashboards", "console/sign-in", "console/hostile-texts", "stores/archive/archive"],
].map((name) => `test/${name}.test.ts`);

/** The module that a test file with long rounds imports, perhaps through another module. */
const ROUNDS = join(ROOT, "test/support/start/rounds.ts");

/** What a command printed, whether it ended well, and its seconds of processor time with its children. */
type Outcome = { ok: boolean; output: string; cpuSeconds: number };

/** Runs a command of Bun, and prints what it prints: at once, or when it has ended. */
async function run(
  args: string[],
  { isLive, env = {} }: { isLive: boolean; env?: Record<string, string> },
): Promise<Outcome> {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      const text = decoder.decode(chunk, { stream: true });
      if (isLive) process.stdout.write(text);
      output += text;
    }
  };
  await Promise.all([read(child.stdout), read(child.stderr)]);
  const ok = (await child.exited) === 0;
  if (!isLive) process.stdout.write(output);
  const cpuSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
  return { ok, output, cpuSeconds };
}

/** The number that the test runner prints before `word` in its last lines. */
function counted(output: string, word: string): number {
  const lines = [...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))];
  return Number(lines.at(-1)?.[1] ?? 0);
}

/** Lines that are printed again of a test that failed. */
const FAILED_LINES_MAX = 60;

/** The output of each failed test. It is printed again at the end, where it is easy to find. */
function failures(output: string): string {
  const failed: string[] = [];
  let lines: string[] = [];
  for (const line of output.split("\n")) {
    lines.push(line);
    if (!/^\((pass|fail)\) /.test(line)) continue;
    if (line.startsWith("(fail)")) failed.push(...lines.slice(-FAILED_LINES_MAX));
    lines = [];
  }
  return failed.join("\n");
}

/** How many tests or checks passed and failed. */
type Counts = { passed: number; failed: number };

/** Runs test files; all of them if none is given. */
async function runTests(
  files: readonly string[],
  env: Record<string, string>,
): Promise<Counts & { output: string }> {
  const { ok, output, cpuSeconds } = await run(
    [
      ...["test", `--timeout=${TEST_MS_MAX}`, `--parallel=${FILES_AT_ONCE}`],
      `--timings=${timings()}`,
      ...(env[LONG_VARIABLE] === undefined ? ["--update-timings"] : []),
      ...files,
    ],
    { isLive: true, env },
  );
  const [passed, failed] = [counted(output, "pass"), counted(output, "fail")];
  process.stdout.write(`\nThe tests took ${Math.round(cpuSeconds)} s of processor time.\n`);
  // A runner that ends without its last lines has failed.
  return { passed, failed: ok || failed > 0 ? failed : 1, output: failures(output) };
}

/** The path of {@link TIMINGS}. Makes the file if there is none. */
function timings(): string {
  if (!existsSync(TIMINGS)) {
    mkdirSync(join(TIMINGS, ".."), { recursive: true });
    const files = Object.fromEntries(SLOW_FILES.map((file, index) => [file, 60_000 - index]));
    writeFileSync(TIMINGS, JSON.stringify({ version: 1, files }));
  }
  return TIMINGS;
}

/** Runs the linter and the type check, for which the types of the API are made. */
async function runChecks(): Promise<Counts & { output: string }> {
  const made = await run(["scripts/build/api-types.ts"], { isLive: false });
  if (!made.ok) return { passed: 0, failed: 1, output: made.output };
  // `--bun`: both name Node in their first line, which a machine with only Bun lacks.
  const checks = [["biome", "check", "."], ["tsc"], ["tsc", "-p", "src/console"]];
  const outcomes = await Promise.all(
    checks.map((check) => run(["x", "--bun", ...check], { isLive: false })),
  );
  const failed = outcomes.filter(({ ok }) => !ok);
  return {
    passed: outcomes.length - failed.length,
    failed: failed.length,
    output: failed.map(({ output }) => output).join("\n"),
  };
}

/** The test files that have long rounds. */
function longFiles(): string[] {
  return readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join("test", name))
    .filter((name) => modulesOf(join(ROOT, name)).has(ROUNDS));
}

/** A module of the tests, and the modules of the tests that it imports. */
function modulesOf(path: string, modules = new Set<string>()): Set<string> {
  if (modules.has(path) || !path.startsWith(join(ROOT, "test"))) return modules;
  modules.add(path);
  for (const [, name = ""] of readFileSync(path, "utf8").matchAll(/ from "(\.[^"]+\.ts)"/g)) {
    modulesOf(join(dirname(path), name), modules);
  }
  return modules;
}

/** Builds the executable that many tests run. */
function runBuild(): Counts & { output: string } {
  try {
    executable();
    return { passed: 1, failed: 0, output: "" };
  } catch (error) {
    return { passed: 0, failed: 1, output: String(error) };
  }
}

async function main(args: readonly string[]): Promise<number> {
  const isLong = args.includes("--long");
  const files = args.filter((arg) => arg !== "--long");
  const env: Record<string, string> = isLong ? { [LONG_VARIABLE]: "1" } : {};
  const isWhole = !isLong && files.length === 0;
  const parts = [
    ...(isWhole ? [runBuild()] : []),
    ...(await Promise.all([
      runTests(isLong && files.length === 0 ? longFiles() : files, env),
      ...(isWhole ? [runChecks()] : []),
    ])),
  ];
  for (const { output } of parts) process.stdout.write(`\n${output}`);
  process.stdout.write(`\n${total(parts, "passed")} passed, ${total(parts, "failed")} failed\n`);
  return total(parts, "failed") === 0 ? 0 : 1;
}

function total(parts: readonly Counts[], what: keyof Counts): number {
  return parts.reduce((sum, part) => sum + part[what], 0);
}

process.exitCode = await main(process.argv.slice(2));
