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

/** Characters of a text that is read as a time. */
const TIME_CHARS_MAX = 100;

const FRACTION = "(?:[.,](?<fraction>\\d{1,12}))?";
const CLOCK = `(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})${FRACTION})?`;
/** UTC, or an offset, which counts alone where an abbreviation is before it. */
const ZONE =
  "(?:(?:UTC|GMT|[A-Z]{2,5} +)?(?<offset>[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d){0,2})|Z|UTC?|GMT)";
/** Additions of languages: `[Europe/Berlin]`, `CET`, `(Central European Standard Time)`, `m=+0.5`. */
const NOTE =
  "(?:\\[[^\\]]+\\])*(?: +(?:[A-Z]{2,5}|[+-]\\d{2,4}))?(?: +[A-Z]+/[\\w+/-]+)?(?: *\\([^()]*\\))?(?: +m=[+-][\\d.]+)?";
const DAYTIME = `${CLOCK}(?: ?(?<half>[AP])M)?(?: *${ZONE}${NOTE})?`;
const OF_DAY = `(?:,? +(?:at +)?${DAYTIME})?`;
const WEEKDAY = "(?:(?<weekday>[A-Z]{3,9}),? +)?";
const MONTH = "(?<name>[A-Z]{3,9})";

const forms = (texts: string[]) => texts.map((text) => new RegExp(`^${text}$`, "i"));

const ISO = forms([
  `(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})(?:[T ](?<hour>\\d{2}):(?<minute>\\d{2})(?::(?<second>\\d{2})${FRACTION})? *(?:Z|(?<offset>[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?))?)?`,
]);

/** The rest of ISO 8601: with an expanded year, without separators, the day of a week, the day of a year. */
const ISO_DAYS = [
  "(?:\\+(?:00)?)?(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})",
  "(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})",
  "(?<year>\\d{4})-?W(?<week>\\d{2})-?(?<day>[1-7])",
  "(?<year>\\d{4})-(?<day>\\d{3})",
];
const ISO_CLOCKS = [
  CLOCK.replace("{1,2}", "{2}"),
  `(?<hour>\\d{2})(?:(?<minute>\\d{2})(?:(?<second>\\d{2})${FRACTION})?)?`,
];

/** Other texts with one meaning: ISO 8601, RFC 2822 and 850, `Date` of JavaScript and Java, C's `ctime`, slashes. */
const OTHER_FORMS = forms([
  ...ISO_DAYS.flatMap((day) =>
    ISO_CLOCKS.map(
      (clock) => `${day}(?:(?:T| +)${clock}(?: *${ZONE}${NOTE})?|Z|(?<zone>\\+\\d{2}:\\d{2}))?`,
    ),
  ),
  `${WEEKDAY}(?<day>\\d{1,2})[ -]${MONTH}[ -](?<year>\\d{4}|\\d{2})${OF_DAY}`,
  `(?<day>\\d{1,2})/${MONTH}/(?<year>\\d{4}):${DAYTIME}`,
  `${WEEKDAY}${MONTH} +(?<day>\\d{1,2}),? +(?<year>\\d{4})${OF_DAY}`,
  `${WEEKDAY}${MONTH} +(?<day>\\d{1,2}) +${DAYTIME} +(?<year>\\d{4})`,
  `${WEEKDAY}${MONTH} +(?<day>\\d{1,2}) +${CLOCK} +(?<year>\\d{4}) +${ZONE}`,
  `(?<year>\\d{4})/(?<month>\\d{1,2})/(?<day>\\d{1,2})${OF_DAY}`,
  `(?<month>\\d{1,2})/(?<day>\\d{1,2})/(?<year>\\d{4})${OF_DAY}`,
]);

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
  return timeIn(text, ISO);
}

/** From here on, in 1973, a number is a time; from there on one in milliseconds, not in seconds. */
const UNIX_MIN = 1e8;
const UNIX_MS_MIN = 1e11;

/**
 * The time of an event in milliseconds since the epoch (decision 12): ISO 8601 as {@link parseTime} has it, a
 * text in which another standard or language writes times, or seconds, milli-, micro- or nanoseconds since the
 * epoch, as number or text. Undefined for other values, also for a day before its month in digits.
 */
export function parseEventTime(value: unknown): number | undefined {
  if (typeof value === "number") return unixTime(value);
  if (typeof value !== "string") return undefined;
  const time = parseTime(value) ?? timeIn(value, OTHER_FORMS);
  if (time !== undefined || !/^\s*\d{9,19}(?:\.\d{1,9})?\s*$/.test(value)) return time;
  const digits = value.trim();
  // A double holds microseconds, and not nanoseconds.
  return unixTime(
    Number(digits.length > 16 && !digits.includes(".") ? digits.slice(0, -3) : digits),
  );
}

