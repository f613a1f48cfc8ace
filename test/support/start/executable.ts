import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");

/** The sources of an executable. */
const SOURCES = ["src", "scripts/build", "package.json", "bun.lock"];

/** Holds a folder for each executable, named by a hash of its sources. */
const CACHE = join(ROOT, "node_modules/.cache/hoglet");

/** How long an executable is kept that nobody uses, in milliseconds; each has 190 MB. */
const KEPT_MS = 3_600_000;

let path: string | undefined;

/** The path of the executable of these sources. Builds it, in some seconds, if it is absent. */
export function executable(): string {
  path ??= built();
  return path;
}

/** The executable in a folder of its own, far from any node_modules, until disposed. */
export type LoneExecutable = Disposable & { folder: string; path: string };

/** Copies the executable to a new folder. */
export function loneExecutable(): LoneExecutable {
  const folder = mkdtempSync(join(tmpdir(), "hoglet-executable-"));
  const copy = join(folder, "hoglet");
  copyFileSync(executable(), copy);
  return {
    folder,
    path: copy,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The path of the executable; throws if it cannot be built. */
function built(): string {
  const folder = join(CACHE, `executable-${hashOf(SOURCES)}`);
  const made = join(folder, process.platform === "win32" ? "hoglet.exe" : "hoglet");
  if (existsSync(made)) {
    utimesSync(folder, new Date(), new Date());
    return made;
  }
  mkdirSync(CACHE, { recursive: true });
  // Several test files may build at once: a folder of its own each, renamed when it is whole.
  const work = mkdtempSync(join(CACHE, "building-"));
  try {
    const script = join(ROOT, "scripts/build/build.ts");
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, "--out", work]);
    if (exitCode !== 0) throw new Error(`The executable was not built: ${stderr}`);
    removeOld();
    renameSync(work, folder);
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(made)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return made;
}

function hashOf(paths: readonly string[]): string {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const name of paths.flatMap(filesOf)) {
    hasher
      .update(`${name}\0`)
      .update(readFileSync(join(ROOT, name)))
      .update("\0");
  }
  return hasher.digest("hex").slice(0, 16);
}

/** The files at and below a path, in order; all relative to the repository. */
function filesOf(name: string): string[] {
  if (!statSync(join(ROOT, name)).isDirectory()) return [name];
  return readdirSync(join(ROOT, name), { recursive: true, encoding: "utf8" })
    .map((file) => join(name, file))
    .filter((file) => statSync(join(ROOT, file)).isFile())
    .sort();
}

/** Removes the executables that nobody has used for long: another run may use a younger one. */
function removeOld(): void {
  for (const name of readdirSync(CACHE).filter((one) => one.startsWith("executable-"))) {
    const path = join(CACHE, name);
    const usedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - usedAt > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
