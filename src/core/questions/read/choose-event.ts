import type { EventInfo } from "../names/index.ts";
import { nameWords, singular, stemOf } from "../text/stems.ts";
import type { Gathered } from "./gather-event.ts";
import type { Part } from "./parts.ts";
import { DONE } from "./phrases.ts";
import type { Places } from "./rules.ts";
import type { Term } from "./terms.ts";

/** Verbs that create something, and verbs that only start it. "Applications" are submitted rather than started. */
const [CREATING, COMPLETING, STARTING] = [
  "create place submit send make add book write post file register sign buy issue show",
  // A completed booking is a booking, one that was just started may not be.
  "complete confirm finish succeed pay",
  "start begin open",
].map((verbs) => new Set(verbs.split(" ").map(stemOf))) as [Set<string>, Set<string>, Set<string>];

/** Stems of nouns for people, which say little in the name of an event such as "user invited". */
const PEOPLE = new Set("user customer person member guest".split(" ").map(stemOf));

/** How much a name is about a thing that comes to be: created, completed, or just started. */
const begins = ({ verbs }: EventInfo): number =>
  3 -
  (([CREATING, COMPLETING, STARTING].findIndex((all) => [...verbs].some((verb) => all.has(verb))) +
    4) %
    4);

/** Whether a verb in a name says only that its thing is made or done, as in "donation made" and "search performed". */
const isMaking = (event: EventInfo): boolean =>
  begins(event) > 0 || [...event.verbs].some((verb) => DONE.has(verb));

/** Whether the verb of a name has a meaning of its own, as in "ride ended". */
export const hasOwnVerb = (event: EventInfo): boolean => event.verbs.size > 0 && !isMaking(event);

/** The events that the words may mean equally well, the most frequent first. */
export function chosenOf(
  { events, stems }: Gathered,
  places: Places<Part>,
  { whole, noun }: { whole: readonly EventInfo[]; noun: string },
): EventInfo[] {
  if (events.length < 2) return [...events];
  const named = conditionsOf(places);
  const labels = labelsOf(places);
  const values = valuesOf(places);
  const score = (event: EventInfo): number[] => [
    Number(named.every((name) => event.properties.has(name))),
    Number(values.every((names) => names.some((name) => event.properties.has(name)))),
    labels.filter((names) => names.some((name) => event.properties.has(name))).length,
    Number(event.stems.every((stem) => stems.has(stem))),
    Number(whole.includes(event)),
    // "Chatbot" is "chatbot opened" rather than "chatbot message sent".
    Number(event.stems.every((one) => stems.has(one) || event.verbs.has(one) || PEOPLE.has(one))),
    // "Subscriptions" start a subscription, and do not subscribe to a newsletter.
    Number(begins(event) > 0 && nameWords(event.name).some((word) => singular(word) === noun)),
    Number([...event.verbs].some((verb) => stems.has(verb))),
    begins(event),
    -event.stems.length,
    event.count,
  ];
  const scored = events.map((event) => ({ event, score: score(event) }));
  const sorted = scored.toSorted((a, b) => compared(b.score, a.score));
  const best = sorted[0]?.score.slice(0, -1) ?? [];
  return sorted.filter(({ score }) => compared(best, score) === 0).map(({ event }) => event);
}

function compared(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((one, index) => one !== b[index]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}

/** Names of the event properties in conditions that have only one possible property. */
const conditionsOf = (places: Places<Part>): string[] =>
  places.sequence().flatMap(({ part }) => {
    const properties = part?.kind === "filter" ? part.of.map(({ property }) => property) : [];
    const names = new Set(properties.map(({ name }) => name));
    return names.size === 1 && properties.every(({ of }) => of === "event") ? [...names] : [];
  });

/** Names of the own properties of events that have a word as a value, as "jackets" is a category. */
const valuesOf = (places: Places<Part>): string[][] =>
  places.sequence().flatMap(({ part, joins, tags, from }) => {
    const { values } = places.terms[from] as Term;
    const isValue =
      part === undefined && joins === undefined && tags.length === 1 && tags[0] === "VAL";
    const isOwn = values.every(
      ({ property: { of, name } }) => of === "event" && !/^\$|^utm_/.test(name),
    );
    return isValue && isOwn ? [values.map(({ property }) => property.name)] : [];
  });

/** Names of the event properties that each unread word may mean. */
const labelsOf = (places: Places<Part>): string[][] =>
  places.sequence().flatMap(({ part, joins, tags, from }) => {
    const { properties: whole, near, concepts } = places.terms[from] as Term;
    // "By hour" is no property "response hours".
    const isNear = whole.length === 0 && concepts.size === 0 && !tags.includes("VAL");
    const properties = isNear ? near : whole;
    const isLabel =
      part === undefined &&
      joins === undefined &&
      !tags.some((tag) => tag === "F" || tag === "PERSON") &&
      (!tags.includes("EVPART") || tags.includes("PROP")) &&
      ["PROP", "NEARPROP"].some((tag) => tags.includes(tag));
    return isLabel && properties.length > 0 && properties.every(({ of }) => of === "event")
      ? [properties.map(({ name }) => name)]
      : [];
  });
