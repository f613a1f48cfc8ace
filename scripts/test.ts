/** Runs the checks and every test, and ends with the line `N passed, N failed`. */

/** How long one test may take, in milliseconds; only what hangs comes near. */
const TEST_MS_MAX = 120_000;

const run = async (command: string[]): Promise<{ ok: boolean; output: string }> => {
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
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

let passed = 0;
let failed = 0;
for (const check of [["biome", "check", "."], ["tsc"]]) {
  // `--bun`: both name Node in their first line, which a machine with only Bun lacks.
  const { ok } = await run([process.execPath, "x", "--bun", ...check]);
  if (ok) passed += 1;
  else failed += 1;
}
const tests = await run([
  process.execPath,
  "test",
  `--timeout=${TEST_MS_MAX}`,
  ...process.argv.slice(2),
]);
passed += counted(tests.output, "pass");
failed += counted(tests.output, "fail");
// A runner that ends without its closing lines has failed, whatever it counted.
if (!tests.ok && counted(tests.output, "fail") === 0) failed += 1;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);

export {};
