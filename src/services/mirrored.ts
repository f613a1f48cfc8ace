import { Failure } from "../domain/errors.ts";

/** How long somebody may wait for the mirror of persons, in milliseconds. */
const WAIT_MS_MAX = 15_000;

/**
 * Those who wait until the event store's mirror has what SQLite has of persons (decision 83).
 * `reached` resolves when it has what was sent on by then.
 */
export function mirrorWaiting(reached: () => Promise<void>) {
  let resting = false;
  let waiting: (() => void)[] = [];

  return {
    /** Whether somebody waits: then nothing should wait for others to make a load. */
    isAsked: () => waiting.length > 0,

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
