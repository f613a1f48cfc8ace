import {
  between,
  calendar,
  DATE,
  dayOf,
  daysAfter,
  LETTERS,
  MONTH,
  monthsOf,
  type Span,
  type TimeUnit,
  type Today,
  UNIT_DAYS,
  WEEKDAY,
  weekdayBefore,
} from "./dates.ts";
import { numberOf } from "./words.ts";

/** Numbers in words. */
export const DIGITS = "one|two|three|four|five|six|seven|eight|nine|ten";
const COUNT = `\\d{1,4}|an?|${DIGITS}|eleven|twelve|fourteen|fifteen|twenty|thirty|sixty|ninety`;
const UNIT = "hours?|hrs?|days?|weeks?|wks?|months?|quarters?|years?|yrs?";
const WHOLE = "(?:full|complete|completed|calendar|whole|entire|finished|closed)";
const WHOLE_UNIT = "days?|weeks?|wks?|months?|quarters?|years?|yrs?";
const LONG_UNIT = "week|wk|month|quarter|year";
const LAST = "(?:last|past|previous|latest|trailing|prior|recent|most recent)";
const IN =
  "(?:(?:in|over|for|during|within|from|of|on|throughout|across)\\s+)?(?:(?:each|every)(?: one)? of\\s+)?(?:the\\s+|these\\s+|our\\s+)?";
const OF = "(?:from|between|of|in|on)?\\s*";
const NTH = "(?:st|nd|rd|th)?";
const TO = "\\s*(?:to|and|[-–])\\s*";
const YEAR = "(?:\\s+(\\d{4}))?";

const SHORT_UNITS: Readonly<Record<string, TimeUnit>> = {
  ...{ hr: "hour", wk: "week", yr: "year", h: "hour", d: "day", w: "week", m: "month", y: "year" },
};

/** Returns the unit of a word such as "weeks", "hrs" or "d". */
export const unitOf = (text: string): TimeUnit => {
  const word = text.toLowerCase().replace(/s$/, "");
  return SHORT_UNITS[word] ?? (word as TimeUnit);
};

const countOf = (text: string) => (/^an?$/i.test(text) ? 1 : (numberOf(text) ?? 0));
const upTo = (day: string | undefined): Span | undefined =>
  day === undefined ? undefined : { range: { date_from: "all", date_to: day } };
const shifted = (day: string | undefined, days: number) =>
  day === undefined ? undefined : daysAfter(day, days);

/** A period up to a day, or up to now if that day is not over yet. */
const untilNow = ([from, to]: readonly [string, string], today: Today) =>
  between(from, to >= today.slice(0, 10) ? undefined : to);

type Reader = (groups: string[], today: Today) => Span | undefined;

const lastUnits: Reader = ([count = "", unit = ""]) =>
  countOf(count) > 0 ? { last: countOf(count), unit: unitOf(unit) } : undefined;
/** "The last 2 full months" end before the current one. */
const wholeUnits: Reader = ([count = "one", unit = ""]) => {
  const [number, letter] = [countOf(count), LETTERS[unitOf(unit)]];
  return number > 0
    ? { range: { date_from: `-${number}${letter}Start`, date_to: `-1${letter}End` } }
    : undefined;
};
const before =
  (back: number): Reader =>
  ([unit = "", other = ""]) =>
    calendar(unitOf(unit || other), back);
const inMonth: Reader = ([month = "", year], today) =>
  untilNow(monthsOf(month, today, { year }), today);
const unitsAgo: Reader = ([count = "", unit = ""]) => calendar(unitOf(unit), countOf(count));

/** "The past week": the same length of time back from now, in hours or days. */
const lastOne: Reader = ([unit = ""]) =>
  unit === "hour" || unit === "day"
    ? { last: unit === "hour" ? 1 : 24, unit: "hour" }
    : { last: Math.round(UNIT_DAYS[unitOf(unit)]), unit: "day" };

