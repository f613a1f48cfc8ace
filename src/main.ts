// First, because it must run before anything uses Bun's pool.
import "./app/process/io-threads.ts";
import { run } from "./cli/run.ts";
import { standardOutput } from "./cli/standard-output.ts";

// Without a reader of its log, the server runs on.
process.stderr.on("error", () => {});
const output = standardOutput();
process.exitCode = await run(process.argv.slice(2), {
  ...output,
  err: (line) => process.stderr.write(`${line}\n`),
  env: process.env,
});
await output.end();
process.exit();
