import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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
export function putBack(aside: string): void {
  const file = aside.replace(/\.[^.]*$/, "");
  rmSync(file + LOG, { force: true });
  renameSync(aside, file);
  if (existsSync(aside + LOG)) renameSync(aside + LOG, file + LOG);
}

/** Removes the file and its log. */
export function removeEventFile(file: string): void {
  for (const path of [file + LOG, file]) rmSync(path, { force: true });
}

/** What was set aside of any generation, or is its log. */
const ASIDE = /^\d+\.duckdb\.(damaged|replaced)-/;

/** Whether a rebuild that was asked for has not come to its end: it keeps what it replaces. */
export function isReplacing(directory: string): boolean {
  return readdirSync(directory).some((name) => ASIDE.exec(name)?.[1] === "replaced");
}

/**
 * Removes what was set aside in the event store's directory, by default all: deleted persons must
 * not live on in it.
 */
export function removeSetAside(directory: string, { kind }: { kind?: "replaced" } = {}): void {
  for (const name of readdirSync(directory)) {
    const [, found] = ASIDE.exec(name) ?? [];
    const isMeant = found !== undefined && (kind === undefined || found === kind);
    if (isMeant) rmSync(join(directory, name), { force: true });
  }
}
