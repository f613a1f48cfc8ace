// First of all: it has to be done before anything uses Bun's pool.
import "./pool.ts";
import { EXIT } from "./cli/command.ts";
import { run } from "./cli/run.ts";

// A disk that is full, or a reader that is gone: a server goes on without what it prints.
let isUnprintable = false;
const unprinted = Promise.withResolvers<void>();
process.stderr.on("error", () => {});
process.stdout.on("error", () => {
  isUnprintable = true;
  unprinted.resolve();
});
process.exitCode = await run(process.argv.slice(2), {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  isTerminal: process.stdout.isTTY === true,
  env: process.env,
});
// A pipe takes 64 KiB at once: what is printed must be through before the end.
const through = new Promise<void>((resolve) => process.stdout.end(resolve));
if (!isUnprintable) await Promise.race([through, unprinted.promise]);
if (isUnprintable && !process.argv.includes("serve")) process.exitCode ||= EXIT.error;
process.exit();
