import { type EventInfo, spoken } from "../names/index.ts";
import {
  type Asked,
  type Item,
  isTagged,
  meanNothing,
  NotUnderstood,
  textOf,
} from "../read/asked.ts";
import { hasOwnVerb } from "../read/choose-event.ts";
import { isByPerson, type Label } from "../read/labels.ts";
import { behavior } from "../read/parts.ts";
import { refuseOwnNumber } from "../read/unclear.ts";
import { nameStems, nameWords, singular } from "../text/stems.ts";
import { isLabel } from "./calculations.ts";
import { type Deed, earlier, takeDeeds } from "./deeds.ts";
import { type Draft, node, totalTrend, trend } from "./draft.ts";
import { infoOf, visitEvent } from "./events.ts";
import { freeBefore, isCondition, PEOPLE, use, useAll } from "./items.ts";
import { hasPeople, peopleTrend, takePeople } from "./people.ts";

/** Counts people, groups or events; undefined if the question names no such thing. */
export const counts = (asked: Asked, labels: readonly Label[]): Draft | undefined => {
  // "How much visitors" asks for their number.
  const much = asked.find("MUCH");
  const noun = much === undefined ? undefined : asked.beside(much, 1);
  if (noun?.part?.kind === "ev" || isTagged(noun, ...PEOPLE)) use(much);
  asked.takeAll("COUNT");
  useAll(asked, (item) => isTagged(item, "DONE") && !isOfThing(asked, item));
  const counted = asked.items.find((item) => isTagged(item, "COUNT"));
  const target = counted === undefined ? undefined : asked.beside(counted, 1);
  const isOften = /times|often/.test(counted?.word ?? "") && asked.events().length > 0;
  if (isOften || isOfTimes(asked, labels)) asked.takeAll("PERSON");
  const isOfPeople = isKind(asked, target) || hasPeople(asked) || isNegated(asked);
  refuseGroups(asked, labels);
  refuseObjects(asked, labels);
  const isOfEvents = hasPeople(asked) && (isByPerson(labels) || isAboutEvents(asked, target));
  const groups = groupsCount(asked, target, isOfPeople);
  if (groups !== undefined) return groups;
  return isOfPeople && !isOfEvents ? peopleCount(asked) : eventsCount(asked, isOfEvents);
};

/** Whether "recorded" in "recorded concerts" says something of an event with a verb of its own. */
function isOfThing(asked: Asked, item: Item): boolean {
  const next = asked.items[item.at + 1]?.part;
  return next?.kind === "ev" && hasOwnVerb(next.event) && !isTagged(item, "F");
}

/** Refuses "what did people buy", which asks for things and not for a count. */
function refuseObjects(asked: Asked, labels: readonly Label[]): void {
  const [what, verb] = asked.items;
  const isAsked = what?.word === "what" && /^(?:do|does|did)$/.test(verb?.word ?? "");
  const isRanked = asked.items.some((item) => isTagged(item, "MOST", "LEAST"));
  if (what === undefined || !isAsked || isRanked || labels.length > 0) return;
  if (hasPeople(asked))
    throw new NotUnderstood(textOf(what), "Ask for what it is: which products, which pages.");
}

const isNegated = (asked: Asked): boolean =>
  asked.events().some((item) => isTagged(asked.beside(item, -1), "WITHOUT"));

/** Refuses "which companies did not order". Only people can be filtered by what they did not do. */
function refuseGroups(asked: Asked, labels: readonly Label[]): void {
  const isOfGroups =
    asked.items.some(({ term, part }) => term.group !== undefined && part === undefined) ||
    labels.some((one) => "json" in one && /group/.test(JSON.stringify(one.json)));
  const not = asked.find("WITHOUT");
  if (isOfGroups && not !== undefined && isNegated(asked))
    throw new NotUnderstood(textOf(not), "Only people are found by what they did not do.");
}

/** "When do people buy" counts events, not people. */
const isOfTimes = (asked: Asked, labels: readonly Label[]): boolean =>
  labels.some(
    (one) => "json" in one && /^(?:dateName|toHour)/.test(String(one.json["property"])),
  ) &&
  asked.events().length > 0 &&
  !asked.has("DIFFERENT");

/** "How many guests completed a task": a value of a person property stands for the people who have it. */
const isKind = (asked: Asked, target: Item | undefined): boolean =>
  target?.part?.kind === "filter" &&
  /s$/i.test(target.part.text) &&
  isCondition(target, ({ of }) => of === "person") &&
  asked.beside(target, 1)?.part?.kind === "ev";

