import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { $, type BunLockFile } from "bun";
import lock from "../../bun.lock";

const MODULES = join(import.meta.dir, "../..", "node_modules");
const CACHE = join(MODULES, ".cache", "hoglet");

/** What bun.lock pins for one npm package: its exact version and the hash of its archive. */
export type Pinned = { version: string; integrity: string };

/** Reads one package out of bun.lock; throws when it is not pinned there by a SHA-512. */
export function pinned(name: string, from: BunLockFile = lock): Pinned {
  const entry = from.packages[name];
  const version = entry?.[0].slice(name.length + 1);
  const integrity = entry?.[3];
  if (version === undefined || !integrity?.startsWith("sha512-")) {
    throw new Error(`bun.lock does not pin ${name}`);
  }
  return { version, integrity };
}

/** The folder of a package that is installed for this machine, or undefined. */
export function installed(name: string): string | undefined {
  const directory = join(MODULES, name);
  return existsSync(join(directory, "package.json")) ? directory : undefined;
}

/**
 * The folder of a package for another platform, which an install leaves out. Downloaded once with
 * `npm pack`, so that the registry and its credentials are npm's affair; each time, the archive
 * must have the hash in bun.lock. Bun's own download of its cross targets checks no hash.
 */
export async function fetched(name: string): Promise<string> {
  const { version, integrity } = pinned(name);
  const stem = `${name.replace("@", "").replace("/", "-")}-${version}`;
  const archive = join(CACHE, `${stem}.tgz`);
  if (!(await hasIntegrity(archive, integrity))) {
    mkdirSync(CACHE, { recursive: true });
    console.log(`fetching ${name} ${version}`);
    await $`npm pack ${name}@${version} --ignore-scripts --pack-destination ${CACHE}`.quiet();
    if (!(await hasIntegrity(archive, integrity))) {
      rmSync(archive, { force: true });
      throw new Error(`${name} ${version} from the registry is not what bun.lock pins`);
    }
  }
  const directory = join(CACHE, stem);
  rmSync(directory, { recursive: true, force: true });
  await new Bun.Archive(await Bun.file(archive).bytes()).extract(directory);
  return join(directory, "package");
}

/** Whether the file exists and has the hash, written as npm does: `sha512-` and base64. */
export async function hasIntegrity(path: string, integrity: string): Promise<boolean> {
  const file = Bun.file(path);
  if (!(await file.exists())) return false;
  const hash = new Bun.CryptoHasher("sha512").update(await file.bytes()).digest("base64");
  return `sha512-${hash}` === integrity;
}
