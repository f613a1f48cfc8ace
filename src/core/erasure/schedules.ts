import { Cron } from "croner";
import { type Clock, isoTime, parseTime } from "../values/time.ts";

/** Stores the due time of the last completed run of each kind, ISO 8601; undefined before the first look. */
export type LastDue = {
  read(kind: string): Promise<string | undefined>;
  write(kind: string, at: string): Promise<void>;
};

/** A kind that is due, with its due time, ISO 8601. */
export type Due<Kind extends string> = { kind: Kind; at: string };

/** Returns when a pattern is due next after a time in milliseconds, ISO 8601; undefined for never. */
export function nextDue(pattern: string, at: number): string | undefined {
  const next = new Cron(pattern, { paused: true, utcOffset: 0 }).nextRun(new Date(at));
  return next === null ? undefined : isoTime(next.getTime());
}

/**
 * The kinds of work that are due, each with a cron pattern in UTC. A timer would not survive a restart or
 * notice a changed clock. So the last completed time is stored and compared with the last time of the pattern
 * before now (decision 61).
 */
export function schedules<Kind extends string>(
  patterns: Readonly<Record<Kind, string>>,
  { read, write }: LastDue,
  now: Clock,
) {
  const jobs = Object.entries<string>(patterns).map(([kind, pattern]) => ({
    kind: kind as Kind,
    cron: new Cron(pattern, { paused: true, utcOffset: 0 }),
  }));
  return {
    /** Returns the kinds that became due since their last completed run, each once. */
    async look(): Promise<Due<Kind>[]> {
      const at = now();
      const found: Due<Kind>[] = [];
      for (const { kind, cron } of jobs) {
        const [before] = cron.previousRuns(1, new Date(at + 1));
        const known = await read(kind);
        const last = known === undefined ? undefined : parseTime(known);
        const due = before?.getTime() ?? at;
        // Nothing was missed at the very first look, or if the clock was set back.
        if (last === undefined || last > due) await write(kind, isoTime(due));
        else if (last < due) found.push({ kind, at: isoTime(due) });
      }
      return found;
    },

    /** Notes that due work is done. Until then it stays due, also after a restart. */
    async note(done: readonly Due<Kind>[]): Promise<void> {
      for (const { kind, at } of done) await write(kind, at);
    },
  };
}
