import { Failure } from "./errors.ts";
import type { InsightType } from "./insight.ts";
import type { Interval } from "./insight-period.ts";
import type { JsonObject } from "./json.ts";
import type { SeriesMath } from "./trend.ts";

/** What events and properties are called, the most frequent first; names decide between equals. */
export type EventNames = {
  events: { name: string; count: number }[];
  /** `count` is of the newest events alone. */
  properties: { name: string; count: number }[];
};

/** Characters of a question in words. */
export const WORDS_CHARS_MAX = 1000;

/** Names that are offered instead of one that is not known, and characters of it that are repeated. */
const OFFERED_MAX = 10;
const REPEATED_CHARS_MAX = 80;

const EVERY: Record<string, Interval> = {
  hourly: "hour",
  daily: "day",
  weekly: "week",
  monthly: "month",
};

/** How to say what is counted, before `of` or the event itself. */
const COUNTED: [words: RegExp, math: SeriesMath][] = [
  [/^(?:unique |distinct )?(?:users|persons|visitors)(?: of)? /i, "dau"],
  [/^(?:unique |distinct )?sessions(?: of)? /i, "unique_session"],
  [/^(?:total|count|number)(?: of)? /i, "total"],
];

/** How to say what is calculated, before `of`, a property, `of` and the event. */
const CALCULATED: Record<string, SeriesMath> = {
  sum: "sum",
  average: "avg",
  avg: "avg",
  minimum: "min",
  min: "min",
  maximum: "max",
  max: "max",
  median: "median",
  p75: "p75",
  p90: "p90",
  p95: "p95",
  p99: "p99",
};

const LAST = / (?:in the |over the )?(?:last|past) (\d{1,4}) (hour|day|week|month|year)s?$/i;
const SINCE = / (?:since|from) (\d{4}-\d\d-\d\d)(?: (?:to|until) (\d{4}-\d\d-\d\d))?$/i;
const TODAY = / today$/i;
const LATER = /^(?:\w+ )?(?:funnel|retention|paths?|lifecycle|stickiness)\b/i;
const EVERYTHING = /^(?:all )?events$/i;

/** What a question may look like (decision 72). */
const FORM =
  "[hourly|daily|weekly|monthly] [unique users of|unique sessions of|sum of PROPERTY of|…] EVENT[, EVENT] [by PROPERTY] [last N days|since 2026-11-21|today]";

/** Which field the words are in, and of which type the answer is to be, if that is told. */
export type WordsAsked = { attr: string; type?: InsightType | undefined };

/**
 * The `TrendsQuery` that words ask for, in which names are those of the project, in any case.
 * Fails `required`, `too_long`, and `invalid_input` with what was not understood and what there is
 * instead. `attr` is the field to blame.
 */
export function readWords(words: string, names: EventNames, { attr }: WordsAsked): JsonObject {
  if (words.length > WORDS_CHARS_MAX) {
    throw new Failure("too_long", `At most ${WORDS_CHARS_MAX} characters.`, attr);
  }
  const text = words.trim().replace(/\s+/g, " ");
  if (text === "") throw new Failure("required", "This field is required.", attr);
  const known = namesIn(names, attr);
  if (LATER.test(text) && known.event(text) === undefined) {
    throw new Failure("invalid_input", `Only trends are answered so far: ${FORM}.`, attr);
  }
  const [first = "", ...others] = text.split(" ");
  const interval = others.length === 0 ? undefined : EVERY[first.toLowerCase()];
  const asked = interval === undefined ? text : others.join(" ");
  const isName = known.event(asked) !== undefined;
  const timed: Timed = isName ? { rest: asked, interval: "day" } : timeOf(asked);
  const { math, property, rest } = mathOf(timed.rest, known);
  const { events, breakdown } = eventsOf(rest, known);
  const counted = property === undefined ? { math } : { math, math_property: property };
  return {
    kind: "TrendsQuery",
    series: events.map((event) => ({ kind: "EventsNode", event, ...counted })),
    interval: interval ?? timed.interval,
    ...(timed.dateRange === undefined ? {} : { dateRange: timed.dateRange }),
    ...(breakdown === undefined ? {} : { breakdownFilter: { breakdown, breakdown_type: "event" } }),
  };
}

type Timed = { rest: string; interval: Interval; dateRange?: JsonObject };

