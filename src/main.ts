// First of all: it has to be done before anything uses Bun's pool.
import "./pool.ts";
import { EXIT } from "./cli/command.ts";
import { run } from "./cli/run.ts";

process.exitCode = await run(process.argv.slice(2), {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  isTerminal: process.stdout.isTTY === true,
  env: process.env,
});
// A pipe takes 64 KiB at once: what is printed must be through before the end.
await new Promise<void>((resolve) => {
  process.stdout.once("error", () => {
    process.exitCode ||= EXIT.error;
    resolve();
  });
  process.stdout.end(resolve);
});
process.exit();
