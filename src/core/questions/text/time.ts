import { INTERVALS, type Interval } from "../../queries/intervals.ts";
import { comparedSpans } from "./compared.ts";
import { calendar, LETTERS, type Span, type TimeUnit, type Today } from "./dates.ts";
import { HABITS } from "./habits.ts";
import { DIGITS, groupsOf, periodIn, standing, unitOf } from "./periods.ts";
import { numberOf, withoutQuotes } from "./words.ts";

/** The time of a question. */
export type When = {
  span?: Span;
  /** Today, up to which a period without an end lasts. */
  today?: string;
  interval?: Interval;
  /** The word before the interval, if it may also say how often people did something. */
  each?: "every" | "each";
  /** The word after "by", which a property may have as its name: "week", "date". */
  by?: string;
  /** Whether the question asks for a chart over time without naming an interval. */
  isOverTime?: true;
  /** The period to compare with: an age such as `-1w`, or "previous". */
  compare?: string;
  /** The unit of "week over week". */
  overUnit?: TimeUnit;
  /** Conditions on the hour and the day of the week, as filters of the type `hogql` have them. */
  habits?: string[];
  /** Whether the question has words such as "so far" or "ever". Without a period, they mean all time. */
  isMaybeAllTime?: true;
};

/** Words about time: their role and their position in UTF-16 code units. */
export type TimeWords = {
  role: "period" | "interval" | "comparison";
  start: number;
  end: number;
};

/** Phrases that mean all time if the question has no period. */
const MAYBE_ALL_TIME = "ever|so far|until now|up to now|yet|to date|in total so far";

const UNITS = INTERVALS.join("|");

type Asks = Pick<When, "interval" | "isOverTime" | "each" | "by">;

const named = (unit: string | undefined): Asks =>
  unit === undefined ? {} : { interval: (unit === "dai" ? "day" : unit) as Interval };
/** "Every week" after what people did is no count per week. */
const eachNamed = ([each = "", unit = ""]: string[]): Asks => ({
  ...named(unit === "date" ? "day" : unit),
  ...(each === "every" || each === "each" ? { each } : {}),
  ...(each.startsWith("by") ? { by: unit } : {}),
});
const firstNamed = (found: string[]) => named(found.find(Boolean));

/** Words that may follow "orders a week". A "week pass" is a thing. */
const AFTER_UNIT =
  "by|in|for|from|on|at|with|without|via|to|of|per|and|or|but|last|this|over|during|since|between|until|vs|versus|compared|do|does|did|is|are|was|were|has|have|had|we|they|people|users|our|the|who|where|that|when|as|except|excluding|each|today|yesterday|average|than|now|please|across|among|within|under|above|below";

/** Phrases for intervals. */
const INTERVAL_RULES: readonly (readonly [string, (found: string[]) => Asks])[] = [
  [
    "(hour|dai|week|month)ly(?!\\s+active)(?:\\s+basis)?|on an? (hour|dai|week|month)ly basis",
    firstNamed,
  ],
  [
    `(?:from\\s+)?(${UNITS})[- ](?:by|to|after)[- ]\\1s?|(${UNITS})s after (?:${UNITS})s`,
    firstNamed,
  ],
  [
    `(?:and\\s+)?(?:for\\s+|in\\s+|on\\s+)?(per|every|each|by(?: the)?)\\s+(${UNITS})(?!s?\\s+of\\b|day)`,
    eachNamed,
  ],
  [
    `(?<=\\S\\s)an?\\s+(${UNITS})(?!\\s+(?:ago|of|before|later)\\b)(?=\\s*$|\\s*[?!.,;:()]|\\s+(?:${AFTER_UNIT})\\b|\\s{2})`,
    firstNamed,
  ],
  ["(by|per) (date)", eachNamed],
  [
    "in the (?:following|next) weeks|in the weeks (?:afterwards|after(?: that)?|that follow|following)",
    () => named("week"),
  ],
  [
    "(?:over|across) time|as a (?:line|trend)|(?:as )?a (?:time ?series|timeline)|(?:the )?(?:trends?|timeline|evolution|development)(?: (?:of|for|in))?|develop(?:ed)?|evolved?|chang(?:ed|ing|e) over time|trending",
    () => ({ isOverTime: true }),
  ],
];

