import { join } from "node:path";
import type { LogRecord } from "../../../src/core/logs/record.ts";

/** A row of the table `logs`; times as DuckDB writes them. */
export type StoredLog = LogRecord & { seq: number; project_id: number; ingested_at: string };

/** The log records in the event store of a server that has stopped, in order of arrival. */
export async function storedLogs(data: string): Promise<StoredLog[]> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const file = join(data, "events", "1.duckdb");
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  try {
    const found = await connection.runAndReadAll(
      "FROM logs WHERE project_id > 0 ORDER BY seq, uuid",
    );
    return found.getRowObjectsJson().map((row) => ({
      ...(row as unknown as StoredLog),
      seq: Number(row["seq"]),
      attributes: JSON.parse(String(row["attributes"])),
      resource_attributes: JSON.parse(String(row["resource_attributes"])),
      instrumentation_scope: JSON.parse(String(row["instrumentation_scope"])),
    }));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** A request of OTLP's JSON with one resource and one scope. */
export function logsBody(logRecords: unknown[], resource: unknown = {}, scope: unknown = {}) {
  return { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] };
}

/** OTLP's list of keys and texts. */
export function attributesOf(values: Record<string, string>) {
  return Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}
