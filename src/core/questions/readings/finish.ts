import type { Property } from "../language/name-keys.ts";
import type { Part, Parts } from "../language/parts.ts";
import { conditionsIn, isSame } from "./conditions.ts";
import type { Context } from "./context.ts";
import { joined } from "./joined.ts";
import { byPerson } from "./never.ts";
import { objectOf } from "./objects.ts";
import {
  type Condition,
  type Label,
  type Measure,
  PLACES,
  type Reading,
  type Top,
} from "./reading.ts";
import { isEach } from "./units.ts";

/** Completes a reading with the filters, the breakdown and the order that its question has besides. */
export function finish(parts: Parts, found: Measure, context: Context): Reading {
  const { measure, own } = withoutLabel(found);
  parts.as("filter");
  const where = conditionsIn(parts, measure, context);
  parts.as("order");
  const top = topIn(parts);
  parts.as("breakdown");
  const by = differing([...own, ...labelsIn(parts, measure), ...comparedValues(parts, where)]);
  takeCompare(parts, measure, by);
  const order = onlyFirst(parts, by, top) ?? listedOnes(parts, by);
  const whole = { measure, by, where, top: order, when: context.when };
  const reading = joined(parts, byPerson(parts, whole));
  return atPlaces(by.length === 0 ? rankedOnes(reading, parts, context) : reading);
}

/** "When do people buy, by hour of day" names its label twice. */
const differing = (labels: readonly Label[]): Label[] => [
  ...new Map(labels.map((one) => [JSON.stringify(one), one])).values(),
];

/** Splits off the label that a reader found. */
function withoutLabel(found: Measure): { measure: Measure; own: Label[] } {
  if (found.of !== "events" || found.by === undefined) return { measure: found, own: [] };
  const { by, ...measure } = found;
  return { measure, own: [by] };
}

/** "Germany vs Austria" and "compare Germany and Austria" have a row for each of them. */
function comparedValues(parts: Parts, where: readonly Condition[]): Label[] {
  const versus = parts.all.find(({ words }) => /^(?:vs|versus)\.?$/i.test(words[0]?.text ?? ""));
  const isBetween =
    versus !== undefined &&
    [-1, 1].every((step) => parts.beside(versus, step)?.meaning.values.length !== 0);
  const several = where.find(({ is, values }) => is === "equal" && values.length > 1);
  return several !== undefined && (isBetween || parts.has("compare"))
    ? [{ by: "property", property: several.property }]
    : [];
}

/** "Compare" is part of a question with several numbers. */
function takeCompare(parts: Parts, { of, ...measure }: Measure, by: readonly Label[]): void {
  const isOfBoth = "which" in measure && measure.which === "both";
  if (by.length > 0 || of === "series" || of === "lifecycle" || isOfBoth) parts.takeAll("compare");
}

/** "Which day had the most" asks for one day. */
function onlyFirst(parts: Parts, by: readonly Label[], top: Top | null): Top | null {
  const isOfDays = by.some((one) => one.by === "date");
  const text = parts.all.flatMap(({ words }) => words.map((word) => word.text)).join(" ");
  const isOne =
    isOfDays && /\b(?:which|what|best|worst|busiest|quietest) (?:day|date)\b/i.test(text);
  return top !== null && top.count === null && isOne ? { ...top, count: 1 } : top;
}

/** "Which coupons are used" asks for the coupons, the most used first, and not for orders without one. */
function listedOnes(parts: Parts, by: readonly Label[]): Top | null {
  const isListed = ({ meaning }: Part, at: number) =>
    meaning.property !== undefined &&
    /^(?:which|what)$/i.test(parts.all[at - 1]?.words.at(-1)?.text ?? "");
  const isOfProperty = by.some((one) => "property" in one);
  return isOfProperty && parts.all.some(isListed) ? { count: null, isAscending: false } : null;
}