/**
 * "Orders of pro customers", "how many orders did customers place" and "what do people buy most" count orders;
 * "signed up users" are people.
 */
function isAboutEvents(asked: Asked, target: Item | undefined): boolean {
  if (target?.part?.kind === "ev" && !target.part.isDoer) return true;
  const [first] = asked.events();
  const noun = asked.find(...PEOPLE, "WHO");
  if (first === undefined || first.part.isDoer || noun === undefined) return false;
  const isRanked = asked.items.some((item) => item.word === "most" && item.at > first.at);
  if (isRanked && noun.at < first.at) return true;
  return asked.items
    .slice(first.at + 1, Math.max(noun.at, first.at))
    .some(
      ({ word, part }) =>
        /^(?:of|by|from|for|among|did|do)$/.test(word) ||
        (part?.kind === "filter" && /^(?:of|by|from|for) /.test(part.text)),
    );
}

const ONE_OR_MORE = JSON.stringify([{ is: "gte", number: 1 }]);

function groupsCount(
  asked: Asked,
  target: Item | undefined,
  isOfPeople: boolean,
): Draft | undefined {
  const word = asked.items.find(
    (item) =>
      !item.isUsed &&
      item.term.group !== undefined &&
      item.part === undefined &&
      !isLabel(asked, item),
  );
  const group = word?.term.group;
  if (word === undefined || group === undefined) return undefined;
  const [leader] = asked.events();
  // "Bookings at large clinics" counts bookings.
  if (word !== target && leader !== undefined && word.at > leader.at) return undefined;
  if (word !== target && isOfPeople) return undefined;
  if (asked.has("MOST", "LEAST", "GREATEST", "SMALLEST", "WHICH")) return undefined;
  use(word, leader);
  const least = leader === undefined ? undefined : asked.beside(leader, -1);
  // "At least one booking" is what an event says anyway.
  if (least?.part?.kind === "cmp" && JSON.stringify(least.part.bounds) === ONE_OR_MORE)
    meanNothing(least);
  asked.takeAll("DIFFERENT");
  takeActive(asked);
  const event = leader?.part.event;
  const math = { math: "unique_group", math_group_type_index: group.index };
  return trend([node(event?.name ?? null, math)], [event ?? null]);
}

function peopleCount(asked: Asked): Draft {
  const isBoth = asked.has("IS_NEW") && asked.has("RETURNING");
  if (isBoth) asked.takeAll("IS_NEW", "RETURNING", "VERSUS", "AND", "OR", "COMPARE");
  asked.takeAll("DIFFERENT");
  const people = takePeople(asked) ?? {
    ...{ base: null, words: "" },
    ...{ isNew: false, isReturning: false, isPayer: false, isDoer: false },
  };
  asked.takeAll("COUNT", "PERSON");
  if (isBoth) {
    asked.takeAll("VISITOR");
    return newAndReturning(asked, people.base ?? visitEvent(asked));
  }
  const begun = people.isNew && people.base === null ? begunBy(asked, people.words) : undefined;
  if (begun !== undefined) return trend([node(begun.name, { math: "dau" })], [begun]);
  const draft = peopleTrend(asked, people);
  takeActive(asked);
  return draft;
}

/** The event by which people become what a noun says: "members" by `membership_started`. */
function begunBy(asked: Asked, noun: string): EventInfo | undefined {
  const person = singular(noun.toLowerCase());
  const [event, another] = [...asked.index.events.values()].filter(
    ({ name }) =>
      nameWords(name).some((word) => word.replace(/ship$/, "") === person) &&
      /start|join|begin|began|creat|buy|bought|activat/i.test(name),
  );
  return another === undefined && !/^(?:user|person|people|visitor)s?$/i.test(noun)
    ? event
    : undefined;
}

function newAndReturning(asked: Asked, event: string): Draft {
  const series = [
    node(event, { math: "first_time_for_user", custom_name: "New visitors" }),
    node(event, { math: "dau", custom_name: "Returning visitors" }, [earlier(event)]),
  ];
  return trend(series, [infoOf(asked, event)]);
}

const takeActive = (asked: Asked): void =>
  useAll(asked, (item) => isTagged(item, "ACTIVE") || item.word === "active");

