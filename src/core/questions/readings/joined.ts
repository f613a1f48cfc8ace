import type { Part, Parts } from "../language/parts.ts";
import { askedInterval } from "./compile.ts";
import { isOfSteps } from "./possible.ts";
import type { Aggregate, Condition, Measure, Reading } from "./reading.ts";
import { isEvent, isPerson, isSession } from "./units.ts";

const VIEW = "$pageview";

/** The property with the page of an event. */
const PAGE = "$pathname";

/** How long after the first step the last one counts, where persons did one thing "and then" another. */
const WINDOW = { count: 12, unit: "month" } as const;

/**
 * Counts "users who searched and bought" by person: each did all of it. With "and then", "before" or "after" it is
 * a funnel. A page is one of the views, as the other events were elsewhere.
 */
export function joined(parts: Parts, reading: Reading): Reading {
  const { measure, where } = reading;
  if (askedInterval(reading) !== null || reading.when.compare === true) return reading;
  const pages = isOfViews(parts, eventParts(parts)) ? where.filter(isOnPage) : [];
  const rest = where.filter((one) => !pages.includes(one));
  if (measure.of === "without" && measure.event === VIEW && pages.length > 0)
    return { ...reading, measure: { ...measure, seen: pages }, where: rest };
  const found = measure.of === "funnel" ? fromView(measure) : allDone(parts, measure, pages);
  if (found === undefined) return reading;
  return { ...reading, measure: pages.length === 0 ? found : { ...found, pages }, where: rest };
}

type Funnel = Extract<Measure, { of: "funnel" }>;
type Joined = Funnel | Extract<Measure, { of: "all_of" }>;

/** A funnel whose first step is the only view. */
function fromView(measure: Funnel): Joined | undefined {
  const isPlain = measure.as === "steps" || measure.as === "rate";
  return isPlain && measure.steps.lastIndexOf(VIEW) === 0 ? measure : undefined;
}

/** Returns the measure of persons who did several things; undefined if one was asked for, or any of them. */
function allDone(parts: Parts, measure: Measure, pages: readonly Condition[]): Joined | undefined {
  const named = eventParts(parts);
  if (!isOfPersons(parts, measure, named) || listedPersons(parts, named) !== undefined)
    return undefined;
  const joints = between(parts, named);
  const order = orderIn(parts, named);
  const isBare = order === undefined && !joints.some(({ meaning }) => meaning.roles.has("and"));
  if (isOr(parts, named) || (isBare && joints.some(isComma))) return undefined;
  const isOnPages = pages.length > 0;
  const events = eventsDone(named, { order, isOnPages });
  const isFlipped = order !== undefined && isAfter(order);
  if (events.length < 2 || (isFlipped && events.length > 2)) return undefined;
  parts.as("measure");
  for (const part of [order, ...named]) parts.takePart(part);
  const isStepped = order !== undefined || (isBare && isOnPages);
  if (!isStepped) return { of: "all_of", events };
  const steps = isFlipped ? events.toReversed() : events;
  return { of: "funnel", steps, as: "steps", window: WINDOW };
}

/** The events of persons, in the order of the question. A view among others only says that they were there. */
function eventsDone(
  named: readonly Part[],
  { order, isOnPages }: { order: Part | undefined; isOnPages: boolean },
): string[] {
  const events = [...new Set(eventsOf(named))];
  if (isOnPages && !events.includes(VIEW)) events.unshift(VIEW);
  return order !== undefined || isOnPages ? events : withoutViews(events);
}

/** Returns the part of a question that a reading would count wrongly: a word that joins events or values, or a page. */
export function miscounted(parts: Parts, reading: Reading): Part | undefined {
  const { measure, where } = reading;
  const named = eventParts(parts);
  const isOfAny = aggregatesOf(measure).some(
    ({ events, math }) => math !== "total" && new Set(events).size > 1,
  );
  if (isOfAny && !isOr(parts, named)) return jointIn(parts, named);
  if (isOfPersons(parts, measure, named)) {
    const wrong = joinedPersons(parts, reading, named);
    if (wrong !== undefined) return wrong;
  }
  const isOfEach = measure.of === "all_of" || (measure.of === "events" && measure.math === "dau");
  const order = isOfEach ? parts.all.find(isThen) : undefined;
  if (order !== undefined) return order;
  if (isOfSteps(measure) && where.some(isOfPage)) return pageIn(parts);
  // "What share of visitors searched and bought" is of visitors, and no funnel.
  if (measure.of === "funnel" && isShareOfAll(parts, named)) return jointIn(parts, named);
  return isOfEach ? joinedValues(parts, reading) : undefined;
}

/** Persons are counted by one event, and neither by one of a list nor by one on the page that they saw before. */
function joinedPersons(
  parts: Parts,
  { measure, where }: Reading,
  named: readonly Part[],
): Part | undefined {
  if (measure.of === "series") return jointIn(parts, named);
  const listed = listedPersons(parts, named);
  if (listed !== undefined) return parts.beside(listed, 1);
  const isViewed = where.some(isOnPage) && isOfViews(parts, named);
  return isViewed && withoutViews(eventsOf(named)).length > 0 ? pageIn(parts) : undefined;
}