/** The time that stands at the end of a question, and what is before it. */
function timeOf(text: string): Timed {
  const [last, count, unit = ""] = LAST.exec(text) ?? [];
  if (last !== undefined) {
    const letter = unit.charAt(0).toLowerCase();
    return {
      rest: text.slice(0, -last.length),
      interval: letter === "h" ? "hour" : "day",
      dateRange: { date_from: `-${count}${letter}` },
    };
  }
  const [since, from = "", to] = SINCE.exec(text) ?? [];
  if (since !== undefined) {
    const until = to === undefined ? {} : { date_to: to };
    return {
      rest: text.slice(0, -since.length),
      interval: "day",
      dateRange: { date_from: from, ...until },
    };
  }
  const [today] = TODAY.exec(text) ?? [];
  if (today === undefined) return { rest: text, interval: "day" };
  return {
    rest: text.slice(0, -today.length),
    interval: "hour",
    dateRange: { date_from: "-0d" },
  };
}

type Known = ReturnType<typeof namesIn>;

/** What is told of the events, which stands before them. An event may be called like that, too. */
function mathOf(text: string, known: Known): { math: SeriesMath; property?: string; rest: string } {
  if (known.event(text) !== undefined) return { math: "total", rest: text };
  const [called, name = ""] = /^(\w+) of /i.exec(text) ?? [];
  const calculated = CALCULATED[name.toLowerCase()];
  if (called !== undefined && calculated !== undefined) {
    const after = text.slice(called.length);
    for (const { index: middle } of after.matchAll(/ (?:of|in|on) /gi)) {
      const property = known.property(after.slice(0, middle));
      if (property === undefined) continue;
      return { math: calculated, property, rest: after.slice(middle + 4) };
    }
    throw known.noProperty(after.split(/ (?:of|in|on) /i, 1)[0] ?? "");
  }
  for (const [words, math] of COUNTED) {
    const [found] = words.exec(text) ?? [];
    if (found !== undefined) return { math, rest: text.slice(found.length) };
  }
  return { math: "total", rest: text };
}

/** Events, and what they are broken down by; a name may have `by`, `and` and commas in it. */
function eventsOf(text: string, known: Known): { events: (string | null)[]; breakdown?: string } {
  const whole = eventList(text, known);
  if (whole !== undefined) return { events: whole };
  const by = text.toLowerCase().lastIndexOf(" by ");
  if (by < 0) throw known.noEvent(text);
  const events = eventList(text.slice(0, by), known);
  if (events === undefined) throw known.noEvent(text.slice(0, by));
  const breakdown = known.property(text.slice(by + 4));
  if (breakdown === undefined) throw known.noProperty(text.slice(by + 4));
  return { events, breakdown };
}

/** Of names that begin alike, the longest is meant. */
function eventList(text: string, known: Known): (string | null)[] | undefined {
  const one = eventIn(text, known);
  if (one !== undefined) return [one];
  const separators = [...text.matchAll(/, ?(?:and )?| and /gi)].reverse();
  for (const { 0: separator, index } of separators) {
    const first = eventIn(text.slice(0, index), known);
    if (first === undefined) continue;
    const others = eventList(text.slice(index + separator.length), known);
    return others && [first, ...others];
  }
  return undefined;
}

/** Null is all events. */
function eventIn(text: string, known: Known): string | null | undefined {
  return known.event(text) ?? (EVERYTHING.test(text) ? null : undefined);
}

/** Looks names up: as they are, else in any case, the most frequent of several. */
function namesIn({ events, properties }: EventNames, attr: string) {
  const finder = (names: { name: string }[]) => {
    const exact = new Map(names.map(({ name }) => [name.replace(/\s+/g, " ").trim(), name]));
    const loose = new Map(names.toReversed().map(({ name }) => [folded(name), name]));
    return (text: string) => exact.get(text) ?? loose.get(folded(text));
  };
  const unknown = (what: string, text: string, names: { name: string }[]) => {
    const likely = names.filter(({ name }) => folded(name).includes(folded(text)));
    const offered = [...new Set([...likely, ...names])].slice(0, OFFERED_MAX);
    const there = offered.map(({ name }) => JSON.stringify(name)).join(", ") || "none yet";
    const repeated = JSON.stringify([...text].slice(0, REPEATED_CHARS_MAX).join(""));
    const detail = `${repeated} is not understood as ${what}. There are: ${there}. Ask like this: ${FORM}.`;
    return new Failure("invalid_input", detail, attr);
  };
  return {
    event: finder(events),
    property: finder(properties),
    noEvent: (text: string) => unknown("an event", text, events),
    noProperty: (text: string) => unknown("a property", text, properties),
  };
}

function folded(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}
