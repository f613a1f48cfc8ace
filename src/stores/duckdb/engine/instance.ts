import type { DuckDBInstance } from "@duckdb/node-api";
import { engine, unpack } from "./native-library.ts";
import { natives } from "./natives.ts";

let isLoaded = false;

/**
 * Loads the engine, whose package is pinned to a version with a library for each platform (decision 5), and
 * starts an instance without a file. An executable first unpacks the engine into
 * `directory`; `onUnpacked` is called after it read its own file for that.
 */
export async function newInstance(
  directory: string,
  onUnpacked?: () => void,
): Promise<DuckDBInstance> {
  engine.directory = directory;
  // A failed import cannot be repeated, so a full disk must fail here.
  if (natives !== undefined && !isLoaded) await unpack(directory, natives, onUnpacked);
  const { DuckDBInstance: Instance } = await import("@duckdb/node-api");
  isLoaded = true;
  await keepByteOrderMarks();
  return Instance.create(":memory:");
}

/** Replaces the package's decoder, which drops a byte order mark at the start of a text. */
async function keepByteOrderMarks(): Promise<void> {
  const { default: accessors } = await import("@duckdb/node-api/lib/vectors/dataAccessors.js");
  Object.assign(accessors, { textDecoder: new TextDecoder("utf-8", { ignoreBOM: true }) });
}
