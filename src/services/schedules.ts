import { Cron } from "croner";
import { type Clock, isoTime, parseTime } from "../domain/time.ts";

/** Where is kept when something was due last, ISO 8601; undefined before the first time. */
export type LastDue = {
  read(kind: string): Promise<string | undefined>;
  write(kind: string, at: string): Promise<void>;
};

/**
 * What is due of a few kinds, each with a pattern of cron in UTC, which knows no summer time. A
 * timer would forget over a restart and not see a moved clock: so the last time that was due is
 * kept, and whoever looks compares it with the last time before now (decision 61).
 */
export function schedules<Kind extends string>(
  patterns: Readonly<Record<Kind, string>>,
  { read, write }: LastDue,
  now: Clock,
) {
  const jobs = Object.entries<string>(patterns).map(([kind, pattern]) => ({
    kind: kind as Kind,
    cron: new Cron(pattern, { paused: true, timezone: "UTC" }),
  }));
  return {
    /** The kinds that have been due since they were last taken: each once, however often. */
    async take(): Promise<Kind[]> {
      const at = now();
      const taken: Kind[] = [];
      for (const { kind, cron } of jobs) {
        const [before] = cron.previousRuns(1, new Date(at + 1));
        const known = await read(kind);
        const last = known === undefined ? undefined : parseTime(known);
        const due = before?.getTime() ?? at;
        // At the first look ever nothing was missed, nor when the clock has been set back.
        const isDue = last !== undefined && last < due;
        if (last === undefined || last !== due) await write(kind, isoTime(due));
        if (isDue) taken.push(kind);
      }
      return taken;
    },
  };
}
