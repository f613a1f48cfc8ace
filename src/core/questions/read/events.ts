import type { EventInfo, NameIndex, PropertyInfo } from "../names/index.ts";
import { nameWords, singular, stemOf } from "../text/stems.ts";
import { chosenOf, hasOwnVerb } from "./choose-event.ts";
import { gathered, isVague } from "./gather-event.ts";
import type { Named, Part } from "./parts.ts";
import type { Place, Places } from "./rules.ts";
import type { Term } from "./terms.ts";

type At = Place<Part>;

/** Concepts of words that never start an event's name, unless they are in quotes. */
const STRUCTURE: ReadonlySet<string> = new Set(
  "PERSON VISITOR PAYER ACTIVE COUNT LIST MUCH BY PER MOST LEAST GREATEST SMALLEST AVERAGE MEDIAN SUM SHARE RATE TIMES WHO WHICH WHEN SESSION BOUNCE_RATE SESSION_LENGTH DEPTH ENTRY EXIT RETENTION LIFECYCLE STICKINESS FUNNEL CONVERSION AND OR TO WITHOUT EXCEPT IS_NEW RETURNING DIFFERENT REVENUE MONEY SECONDS MINUTES HOURS DAYS DAU WAU MAU DATE HOUR WEEKDAY".split(
    " ",
  ),
);

/** Concepts that give way to a project's own event of the same name, such as "visit". */
const NOUNS: ReadonlySet<string> = new Set(["SESSION", "CONVERSION", "ENTRY", "EXIT"]);

/** Reads the events that a question names; with `isLast` also by words that are values. */
export function readEvents(places: Places<Part>, index: NameIndex, isLast = false): void {
  // `readEvent` changes the places, so they are read again in each step.
  for (let at = 0; at < places.sequence().length; at += 1) {
    const { part, joins } = places.sequence()[at] as At;
    if (part === undefined && joins === undefined) readEvent(places, at, { index, isLast });
  }
}

type Reading = { index: NameIndex; isLast: boolean };

function readEvent(places: Places<Part>, at: number, reading: Reading): void {
  const place = places.sequence()[at] as At;
  const before = places.sequence()[at - 1];
  const term = places.terms[place.from] as Term;
  const whole = term.events;
  const structure = place.tags.filter((tag) => STRUCTURE.has(tag));
  const isOwn = whole.some(({ name }) => !name.startsWith("$"));
  const isOwnNoun = isOwn && structure.every((tag) => NOUNS.has(tag));
  if (structure.length > 0 && !isOwnNoun && !isQuoted(term)) return;
  if (whole.length > 0 && isLabel(place, term, before)) return;
  if (isVerbOfNext(places, at)) return;
  takeEvent(places, at, reading);
}

/** Whether "opened" in "opened two tickets" is the verb of the event after it, and no page view. */
function isVerbOfNext(places: Places<Part>, at: number): boolean {
  const all = places.sequence();
  const term = places.terms[(all[at] as At).from] as Term;
  const isView =
    term.events.length === 1 && /^\$(?:pageview|screen)$/.test(term.events[0]?.name ?? "");
  if (
    !isView ||
    term.words.length > 1 ||
    !/^(?:open|se|read|visit|hit)/.test(term.words[0]?.stem ?? "")
  )
    return false;
  const next = all.slice(at + 1, at + 5).find(({ part, tags }) => {
    const isBetween = part?.kind === "cmp" || part?.kind === "freq" || tags.includes("F");
    return !isBetween && !tags.includes("NUM");
  });
  return (
    next !== undefined &&
    next.part === undefined &&
    next.tags.includes("EVPART") &&
    !next.tags.includes("VAL")
  );
}

function takeEvent(places: Places<Part>, at: number, { index, isLast }: Reading): void {
  const place = places.sequence()[at] as At;
  const term = places.terms[place.from] as Term;
  const whole = term.events;
  const starts = whole.length > 0 ? extended(whole, term, index) : term.partOf;
  if (starts.length === 0) return;
  const found = gathered(places, at, starts, whole);
  const again = whole.length === 0 ? sameThing(places, at, starts) : undefined;
  const noun = singular(term.words[0]?.low ?? "");
  const likely = starts.length === 1 ? found.events : chosenOf(found, places, { whole, noun });
  const [event, ...others] = again === undefined ? likely : [again];
  if (event === undefined || isDoerOfOther(term.words[0]?.low ?? "", event)) return;
  const isPart = whole.length === 0 && !event.stems.every((stem) => found.stems.has(stem));
  if (isLabelled(places, at, found.others)) return;
  const isSure = !isPart || again !== undefined;
  if (!isSure && (isVague(event, found) || !isMeant(places, at, isLast))) return;
  claim(places, at, { event, others, isPart, joined: found.others }, index);
}

