import type { ProjectVocabulary } from "../../ports/vocabulary.ts";
import { nameStems, nameWords, stemOf } from "../text/stems.ts";
import { CART_WORDS, DEFINED_EVENTS, ORDER_WORDS, SDK_EVENTS } from "./defined.ts";
import { add, contentStems, defined, type EventInfo, isMoney, keyOf, spoken } from "./index.ts";

/** Past participles that do not end in "ed". */
const PAST = new Set(
  "sent read bought paid sold seen lost shown made run ran met won left begun began kept built given taken written spent drawn found held".split(
    " ",
  ),
);

function verbsOf(name: string): Set<string> {
  const words = nameWords(name);
  const past = words.filter((word) => word.endsWith("ed") || PAST.has(word));
  return new Set((past.length < words.length ? past : []).map(stemOf));
}

const eventInfo = ({
  name,
  count,
  properties,
}: Omit<ProjectVocabulary["events"][0], "alsoCalled">) => ({
  ...{ name, count, stems: nameStems(name), verbs: verbsOf(name) },
  properties: new Map(properties.map((one) => [one.name, one])),
});

/** Returns the events of a project by their names and by the words for them. A project without events has SDK events. */
export function eventKeys(vocabulary: ProjectVocabulary) {
  const known = vocabulary.events.length > 0 ? vocabulary.events : SDK_EVENTS;
  const events = new Map<string, EventInfo>(known.map((one) => [one.name, eventInfo(one)]));
  const eventsBy = new Map<string, EventInfo[]>();
  const eventsWith = new Map<string, EventInfo[]>();
  for (const event of events.values()) {
    add(eventsBy, keyOf(event.stems), event);
    for (const stem of event.stems) add(eventsWith, stem, event);
  }
  for (const { name, alsoCalled } of vocabulary.events) {
    const event = events.get(name) as EventInfo;
    // The project's own words for an event come first.
    for (const key of alsoCalled.map((words) => keyOf(contentStems(words))))
      eventsBy.set(key, [event, ...(eventsBy.get(key) ?? [])]);
  }
  const own = [...events.values()].filter(({ name }) => !name.startsWith("$"));
  const bySpoken = new Map(own.toReversed().map((one) => [spoken(one.name), one]));
  for (const { names, words } of DEFINED_EVENTS.map(defined)) {
    const exact = names.flatMap((name) => events.get(name) ?? bySpoken.get(spoken(name)) ?? [])[0];
    const guess = GUESSES.find(([words]) => names.includes(words))?.[1];
    const event = exact ?? guess?.(own);
    if (event !== undefined) addPhrases(words, event, eventsBy, eventsWith);
  }
  return { events, eventsBy, eventsWith };
}

function addPhrases(
  phrases: readonly string[],
  event: EventInfo,
  eventsBy: Map<string, EventInfo[]>,
  eventsWith: ReadonlyMap<string, EventInfo[]>,
): void {
  for (const phrase of phrases) {
    const stems = contentStems(phrase);
    // A vague word does not count if another event has it in its name.
    const isWeak = phrase.startsWith("~") && stems.some((stem) => eventsWith.has(stem));
    if (!isWeak && !eventsBy.has(keyOf(stems))) add(eventsBy, keyOf(stems), event);
  }
}

/** The most frequent event about adding to the cart. */
const cartEvent = (events: readonly EventInfo[]): EventInfo | undefined =>
  events
    .filter(({ name }) => /\badd(?:ed)?\b.*\b(?:cart|basket|bag)\b/.test(spoken(name)))
    .toSorted((a, b) => b.count - a.count)[0];

/** The event about buying that has an amount of money: the only one, or the only one that is about nothing else. */
function orderEvent(events: readonly EventInfo[]): EventInfo | undefined {
  const isOrder = ({ name, properties }: EventInfo) =>
    /purchas|order|payment|transaction|sale|\b(?:bought|paid|charged)\b/.test(spoken(name)) &&
    !/refund|cancel|fail|start|abandon|view|claim|payout|cashback|reward/.test(spoken(name)) &&
    [...properties.values()].some(isMoney);
  const all = events.filter(isOrder);
  // "Drink purchased" is one of several, "order paid" is about orders alone.
  const plain = all.filter(({ stems, verbs }) =>
    stems.every(
      (stem) =>
        verbs.has(stem) ||
        /^(?:order|purchas|pay|checkout|transact|invoic|sale?|book|succeed)$/.test(stem),
    ),
  );
  return [all, plain].find(({ length }) => length === 1)?.[0];
}

/** How to guess a defined event in a project that uses another name for it. */
const GUESSES = [
  [ORDER_WORDS, orderEvent],
  [CART_WORDS, cartEvent],
] as const;
