import { Failure } from "../values/failure.ts";

/** How long somebody may wait for the mirror of persons, in milliseconds. */
const WAIT_MS_MAX = 15_000;

/**
 * Those who wait until the event store's mirror has what SQLite has of persons (decision 83), or
 * until SQLite has what was accepted (49). `reached` resolves when the mirror has what was sent on
 * by then.
 */
export function mirrorWaiting(reached: () => Promise<void>) {
  let resting = false;
  let waiting: (() => void)[] = [];
  let hastenedTo = 0;

  return {
    /** Whether somebody waits, where so much is taken: then nothing should wait to be many. */
    isAsked: (taken: number) => waiting.length > 0 || taken < hastenedTo,

    /** Says that somebody waits for what there is up to a sequence number. */
    hasten(seq: number): void {
      hastenedTo = Math.max(hastenedTo, seq);
    },

    /** Says that all of what SQLite has by now was sent on. */
    sent(): void {
      const told = waiting;
      waiting = [];
      if (told.length === 0) return;
      reached().then(
        () => {
          for (const goOn of told) goOn();
        },
        () => undefined,
      );
    },

    /** Carries out what changes nothing in SQLite, behind all that was sent on. */
    async rest(work: () => Promise<void>): Promise<void> {
      this.sent();
      resting = true;
      await work();
      resting = false;
    },

    /** Resolves when the mirror has what SQLite has by now. Fails `unavailable` after WAIT_MS_MAX. */
    async mirrored(): Promise<void> {
      if (resting) return reached();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push(resolve);
      const timer = setTimeout(() => {
        reject(new Failure("unavailable", "Persons are being stored. Try again in a moment."));
      }, WAIT_MS_MAX);
      await promise.finally(() => clearTimeout(timer));
    },
  };
}
