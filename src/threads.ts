import { fullGC } from "bun:jsc";
import { collectBehind } from "./collecting.ts";
import type { Log } from "./log.ts";
import { remote } from "./remote.ts";
import type { Decoder } from "./services/capture.ts";
import type { LogDecoder } from "./services/logs.ts";
import type { Disk } from "./storage/disk.ts";
import { sharedDisk, threadDisk } from "./storage/disk-thread.ts";

/** Exit code for a bug or a failed engine: whoever supervises should start it again. */
export const EXIT_INTERNAL = 70;

/** The thread that decodes large bodies, started when the first one comes. */
export function startDecoder(log: Log): { decoder: Decoder & LogDecoder; close(): void } {
  let thread:
    | ReturnType<typeof startWorker<{ decoder: Omit<Decoder & LogDecoder, "letGo"> }>>
    | undefined;
  const decoder = () => {
    thread ??= startWorker(new Worker(new URL("./decoder.ts", import.meta.url)), log);
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

/** The thread that waits for the disk, and the disk as it is by it (decision 55). */
export function startSyncer(log: Log): { disk: Disk; close(): void } {
  const worker = new Worker(new URL("./syncer.ts", import.meta.url), { smol: true });
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

/** A thread and the objects it offers. */
export function startWorker<T extends Record<string, object>>(worker: Worker, log: Log) {
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
