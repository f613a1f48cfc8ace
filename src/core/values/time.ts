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

/** As {@link isoTime}, from microseconds; undefined before the year 1 and after 9999. */
export function isoMicros(micros: bigint): string | undefined {
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const ms = Number((micros - rest) / 1000n);
  if (ms < TIME_MS_MIN || ms > TIME_MS_MAX) return undefined;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(rest).padStart(3, "0")}Z`;
}

/** As {@link isoMicros}, from nanoseconds and with them. */
export function isoNanos(nanos: bigint): string | undefined {
  const rest = ((nanos % 1000n) + 1000n) % 1000n;
  const micros = isoMicros((nanos - rest) / 1000n);
  return micros?.replace("Z", `${String(rest).padStart(3, "0")}Z`);
}

const SDK_TIME = /^[12]\d{3}-(?:0\d|1[0-2])-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?\s*(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i;

/**
 * Milliseconds since 1970, microseconds as their fraction, of an ISO 8601 text; undefined for other texts and
 * for times that do not exist. Without a zone it is UTC (contract 4.5,
 * decision 12); a date alone is its midnight.
 */
export function parseTime(text: string): number | undefined {
  // The form of SDKs. `Date.parse` would turn a day that does not exist into another day.
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

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const RFC_2822 =
  /^(?:[a-z]{3},\s*)?(\d{1,2})\s+([a-z]{3})\s+(\d{4})\s+(\d{2}:\d{2}(?::\d{2})?)\s*(?:([+-]\d{4})|GMT|UTC?|Z)?$/i;

const YEAR_FIRST = /^(\d{4})\/(\d{1,2})\/(\d{1,2})(\s.+)?$/;
const MONTH_FIRST = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(\s.+)?$/;

/** From here on, in 1973, a number is a time; from there on one in milliseconds, not in seconds. */
const UNIX_MIN = 1e8;
const UNIX_MS_MIN = 1e11;

/**
 * The time of an event in milliseconds since the epoch (decision 12): ISO 8601 as
 * {@link parseTime} has it, or what other clients write: RFC 2822, `2026/11/21` or `11/21/2026`,
 * each with or without a time of day, and seconds or milliseconds since the epoch, as number or
 * text. Undefined for other values.
 */
export function parseEventTime(value: unknown): number | undefined {
  if (typeof value === "number") return unixTime(value);
  if (typeof value !== "string") return undefined;
  return parseTime(value) ?? parseOtherTime(value.trim());
}

function parseOtherTime(text: string): number | undefined {
  if (/^\d{9,14}(?:\.\d{1,9})?$/.test(text)) return unixTime(Number(text));
  const [, day, month = "", year, clock, zone = "Z"] = RFC_2822.exec(text) ?? [];
  if (day !== undefined) {
    return parseTime(
      `${dateText(year, MONTHS.indexOf(month.toLowerCase()) + 1, day)}T${clock}${zone}`,
    );
  }
  const [, first, second, third, rest = ""] = YEAR_FIRST.exec(text) ?? [];
  if (first !== undefined) return parseTime(dateText(first, second, third) + rest);
  const [, monthOf, dayOf, yearOf, restOf = ""] = MONTH_FIRST.exec(text) ?? [];
  return monthOf === undefined ? undefined : parseTime(dateText(yearOf, monthOf, dayOf) + restOf);
}

function dateText(...parts: (string | number | undefined)[]): string {
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

function unixTime(number: number): number | undefined {
  if (!(number >= UNIX_MIN)) return undefined;
  const ms = number < UNIX_MS_MIN ? number * 1000 : number;
  return ms > TIME_MS_MAX ? undefined : ms;
}

/** How far a zone designator is ahead of UTC. `+03`, `+0300` and `+03:00` are the same. */
function zoneOffsetMs(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === "Z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(":", ""));
  return (zone.startsWith("-") ? -minutes : minutes) * 60_000;
}
