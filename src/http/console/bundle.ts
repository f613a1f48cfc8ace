import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The source of the console. */
const SOURCE = join(import.meta.dir, "../../console");

/**
 * Returns a file of the console as the browser gets it, with all that it imports, and the files that it loads later, by their
 * names; its own is the first. Imported as a macro: it runs when this program is bundled or loaded, and the texts
 * become constants. A process of its own does the work, because a macro must not start the bundler (decision 160); its
 * environment is fixed, so that the texts are the same everywhere. Fails if the source has an error.
 */
export function bundled(entry: string): [name: string, text: string][] {
  const out = mkdtempSync(join(tmpdir(), "hoglet-console-"));
  try {
    return bundledInto(out, entry);
  } finally {
    rmSync(out, { recursive: true });
  }
}

function bundledInto(out: string, entry: string): [name: string, text: string][] {
  const { success, stderr } = Bun.spawnSync(
    [
      ...[process.execPath, "build", join(SOURCE, entry), "--target=browser", "--minify"],
      ...["--splitting", `--outdir=${out}`],
      ...["--entry-naming=main-[hash].[ext]", "--chunk-naming=[hash].[ext]"],
    ],
    { cwd: SOURCE, env: { NODE_ENV: "production" } },
  );
  if (success) {
    const isMain = (name: string) => name.startsWith("main-");
    return readdirSync(out)
      .sort((a, b) => Number(isMain(b)) - Number(isMain(a)) || (a < b ? -1 : 1))
      .map((name) => [name, readFileSync(join(out, name), "utf8")]);
  }
  // Bun drops the message of an error in a macro.
  process.stderr.write(stderr);
  throw new Error(`src/console/${entry} cannot be bundled.`);
}
