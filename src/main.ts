// First of all: it has to be done before anything uses Bun's pool.
import "./app/process/bun-pool.ts";
import { run } from "./cli/run.ts";
import { standardOutput } from "./cli/standard-output.ts";

// A reader that is gone: a server goes on without what it says.
process.stderr.on("error", () => {});
const output = standardOutput();
process.exitCode = await run(process.argv.slice(2), {
  ...output,
  err: (line) => process.stderr.write(`${line}\n`),
  env: process.env,
});
await output.end();
process.exit();
