import { join } from "node:path";

/** The source of the console. */
const SOURCE = join(import.meta.dir, "../../console");

/**
 * Returns a file of the console as the browser gets it, with all that it imports. Imported as a macro: it runs
 * when this program is bundled or loaded, and its text becomes a constant. A process of its own does the work,
 * because a macro must not start the bundler (decision 160); its environment is fixed, so that the text is the
 * same everywhere. Fails if the source has an error.
 */
export function bundled(entry: string): string {
  const { success, stdout, stderr } = Bun.spawnSync(
    [process.execPath, "build", join(SOURCE, entry), "--target=browser", "--minify"],
    { cwd: SOURCE, env: { NODE_ENV: "production" } },
  );
  if (success) return stdout.toString();
  // Bun drops the message of an error in a macro.
  process.stderr.write(stderr);
  throw new Error(`src/console/${entry} cannot be bundled.`);
}
