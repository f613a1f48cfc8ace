import type { Interval } from "../../queries/period.ts";
import {
  calendar,
  DAYS,
  dayOf,
  letterOf,
  MONTH,
  monthOf,
  quarterOf,
  sinceDay,
  type Today,
  UNIT_DAYS,
  type When,
  weekdayBefore,
  within,
} from "./dates.ts";
import { numberOf } from "./english.ts";
import { type Range, withoutQuoted, withQuoted } from "./traced.ts";

const COUNT =
  "(\\d{1,4}|a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|twenty|thirty|sixty|ninety)";

const UNIT = "(hour|day|week|month|quarter|year)";

const IN =
  "(?:(?:please\\s+)?(?:looking at|look at|taking|take|considering|consider|using|use|based on)\\s+)?(?:(?:in|over|for|during|within|from|of|on|throughout|across)\\s+)?(?:the\\s+)?";

const LAST = "(?:last|past|previous|latest|trailing|prior)";

const DATE = `(\\d{4}-\\d\\d-\\d\\d|(?:\\d{1,2}(?:st|nd|rd|th)?\\s+(?:of\\s+)?${MONTH}|${MONTH}\\s+\\d{1,2}(?:st|nd|rd|th)?)(?:,?\\s+\\d{4})?)`;

type Rule = [pattern: string, read: (found: string[], today: Today) => When | undefined];

/** Phrases of periods, the longer ones first; each is tried at every place of the question. */
const PERIODS: Rule[] = [
  [
    "(?:up to|until) (?:today|now)|to this day",
    () => ({ range: { date_from: "all" }, isAllTime: true }),
  ],
  [
    `(?:from|between)\\s+${DATE}\\s+(?:to|and|until|till|through|-)\\s+${DATE}`,
    ([a, , , b], today) => sinceDay(dayOf(a, today), dayOf(b, today), today),
  ],
  [
    `(?:since|starting|starting from|after|from)\\s+${DATE}(?:\\s+on(?:wards)?)?`,
    ([a], today) => sinceDay(dayOf(a, today), undefined, today),
  ],
  [
    `(?:on|of|for)?\\s*(?:the\\s+)?${DATE}`,
    ([a], today) => {
      const day = dayOf(a, today);
      return sinceDay(day, day, today);
    },
  ],
  [
    `since\\s+(?:the\\s+)?(?:start|beginning)\\s+of\\s+(?:the|this)\\s+${UNIT}|${UNIT}[- ]to[- ]date|so far this ${UNIT}|this ${UNIT} so far`,
    (found) => calendar(found.find((one) => one !== undefined) ?? "", 0),
  ],
  [
    `(?:for|in|on|over)?\\s*(?:each|every)(?: one)? of the ${LAST}\\s+${COUNT}\\s+(day|week|month)s`,
    ([count = "", unit = ""]) => ({
      ...within(
        `-${numberOf(count) ?? 1}${letterOf(unit)}`,
        (numberOf(count) ?? 1) * (UNIT_DAYS[unit] ?? 1),
      ),
      interval: unit as Interval,
    }),
  ],
  [
    `${IN}${LAST}\\s+${COUNT}\\s+(?:full\\s+|complete\\s+|calendar\\s+)?${UNIT}s?`,
    ([count = "", unit = ""]) => {
      const n = count === "a" ? 1 : (numberOf(count) ?? 0);
      return n === 0
        ? undefined
        : within(
            `-${unit === "quarter" ? n * 3 : n}${letterOf(unit === "quarter" ? "month" : unit)}`,
            n * (UNIT_DAYS[unit] ?? 1),
          );
    },
  ],
  [`${IN}(?:last|past)\\s+fortnight`, () => within("-14d", 14)],
  [
    `${IN}${COUNT}\\s+most recent\\s+${UNIT}s?`,
    ([count = "", unit = ""]) =>
      within(
        `-${numberOf(count) ?? 1}${letterOf(unit)}`,
        (numberOf(count) ?? 1) * (UNIT_DAYS[unit] ?? 1),
      ),
  ],
  ["(?:the\\s+)?day before yesterday", () => within("-2dStart", 1, "-2dEnd")],
  [
    `${IN}(?:this|current|the current)\\s+(week|month|quarter|year)`,
    ([unit = ""]) => calendar(unit, 0),
  ],
  [`${IN}(?:last|previous)\\s+(week|month|quarter|year)`, ([unit = ""]) => calendar(unit, 1)],
  [
    `${IN}past\\s+(hour|day|week|month|quarter|year)`,
    ([unit = ""]) =>
      unit === "hour" || unit === "day"
        ? within(unit === "hour" ? "-1h" : "-24h", UNIT_DAYS[unit] ?? 1)
        : within(`-${Math.round(UNIT_DAYS[unit] ?? 30)}d`, UNIT_DAYS[unit] ?? 30),
  ],
  [
    `${IN}last\\s+(hour|day)`,
    ([unit = ""]) => within(unit === "hour" ? "-1h" : "-24h", UNIT_DAYS[unit] ?? 1),
  ],
  [
    "(?:for\\s+|of\\s+|from\\s+|since\\s+)?(?:today|tonight)(?:\\s+so far)?",
    () => within("-0d", 1),
  ],
  ["(?:for\\s+|of\\s+|from\\s+)?yesterday", () => within("-1dStart", 1, "-1dEnd")],
  [
    `since\\s+(${DAYS.join("|")})`,
    ([day = ""], today) => sinceDay(weekdayBefore(day, today), undefined, today),
  ],
  [
    `(?:on\\s+|of\\s+|for\\s+)?(?:last\\s+|this\\s+)?(${DAYS.join("|")})(?:\\s+(?:morning|night))?(?!s)`,
    ([day = ""], today) => {
      const found = weekdayBefore(day, today);
      return sinceDay(found, found, today);
    },
  ],
  [
    `(?:since|from)\\s+${MONTH}(?:\\s+(\\d{4}))?(?:\\s+on(?:wards)?)?`,
    ([month = "", year], today) => sinceDay(monthOf(month, year, today)[0], undefined, today),
  ],
  [
    `(?:in|during|for|of|over|throughout)\\s+(?:the month of\\s+)?${MONTH}(?:\\s+(\\d{4}))?`,
    ([month = "", year], today) => {
      const [from, to] = monthOf(month, year, today);
      return sinceDay(from, to >= today.slice(0, 10) ? undefined : to, today);
    },
  ],
  [
    `${IN}q([1-4])(?:\\s+(?:of\\s+)?(\\d{4}))?`,
    ([quarter, year], today) => {
      const [from, to] = quarterOf(Number(quarter), year, today);
      return sinceDay(from, to >= today.slice(0, 10) ? undefined : to, today);
    },
  ],
  [
    "(?:of|for|over|since|from|during)?\\s*(?:all|the whole) time|(?:since|from) (?:the )?(?:very )?(?:beginning|start)|(?:over|in) (?:the )?entire (?:history|time)|ever since we started|since launch|since we started|to date|altogether so far",
    () => ({ range: { date_from: "all" }, isAllTime: true }),
  ],
];