function unixTime(number: number): number | undefined {
  if (!(number >= UNIX_MIN)) return undefined;
  if (number < UNIX_MS_MIN) return number * 1000;
  const unit = [1, 1e3, 1e6].find((one) => number <= TIME_MS_MAX * one);
  return unit === undefined ? undefined : number / unit;
}

type Parts = Record<string, string | undefined>;

function timeIn(text: string, known: readonly RegExp[]): number | undefined {
  if (text.length > TIME_CHARS_MAX) return undefined;
  // JavaScript prints a narrow space before AM; others print the sign of a minus.
  const plain = text.trim().replaceAll("\u2212", "-").replace(/\s/g, " ");
  for (const one of known) {
    const parts = one.exec(plain)?.groups;
    if (parts !== undefined) return msOf(parts);
  }
  return undefined;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

function msOf(parts: Parts): number | undefined {
  const { hour = "0", minute = "0", second = "0", fraction = "", half, offset, zone } = parts;
  const day = dayOf(parts);
  const clock = (Number(hour) * 60 + Number(minute)) * MINUTE_MS + Number(second) * 1000;
  const micros = Number(fraction.slice(0, 6).padEnd(6, "0"));
  // The end of a day is 24:00, and a leap second is the next one.
  const isOfDay = Number(hour) < 24 || (clock === DAY_MS && micros === 0);
  const isOfHalf = half === undefined || (Number(hour) >= 1 && Number(hour) <= 12);
  const exists = isOfDay && isOfHalf && Number(minute) < 60 && Number(second) <= 60;
  if (day === undefined || !exists) return undefined;
  const noon =
    half === undefined ? 0 : (half.toUpperCase() === "P" ? 12 : 0) - (hour === "12" ? 12 : 0);
  const ms = day + clock + noon * 60 * MINUTE_MS - offsetMs(offset ?? zone) + micros / 1000;
  return ms < TIME_MS_MIN || ms > TIME_MS_MAX ? undefined : ms;
}

/** How far a zone designator is ahead of UTC. `+03`, `+0300`, `+03:00` and `+03:00:00` are the same. */
function offsetMs(zone = "+00"): number {
  const [hours, minutes, seconds] = zone.match(/\d\d/g) ?? [];
  const ms = ((Number(hours) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1000;
  return zone.startsWith("-") ? -ms : ms;
}

const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );
const WEEKDAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

const indexOf = (names: string[], start: string) =>
  names.findIndex((name) => name.startsWith(start.toLowerCase()));

/** The midnight of a day, in milliseconds since the epoch; undefined if it does not exist. */
function dayOf({ year = "", name, month, week, day = "", weekday }: Parts): number | undefined {
  if (week !== undefined) return dayOfWeek(Number(year), Number(week), Number(day));
  const isShort = year.length === 2;
  // RFC 2822 4.3.
  const full = isShort ? Number(year) + (Number(year) < 50 ? 2000 : 1900) : Number(year);
  const ofYear = name === undefined && month === undefined;
  const index = name === undefined ? Number(month ?? 1) - 1 : indexOf(MONTHS, name);
  const date = new Date(0);
  date.setUTCFullYear(full, index, Number(day));
  const isDay = date.getUTCMonth() === index && date.getUTCDate() === Number(day);
  const isDayOfYear = ofYear && Number(day) > 0 && date.getUTCFullYear() === full;
  const ofWeek = weekday === undefined ? undefined : indexOf(WEEKDAYS, weekday);
  // Two digits are a year, and not a day, if the day of the week agrees.
  const agrees = isShort ? ofWeek === date.getUTCDay() : ofWeek !== -1;
  return (isDay || isDayOfYear) && agrees ? date.getTime() : undefined;
}

/** A day of a week of ISO 8601: the first week of a year has its 4 January. */
function dayOfWeek(year: number, week: number, day: number): number | undefined {
  const fourth = new Date(0);
  fourth.setUTCFullYear(year, 0, 4);
  const monday =
    fourth.getTime() - ((fourth.getUTCDay() + 6) % 7) * DAY_MS + (week - 1) * 7 * DAY_MS;
  const isOfYear = new Date(monday + 3 * DAY_MS).getUTCFullYear() === year;
  return isOfYear && week > 0 ? monday + (day - 1) * DAY_MS : undefined;
}
