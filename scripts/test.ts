/** Runs the checks and every test, and ends with the line `N passed, N failed`. */

import { join } from "node:path";
import { BUILT_VARIABLE } from "../test/support/start/binary.ts";

/** How long one test may take, in milliseconds; only what hangs comes near. */
const TEST_MS_MAX = 120_000;

/** Test files that run at once: many of them wait for a process or the disk most of the time. */
const FILES_AT_ONCE = 2;

/** Where the executable is that all test files try: each would build its own. */
const BUILT = join(import.meta.dir, "../node_modules/.cache/hoglet/test");

const run = async (command: string[]): Promise<{ ok: boolean; output: string }> => {
  const child = Bun.spawn(command, {
    env: { ...process.env, [BUILT_VARIABLE]: BUILT },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let output = "";
  const pass = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      const text = decoder.decode(chunk, { stream: true });
      process.stdout.write(text);
      output += text;
    }
  };
  await Promise.all([pass(child.stdout), pass(child.stderr)]);
  return { ok: (await child.exited) === 0, output };
};

const counted = (output: string, word: string): number => {
  const lines = [...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))];
  return Number(lines.at(-1)?.[1] ?? 0);
};

/** Lines that are said again of a test that failed. */
const FAILED_LINES_MAX = 60;

/** What was printed of each test that failed; those that passed may stand far behind it. */
const failures = (output: string): string => {
  const said: string[] = [];
  let lines: string[] = [];
  for (const line of output.split("\n")) {
    lines.push(line);
    if (!/^\((pass|fail)\) /.test(line)) continue;
    if (line.startsWith("(fail)") && lines.length > 1) said.push(...lines.slice(-FAILED_LINES_MAX));
    lines = [];
  }
  return said.join("\n");
};

let passed = 0;
let failed = 0;
const build = [join(import.meta.dir, "build/build.ts"), "--out", BUILT];
// `--bun`: both name Node in their first line, which a machine with only Bun lacks.
for (const check of [["x", "--bun", "biome", "check", "."], ["x", "--bun", "tsc"], build]) {
  const { ok } = await run([process.execPath, ...check]);
  if (ok) passed += 1;
  else failed += 1;
}
const tests = await run([
  process.execPath,
  "test",
  `--timeout=${TEST_MS_MAX}`,
  `--parallel=${FILES_AT_ONCE}`,
  ...process.argv.slice(2),
]);
passed += counted(tests.output, "pass");
failed += counted(tests.output, "fail");
// A runner that ends without its closing lines has failed, whatever it counted.
if (!tests.ok && counted(tests.output, "fail") === 0) failed += 1;
process.stdout.write(`\n${failures(tests.output)}\n`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
