import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./server.ts";

/** The executable alone in a folder of its own, far from any node_modules, until disposed. */
export type Executable = Disposable & { folder: string; path: string };

/** Where it is built, for all tests of a run. */
const OUT = join(ROOT, "node_modules/.cache/hoglet/test");

let built: Promise<void> | undefined;

/** The executable, built from the sources. */
export async function builtExecutable(): Promise<Executable> {
  built ??= build();
  await built;
  const folder = mkdtempSync(join(tmpdir(), "hoglet-binary-"));
  const path = join(folder, "hoglet");
  copyFileSync(join(OUT, "hoglet"), path);
  return {
    folder,
    path,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function build(): Promise<void> {
  const script = join(ROOT, "scripts/build.ts");
  const child = Bun.spawn([process.execPath, script, "--out", OUT], { stderr: "pipe" });
  if ((await child.exited) !== 0) throw new Error(await child.stderr.text());
}
