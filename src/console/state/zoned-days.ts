const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The day of a time on the clock of a zone, as `2026-11-21`. */
export function dayIn(time: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return format.format(time);
}

/** A day some days later, or earlier if `by` is negative. */
export function shiftDay(day: string, by: number): string {
  return new Date(Date.parse(day) + by * DAY_MS).toISOString().slice(0, 10);
}

/** How far a zone's clock is ahead of UTC at a time, in milliseconds. */
function offsetAt(time: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(time);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const shown = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return shown - Math.floor(time / 1000) * 1000;
}

/** When the hour of a time began on the clock of a zone. */
export function startOfHour(time: Date, timeZone: string): Date {
  const ahead = offsetAt(time.getTime(), timeZone);
  return new Date(Math.floor((time.getTime() + ahead) / HOUR_MS) * HOUR_MS - ahead);
}

/** When a day begins on the clock of a zone. The offset may change on that day, so a second look finds the right one. */
export function startOfDay(day: string, timeZone: string): Date {
  const utc = Date.parse(`${day}T00:00:00Z`);
  const guess = utc - offsetAt(utc, timeZone);
  return new Date(utc - offsetAt(guess, timeZone));
}

const MONTHS =
  "january february march april may june july august september october november december";

/** The day that a text means, such as `2026-11-21`, `21 Nov` or `Nov 21, 2025`; the latest one without a year. */
export function readDay(text: string, today: string): string | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/[.,]/g, " ")
    .replace(/^([a-z]+)\s+(\d+)/, "$2 $1");
  const [, iso, isoMonth, isoDay] = /^(\d{4})-(\d\d?)-(\d\d?)$/.exec(words) ?? [];
  const [, day = isoDay, name = "", year = iso] =
    /^(\d\d?)\s+([a-z]{3,})(?:\s+(\d{4}))?$/.exec(words) ?? [];
  const month = isoMonth ?? MONTHS.split(" ").findIndex((one) => one.startsWith(name)) + 1;
  const dayOf = (inYear: string | number) => {
    const date = new Date(Date.UTC(Number(inYear), Number(month) - 1, Number(day)));
    const isReal = date.getUTCDate() === Number(day) && date.getUTCMonth() + 1 === Number(month);
    return isReal && date.getUTCFullYear() >= 1970 ? date.toISOString().slice(0, 10) : undefined;
  };
  if (year !== undefined) return dayOf(year);
  const present = dayOf(today.slice(0, 4));
  // A leap day is there in some years alone.
  return present !== undefined && present <= today ? present : dayOf(Number(today.slice(0, 4)) - 1);
}
