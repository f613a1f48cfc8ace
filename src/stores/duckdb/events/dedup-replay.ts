import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";
import { REPLAY_FIELDS, type ReplayEntries } from "../../../core/ingest/dedup-table.ts";
import { NOT_PADDING } from "../../loads/event-lines.ts";
import { micros } from "../engine/duckdb.ts";

const IN_WINDOW = `
  SELECT uuid, project_id, (epoch_ms(ingested_at) // 60000)::INTEGER AS minute, mark
  FROM events WHERE ${NOT_PADDING} AND ingested_at >=
    (SELECT ingested_at FROM events ORDER BY seq DESC LIMIT 1) - to_microseconds($window::BIGINT)`;

/** Most entries of one chunk. */
const CHUNK_ENTRIES = 65_536;

type Take = (chunk: ReplayEntries) => Promise<void>;

/** Passes the entries of events that arrived in the window before the last event. */
export function readDedupEntries(connection: DuckDBConnection, windowMs: number, take: Take) {
  return passEntries(connection, take, IN_WINDOW, { window: micros(windowMs) });
}

const ERASED = `
  SELECT uuid, project_id, (epoch_ms(ingested_at) // 60000)::INTEGER AS minute, 0::USMALLINT AS mark
  FROM temp.doomed WHERE task IS NOT NULL`;

/** Passes the entries of erased events, so that the deduplication window forgets them (decision 60). */
export function readErasedEntries(connection: DuckDBConnection, take: Take) {
  return passEntries(connection, take, ERASED);
}

async function passEntries(
  connection: DuckDBConnection,
  take: Take,
  sql: string,
  values: Record<string, DuckDBValue> = {},
): Promise<void> {
  const result = await connection.stream(sql, values);
  const entries = new Uint32Array(CHUNK_ENTRIES * REPLAY_FIELDS);
  let used = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    const rowCount = chunk?.rowCount ?? 0;
    if (used + rowCount * REPLAY_FIELDS > entries.length || rowCount === 0) {
      await take(entries.slice(0, used));
      used = 0;
    }
    if (chunk === null || rowCount === 0) return;
    const uuids = uuidBytesOf(chunk);
    const projects = chunk.getColumnValues(1) as number[];
    const minutes = chunk.getColumnValues(2) as number[];
    const marks = chunk.getColumnValues(3) as number[];
    for (let row = 0; row < rowCount; row++) {
      const index = used + row * REPLAY_FIELDS;
      entries[index] = projects[row] ?? 0;
      // DuckDB stores a uuid as a little-endian number of 128 bits, and flips the highest bit for the order.
      entries[index + 1] = uuids.getUint32(row * 16 + 12, true) ^ 0x80_00_00_00;
      entries[index + 2] = uuids.getUint32(row * 16 + 8, true);
      entries[index + 3] = uuids.getUint32(row * 16 + 4, true);
      entries[index + 4] = uuids.getUint32(row * 16, true);
      entries[index + 5] = minutes[row] ?? 0;
      entries[index + 6] = marks[row] ?? 0;
    }
    used += rowCount * REPLAY_FIELDS;
  }
}

/** Returns the bytes of the first column, because a million uuids as texts would take a second. */
function uuidBytesOf(chunk: DuckDBDataChunk): DataView {
  const bytes: unknown = Reflect.get(chunk.getColumnVector(0), "dataView");
  if (bytes instanceof DataView) return bytes;
  throw new Error("@duckdb/node-api keeps uuids in another way than the pinned version");
}
