import type { DuckDBConnection } from "@duckdb/node-api";
import { rows } from "../engine/duckdb.ts";

const FIRST = `SELECT epoch_ms(min("timestamp"))::DOUBLE AS first FROM events WHERE project_id = $project::INTEGER`;

/** Returns the time of a project's first event in milliseconds; undefined without events. */
export async function firstEventAt(
  connection: DuckDBConnection,
  project: number,
): Promise<number | undefined> {
  const [row] = await rows(connection, FIRST, { project });
  const first = row?.["first"] ?? null;
  return first === null ? undefined : Number(first);
}