const COUNTED = `(?:(?:\\d+|${DIGITS})\\s+)?`;
const BEFORE = `(?:the\\s+)?(?:(?:previous|prior|preceding|last|past)\\s+(?:one|period|${COUNTED}(?:day|week|wk|month|quarter|year)s?)|(?:one|period|time|${COUNTED}(?:day|week|wk|month|quarter|year)s?)\\s+(?:before(?:\\s+that)?|prior|earlier)|before|yesterday)`;

/** Verbs with "up" or "down", such as "sign up": these are of a name, and say nothing of a change. */
const PHRASAL =
  "(?:sign|log|show|top|back|start|level|pick|check|follow|mark|open|clean|turn|end|power|close|line)(?:ned|ged|ped|ning|ging|ping|ed|ing|n|s)?|set|sets|setting|shut|break|broke|broken|breaks|scaled?|wind|wound|count";
const UP_OR_DOWN = `(?<!\\b(?:${PHRASAL})\\s)(?:up|down)`;

const previous = (): Pick<When, "compare"> => ({ compare: "previous" });

/** "Week over week": the current week and the previous one. */
const over = ([unit = ""]: string[]): Pick<When, "compare" | "overUnit"> => {
  const overUnit = unitOf(unit);
  return { overUnit, compare: `-1${LETTERS[overUnit]}` };
};

/** The current period of the length that words such as "compared to last week" or "than the 3 days before" name. */
function currentOf(words: string): Span | undefined {
  if (/yesterday/.test(words)) return calendar("day", 0);
  const pattern = `(?:(\\d+|${DIGITS})\\s+)?\\b(day|week|wk|month|quarter|year)s?\\b`;
  const [found, count, unit] = new RegExp(pattern).exec(words) ?? [];
  if (found === undefined || unit === undefined) return undefined;
  return count === undefined
    ? calendar(unitOf(unit), 0)
    : { last: numberOf(count) ?? 1, unit: unitOf(unit) };
}

/** Phrases for comparisons. */
const COMPARED: readonly (readonly [string, (found: string[]) => When])[] = [
  [
    "compared (?:to|with) (\\d{1,4}) (hour|day|week|month|year)s? earlier",
    ([count = "", unit = ""]) => ({ compare: `-${count}${LETTERS[unitOf(unit)]}` }),
  ],
  [
    `[,(]?\\s*(?:(?:and\\s+)?(?:as\\s+)?compared?\\s+(?:to|with|against)|vs\\.?|versus|against|than|relative to|in comparison (?:to|with))\\s+(?:in\\s+|that of\\s+|those of\\s+|it was\\s+)?${BEFORE}\\)?`,
    previous,
  ],
  [`(?<=\\bcompare\\b.*)(?:to|with|against)\\s+${BEFORE}`, previous],
  [
    "[,(]?\\s*and\\s+(?:in\\s+)?the\\s+(?:day|week|month|period|(?:\\d+\\s+)?days|(?:\\d+\\s+)?weeks)\\s+before(?:\\s+that|\\s+it)?",
    previous,
  ],
  [
    "(?:vs\\.?|versus|compared (?:to|with)|than|against)\\s+(?:the\\s+)?same\\s+(?:day|time|period|week|month)(?:\\s+of)?\\s+(?:last|the previous|the last)\\s+(week|month|year)",
    ([unit = ""]) => ({ compare: `-1${LETTERS[unitOf(unit)]}` }),
  ],
  ["(week|month|day|year)[- ](?:over|on)[- ]\\1", over],
  ["(w|m|d|y)o\\1", over],
  [
    "(?:up|down|higher|lower)\\s+(?:on|from|than|over|since)\\s+(?:in\\s+)?last\\s+(week|month|year)",
    over,
  ],
  [
    `compared? (?:to|with) before|(?<!\\b(?:how many(?! percent)|share|percentage|proportion|which)\\b.*)did(?= .+\\b(?:grow|increase|rise|go up|go down|drop|fall|decline|decrease|shrink|change)\\b)|(?:is|are|was|were|has|have)(?= .+\\b(?:growing|grown|shrinking|increasing|increased|decreasing|rising|falling|going up|going down|${UP_OR_DOWN}(?=\\s*\\??$|\\s+(?:in|over|during|this|these|since)\\b))\\b)`,
    previous,
  ],
];