/** Turns words into an event, with a number after them and a verb such as "sent". */
function claim(
  places: Places<Part>,
  at: number,
  { joined, ...named }: Pick<Named, "event" | "others" | "isPart"> & { joined: number[] },
  index: NameIndex,
): void {
  const { event } = named;
  const termOf = (one: number) => places.terms[(places.sequence()[one] as At).from] as Term;
  const texts = [at, ...joined].flatMap((one) => termOf(one).words);
  const part: Named = {
    ...{ kind: "ev", ...named, text: texts.map(({ text }) => text).join(" ") },
    // In "charged on fast chargers", the last word is no person.
    isDoer: [at, ...joined.filter((one, index) => one === at + index + 1)]
      .flatMap((one) => termOf(one).words)
      .some(({ low }) => isDoer(low, event)),
  };
  const last = joined.at(-1) ?? at;
  const verb =
    at -
    1 -
    places
      .sequence()
      .slice(0, at)
      .toReversed()
      .findIndex(
        ({ part: one, tags }) =>
          !(one?.kind === "cmp" || one?.kind === "freq" || tags.includes("NUM") || tags[0] === "F"),
      );
  takeNumber(places, last, termOf(last), event);
  // "Recorded" says nothing of "visit made", and something of "concert attended".
  const isVerb =
    verb >= 0 && verb < at && isDoneVerb(places.sequence()[verb]) && !hasOwnVerb(event);
  places.claim(at, part, isVerb ? [...joined, verb] : joined);
  const isOrder = index.eventsBy.get("purchas")?.[0] === event;
  takeDone(places, at, part, { next: last + 1, isOrder });
}

const isDoneVerb = (place: At | undefined): boolean =>
  place?.part === undefined &&
  place?.tags.includes("DONE") === true &&
  !place.tags.some((tag) => tag === "F" || tag === "COUNT");

/** Reads the number in "completed level 3" as a filter: the word before it is also a property of the event. */
function takeNumber(places: Places<Part>, at: number, { words }: Term, event: EventInfo): void {
  const next = places.sequence()[at + 1];
  const number =
    next?.part === undefined && next !== undefined ? places.terms[next.from]?.number : undefined;
  const name = words.at(-1)?.low ?? "";
  const found = [...event.properties.values()].find(
    (one) =>
      one.type === "number" &&
      nameWords(one.name)
        .filter((word) => !/^(?:number|no|nr|id)$/.test(word))
        .join(" ") === singular(name),
  );
  if (number === undefined || found === undefined) return;
  const property: PropertyInfo = { of: "event", ...found };
  const of = [{ property, values: [String(number)], isExact: true }];
  const text = `${name} ${number}`;
  places.claim(at + 1, { kind: "filter", of, operator: "exact", text, isNamed: true });
}

/** Whether a word is a property. In "top screens" and "by screen" it is not the event. */
const isLabel = (place: At, { words }: Term, before: At | undefined): boolean =>
  place.tags.includes("PROP") &&
  words.length === 1 &&
  before?.part === undefined &&
  ["MOST", "BY", "NUM", "WHICH"].some((tag) => before?.tags.includes(tag));

/** Nouns that end as those for people do. */
const THING =
  /^(?:answer|order|offer|transfer|register|voucher|banner|letter|newsletter|folder|trailer|reminder|tracker|error|monitor|encounter)s?$/;

/** Whether a word names the people who do the event, such as "buyers". */
const isDoer = (low: string, { name }: EventInfo): boolean =>
  /(?:er|or)s?$/.test(low) &&
  !THING.test(low) &&
  stemOf(low) !== singular(low) &&
  !name.toLowerCase().includes(singular(low));

/** Whether a word names people by what the event is only about: "readers" are not those with a "reading attended". */
const isDoerOfOther = (low: string, event: EventInfo): boolean =>
  isDoer(low, event) && hasOwnVerb(event) && !event.verbs.has(stemOf(low));

/** Whether a word is the verb in "did not pay". */
function isNegatedVerb(places: Places<Part>, at: number): boolean {
  const before = places.sequence()[at - 1];
  const { words, partOf } = places.terms[(places.sequence()[at] as At).from] as Term;
  const isNot = before?.part === undefined && before?.tags.includes("WITHOUT") === true;
  return isNot && partOf.some(({ verbs }) => verbs.has(words[0]?.stem ?? ""));
}