/** Phrases of all time where no period is said. */
const MAYBE_ALL_TIME =
  /\b(?:up to today|until today|to this day|ever|so far|in total|overall|in all|until now|up to now|yet)\b/gi;

const INTERVALS: Rule[] = [
  [
    "hourly|(?:per|every|each|an|by the|by) hour(?!s| of)|hour by hour",
    () => ({ interval: "hour" }),
  ],
  [
    "daily|(?:per|every|each|a|by) day(?!s| of)|day by day|from day to day|on each day|by date|per date|day-by-day|on a daily basis|day to day|and (?:by |per )?day(?!s)",
    () => ({ interval: "day" }),
  ],
  [
    "weekly|(?:per|every|each|a|by) week(?!s|day)|week by week|from week to week|week to week|in the (?:following|next) weeks|in the weeks (?:afterwards|after(?: that)?|that follow|following)|weeks? after weeks?|week-by-week|on a weekly basis|and (?:by |per )?week(?!s)",
    () => ({ interval: "week" }),
  ],
  [
    "monthly|(?:per|every|each|a|by) month(?!s)|month by month|from month to month|on a monthly basis|month-by-month|and (?:by |per )?month(?!s)",
    () => ({ interval: "month" }),
  ],
  [
    "over time|as a (?:line|trend)|(?:as )?a (?:time ?series|timeline)|trends? (?:of|for|in)|the trend|trend|timeline|develop(?:ed|ment of|ment)?|evol(?:ved?|ution of|ution)|chang(?:ed|ing|e) over time|history of",
    () => ({ isOverTime: true }),
  ],
];

/** Words about a change, which an answer with both periods shows. */
const CHANGES =
  /\b(?:more|fewer|less|higher|lower|better|worse|chang(?:e|ed|ing)|gr[eo]w(?:th|n|ing)?|increase[ds]?|decrease[ds]?|drop(?:ped)?|differ(?:ence|ent)?|up|down|compared?|comparison)\b/gi;

const BEFORE = `(?:the\\s+)?(?:(?:previous|prior|preceding|last|past)\\s+(?:one|period|(?:\\d+\\s+)?(?:day|week|month|quarter|year)s?)|(?:one|period|time|day|week|month|quarter|year|(?:\\d+\\s+)?days?|(?:\\d+\\s+)?weeks?)\\s+(?:before(?:\\s+that)?|prior)|yesterday|(?:\\d+\\s+)?(?:days|weeks|months)\\s+before(?:\\s+that)?)`;

