/** A store that this version cannot read; the message says why, and what to do. */
export class SchemaError extends Error {
  override name = "SchemaError";
}

/**
 * The schema version of the first release, in both stores. Builds before the release counted from 1, so
 * that their files are recognised.
 */
export const BASELINE_VERSION = 100;

const BEFORE_RELEASE =
  "It was written by a build before the first release, which this version does not read. Give --data another directory. The data stays readable there: events for DuckDB in events/<n>.duckdb and in the Parquet files of archive/, persons for sqlite3 in hoglet.sqlite.";

/** The error of a store of a newer version. `versions` names its version and the newest known one. */
export function newerVersion(versions: string): SchemaError {
  return new SchemaError(`It was written by a newer version (${versions}). Run that version.`);
}

/**
 * The index of the first migration that a store lacks, and the version that all of them make. The first
 * migration makes BASELINE_VERSION, each later one the next. `version` is the store's; 0 if it is new.
 * Throws SchemaError if the store is older than the first release, or newer than this version.
 */
export function migrationsFrom(version: number, migrations: number): { from: number; to: number } {
  const to = BASELINE_VERSION + migrations - 1;
  if (version > 0 && version < BASELINE_VERSION) throw new SchemaError(BEFORE_RELEASE);
  if (version > to) {
    throw newerVersion(`schema ${version}, this one knows ${to}`);
  }
  return { from: version === 0 ? 0 : version - BASELINE_VERSION + 1, to };
}