/** The event that a verb names together with the thing of an earlier event: "started an application and submitted it". */
function sameThing(
  places: Places<Part>,
  at: number,
  starts: readonly EventInfo[],
): EventInfo | undefined {
  const { from } = places.sequence()[at] as At;
  const stem = (places.terms[from] as Term).words[0]?.stem ?? "";
  const earlier = places
    .sequence()
    .slice(0, at)
    .flatMap(({ part }) => (part?.kind === "ev" ? [part.event] : []));
  return starts.find(
    (one) =>
      one.verbs.has(stem) &&
      earlier.some(
        ({ name, stems, verbs }) =>
          name !== one.name &&
          stems.some((thing) => !verbs.has(thing) && one.stems.includes(thing)),
      ),
  );
}

const isQuoted = ({ words }: Term) => words[0]?.isQuoted === true;

/**
 * Whether a part of an event's name means a property, a value or a group instead. A plural such as "lessons" is an event,
 * and so is "lesson" before a property of that event.
 */
function isMeantOtherwise(places: Places<Part>, at: number): boolean {
  const { tags, from } = places.sequence()[at] as At;
  const { words, partOf } = places.terms[from] as Term;
  if (words.length > 1) return false;
  const [before, after] = [places.sequence()[at - 1], places.sequence()[at + 1]];
  const isName = ["PROP", "VAL", "GROUP"].some((tag) => tags.includes(tag));
  const isStep =
    /^(?:to|until|till|then|into)$/.test(before?.word ?? "") ||
    (before?.word === "from" && after?.word === "to");
  if (isStep && !tags.includes("F")) return false;
  if (!isName || tags.includes("GROUP")) {
    return isName || tags.includes("F") || tags.includes("DONE");
  }
  const isAsked = ["BY", "PER", "WHICH", "MOST", "SOLD", "DIFFERENT", "NUM", "AND"].some((tag) =>
    before?.tags.includes(tag),
  );
  const isPlural = words[0]?.low.endsWith("s") === true && singular(words[0].low) !== words[0].low;
  const next =
    after?.part === undefined && after !== undefined ? places.terms[after.from] : undefined;
  const isOwner = (next?.properties ?? []).some(({ events }) =>
    partOf.some(({ name }) => events?.has(name) === true),
  );
  return isAsked || !(isPlural || isOwner);
}

/**
 * The events with exactly this name, and for a single word also those with more words, such as "task completed". "Looking
 * at a job" may be a page view, or the event "job viewed".
 */
function extended(whole: readonly EventInfo[], { words }: Term, index: NameIndex) {
  const isView = whole.some(({ name }) => name === "$pageview" || name === "$screen");
  const single = words.length === 1 ? [words[0]?.stem ?? ""] : [];
  const stems = isView ? ["view"] : single;
  const longer = stems.flatMap((stem) => index.eventsWith.get(stem) ?? []);
  return [...whole, ...longer.filter((one) => !whole.includes(one))];
}

/** Whether "shows" in "which shows gained followers" is a label, and the event is named by a later word. */
const isLabelled = (places: Places<Part>, at: number, others: readonly number[]): boolean =>
  (others[0] ?? 0) > at + 1 &&
  places.sequence()[at]?.tags.includes("PROP") === true &&
  places.sequence()[at - 1]?.tags.some((tag) => /^(?:WHICH|BY|NUM)$/.test(tag)) === true;

/** Whether a part of a name stands for the event: a verb after "not", or a value that is read last. */
const isMeant = (places: Places<Part>, at: number, isLast: boolean): boolean =>
  isNegatedVerb(places, at) ||
  isVerbOfPeople(places, at) ||
  (isLast && isValue(places.sequence()[at] as At)) ||
  !isMeantOtherwise(places, at);

/** Whether "listened" in "people listened" is what they did. */
function isVerbOfPeople(places: Places<Part>, at: number): boolean {
  const [before, place] = [places.sequence()[at - 1], places.sequence()[at] as At];
  const [verb] = (places.terms[place.from] as Term).words;
  const isOfPeople = before?.tags.some((tag) => /^(?:PERSON|VISITOR|PAYER|WHO)$/.test(tag));
  return isOfPeople === true && /ed$/.test(verb?.low ?? "");
}

const isValue = ({ tags }: At): boolean => tags.includes("VAL") && !tags.includes("PROP");

/** Adds a word without a meaning of its own to the event before it, as in "orders placed" and "purchase events". */
function takeDone(
  places: Places<Part>,
  at: number,
  part: Part,
  { next, isOrder }: { next: number; isOrder: boolean },
): void {
  const after = places.sequence()[next];
  const isPlain = /^(?:events?|something|anything)$/.test(after?.word ?? "");
  const isDone = after?.tags.includes("DONE") === true || (isOrder && after?.word === "paid");
  if ((isDone || isPlain) && after?.part === undefined) places.claim(at, part, [next]);
}
