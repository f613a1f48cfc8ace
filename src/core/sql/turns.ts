import { endedBy, type Failure } from "../values/failure.ts";

type Turns = {
  /** Works that may run at the same time. */
  running: number;
  /** Works that may wait for one of them to end. */
  waiting: number;
  /** The longest wait, in milliseconds. */
  waitMs: number;
  /** The failure of a work that may not wait, or that has waited for so long. */
  tooMany: () => Failure;
};

/** Lets a number of works run at the same time; others wait in the order in which they came. */
export function turns({ running, waiting: waitingMax, waitMs, tooMany }: Turns) {
  let free = running;
  const waiting = new Set<() => void>();
  const endTurn = () => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  return {
    /** Whether no work runs. */
    isIdle: () => free === running,

    /**
     * Resolves when a work may run, with the function that ends its turn. Fails with `tooMany`, and as `endedBy`
     * when `signal` aborts.
     */
    async take(signal: AbortSignal): Promise<() => void> {
      if (free > 0) {
        free -= 1;
        return endTurn;
      }
      if (signal.aborted) throw endedBy(signal);
      if (waiting.size >= waitingMax) throw tooMany();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const leave = (failure: Failure) => {
        if (waiting.delete(resolve)) reject(failure);
      };
      const gone = () => leave(endedBy(signal));
      waiting.add(resolve);
      signal.addEventListener("abort", gone, { once: true });
      const timer = setTimeout(() => leave(tooMany()), waitMs);
      try {
        await promise;
        return endTurn;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", gone);
      }
    },
  };
}
