/** Milliseconds since the epoch, now. Passed in, so that tests can move it. */
export type Clock = () => number;

/** The earliest time that is stored, the start of the year 1, in milliseconds. */
export const TIME_MS_MIN = -62_135_596_800_000;

/** The latest time that is stored, the end of the year 9999, in milliseconds. */
export const TIME_MS_MAX = 253_402_300_799_999;

/** ISO 8601 in UTC with microseconds and `Z`, from milliseconds since the epoch. */
export function isoTime(ms: number): string {
  const whole = Math.floor(ms);
  const micros = Math.min(999, Math.round((ms - whole) * 1000));
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
}

const SDK_TIME = /^[12]\d{3}-(?:0\d|1[0-2])-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * Milliseconds since the epoch, microseconds as their fraction, of an ISO 8601 text; undefined
 * if it is none or names a time that does not exist. Without a zone it is UTC (contract 4.5,
 * decision 12); a date alone is its midnight.
 */
export function parseTime(text: string): number | undefined {
  // What SDKs send; a day that does not exist would come out as another one.
  if (SDK_TIME.test(text)) {
    const ms = Date.parse(text);
    return new Date(ms).getUTCDate() === Number(text.slice(8, 10)) ? ms : undefined;
  }
  const match = ISO.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!exists || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const wall = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  const micros = Number(fraction.slice(0, 6).padEnd(6, "0"));
  const ms = date.getTime() + wall - zoneOffsetMs(zone) + micros / 1000;
  return ms < TIME_MS_MIN || ms > TIME_MS_MAX ? undefined : ms;
}

/** How far a zone designator is ahead of UTC. `+03`, `+0300` and `+03:00` are the same. */
function zoneOffsetMs(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === "Z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(":", ""));
  return (zone.startsWith("-") ? -minutes : minutes) * 60_000;
}
