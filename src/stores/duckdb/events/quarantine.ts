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
export function quarantine(file: string, name: string): string | undefined {
  const aside = `${file}.${name}`;
  const isThere = existsSync(file);
  if (isThere) renameSync(file, aside);
  if (existsSync(file + LOG)) renameSync(file + LOG, aside + LOG);
  rmSync(file + DAMAGED, { force: true });
  return isThere ? aside : undefined;
}

/** Puts back what was set aside, in the place of what was made since; may be repeated after a kill. */
export function restoreQuarantined(aside: string): void {
  const file = aside.replace(/\.[^.]*$/, "");
  // Without the file, a log beside its place is its own: a kill has parted them.
  if (existsSync(file)) removeEventFile(file);
  if (existsSync(aside + LOG)) renameSync(aside + LOG, file + LOG);
  renameSync(aside, file);
  rmSync(file + DAMAGED, { force: true });
}

/** Keeps what a rebuild has replaced, as damaged: another must not take it for a rebuild's own. */
export function keepDamaged(aside: string): void {
  const kept = aside.replace(/\.replaced(-[^.]*)$/, ".damaged$1");
  if (existsSync(aside + LOG)) renameSync(aside + LOG, kept + LOG);
  renameSync(aside, kept);
}

/** Removes the file and its log. */
export function removeEventFile(file: string): void {
  for (const path of [file + LOG, file]) rmSync(path, { force: true });
}

/** What was set aside of any generation, or is its log. */
const ASIDE = /^\d+\.duckdb\.(damaged|replaced)-/;

/** What a file is set aside for: a rebuild keeps what it replaces until it has come to its end. */
type QuarantineKind = "damaged" | "replaced";

/** What was set aside in the event store's directory, by default all, the newest first. */
export function quarantinedIn(
  directory: string,
  { kind }: { kind?: QuarantineKind } = {},
): string[] {
  const stampOf = (name: string) => name.replace(/^.*-/, "");
  // Before the first start there is no directory.
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => isQuarantined(name, kind) && !name.endsWith(LOG))
    .toSorted((a, b) => (stampOf(a) < stampOf(b) ? 1 : -1))
    .map((name) => join(directory, name));
}

function isQuarantined(name: string, kind?: QuarantineKind): boolean {
  const found = ASIDE.exec(name)?.[1];
  return found !== undefined && (kind === undefined || found === kind);
}

/**
 * Removes what was set aside in the event store's directory, by default all: deleted persons must
 * not live on in it.
 */
export function removeQuarantined(
  directory: string,
  { kind }: { kind?: QuarantineKind } = {},
): void {
  for (const name of readdirSync(directory)) {
    if (isQuarantined(name, kind)) rmSync(join(directory, name), { force: true });
  }
}
