import { fullGC } from "bun:jsc";
import type { Decoder } from "../../core/capture/capture.ts";
import type { LogDecoder } from "../../core/logs/logs.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Disk } from "../../stores/files/disk.ts";
import { sharedDisk, threadDisk } from "../../stores/files/disk-thread.ts";
import { gcAfterBytes } from "../process/garbage-collection.ts";
import { rpcTo } from "./rpc.ts";
import type { Writer } from "./store-worker.ts";

declare const HOGLET_THREADS: string | undefined;

/**
 * The folder of the threads' entries: relative to this file when run from source, to the root of the
 * bundle in an executable.
 */
const THREADS = typeof HOGLET_THREADS === "string" ? HOGLET_THREADS : "./";

/** Starts the thread whose entry is the file `name`, such as `store-worker.ts`. */
function startThread(name: string, options?: WorkerOptions): Worker {
  return new Worker(new URL(`${THREADS}${name}`, import.meta.url), options);
}

/** Exit code for a bug or a failed engine: the supervisor should start the server again. */
export const EXIT_INTERNAL = 70;

/** The decode worker, for large bodies. Its thread starts with the first large body. */
export function startDecoder(log: Log): { decoder: Decoder & LogDecoder; close(): void } {
  let thread:
    | ReturnType<typeof startWorker<{ decoder: Omit<Decoder & LogDecoder, "releaseBytes"> }>>
    | undefined;
  const decoder = () => {
    thread ??= startWorker(startThread("decode-worker.ts"), log);
    return thread.api.decoder;
  };
  return {
    decoder: {
      admit: (body, now, salts) => decoder().admit(body, now, salts),
      admitLogs: (body, now) => decoder().admitLogs(body, now),
      countUnkept: (body, signal) => decoder().countUnkept(body, signal),
      releaseBytes: gcAfterBytes(fullGC),
    },
    close: () => thread?.terminate(),
  };
}

/** Starts the fsync worker, and returns a disk that writes and syncs through this thread. */
export function startFsync(log: Log): { disk: Disk; close(): void } {
  const worker = startThread("fsync-worker.ts", { smol: true });
  endWith(worker, log);
  const shared = sharedDisk();
  worker.postMessage(shared);
  const disk = threadDisk(shared);
  return {
    disk,
    close() {
      disk.close();
      worker.terminate();
    },
  };
}

/** Starts the store worker, which writes SQLite and divides the journal into batches. */
export function startWriter(log: Log) {
  return startWorker<Writer>(startThread("store-worker.ts"), log);
}

/** A thread and the objects that it serves. */
function startWorker<T extends Record<string, object>>(worker: Worker, log: Log) {
  endWith(worker, log);
  return { api: rpcTo<T>(worker), terminate: () => worker.terminate() };
}

/** Ends the process when a thread fails: nothing works without all of them. */
function endWith(worker: Worker, log: Log): void {
  worker.addEventListener("error", ({ message }) => {
    log.error("a thread failed; ending", { error: message });
    process.exit(EXIT_INTERNAL);
  });
}
