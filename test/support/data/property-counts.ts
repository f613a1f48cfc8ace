import { rows } from "../../../src/stores/duckdb/engine/duckdb.ts";
import type { duckdbStore } from "../start/duckdb-store.ts";

/** The rows of `property_counts`: name, type and count, in order. */
export const propertyCountsIn = ({ duckdb }: Awaited<ReturnType<typeof duckdbStore>>) =>
  duckdb.read(async (connection) => {
    const found = await rows(
      connection,
      "SELECT name, property_type, count::INTEGER AS count FROM property_counts ORDER BY ALL",
    );
    return found.map((row) => Object.values(row));
  });
