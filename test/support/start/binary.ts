import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./server.ts";

/** The executable alone in a folder of its own, far from any node_modules, until disposed. */
export type Executable = Disposable & { folder: string; path: string };

/** The variable that names the folder in which it was built for a run of all tests. */
export const BUILT_VARIABLE = "BUILT_HOGLET";

let built: Promise<string> | undefined;

/** The executable, built from the sources. */
export async function builtExecutable(): Promise<Executable> {
  built ??= build();
  const from = await built;
  const folder = mkdtempSync(join(tmpdir(), "hoglet-binary-"));
  const path = join(folder, "hoglet");
  copyFileSync(join(from, "hoglet"), path);
  return {
    folder,
    path,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function build(): Promise<string> {
  const out = process.env[BUILT_VARIABLE];
  if (out !== undefined) return out;
  const alone = join(ROOT, "node_modules/.cache/hoglet/alone");
  const script = join(ROOT, "scripts/build/build.ts");
  const child = Bun.spawn([process.execPath, script, "--out", alone], { stderr: "pipe" });
  if ((await child.exited) !== 0) throw new Error(await child.stderr.text());
  return alone;
}