/** A word that joined two compared periods, left at the end or before the blanks. */
const JOINT =
  /(?:\b(?:with|to|and|vs\.?|versus|than|against|or|compared to|compared with)\s+)(?=\s*$|\s{3,})/i;

/** Words about a change. A comparison shows the change anyway. */
const CHANGES = new RegExp(
  `(?<![\\w$/-])(?:more or less|more|fewer|less|higher|lower|better|worse|chang(?:e|ed|ing)|gr[eo]w(?:th|n|ing)?|(?:in |by )?(?:how (?:many|much) )?(?:percent(?:age)?|%|pct)(?: of)?|by how (?:many|much)|shrink(?:ing)?|increas(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|rising|falling|rise|fall|decline|go(?= up| down)|going|drop(?:ped)?|differ(?:ence)?|up or down|${UP_OR_DOWN}|compared?|comparison|change)(?![\\w/-])`,
  "gi",
);

/** A question in which words about time are replaced by blanks, so that all other words keep their position. */
class Timed {
  text: string;
  readonly when: When = {};
  readonly said: TimeWords[] = [];
  /** The words for the comparison. */
  private compared = "";

  constructor(text: string) {
    this.text = text;
  }

  blank(role: TimeWords["role"], { 0: found, index }: RegExpExecArray): void {
    const end = index + found.length;
    this.text = this.text.slice(0, index) + found.replace(/\S/g, " ") + this.text.slice(end);
    const start = end - found.trimStart().length;
    this.said.push({ role, start, end: start + found.trim().length });
  }

  takeComparison(): void {
    for (const [pattern, read] of COMPARED) {
      const found = standing(pattern, this.text);
      if (found === null) continue;
      Object.assign(this.when, read(groupsOf(found)));
      this.compared = found[0].toLowerCase();
      this.blank("comparison", found);
      return;
    }
  }

  takePeriods(today: Today): void {
    const first = periodIn(this.text, today);
    if (first === undefined) {
      // "Compared to last week" is about this week.
      const span = currentOf(this.compared);
      if (this.when.compare === "previous" && span !== undefined) this.when.span = span;
      return;
    }
    this.when.span = first.span;
    this.when.today = today.slice(0, 10);
    this.blank("period", first.found);
    const second = periodIn(this.text, today);
    const pair = second === undefined ? undefined : comparedSpans(first.span, second.span, today);
    if (second === undefined || pair === undefined) return;
    // Two months by the month are not compared with the ones before them.
    if ("interval" in pair) delete this.when.compare;
    Object.assign(this.when, pair);
    this.blank("comparison", second.found);
    const joint = JOINT.exec(this.text);
    if (joint !== null) this.blank("comparison", joint);
  }

  takeHabits(): void {
    for (const [pattern, read] of HABITS) {
      const found = standing(pattern, this.text);
      const habit = found === null ? undefined : read(groupsOf(found));
      if (found === null || habit === undefined) continue;
      this.when.habits = [...(this.when.habits ?? []), habit];
      this.blank("period", found);
    }
  }

  takeIntervals(): void {
    for (const [pattern, read] of INTERVAL_RULES) {
      const found = standing(pattern, this.text);
      if (found === null) continue;
      const { interval = this.when.interval, ...more } = read(groupsOf(found));
      if (this.when.interval !== undefined && interval !== this.when.interval) continue;
      Object.assign(this.when, more, interval === undefined ? {} : { interval });
      this.blank("interval", found);
    }
  }
}

/** Reads the words about time in a question. Returns the text with blanks in their place, and the time. */
export function takeTime(
  words: string,
  today: Today,
): { text: string; when: When; said: TimeWords[] } {
  const { hidden, shown } = withoutQuotes(words);
  const timed = new Timed(hidden);
  timed.takeComparison();
  timed.takePeriods(today);
  timed.takeHabits();
  const maybe = standing(MAYBE_ALL_TIME, timed.text);
  if (maybe !== null) {
    timed.blank("period", maybe);
    timed.when.isMaybeAllTime = true;
  }
  timed.takeIntervals();
  if (timed.said.some(({ role }) => role === "comparison")) {
    for (const found of timed.text.matchAll(CHANGES)) timed.blank("comparison", found);
  }
  return { ...timed, text: shown(timed.text) };
}