/** "Bought shoes and bags" asks for persons who bought both. */
function joinedValues(parts: Parts, { where, by }: Reading): Part | undefined {
  const several = where.find(
    ({ property, is, values }) =>
      is === "equal" && values.length > 1 && property.of === "event" && !isShared(property.name),
  );
  if (several === undefined || by.length > 0) return undefined;
  return parts.all.find(
    ({ meaning, at }) =>
      meaning.roles.has("and") && (parts.all[at + 1]?.meaning.values.length ?? 0) > 0,
  );
}

/** Whether a property is of each event of a visit, and says nothing about the event itself. */
const isShared = (name: string) => /^(?:\$|utm_)/.test(name);

function aggregatesOf(measure: Measure): readonly Aggregate[] {
  switch (measure.of) {
    case "events":
      return [measure];
    case "ratio":
      return [measure.over, measure.under];
    case "mean_of_days":
      return [measure.counted];
    default:
      return [];
  }
}

const isOfPage = ({ property }: Condition) => property.name === PAGE;

const isOnPage = (one: Condition) => isOfPage(one) && one.is === "equal";

const isShareOfAll = (parts: Parts, named: readonly Part[]) =>
  parts.all.some(({ meaning }) => meaning.roles.has("share")) &&
  between(parts, named).some(({ meaning }) => meaning.roles.has("and"));

/** The events of a question, without the ones of its filters and breakdowns. */
const eventParts = (parts: Parts) =>
  parts.all.filter(
    (part) =>
      isEvent(part) && !isSession(part) && (parts.read.get(part) ?? "measure") === "measure",
  );

const eventsOf = (named: readonly Part[]) => named.map(({ meaning }) => meaning.event as string);

const withoutViews = (events: readonly string[]) => events.filter((event) => event !== VIEW);

/** Whether persons are counted: "users signed up" names an event, but is about persons as well. */
function isOfPersons(parts: Parts, measure: Measure, named: readonly Part[]): boolean {
  if (measure.of === "events" && measure.math !== "total") return measure.math === "dau";
  if (measure.of !== "series" && measure.of !== "events") return false;
  const [first] = named;
  if (first === undefined) return false;
  if (isMany(first)) return true;
  const isOfSeries = (part: Part) =>
    part.at < first.at && isMany(part) && !isListed(parts, part, named);
  return measure.of === "series" && parts.all.some(isOfSeries);
}

/** Whether a part begins with a word for several persons. */
const isMany = ({ words: [word] }: Part) =>
  /^(?:users|people|persons|visitors|customers|members|buyers|who)$/i.test(word?.text ?? "");

/** Whether persons are one of several things in a list: "visitors, sign ups and purchases". */
function isListed(parts: Parts, person: Part, named: readonly Part[]): boolean {
  const next = parts.beside(person, 1);
  const isJoint = next !== undefined && (isComma(next) || next.meaning.roles.has("and"));
  return isJoint && named.some(({ at }) => at === person.at + 2);
}

const listedPersons = (parts: Parts, named: readonly Part[]) =>
  parts.all.find((part) => isPerson(part) && isListed(parts, part, named));

/** Whether the page of a question is where persons were before, or apart from, its other events. */
function isOfViews(parts: Parts, named: readonly Part[]): boolean {
  const page = pageIn(parts);
  const [first] = named;
  if (page === undefined) return false;
  return first === undefined || page.at < first.at || eventsOf(named).includes(VIEW);
}

const pageIn = (parts: Parts) =>
  parts.all.find(
    ({ page, meaning }) =>
      page !== undefined || meaning.values.some(({ property }) => property.name === PAGE),
  );

/** The parts from the first event, or a page before it, to the last event. */
function between(parts: Parts, named: readonly Part[]): Part[] {
  const from = Math.min(named[0]?.at ?? 0, pageIn(parts)?.at ?? Number.POSITIVE_INFINITY);
  return parts.all.slice(from, (named.at(-1)?.at ?? 0) + 1);
}

const isComma = ({ words: [word] }: Part) => word?.text === ",";

const isThen = ({ words }: Part) =>
  /\b(?:then|finally|followed|after that)\b|→|->/i.test(words.map(({ text }) => text).join(" "));

const isAfter = (part: Part) => part.meaning.roles.has("after") && !isThen(part);

const orderIn = (parts: Parts, named: readonly Part[]) =>
  between(parts, named).find(
    (part) => isThen(part) || isAfter(part) || part.meaning.roles.has("before"),
  );

/** Whether events are joined by "or" alone. */
function isOr(parts: Parts, named: readonly Part[]): boolean {
  const joints = between(parts, named);
  const isOther = (part: Part) => isThen(part) || part.meaning.roles.has("and");
  return joints.some(({ meaning }) => meaning.roles.has("or")) && !joints.some(isOther);
}

const jointIn = (parts: Parts, named: readonly Part[]) =>
  between(parts, named).find(
    (part) => isThen(part) || isComma(part) || part.meaning.roles.has("and"),
  ) ?? named.at(-1);
