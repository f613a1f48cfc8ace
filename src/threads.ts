import type { Log } from "./log.ts";
import { remote } from "./remote.ts";
import type { Decoder } from "./services/capture.ts";
import type { LogDecoder } from "./services/logs.ts";

/** Exit code for a bug or a failed engine: whoever supervises should start it again. */
export const EXIT_INTERNAL = 70;

/** The thread that decodes large bodies, started when the first one comes. */
export function startDecoder(log: Log): { decoder: Decoder & LogDecoder; close(): void } {
  let thread: ReturnType<typeof startWorker<{ decoder: Decoder & LogDecoder }>> | undefined;
  const decoder = () => {
    thread ??= startWorker(new Worker(new URL("./decoder.ts", import.meta.url)), log);
    return thread.surface.decoder;
  };
  return {
    decoder: {
      admit: (body, now) => decoder().admit(body, now),
      admitLogs: (body, now) => decoder().admitLogs(body, now),
    },
    close: () => thread?.terminate(),
  };
}

/** A thread and the objects it offers. Without it nothing works, so its end is the process's. */
export function startWorker<T extends Record<string, object>>(worker: Worker, log: Log) {
  worker.addEventListener("error", ({ message }) => {
    log.error("a thread failed; ending", { error: message });
    process.exit(EXIT_INTERNAL);
  });
  return { surface: remote<T>(worker), terminate: () => worker.terminate() };
}
