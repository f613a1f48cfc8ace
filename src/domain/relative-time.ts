import { parseTime } from "./time.ts";

const DAY_MS = 86_400_000;

/** Milliseconds of the units that always last as long. */
const UNIT_MS: Record<string, number> = { h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS };

const UNIT_MONTHS: Record<string, number> = { m: 1, y: 12 };

/**
 * Milliseconds since the epoch of a time as filters give it: ISO 8601, or how long ago it was in
 * hours, days, weeks, months or years (`-24h`, `-7d`, `-2w`, `-1m`, `-1y`). Undefined if it is none.
 */
export function parseTimeOrAge(text: string, now: number): number | undefined {
  const [, count = "", unit = ""] = /^-(\d{1,4})([hdwmy])$/.exec(text) ?? [];
  if (unit === "") return parseTime(text);
  const fixed = UNIT_MS[unit];
  if (fixed !== undefined) return now - Number(count) * fixed;
  return monthsBefore(now, Number(count) * (UNIT_MONTHS[unit] ?? 0));
}

/** The same time of the same day, or the last one that a shorter month has. */
function monthsBefore(now: number, months: number): number {
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - months + 1, 0);
  date.setUTCDate(Math.min(day, date.getUTCDate()));
  return date.getTime();
}
