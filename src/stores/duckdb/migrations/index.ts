import baseline from "./0001-baseline.sql" with { type: "text" };
import wholeProperties from "./0002-whole-properties.sql" with { type: "text" };

/** Schema changes in order (see `migrationsFrom`). After a release: append only. */
export const DUCKDB_MIGRATIONS: readonly string[] = [baseline, wholeProperties];
