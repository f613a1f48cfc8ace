import type { FoundValue } from "../../../src/core/ports/insights.ts";
import type { Breakdown } from "../../../src/core/queries/breakdown.ts";
import type { Interval } from "../../../src/core/queries/intervals.ts";
import { METADATA } from "../../../src/core/queries/known-property.ts";
import { type Period, periodOf } from "../../../src/core/queries/period.ts";
import {
  type AnyFilter,
  type EventFilter,
  type EventsNode,
  fields,
  filtersOf,
  type PropertyOf,
} from "../../../src/core/queries/query-fields.ts";
import {
  TIME_FILTER_FIELDS,
  TIME_VALUES,
  timeFilter,
  WEEKDAYS,
} from "../../../src/core/queries/time-value.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { propertyFilter } from "../../../src/core/values/property-filter.ts";
import { TEST_MS_MAX } from "../start/patience.ts";
import { casesOf } from "../start/rounds.ts";
import {
  type Chance,
  chance,
  type DataSet,
  EVENTS,
  firstProjects,
  KEYS,
  type Stored,
} from "./data-sets.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The day and the hour on the clock of a zone; an hour that is shown again has its offset. */
export type Shown = { day: string; hour: string };

/** A clock of a zone, and the times that were read from it: loops ask for the same ones again. */
type Clock = { format: Intl.DateTimeFormat; times: Map<number, string> };

const clocks = new Map<string, Clock>();

/** The time on the clock of a zone, in ISO 8601 with its offset: `2026-10-25T02:30+01:00`. */
function clockAt(ms: number, timeZone: string): string {
  const options = { timeZone, dateStyle: "short", timeStyle: "short" } as const;
  const clock = clocks.get(timeZone) ?? {
    format: new Intl.DateTimeFormat("sv-SE", options),
    times: new Map<number, string>(),
  };
  clocks.set(timeZone, clock);
  const time = clock.times.get(ms) ?? readClock(clock.format, ms);
  clock.times.set(ms, time);
  return time;
}

function readClock(format: Intl.DateTimeFormat, ms: number): string {
  const text = format.format(ms).replace(" ", "T");
  const minutes = Math.round(
    (Date.parse(`${text}Z`) - Math.floor(ms / MINUTE_MS) * MINUTE_MS) / MINUTE_MS,
  );
  const two = (number: number) => String(number).padStart(2, "0");
  const ahead = Math.abs(minutes);
  return `${text}${minutes < 0 ? "-" : "+"}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}

const shownTimes = new Map<string, Shown>();

/** A plain loop over the hours before finds an hour that was shown with another offset. */
export function shownAt(timestamp: string, timeZone: string): Shown {
  const ms = Math.floor(Date.parse(`${timestamp.slice(0, 19)}Z`) / MINUTE_MS) * MINUTE_MS;
  const key = `${timeZone} ${ms}`;
  const known = shownTimes.get(key);
  if (known !== undefined) return known;
  const text = clockAt(ms, timeZone);
  const [hour, offset] = [text.slice(0, 13), text.slice(16)];
  let isAgain = false;
  for (let at = ms - 3 * HOUR_MS; at < ms; at += 5 * MINUTE_MS) {
    const earlier = clockAt(at, timeZone);
    isAgain ||= earlier.startsWith(hour) && !earlier.endsWith(offset);
  }
  const named = `${hour.replace("T", " ")}:00${isAgain ? offset : ""}`;
  const shown = { day: text.slice(0, 10), hour: named };
  shownTimes.set(key, shown);
  return shown;
}

/** The beginning of the interval, as columns name it. */
export function bucketOf({ day, hour }: Shown, interval: Interval): string {
  if (interval === "hour") return hour;
  if (interval === "month") return `${day.slice(0, 7)}-01`;
  if (interval === "day") return day;
  let monday = Date.parse(`${day}T00:00:00Z`);
  while (new Date(monday).getUTCDay() !== 1) monday -= DAY_MS;
  return new Date(monday).toISOString().slice(0, 10);
}

/** Microseconds since the epoch. */
export function microsOf({ timestamp }: Stored): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`) * 1000 + Number(timestamp.slice(23, 26));
}

/** The current owner of an event. */
export function ownerOf({ moved }: DataSet, { person_id }: Stored): string {
  return moved.get(person_id) ?? person_id;
}

export const asText = (value: Json | undefined): string | null => {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
};