/** Reads two dates. If the first has no year, it is the latest such date before the second. */
const betweenDates: Reader = ([a = "", b = ""], today) => {
  // The months of both dates stand in one place: 11/12/2026 to 11/25/2026.
  const isMonthFirst = [a, b].some((one) => /^\d{1,2}\/(?:1[3-9]|[23]\d)\//.test(one));
  const [from, to] = [a, b].map((one) => dayOf(one, today, isMonthFirst));
  const isLater = from !== undefined && to !== undefined && from > to;
  return between(isLater ? dayOf(`${a} ${Number(to.slice(0, 4)) - 1}`, to) : from, to);
};

const weekOfMonth: Reader = ([nth = "", month = "", year], today) => {
  const [from, to] = monthsOf(month, today, { year });
  const at = ["first", "second", "third", "fourth"].indexOf(nth);
  const first = at < 0 ? daysAfter(to, -6) : daysAfter(from, at * 7);
  return between(first, daysAfter(first, 6));
};

/** "Last weekend", or "this weekend" if it has begun. */
const weekend: Reader = ([which = ""], today) => {
  const sunday = weekdayBefore("sunday", today);
  if (which !== "this") return between(daysAfter(sunday, -1), sunday);
  const day = new Date(`${today.slice(0, 10)}T00:00:00Z`).getUTCDay();
  if (day !== 6 && day !== 0) return undefined;
  return between(day === 6 ? today.slice(0, 10) : weekdayBefore("saturday", today));
};

/** Phrases for periods, the more specific ones first. */
const PERIODS: readonly (readonly [pattern: string, read: Reader])[] = [
  [
    `(?:from|between)?\\s*\\(?(${DATE})\\s*(?:to|and|until|till|through|[-–])\\s*(${DATE})`,
    betweenDates,
  ],
  [
    `${OF}(?:the\\s+)?(\\d{1,2})${NTH}${TO}(\\d{1,2}${NTH}\\s+(?:of\\s+)?${MONTH}\\b(?:\\s+\\d{4})?)`,
    ([a = "", b = ""], today) => {
      const to = dayOf(b, today);
      return between(to === undefined ? undefined : `${to.slice(0, 8)}${a.padStart(2, "0")}`, to);
    },
  ],
  [
    `${OF}(${MONTH})\\s+(\\d{1,2})${NTH}${TO}(\\d{1,2})${NTH}(?!\\w)(?!\\s*${MONTH})`,
    ([month = "", a = "", b = ""], today) =>
      between(dayOf(`${a} ${month}`, today), dayOf(`${b} ${month}`, today)),
  ],
  [
    `(?:since|starting(?:\\s+(?:from|on))?|from)\\s+(?:the\\s+)?(${DATE})(?:\\s+on(?:wards)?)?`,
    ([a = ""], today) => between(dayOf(a, today)),
  ],
  [`after\\s+(?:the\\s+)?(${DATE})`, ([a = ""], today) => between(shifted(dayOf(a, today), 1))],
  [
    `(?:until|till|up to|through|up until)\\s+(?:the\\s+)?(${DATE})`,
    ([a = ""], today) => upTo(dayOf(a, today)),
  ],
  [
    `(?:before|prior to)\\s+(?:the\\s+)?(${DATE})`,
    ([a = ""], today) => upTo(shifted(dayOf(a, today), -1)),
  ],
  [
    `(?:on|of|for|in)?\\s*(?:the\\s+)?(${DATE})`,
    ([a = ""], today) => between(dayOf(a, today), dayOf(a, today)),
  ],
  [
    `since\\s+(?:the\\s+)?(?:start|beginning)\\s+of\\s+(?:last|the last|the previous)\\s+(${LONG_UNIT})`,
    ([unit = ""]) => ({ range: { date_from: `-1${LETTERS[unitOf(unit)]}Start` } }),
  ],
  [
    `(?:since\\s+(?:the\\s+)?(?:start|beginning)\\s+of\\s+(?:the|this)\\s+|this\\s+)(${LONG_UNIT})(?:\\s+so far|\\s+to date)?`,
    before(0),
  ],
  [
    `(?:so far\\s+|in\\s+|for\\s+)?(?:the\\s+)?(?:current\\s+(${LONG_UNIT})|(${LONG_UNIT})[- ]to[- ]date)`,
    before(0),
  ],
  ["(y|m|w|q)td", ([letter = ""]) => calendar(letter === "q" ? "quarter" : unitOf(letter), 0)],
  [`${IN}(${COUNT})\\s+${LAST}\\s+${WHOLE}\\s+(${WHOLE_UNIT})`, wholeUnits],
  [`${IN}${LAST}\\s+(?:(${COUNT})\\s+)?${WHOLE}\\s+(${WHOLE_UNIT})`, wholeUnits],
  [`${IN}${LAST}\\s+${WHOLE}\\s+(${COUNT})\\s+(${WHOLE_UNIT})`, wholeUnits],
  [`${IN}${LAST}\\s+(${COUNT})\\s+(${UNIT})`, lastUnits],
  [`${IN}(?:${LAST}\\s+|l)?(\\d{1,4})\\s?(d|w|h)`, lastUnits],
  ["(?<=\\()(\\d{1,4})\\s+(days|weeks|months)(?=\\))", lastUnits],
  [`${IN}(${COUNT})\\s+(?:most recent|last|latest)\\s+(${UNIT})`, lastUnits],
  [
    `since\\s+(\\d{1,3}|an?|${DIGITS})\\s+(days?|weeks?|months?|years?)(?:\\s+ago)?`,
    ([count = "", unit = ""]) =>
      countOf(count) > 0
        ? { range: { date_from: `-${countOf(count)}${LETTERS[unitOf(unit)]}` } }
        : undefined,
  ],
  [`(${COUNT})\\s+(days?|weeks?|months?)\\s+ago`, unitsAgo],
  [`${IN}${LAST}\\s+fortnight`, () => ({ last: 14, unit: "day" })],
  ["(?:on\\s+)?(?:the\\s+)?day before yesterday", () => calendar("day", 2)],
  [`${IN}(${LONG_UNIT}) before last`, before(2)],
  [
    `(?:in\\s+)?(?:the\\s+)?(first|second|third|fourth|last) week (?:of|in) (${MONTH})${YEAR}`,
    weekOfMonth,
  ],
  [
    "(?:on\\s+|over\\s+|for\\s+|during\\s+)?(?:the\\s+)?(last|past|previous|this) weekend(?: so far)?",
    weekend,
  ],
  [`${IN}(?:last|previous) (?:business|working) week`, () => calendar("week", 1)],
  [`${IN}(?:last|previous)\\s+(${LONG_UNIT})`, before(1)],
  [`${IN}past\\s+(hour|day|${LONG_UNIT})`, lastOne],
  [`${IN}last\\s+(hour|day)`, lastOne],
  [
    "since yesterday|(?:(?:from|on|of|for)\\s+)?(?:yesterday (?:and|&) today|today (?:and|&) yesterday)",
    () => ({ last: 2, unit: "day" }),
  ],
  [
    "(?:for\\s+|of\\s+|from\\s+|since\\s+|until\\s+)?(?:today|tonight)(?:\\s+so far)?",
    () => calendar("day", 0),
  ],
  ["(?:for\\s+|of\\s+|from\\s+|on\\s+)?(?:yesterday|ystrday|yday)", () => calendar("day", 1)],
  [`since\\s+(?:last\\s+)?(${WEEKDAY})`, ([day = ""], today) => between(weekdayBefore(day, today))],
  [
    `(?:on\\s+|of\\s+|for\\s+)?(?:last\\s+|this\\s+)?(${WEEKDAY})(?!s)`,
    ([day = ""], today) => between(weekdayBefore(day, today), weekdayBefore(day, today)),
  ],
  [
    `(?:since|from)\\s+(?:the\\s+)?(?:(?:start|beginning|first)\\s+of\\s+)?(${MONTH})${YEAR}(?:\\s+on(?:wards)?)?`,
    ([month = "", year], today) => between(monthsOf(month, today, { year })[0]),
  ],
  [
    `(?:in|during|for|of|over|throughout|this|last)\\s+(?:the month of\\s+)?(${MONTH})${YEAR}`,
    inMonth,
  ],
  [`(${MONTH.replace("|march", "").replace("|may", "").replace("|mar", "")})${YEAR}`, inMonth],
  [
    `${IN}q([1-4])(?:\\s+(?:of\\s+)?(\\d{4}))?`,
    ([quarter = "", year], today) =>
      untilNow(monthsOf(String(Number(quarter) * 3 - 2), today, { count: 3, year }), today),
  ],
  [
    `(?:in|during|for|of)\\s+(20\\d\\d)`,
    ([year = ""], today) => untilNow([`${year}-01-01`, `${year}-12-31`], today),
  ],
  [
    "(?:of|for|over|since|from|during|across)?\\s*(?:all|the whole) time|(?:since|from) (?:the )?(?:very )?(?:beginning|start)|(?:over|in) (?:the )?entire (?:history|time)|ever since we started|since launch|since we started|to date|(?:up to|until) (?:today|now)|to this day|all-time",
    () => ({ range: { date_from: "all" } }),
  ],
];

/** The patterns of {@link standing}, which are a fixed few: to compile them takes longer than to use them. */
const compiled = new Map<string, RegExp>();

/** Returns the first match of a pattern of this code at word boundaries, or null. */
export function standing(pattern: string, text: string): RegExpExecArray | null {
  const known =
    compiled.get(pattern) ?? new RegExp(`(?<![\\w$/.@-])(?:${pattern})(?![\\w/@-])`, "i");
  compiled.set(pattern, known);
  return known.exec(text);
}

/** Returns the groups of a match in lower case. A group that did not match is undefined. */
export const groupsOf = (found: RegExpExecArray): string[] =>
  [...found].slice(1).map((group) => group?.toLowerCase()) as string[];

/** Returns the first period in a text and its match; undefined without one. */
export function periodIn(text: string, today: Today) {
  for (const [pattern, read] of PERIODS) {
    const found = standing(pattern, text);
    const span = found === null ? undefined : read(groupsOf(found), today);
    if (found !== null && span !== undefined) return { span, found };
  }
  return undefined;
}