/** A row for each person or company, where a question asks which of them has the most. */
function rankedOnes(reading: Reading, parts: Parts, context: Context): Reading {
  const { measure, top } = reading;
  if (top === null || measure.of !== "events" || reading.when.compare === true) return reading;
  if (measure.math === "unique_group") {
    const property: Property = { of: "event", name: `$group_${measure.group ?? 0}` };
    return {
      ...reading,
      measure: { ...measure, math: "total" },
      by: [{ by: "property", property }],
    };
  }
  const inside = propertyInside(parts, context) ?? soldIn(parts, context);
  if (inside !== undefined) return { ...reading, by: [{ by: "property", property: inside }] };
  const isOfThings = parts.all.some(({ words }) => /^things?$/i.test(words[0]?.text ?? ""));
  const object = isOfThings ? objectOf(measure.events[0], context) : undefined;
  if (object !== undefined) {
    const counted: Measure = measure.math === "dau" ? { ...measure, math: "total" } : measure;
    return { ...reading, measure: counted, by: [{ by: "property", property: object }] };
  }
  if (!isOfPersons(parts)) return reading;
  const by: Label[] = [{ by: "property", property: { of: "person", name: "email" } }];
  if (measure.math !== "dau") return { ...reading, by };
  const amount = context.propertyOf("amount");
  const bought = context.eventOf("purchase");
  const isOfOrders =
    amount !== undefined && bought !== undefined && measure.events.includes(bought);
  const counted: Measure = isOfOrders
    ? { ...measure, math: "sum", property: amount }
    : { ...measure, math: "total" };
  return { ...reading, measure: counted, by };
}

/** "Bestsellers" are products. */
const soldIn = (parts: Parts, context: Context): Property | undefined =>
  parts.all.some(({ meaning }) => meaning.roles.has("sold"))
    ? context.propertyOf("product")
    : undefined;

/** The property in the name of an event, as in "which products are viewed most": `product viewed`. */
function propertyInside(parts: Parts, context: Context): Property | undefined {
  const event = parts.all.find(
    ({ meaning, words }) => meaning.event !== undefined && words.length > 1,
  );
  return event?.words
    .map(({ text, stem }) => context.propertyOf(text) ?? context.propertyOf(stem))
    .find((one) => one !== undefined);
}

/** Whether a question ranks persons: "top customers", "which users". */
function isOfPersons(parts: Parts): boolean {
  const isPerson = (part: Part | undefined) =>
    (["person", "customer", "visitor"] as const).some(
      (role) => part?.meaning.roles.has(role) === true,
    );
  const isRanking = (part: Part | undefined) =>
    part?.number !== undefined ||
    (["most", "greatest", "least"] as const).some(
      (role) => part?.meaning.roles.has(role) === true,
    ) ||
    /^(?:which|who|whose)$/i.test(part?.words[0]?.text ?? "");
  return parts.all.some(
    (part) => isPerson(part) && (isRanking(part) || isRanking(parts.all[part.at - 1])),
  );
}

/** Measures that have one number for the whole period only. */
const UNTIMED: ReadonlySet<Measure["of"]> = new Set([
  ...([
    "repeaters",
    "active_on",
    "without",
    "all_of",
    "never",
    "next",
    "persons",
    "moment",
    "value",
  ] as const),
  "mean_of_days",
]);

/** Whether a question asks for the intervals of a measure without intervals. */
export const lacksIntervals = ({ measure, when }: Reading) =>
  (when.interval !== undefined || when.isOverTime === true) &&
  (UNTIMED.has(measure.of) ||
    (measure.of === "funnel" && measure.as !== "steps" && measure.as !== "rate"));

/** Whether a reading leaves out that only the most or the least was asked for. */
export const lacksRows = ({ by, top, measure }: Reading) =>
  by.length === 0 && top !== null && measure.of !== "next" && measure.of !== "stickiness";

/** Of visits that begin or end on a page, the page is a condition on that place and no row. */
function atPlaces(reading: Reading): Reading {
  const place = reading.by.find(({ by }) => by === "entry" || by === "exit");
  const page = reading.where.find(({ property }) => property.name === "$pathname");
  if (place === undefined || page === undefined) return reading;
  const name = PLACES[place.by as keyof typeof PLACES];
  const where = reading.where.map((one) =>
    one === page ? { ...one, property: { of: "event" as const, name } } : one,
  );
  return { ...reading, by: reading.by.filter((one) => one !== place), where };
}

function topIn(parts: Parts): Top | null {
  const most = parts.take("most", "sold", "greatest");
  const least = most === undefined ? parts.take("least", "smallest") : undefined;
  const part = most ?? least;
  const number = parts.find((one) => (one.number ?? 0) > 0 && isRank(parts, one));
  if (number !== undefined) parts.takePart(number);
  parts.takeAll("most");
  if (part === undefined && number === undefined) return null;
  return { count: number?.number ?? null, isAscending: least !== undefined };
}

