import type { DuckDBInstance } from "@duckdb/node-api";
import { engine, unpack } from "./native-library.ts";
import { natives } from "./natives.ts";

let isLoaded = false;

/**
 * Loads the engine and starts an instance without a file. An executable unpacks the engine into a directory
 * first; `onUnpacked` is called after it read its own file for that.
 */
export async function newInstance(
  directory: string,
  onUnpacked?: () => void,
): Promise<DuckDBInstance> {
  engine.directory = directory;
  // An import that fails, for want of room, could not be tried again.
  if (natives !== undefined && !isLoaded) await unpack(directory, natives, onUnpacked);
  const { DuckDBInstance: Instance } = await import("@duckdb/node-api");
  isLoaded = true;
  await readTextsWhole();
  return Instance.create(":memory:");
}

/** The package's own decoder leaves out the byte order mark that a text may begin with. */
async function readTextsWhole(): Promise<void> {
  const { default: accessors } = await import("@duckdb/node-api/lib/vectors/dataAccessors.js");
  Object.assign(accessors, { textDecoder: new TextDecoder("utf-8", { ignoreBOM: true }) });
}