const COMPARED: Rule[] = [
  [
    "(?:up|down|higher|lower|better|worse)\\s+(?:on|from|than|over)\\s+(?:last|the last|the previous)\\s+(week|month|quarter|year)",
    ([unit = ""]) => ({ ...calendar(unit, 0), compare: true }),
  ],
  [
    "(?:up|down|higher|lower|better|worse)\\s+(?:on|from|than|over)\\s+yesterday",
    () => ({ ...within("-0d", 1), compare: true }),
  ],
  [
    `,?\\s*(?:(?:and\\s+)?(?:as\\s+)?compared?\\s+(?:to|with|against)|vs\\.?|versus|against|than|relative to|in comparison (?:to|with))\\s+(?:in\\s+|the\\s+one\\s+|that of\\s+|those of\\s+|it was\\s+)?${BEFORE}`,
    () => ({ compare: true }),
  ],
  [
    `,?\\s*and\\s+(?:in\\s+)?the\\s+(?:day|week|month|period|(?:\\d+\\s+)days|(?:\\d+\\s+)weeks)\\s+before(?:\\s+that|\\s+it)?`,
    () => ({ compare: true }),
  ],
  [
    "(?:week|month|day|year|period)[- ](?:over|on)[- ](?:week|month|day|year|period)",
    () => ({ compare: true }),
  ],
  [
    "(?:the )?(?:change|growth|difference)(?: in| of)|how (?:did|have|has|do|does) (.+?) (?:change|grow|develop|compare)d?|compare (?:to|with) before",
    ([what]) => (what === undefined ? { compare: true } : undefined),
  ],
];

/** Roles of words about time. */
export type TimeRole = "period" | "interval" | "comparison";

/** A question without its time, spaces in its place; the time, and its words. */
export type Timed = { text: string; when: When; said: ({ role: TimeRole } & Range)[] };

/** Reads the periods, intervals and comparisons of a question. */
export function takeTime(words: string, today: Today): Timed {
  const when: When = {};
  const left = blankable(withoutQuoted(words));
  const takeAll = (rules: Rule[], role: TimeRole, isOnce = false) => {
    for (const [pattern, read] of rules) {
      const found = standing(pattern).exec(left.text());
      const meant = found === null ? undefined : read(groupsOf(found), today);
      if (found === null || meant === undefined) continue;
      Object.assign(when, meant);
      left.blank(role, found.index, found[0]);
      if (isOnce) return;
      left.blankAll(role, new RegExp(found[0].trim().replace(/[^\w ]/g, "."), "gi"));
    }
  };
  takeAll(COMPARED, "comparison");
  takeAll(PERIODS, "period", true);
  const isMaybeAll = left.blankAll("period", MAYBE_ALL_TIME);
  if (when.range !== undefined) takeSecond(left, when, today);
  else if (isMaybeAll) Object.assign(when, { range: { date_from: "all" }, isAllTime: true });
  takeAll(INTERVALS, "interval");
  takeAll(INTERVALS, "interval");
  if (when.compare === true) left.blankAll("comparison", CHANGES);
  return { text: withQuoted(left.text(), words), when, said: left.said };
}

/** A pattern between words. */
const standing = (pattern: string) => new RegExp(`(?<![\\w$/-])(?:${pattern})(?![\\w/-])`, "i");

/** A text whose words can be blanked, so that all others stay in their places. */
type Blankable = ReturnType<typeof blankable>;

function blankable(words: string) {
  let text = words;
  const said: Timed["said"] = [];
  const blank = (role: TimeRole, at: number, found: string) => {
    text = text.slice(0, at) + " ".repeat(found.length) + text.slice(at + found.length);
    const start = at + found.length - found.trimStart().length;
    if (found.trim() !== "") said.push({ role, start, end: start + found.trim().length });
  };
  return {
    said,
    text: () => text,
    blank,
    /** Blanks all that a pattern finds; returns whether it finds any. */
    blankAll(role: TimeRole, pattern: RegExp): boolean {
      const all = [...text.matchAll(pattern)];
      for (const { 0: found, index } of all) blank(role, index, found);
      return all.length > 0;
    },
  };
}

/** Reads a second period: it is the one to compare with, if it is the one before. */
function takeSecond(left: Blankable, when: When, today: Today): void {
  for (const [pattern, read] of PERIODS) {
    const found = standing(
      `(?:(?:with|to|and|vs\\.?|versus|than|against|or)\\s+)?(?:${pattern})`,
    ).exec(left.text());
    const second = found === null ? undefined : read(groupsOf(found), today);
    if (found === null || second === undefined) continue;
    const pair = [when.range, second.range].map((range) => JSON.stringify(range));
    const later = [...BEFORE_AFTER].find(([a, b]) => pair.includes(a) && pair.includes(b))?.[1];
    if (later === undefined) return;
    left.blank("comparison", found.index, found[0]);
    Object.assign(when, { range: JSON.parse(later), compare: true });
    return;
  }
}

/** Pairs of periods of the calendar, the earlier one first. */
const BEFORE_AFTER: ReadonlyMap<string, string> = new Map([
  ...["week", "month", "quarter", "year"].map((unit): [string, string] => [
    JSON.stringify(calendar(unit, 1).range),
    JSON.stringify(calendar(unit, 0).range),
  ]),
  [JSON.stringify(within("-1dStart", 1, "-1dEnd").range), JSON.stringify(within("-0d", 1).range)],
]);

/** The groups of a match, in lower case. */
const groupsOf = (found: RegExpExecArray) =>
  [...found].slice(1).map((group) => group?.toLowerCase()) as string[];