/** Whether a number is the number of rows: next to "top", or before a property. */
function isRank(parts: Parts, number: Part): boolean {
  const [before, after] = [parts.beside(number, -1), parts.beside(number, 1)];
  const isOrder = (part: Part | undefined) =>
    (["most", "least", "sold"] as const).some((role) => part?.meaning.roles.has(role) === true);
  const isListed =
    after?.meaning.property !== undefined ||
    after?.meaning.roles.has("entry") === true ||
    after?.meaning.roles.has("exit") === true;
  const isOfThem =
    /^of$/i.test(after?.words[0]?.text ?? "") &&
    /^(?:them|these)$/i.test(parts.all[number.at + 2]?.words[0]?.text ?? "");
  return isOrder(before) || isOrder(after) || isListed || isOfThem;
}

const ROLES = ["weekday", "hour", "date", "origin", "event"] as const;

/** "When do people buy?" asks for the hours of the day. */
function isHabit(parts: Parts): boolean {
  const when = parts.find(({ meaning }) => meaning.roles.has("when"));
  const verb = when === undefined ? undefined : parts.beside(when, 1);
  if (!/^(?:do|does|are|is)$/i.test(verb?.words[0]?.text ?? "")) return false;
  parts.takePart(when);
  return true;
}

/** Reads what an answer has a row for each of. */
export function labelsIn(parts: Parts, measure: Measure): Label[] {
  const found: Label[] = measure.of === "events" && isHabit(parts) ? [{ by: "hour" }] : [];
  if ([...parts.each((part) => isEach(parts, part))].length > 0)
    found.push({ by: "property", property: { of: "person", name: "email" } });
  for (const role of ROLES) {
    const part = parts.find(
      (one) =>
        one.meaning.roles.has(role) &&
        (!one.isSoft || one.words.length > 1 || isRankedBy(parts, one)),
    );
    if (part === undefined) continue;
    parts.takeAll(role);
    parts.takePart(part);
    found.push({ by: role });
  }
  const hasPlaces = ["sessions", "session_share", "events", "funnel"].includes(measure.of);
  for (const role of hasPlaces ? (["entry", "exit"] as const) : []) {
    if (parts.take(role) !== undefined) found.push({ by: role });
    parts.takeAll(role);
  }
  const isMoney = ({ meaning: { roles } }: Part) =>
    roles.has("revenue") || roles.has("order_value");
  const isProperty = (part: Part) =>
    part.meaning.property !== undefined &&
    (!isMoney(part) || parts.beside(part, -1)?.meaning.roles.has("by") === true);
  const named = [...parts.each(isProperty)];
  // "Where do visitors come from? Countries": the second property says what the first one asks for.
  const answered = named.filter(
    ({ words }) => named.length === 1 || !/^where$/i.test(words[0]?.text ?? ""),
  );
  for (const part of answered) {
    const label = labelOf(parts, part.meaning.property as Property);
    const isNamed = (one: Label) =>
      "property" in label
        ? "property" in one && isSame(one.property, label.property)
        : one.by === label.by;
    if (!found.some(isNamed)) found.push(label);
  }
  parts.takeAll("by");
  return found;
}

/** The value of the first touch, where a question asks for it; the first page is where a session begins. */
function labelOf(parts: Parts, property: Property): Label {
  const [, initial] = /^\$initial_(.+)$/.exec(property.name) ?? [];
  if (initial !== undefined && property.of === "person") {
    const isOwn = initial.startsWith("utm_");
    return { by: "first_touch", property: { of: "event", name: isOwn ? initial : `$${initial}` } };
  }
  if (parts.take("last_touch") !== undefined || property.of !== "event")
    return { by: "property", property };
  const isOrigin = /^(?:utm_|\$referr)/.test(property.name);
  const isFirst = isOrigin && parts.take("first_touch") !== undefined;
  return { by: isFirst ? "first_touch" : "property", property };
}

/** Whether a part comes after "by", or after "best": "the best day" is one of the days. */
function isRankedBy(parts: Parts, part: Part): boolean {
  const roles = parts.beside(part, -1)?.meaning.roles;
  return (["by", "most", "least"] as const).some((one) => roles?.has(one) === true);
}