function eventsCount(asked: Asked, isOfPeople: boolean): Draft | undefined {
  const events = asked.events().map(({ part }) => part.event.name);
  if (events.length === 0) return unnamedCount(asked);
  // "How many pages were viewed" counts page views.
  if (events.includes("$pageview"))
    useAll(
      asked,
      ({ part, term }) =>
        part === undefined && term.properties.some(({ name }) => name === "$pathname"),
    );
  const people = isOfPeople && asked.has(...PEOPLE, "WHO") ? takePeople(asked) : undefined;
  const payers = people?.isPayer === true ? people.base : null;
  const filters = payers === null || events.includes(payers) ? [] : [behavior(payers)];
  const deeds = takeDeeds(asked, { isOfPeople: false }).filter((deed) => isCounted(asked, deed));
  for (const deed of deeds) takeBeginning(asked, deed);
  const [only] = deeds;
  const number = only === undefined || deeds.length > 1 ? undefined : ownNumber(asked, only);
  if (only !== undefined && number !== undefined) {
    const math = { math: "sum", math_property: number };
    return { ...trend([node(only.event.name, math, only.filters)], [only.event]), filters };
  }
  for (const { item } of deeds) refuseOwnNumber(item);
  asked.takeAll("SUM", "VERSUS", "COMPARE", "DIFFERENT", "TIMES");
  const series = deeds.map(({ event, filters: own }) => node(event.name, { math: "total" }, own));
  const named = deeds.map(({ event }) => event);
  return { ...trend(series, named), filters };
}

/** Counts all events, or exceptions: in "how many TypeErrors" the type alone names the event. */
function unnamedCount(asked: Asked): Draft | undefined {
  if (asked.take("ALL_EVENTS") !== undefined) return totalTrend(null);
  const exception = asked.event("$exception");
  const isOfType = asked.items.some(
    ({ part }) =>
      part?.kind === "filter" &&
      part.of.every(({ property }) => property.name === "$exception_types"),
  );
  if (exception === undefined || !isOfType) return undefined;
  return trend([node(exception.name, { math: "total" })], [exception]);
}

/**
 * Whether an event is counted on its own. "Subscriptions did we sell" names one event. Throws `NotUnderstood` for other
 * events that nothing joins.
 */
function isCounted(asked: Asked, { item }: Deed): boolean {
  const before = asked.items.slice(0, item.at).findLast(({ part }) => part?.kind === "ev");
  if (before === undefined) return true;
  const between = asked.items.slice(before.at + 1, item.at);
  const isCompared = asked.items.some((one) => isTagged(one, "COMPARE", "VERSUS"));
  const isJoined =
    isCompared ||
    between.some((one) => isTagged(one, "AND", "OR", "VERSUS") || /^[,:]$/.test(one.word));
  if (isJoined) return true;
  const isSold = /^(?:sell|sold|buy|bought)$/.test(item.term.words[0]?.low ?? "");
  const isSale = /start|purchas|bought|order|book|paid|sold/i.test(
    before.part?.kind === "ev" ? before.part.event.name : "",
  );
  if (isSold && isSale) {
    meanNothing(item);
    return false;
  }
  throw new NotUnderstood(textOf(item), 'Put "and" between two counts.');
}

/** The number that "how many seats were added" sums up: the event "seats added" has the property "seats". */
function ownNumber(asked: Asked, { item, event }: Deed): string | undefined {
  if (!isTagged(asked.beside(item, -1), "COUNT") || asked.beside(item, 1)?.word === "events")
    return undefined;
  const isNoun = (stem: string) => event.stems.includes(stem) && !event.verbs.has(stem);
  return [...event.properties.values()].find(({ name, type }) => {
    const [stem = "", ...others] = nameStems(name);
    const isCount =
      others.length === 0 ? /s$/.test(name) : /^(?:count|quantity)$/.test(others.join());
    return type === "number" && isCount && isNoun(stem);
  })?.name;
}

/** Takes "new" in "new sign ups". A sign up is always new, so the word adds nothing. "First time bookings" are fewer. */
function takeBeginning(asked: Asked, { item, event }: Deed): void {
  const begun = freeBefore(asked, item, "IS_NEW");
  if (begun !== undefined && !/^first/.test(begun.word) && BEGUN.test(spoken(event.name)))
    use(begun);
}

/** Words in the names of events with which something begins. No "book loaned" is a booking. */
const BEGUN =
  /\b(?:sign(?:ed)?[ -]?ups?|signups?|regist\w+|start\w*|creat\w+|begin\w*|began|begun|open(?:ed)?|subscri\w+|install\w*|join\w*|add(?:ed)?|issued?|booked|bookings?)\b/;
