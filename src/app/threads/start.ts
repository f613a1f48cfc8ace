import { fullGC } from "bun:jsc";
import type { Decoder } from "../../core/capture/capture.ts";
import type { LogDecoder } from "../../core/logs/logs.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Disk } from "../../stores/files/disk.ts";
import { sharedDisk, threadDisk } from "../../stores/files/disk-thread.ts";
import { collectBehind } from "../process/garbage-collection.ts";
import { remote } from "./calls.ts";
import type { Writer } from "./writer.ts";

declare const HOGLET_THREADS: string | undefined;

/**
 * The folder of the threads' entries: relative to this file when run from source, to the root of the
 * bundle in an executable.
 */
const THREADS = typeof HOGLET_THREADS === "string" ? HOGLET_THREADS : "./";

/** Starts the thread whose entry is the file `name`, such as `writer.ts`. */
function startThread(name: string, options?: WorkerOptions): Worker {
  return new Worker(new URL(`${THREADS}${name}`, import.meta.url), options);
}

/** Exit code for a bug or a failed engine: whoever supervises should start it again. */
export const EXIT_INTERNAL = 70;

/** The thread that decodes large bodies, started when the first one comes. */
export function startDecoder(log: Log): { decoder: Decoder & LogDecoder; close(): void } {
  let thread:
    | ReturnType<typeof startWorker<{ decoder: Omit<Decoder & LogDecoder, "letGo"> }>>
    | undefined;
  const decoder = () => {
    thread ??= startWorker(startThread("decoder.ts"), log);
    return thread.surface.decoder;
  };
  return {
    decoder: {
      admit: (body, now) => decoder().admit(body, now),
      admitLogs: (body, now) => decoder().admitLogs(body, now),
      letGo: collectBehind(fullGC),
    },
    close: () => thread?.terminate(),
  };
}

/** The thread that waits for the disk, and the disk as it is by it. */
export function startSyncer(log: Log): { disk: Disk; close(): void } {
  const worker = startThread("sync.ts", { smol: true });
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

/** The thread that writes SQLite and cuts the journal into slices. */
export function startWriter(log: Log) {
  return startWorker<Writer>(startThread("writer.ts"), log);
}

/** A thread and the objects it offers. */
function startWorker<T extends Record<string, object>>(worker: Worker, log: Log) {
  endWith(worker, log);
  return { surface: remote<T>(worker), terminate: () => worker.terminate() };
}

/** Without any of the threads nothing works, so its end is the process's. */
function endWith(worker: Worker, log: Log): void {
  worker.addEventListener("error", ({ message }) => {
    log.error("a thread failed; ending", { error: message });
    process.exit(EXIT_INTERNAL);
  });
}
