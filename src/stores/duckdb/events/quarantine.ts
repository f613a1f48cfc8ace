import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The suffix of an empty file that notes damage of the event store for the next start. */
const DAMAGED = ".damaged";

/** The suffix of DuckDB's write-ahead log. */
const LOG = ".wal";

/** Notes that the event store's file is damaged, so that the next start rebuilds it. */
export function noteDamage(file: string): void {
  writeFileSync(file + DAMAGED, "", { mode: 0o600 });
}

/** Returns whether damage of the file was noted. */
export function isNotedDamaged(file: string): boolean {
  return existsSync(file + DAMAGED);
}

/** Renames the file and its log to end in `name`. Returns the new path, or undefined without a file. */
export function quarantine(file: string, name: string): string | undefined {
  const quarantined = `${file}.${name}`;
  const exists = existsSync(file);
  if (exists) renameSync(file, quarantined);
  if (existsSync(file + LOG)) renameSync(file + LOG, quarantined + LOG);
  rmSync(file + DAMAGED, { force: true });
  return exists ? quarantined : undefined;
}

/** Renames a quarantined file and its log back, in place of a newer file; may be repeated after a kill. */
export function restoreQuarantined(quarantined: string): void {
  const file = quarantined.replace(/\.[^.]*$/, "");
  // Without a newer file, the log at its path is of the quarantined file: a kill hit an earlier call.
  if (existsSync(file)) removeEventFile(file);
  if (existsSync(quarantined + LOG)) renameSync(quarantined + LOG, file + LOG);
  renameSync(quarantined, file);
  rmSync(file + DAMAGED, { force: true });
}

/** Renames a replaced file to a damaged one, so that the next start does not take its rebuild for unfinished. */
export function keepDamaged(quarantined: string): void {
  const damaged = quarantined.replace(/\.replaced(-[^.]*)$/, ".damaged$1");
  if (existsSync(quarantined + LOG)) renameSync(quarantined + LOG, damaged + LOG);
  renameSync(quarantined, damaged);
}

/** Removes the file and its log. */
export function removeEventFile(file: string): void {
  for (const path of [file + LOG, file]) rmSync(path, { force: true });
}

/** The name of a quarantined file of any generation, or of its log. */
const QUARANTINED = /^\d+\.duckdb\.(damaged|replaced)-/;

/** Why a file is quarantined. A rebuild keeps the replaced file until it ends. */
type QuarantineKind = "damaged" | "replaced";

/** Returns the paths of quarantined files in the event store's directory, the newest first. */
export function quarantinedIn(directory: string, kind?: QuarantineKind): string[] {
  const stampOf = (name: string) => name.replace(/^.*-/, "");
  // Before the first start there is no directory.
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => isQuarantined(name, kind) && !name.endsWith(LOG))
    .toSorted((a, b) => (stampOf(a) < stampOf(b) ? 1 : -1))
    .map((name) => join(directory, name));
}

function isQuarantined(name: string, kind?: QuarantineKind): boolean {
  const found = QUARANTINED.exec(name)?.[1];
  return found !== undefined && (kind === undefined || found === kind);
}

/**
 * Removes quarantined files in the event store's directory, by default of both kinds, because they may have
 * events of deleted persons.
 */
export function removeQuarantined(directory: string, kind?: QuarantineKind): void {
  for (const name of readdirSync(directory)) {
    if (isQuarantined(name, kind)) rmSync(join(directory, name), { force: true });
  }
}
