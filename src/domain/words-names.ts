import { Failure } from "./errors.ts";

/** What events and properties are called, the most frequent first; names decide between equals. */
export type EventNames = {
  events: { name: string; count: number }[];
  /** `count` is of the newest events alone. */
  properties: { name: string; count: number }[];
  /** `count` is of the newest persons alone. */
  person_properties: { name: string; count: number }[];
};

/** Names that are offered instead of one that is not known, and characters of it that are repeated. */
const OFFERED_MAX = 10;
const REPEATED_CHARS_MAX = 80;

const EVERYTHING = /^(?:all )?events$/i;

/** Looks names up: as they are, else in any case, the most frequent of several. */
export type Known = ReturnType<typeof namesIn>;

/** Names of a project; `form` is how to ask, and `attr` the field to blame. */
export function namesIn(names: EventNames, { attr, form }: { attr: string; form: string }) {
  const finder = (some: { name: string }[]) => {
    const exact = new Map(some.map(({ name }) => [name.replace(/\s+/g, " ").trim(), name]));
    const loose = new Map(some.toReversed().map(({ name }) => [folded(name), name]));
    return (text: string) => exact.get(text) ?? loose.get(folded(text));
  };
  const refused = (detail: string) =>
    new Failure("invalid_input", `${detail} Ask like this: ${form}.`, attr);
  const unknown = (what: string, text: string, some: { name: string }[]) => {
    const likeness = likenessTo(folded(text));
    const likely = some.map((one) => ({ one, like: likeness(folded(one.name)) }));
    const offered = likely
      .toSorted((a, b) => b.like - a.like)
      .map(({ one }) => one)
      .slice(0, OFFERED_MAX);
    const there = offered.map(({ name }) => JSON.stringify(name)).join(", ") || "none yet";
    const repeated = JSON.stringify([...text].slice(0, REPEATED_CHARS_MAX).join(""));
    return refused(`${repeated} is not understood as ${what}. There are: ${there}.`);
  };
  return {
    event: finder(names.events),
    property: finder(names.properties),
    personProperty: finder(names.person_properties),
    refused,
    noEvent: (text: string) => unknown("an event", text, names.events),
    noPlace: (text: string) => unknown("an address or an event", text, names.events),
    noProperty: (text: string) => unknown("a property", text, names.properties),
    noPersonProperty: (text: string) =>
      unknown("a property of persons", text, names.person_properties),
  };
}

/** Null is all events. */
export function eventIn(text: string, known: Known): string | null | undefined {
  return known.event(text) ?? (EVERYTHING.test(text) ? null : undefined);
}

/** The only event of a text. Fails `invalid_input`. */
export function eventOf(text: string, known: Known): string | null {
  const event = eventIn(text, known);
  if (event === undefined) throw known.noEvent(text);
  return event;
}

/** Events between separators, which names may have in them: of names that begin alike, the longest. */
export function eventList(
  text: string,
  separators: RegExp,
  known: Known,
): (string | null)[] | undefined {
  const one = eventIn(text, known);
  if (one !== undefined) return [one];
  for (const { 0: separator, index } of [...text.matchAll(separators)].reverse()) {
    const first = eventIn(text.slice(0, index), known);
    if (first === undefined) continue;
    const others = eventList(text.slice(index + separator.length), separators, known);
    return others && [first, ...others];
  }
  return undefined;
}

/** What events are broken down by, as a query has it. */
export type Broken = { breakdown: string; breakdown_type: "event" | "person" };

/** Events, and what they are broken down by; a name may have `by` in it. Fails `invalid_input`. */
export function eventsBy(
  text: string,
  separators: RegExp,
  known: Known,
): { events: (string | null)[]; broken?: Broken } {
  const whole = eventList(text, separators, known);
  if (whole !== undefined) return { events: whole };
  const by = text.toLowerCase().lastIndexOf(" by ");
  const before = by < 0 ? text : text.slice(0, by);
  const events = eventList(before, separators, known);
  if (events === undefined) throw known.noEvent(firstUnknown(before, separators, known));
  return { events, broken: brokenBy(text.slice(by + 4), known) };
}

function brokenBy(text: string, known: Known): Broken {
  const property = known.property(text);
  if (property !== undefined) return { breakdown: property, breakdown_type: "event" };
  const [, ofPerson] = /^(?:person|user)(?:'s)? (.+)$/i.exec(text) ?? [];
  if (ofPerson === undefined) throw known.noProperty(text);
  const found = known.personProperty(ofPerson);
  if (found === undefined) throw known.noPersonProperty(ofPerson);
  return { breakdown: found, breakdown_type: "person" };
}

/** The first part of a list that is no event; the whole if it cannot be told. */
function firstUnknown(text: string, separators: RegExp, known: Known): string {
  const parts = text.split(separators);
  return parts.find((part) => eventIn(part, known) === undefined) ?? text;
}

/** How much alike two names must be spelt to be offered before those that are more frequent. */
const LIKENESS_MIN = 0.4;

/**
 * How much a name is like a text: 2 if the text is in it, else which share of their pairs of letters
 * they have in common, 0 if that is little.
 */
function likenessTo(text: string): (name: string) => number {
  const pairsOf = (one: string) =>
    new Set(Array.from({ length: one.length + 1 }, (_, at) => ` ${one} `.slice(at, at + 2)));
  const pairs = pairsOf(text);
  return (name) => {
    if (name.includes(text)) return 2;
    const others = pairsOf(name);
    const common = [...pairs].filter((pair) => others.has(pair)).length;
    const like = (2 * common) / (pairs.size + others.size);
    return like < LIKENESS_MIN ? 0 : like;
  };
}

function folded(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}
