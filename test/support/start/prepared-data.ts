import { afterAll } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { keepEngine, lendEngine } from "../disk/engine.ts";
import { temporaryDirectory } from "./app.ts";

/**
 * A data directory that `make` fills once for a test file, at the first use. Each call copies it to `to`, and
 * returns the result of `make`: a copy costs some milliseconds, a server and its events a second.
 */
export function preparedData<Held>(
  make: (data: string) => Promise<Held>,
): (to: string) => Promise<Held> {
  const root = temporaryDirectory();
  const from = join(root.path, "data");
  let made: Promise<Held> | undefined;

  afterAll(() => root[Symbol.dispose]());

  return async (to) => {
    made ??= make(from);
    const held = await made;
    keepEngine(from);
    // A killed server leaves its socket, which cannot be copied. The engine is unpacked again from a copy.
    const isCopied = (path: string) => !path.endsWith(".sock") && path !== join(from, "engine");
    cpSync(from, to, { recursive: true, filter: isCopied });
    lendEngine(to);
    return held;
  };
}
