/**
 * Loaded before a server, it kills it with SIGKILL at one step of its work. `KILL_AT` says which:
 * `sqlite:7` is before the seventh statement that the writer runs by itself (the migrations, and
 * BEGIN and COMMIT of each transaction), `duckdb:7` before the seventh statement of the event
 * store, `file:7` before the seventh write or sync of the journal, `sync:7` before the seventh sync of
 * a file of the archive or of a directory. `duckdb:7:1.5` is 1.5 milliseconds
 * after that statement was given to the event store's threads.
 */
import { Database } from "bun:sqlite";
import fs from "node:fs";
import { open } from "node:fs/promises";

type Methods = Record<string, (...args: unknown[]) => unknown>;

const [kind = "", nth = "0", afterMs] = (process.env["KILL_AT"] ?? "").split(":");
let left = Number(nth);

/** Counts every call of some methods. */
function count(prototype: object, names: readonly string[]): void {
  const methods = prototype as Methods;
  for (const name of names) {
    const original = methods[name];
    if (original === undefined) throw new Error(`There is no method ${name}`);
    methods[name] = function (this: unknown, ...args) {
      left -= 1;
      if (left !== 0) return Reflect.apply(original, this, args);
      if (afterMs !== undefined) {
        Reflect.apply(original, this, args);
        Bun.sleepSync(Number(afterMs));
      }
      return process.kill(process.pid, "SIGKILL");
    };
  }
}

if (!Bun.isMainThread) {
  if (kind === "sqlite") count(Database.prototype, ["run"]);
  // The journal calls these by name, without an import of its own.
  if (kind === "file") count(fs, ["writeSync", "fdatasyncSync"]);
} else {
  // Threads load only modules that are named so.
  const Plain = globalThis.Worker;
  globalThis.Worker = class extends Plain {
    constructor(url: string | URL, options: WorkerOptions = {}) {
      super(url, { ...options, preload: [import.meta.path] });
    }
  } as typeof Worker;
  if (kind === "duckdb") {
    const { DuckDBConnection } = await import("@duckdb/node-api");
    count(DuckDBConnection.prototype, ["run", "runAndReadAll"]);
  }
  if (kind === "sync") {
    const handle = await open("/dev/null", "r");
    count(Object.getPrototypeOf(handle), ["sync"]);
    await handle.close();
  }
}