/** A property of an event, its person or its group, as text. */
export function textOf(set: DataSet, event: Stored, of: PropertyOf, key: string): string | null {
  if (of.type === "event") return asText(event.properties[key]);
  if (of.type === "event_metadata") {
    if (key === "person_id") return ownerOf(set, event);
    return key === "event" ? event.event : "ann";
  }
  if (of.type === "session") return set.sessionText?.(event, key) ?? null;
  if (of.type === "person") return asText(set.persons.get(ownerOf(set, event))?.[key]);
  const group = `${of.group_type_index} ${event.groups[of.group_type_index]}`;
  return asText(set.groups.get(group)?.[key]);
}

/** The events of each person by time, and at one instant in the order of arrival. */
export function histories(set: DataSet, events: readonly Stored[]): Map<string, Stored[]> {
  const inOrder = events.toSorted((a, b) => microsOf(a) - microsOf(b));
  return Map.groupBy(inOrder, (event) => ownerOf(set, event));
}

export function percentile(numbers: readonly number[], share: number): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (low === undefined || high === undefined) return null;
  return low + (high - low) * (at - Math.floor(at));
}

/** A period of random days around the middle of a data set, and whether an event is within it. */
export function daysOfChance(set: DataSet, { next }: Chance, interval: Interval | null) {
  const dayAt = (days: number) =>
    new Date(Date.parse(`${set.day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
  const [first, to] = [dayAt(next(9) - 9), dayAt(next(9))];
  const { timezone } = set;
  const period = periodOf({ date_from: first, date_to: to }, { interval, timezone, now: 0 });
  const unit = interval === null || interval === "hour" ? "day" : interval;
  const from = bucketOf({ day: first, hour: "" }, unit);
  const isIn = (event: Stored) => {
    const { day } = shownAt(event.timestamp, timezone);
    return day >= from && day <= to;
  };
  const isUntil = (event: Stored) => shownAt(event.timestamp, timezone).day <= to;
  return { period: period as Period, from, to, isIn, isUntil };
}

/** As {@link daysOfChance}, or between two instants of the night in which a clock changes. */
export function periodOfChance(set: DataSet, dice: Chance, interval: Interval | null) {
  const days = daysOfChance(set, dice, interval);
  const { next, of } = chance(set.project * 97);
  if (next(3) > 0) return days;
  const night = Date.parse(`${set.day}T00:00:00Z`) - HOUR_MS;
  const ends = [night + next(150) * 5 * MINUTE_MS, night + next(150) * 5 * MINUTE_MS];
  const [start = 0, end = 0] = ends.toSorted((a, b) => a - b);
  const { timezone } = set;
  const [instant = "", date_to = ""] = [start, end].map((ms) => written(ms, of([0, 2, -5])));
  const isUntil = (event: Stored) => microsOf(event) <= end * 1000;
  const unit = interval === null ? "day" : interval;
  const first = bucketOf(shownAt(new Date(start).toISOString(), timezone), unit);
  const range =
    unit === "hour"
      ? { date_from: instant, date_to }
      : { date_from: first, date_to, explicitDate: true };
  const period: Period = periodOf(range, { interval, timezone, now: 0 });
  const since = unit === "hour" ? hourBegan(start, timezone) * 1000 : Number.NEGATIVE_INFINITY;
  const isIn = (event: Stored) =>
    isUntil(event) &&
    microsOf(event) >= since &&
    bucketOf(shownAt(event.timestamp, timezone), unit) >= first;
  return { ...days, period, isIn, isUntil };
}

/** An instant on a clock that is so many hours ahead of UTC, in ISO 8601. */
function written(ms: number, ahead: number): string {
  const local = new Date(ms + ahead * HOUR_MS).toISOString().slice(0, -1);
  return `${local}${ahead < 0 ? "-" : "+"}0${Math.abs(ahead)}:00`;
}

/** The beginning of the hour on the clock of a zone, in milliseconds. */
function hourBegan(ms: number, timezone: string): number {
  const format = new Intl.DateTimeFormat("sv-SE", {
    ...{ timeZone: timezone, dateStyle: "short", timeStyle: "short" },
  } as const);
  const minute = (at: number) => Number(format.format(at).slice(-2));
  let at = ms;
  while (minute(at) > 0 && minute(at - MINUTE_MS) === minute(at) - 1) at -= MINUTE_MS;
  return at;
}

const PLACES: PropertyOf[] = [
  { type: "event" },
  { type: "event" },
  { type: "person" },
  { type: "group", group_type_index: 0 },
  { type: "group", group_type_index: 2 },
];

/** A random owner of a property. */
export const placeOfChance = ({ of }: Chance): PropertyOf => of(PLACES);

/** The number that a text is; read by characters and not by a pattern, unlike in the sources. */
export function numberIn(text: string | null): number | null {
  const [mantissa = "", exponent = "0", ...more] = (text ?? "").split(/[eE]/);
  const [whole = "", fraction = "0", ...rest] = mantissa.replace(/^[-+]/, "").split(".");
  const digits = [whole, fraction, exponent.replace(/^[-+]/, "")];
  const isNumber = digits.every((part) => part !== "" && !/[^0-9]/.test(part));
  const isSmall = Math.abs(Number(text)) < Number.POSITIVE_INFINITY;
  return isNumber && isSmall && more.length + rest.length === 0 ? Number(text) : null;
}

const isAmong = (number: number | null, from: number, to: number) =>
  number !== null && from <= number && number <= to;

/** Filters without their key, and the same as plain functions. */
const FILTERS: [
  filter: { operator: string; value?: Json },
  passes: (text: string | null) => boolean,
][] = [
  [{ operator: "exact", value: "x" }, (text) => text === "x"],
  [{ operator: "is_not", value: ["x", "1.5"] }, (text) => !["x", "1.5"].includes(text ?? "")],
  [{ operator: "is_set" }, (text) => text !== null],
  [{ operator: "is_not_set" }, (text) => text === null],
  [{ operator: "icontains", value: "Z'" }, (text) => text?.includes("z'") === true],
  [{ operator: "not_icontains", value: "é" }, (text) => text?.includes("é") !== true],
  [{ operator: "gt", value: 1 }, (text) => (numberIn(text) ?? 0) > 1],
  [{ operator: "lte", value: 100 }, (text) => (numberIn(text) ?? 101) <= 100],
  [{ operator: "not_between", value: [1, 20] }, (text) => !isAmong(numberIn(text), 1, 20)],
  [{ operator: "semver_gte", value: "1.2" }, (text) => text === "1.10.0" || text === "v1.2.3"],
  [{ operator: "regex", value: "^[xy]$" }, (text) => text === "x" || text === "y"],
];

const OTHER_VALUES: Breakdown["by"] = [
  ...METADATA.map((property) => ({ of: { type: "event_metadata" as const }, property })),
  ...Object.values(TIME_VALUES).map((property) => ({ of: { type: "hogql" as const }, property })),
  ...KEYS.map((property) => ({ of: { type: "first_touch" as const }, property })),
];

/** A breakdown by one property, or now and then by two, or by other values of events. */
export function breakdownOfChance(dice: Chance, limit: number): Breakdown {
  const by = Array.from({ length: dice.of([1, 1, 2]) }, (): Breakdown["by"][0] => {
    const value = { of: placeOfChance(dice), property: dice.of(KEYS) };
    return dice.next(3) === 0 ? dice.of(OTHER_VALUES) : value;
  });
  const isNatural = by.length === 1 && by[0]?.of.type === "hogql" && dice.next(3) > 0;
  return { by, limit, order: isNatural ? "natural" : dice.of(["desc", "desc", "asc"]) };
}

/** Values in the order of a breakdown, each with its number. */
export function inOrder<T extends { value: string | null; rank: number | null }>(
  all: readonly T[],
  { order = "desc", by }: Breakdown,
  isOfFormula = false,
): T[] {
  const isOf = (one: T) => Number(one.value === null);
  const naturalOf = ({ value }: T) => {
    if (by[0]?.property === TIME_VALUES.hour) return Number(value);
    const day = WEEKDAYS.indexOf(value ?? "");
    return day < 0 ? Date.parse(value ?? "") || Number(value) : day;
  };
  const bytes = (a: T, b: T) => {
    if (a.value === null || b.value === null) return isOf(a) - isOf(b);
    return Buffer.compare(Buffer.from(a.value), Buffer.from(b.value));
  };
  return all.toSorted((a, b) => {
    if (order === "natural") return isOf(a) - isOf(b) || naturalOf(a) - naturalOf(b);
    if ((order === "asc" || isOfFormula) && isOf(a) !== isOf(b)) return isOf(a) - isOf(b);
    if (a.rank === null || b.rank === null) {
      return Number(a.rank === null) - Number(b.rank === null) || bytes(a, b);
    }
    return (order === "asc" ? a.rank - b.rank : b.rank - a.rank) || bytes(a, b);
  });
}

/** Text of a value that events are grouped by. */
function groupedBy(
  set: DataSet,
  event: Stored,
  { of, property }: Breakdown["by"][0],
): string | null {
  switch (of.type) {
    case "hogql":
      return shownBy(property, shownAt(event.timestamp, set.timezone));
    case "first_touch": {
      const own = histories(set, set.ever ?? set.events).get(ownerOf(set, event)) ?? [];
      return own.flatMap((one) => asText(one.properties[property]) ?? [])[0] ?? null;
    }
    default:
      return textOf(set, event, of, property);
  }
}

function shownBy(expression: string, shown: Shown): string {
  const { day, hour } = shown;
  const isoDay = new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
  switch (expression) {
    case TIME_VALUES.weekday_number:
      return String(isoDay);
    case TIME_VALUES.weekday:
      return WEEKDAYS[isoDay - 1] ?? "";
    case TIME_VALUES.hour:
      return String(Number(hour.slice(11, 13)));
    case TIME_VALUES.date:
      return day;
    default:
      return bucketOf(shown, expression === TIME_VALUES.week ? "week" : "month");
  }
}

/** A text that sorts after every other, as null does. */
const NONE = "\u{10ffff}";

/** The value of an event as one text; the texts sort as the values do. */
export function keyOf(set: DataSet, event: Stored, { by }: Breakdown): string | null {
  const texts = by.map((one) => groupedBy(set, event, one));
  return texts.length === 1 ? (texts[0] ?? null) : texts.map((one) => one ?? NONE).join("\0");
}

/** The value of such a key. */
export function valueOfKey(key: string, { by }: Breakdown): FoundValue {
  return by.length === 1 ? key : key.split("\0").map((one) => (one === NONE ? null : one));
}

/** A filter of a property, and the same as a plain function. */
export type PropertyChoice = { read: EventFilter; passes: (event: Stored) => boolean };

/** A random filter of a property. */
export function propertyOfChance(set: DataSet, dice: Chance): PropertyChoice {
  const [operator, passes] = dice.of(FILTERS);
  const [of, key] = [placeOfChance(dice), dice.of(KEYS)];
  const reading = { types: ["event"], now: 0, timezone: "UTC", attr: "query" } as const;
  const { filter } = propertyFilter({ key, ...operator }, { ...reading, types: ["event"] });
  return { read: { of, filter }, passes: (one) => passes(textOf(set, one, of, key)) };
}

/** Conditions on the time of events, and the same as plain functions of the hour and the day, from 1 on Monday. */
const TIMES: [condition: string, isMet: (hour: number, day: number) => boolean][] = [
  ["toHour(timestamp) >= 12", (hour) => hour >= 12],
  ["toHour(timestamp) NOT BETWEEN 6 AND 20", (hour) => hour < 6 || hour > 20],
  ["toDayOfWeek(timestamp) IN (6, 7)", (_, day) => day > 5],
  ["toDayOfWeek( timestamp ) != 3", (_, day) => day !== 3],
];

/** A random condition on the time of events. */
function timeOfChance({ timezone }: DataSet, dice: Chance): Choice {
  const [condition, isMet] = dice.of(TIMES);
  const read = timeFilter(fields({ type: "hogql", key: condition }, "query", TIME_FILTER_FIELDS));
  const passes = ({ timestamp }: Stored) => {
    const shown = shownAt(timestamp, timezone);
    const part = (expression: string) => Number(shownBy(expression, shown));
    return isMet(part(TIME_VALUES.hour), part(TIME_VALUES.weekday_number));
  };
  return { read, passes };
}

const FIRST = "00000000-592b-78b3-8d80-aa75992efae9";

/** Filters of values that all events have, and the same as plain functions. */
const OF_METADATA: [
  key: (typeof METADATA)[number],
  filter: { operator?: string; value: Json },
  passes: (text: string) => boolean,
][] = [
  ["event", { operator: "not_regex", value: "^[$]" }, (text) => text.charAt(0) !== "$"],
  ["event", { value: ["a", "$screen"] }, (text) => text === "a" || text === "$screen"],
  ["event", { operator: "is_not", value: "a" }, (text) => text !== "a"],
  ["event", { operator: "not_icontains", value: "S" }, (text) => !text.includes("s")],
  ["event", { operator: "starts_with", value: ["$", 'q"'] }, (text) => /^[$q]/.test(text)],
  ["person_id", { operator: "is_not", value: FIRST.toUpperCase() }, (text) => text !== FIRST],
  ["distinct_id", { operator: "ends_with", value: "nn" }, (text) => text.endsWith("nn")],
];

/** A random condition on a value that all events have. */
function metadataOfChance(set: DataSet, dice: Chance): Choice {
  const [key, filter, passes] = dice.of(OF_METADATA);
  const sent = { properties: [{ type: "event_metadata", key, ...filter }] };
  const [read] = filtersOf(fields(sent, "query", ["properties"]), { now: 0, timezone: "UTC" });
  const of = { type: "event_metadata" } as const;
  return {
    read: read as AnyFilter,
    passes: (one) => passes(textOf(set, one, of, key) ?? ""),
  };
}

/** A random filter of any kind, and the same as a plain function. */
type Choice = { read: AnyFilter; passes: (event: Stored) => boolean };

/** A random node, and whether an event belongs to it; with `behaviors` of some sets also such filters. */
export function nodeOfChance(
  set: DataSet,
  dice: Chance,
  behaviors?: () => Choice,
): { node: EventsNode; isOf: (event: Stored) => boolean } {
  const more = set.project % 4 === 1 ? behaviors : undefined;
  const event = dice.of([null, "a", "a", "a", "b", "b", "b", ...EVENTS]);
  const chosen = Array.from({ length: Math.max(0, dice.next(6) - 3) }, (): Choice => {
    if (more !== undefined && dice.next(2) === 0) return more();
    const kind = dice.next(6);
    if (kind === 1) return metadataOfChance(set, dice);
    return kind === 0 ? timeOfChance(set, dice) : propertyOfChance(set, dice);
  });
  if (more !== undefined && chosen.length === 0 && dice.next(3) === 0) chosen.push(more());
  // All filters must pass, or the first and one of the others, or one of all.
  const apart = chosen.length < 2 ? chosen.length : ([chosen.length, 0, 1][set.project % 3] ?? 0);
  const [all, some] = [chosen.slice(0, apart), chosen.slice(apart)];
  const group = { any: true, of: some.map(({ read }) => read) };
  return {
    node: {
      ...{ event, name: event ?? "All" },
      filters: [...all.map(({ read }) => read), ...(some.length === 0 ? [] : [group])],
    },
    isOf: (one) =>
      (event === null || one.event === event) &&
      all.every(({ passes }) => passes(one)) &&
      (some.length === 0 || some.some(({ passes }) => passes(one))),
  };
}

/** Rows as texts, in one fixed order. */
export const sorted = (all: readonly unknown[]) =>
  all.map((row) => JSON.stringify(row)).sort((a, b) => (a < b ? -1 : 1));

/** Queries at once: the store reads on as many connections. */
const AT_ONCE = 4;

/** Calls `work` for each, a few at once. */
export async function forEach<T>(
  all: readonly T[],
  work: (one: T) => Promise<void>,
): Promise<void> {
  const waiting = [...all];
  const run = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}

/** A hundred data sets of the long run, with enough of each kind of case. */
const CHOSEN = [
  ...[3, 9, 14, 17, 19, 20, 23, 28, 33, 35, 38, 41, 46, 52, 53, 58, 59, 61, 62, 66],
  ...[68, 69, 73, 75, 76, 82, 87, 93, 98, 104, 106, 110, 112, 113, 115, 116, 120, 122, 126, 132],
  ...[
    137, 142, 148, 151, 154, 156, 161, 165, 167, 173, 178, 184, 189, 195, 199, 201, 202, 208, 209,
    212,
  ],
  ...[
    215, 216, 221, 223, 228, 233, 239, 243, 245, 251, 253, 257, 263, 264, 265, 270, 274, 275, 278,
    279,
  ],
  ...[
    284, 290, 295, 299, 302, 305, 308, 313, 316, 320, 325, 326, 327, 329, 334, 336, 337, 341, 347,
    348,
  ],
];

/** The projects of the data sets on which each kind of query is tried. */
export const PROJECTS = casesOf(CHOSEN, firstProjects(350));

/** The data sets on which drafts are tried: every second one here, all in the long run. */
export const draftedSets = <Set>(sets: readonly Set[]): readonly Set[] =>
  casesOf(
    sets.filter((_, index) => index % 2 === 0),
    sets,
  );

/** How many data sets each kind of query is tried on. */
export const DATA_SETS = PROJECTS.length;

/** How long the queries on all data sets may take, in milliseconds. */
export const TIMEOUT_MS = TEST_MS_MAX + DATA_SETS * 100;
