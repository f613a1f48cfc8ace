import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Behind the file's name: what went wrong in it while it was used, for the next start. */
const DAMAGED = ".damaged";

/** What DuckDB has beside its file. */
const LOG = ".wal";

/** Notes that the event store's file is damaged, so that the next start makes it anew. */
export function noteDamage(file: string): void {
  writeFileSync(file + DAMAGED, "", { mode: 0o600 });
}

/** Whether the file was found to be damaged while it was used. */
export function isNotedDamaged(file: string): boolean {
  return existsSync(file + DAMAGED);
}

/** Moves the file away, with its log, under a name that ends in `name`; undefined if it is gone. */
export function setAside(file: string, name: string): string | undefined {
  const aside = `${file}.${name}`;
  const isThere = existsSync(file);
  if (isThere) renameSync(file, aside);
  if (existsSync(file + LOG)) renameSync(file + LOG, aside + LOG);
  rmSync(file + DAMAGED, { force: true });
  return isThere ? aside : undefined;
}

/** Puts back what was set aside, in the place of what was made since. */
export function putBack(file: string, aside: string): void {
  rmSync(file + LOG, { force: true });
  renameSync(aside, file);
  if (existsSync(aside + LOG)) renameSync(aside + LOG, file + LOG);
}

/** Removes the file and its log. */
export function removeEventFile(file: string): void {
  for (const path of [file + LOG, file]) rmSync(path, { force: true });
}

/**
 * Removes what was set aside from the file under names that begin with `name`, by default all:
 * deleted persons must not live on in it.
 */
export function removeSetAside(file: string, name: "" | "replaced-" = ""): void {
  const start = `${basename(file)}.`;
  for (const found of readdirSync(dirname(file))) {
    const isAside = found.startsWith(start + name) && found !== `${start}wal`;
    if (isAside) rmSync(join(dirname(file), found), { force: true });
  }
}
