import { Failure } from "../values/failure.ts";
import { closestNames } from "../values/similar-names.ts";
import { nameOfMark, spelledOut } from "./quoted-names.ts";

/** Names of events and properties, the most frequent first, then by name. */
export type EventNames = {
  events: { name: string; count: number }[];
  properties: { name: string; count: number }[];
  /** `count` is of the persons that were read. */
  person_properties: { name: string; count: number }[];
};

/** Names that a failure offers for an unknown one, and characters that it repeats of that one. */
const OFFERED_MAX = 10;
const REPEATED_CHARS_MAX = 80;

/** Reserved words that a failure offers for an unknown word. */
const OFFERED_WORDS_MAX = 3;

/** Words of a filter, which come after "where". */
const FILTERING =
  /(?:^| )(?:where|whose|having|filtered|with|if|!?=|[<>]=?|is|is not|contains)(?: |$)|\S!?=\S/i;
const FILTERS = 'Filters come after where, as in: where plan is "pro" and amount > 3.';

const EVERYTHING = /^(?:all )?events$/i;

/** An index of the names of one kind. */
type Names = {
  list: readonly { name: string }[];
  exact: ReadonlySet<string>;
  /** The most frequent name by its spelling with one space between words, and by that in lower case. */
  spaced: ReadonlyMap<string, string>;
  folded: ReadonlyMap<string, string>;
  /** Characters of the longest name. */
  chars: number;
};

/** An index of the names of a project. */
export type NameIndex = Record<keyof EventNames, Names>;

/** Builds the index, so that each lookup is fast. */
export function nameIndex({ events, properties, person_properties }: EventNames): NameIndex {
  const index = (list: { name: string }[]): Names => {
    const names = list.map(({ name }) => name);
    // Of equal keys a map keeps the last: the most frequent name comes first.
    const by = (key: (name: string) => string) =>
      new Map(names.toReversed().map((name) => [key(name), name]));
    return {
      list,
      exact: new Set(names),
      spaced: by((name) => name.replace(/\s+/g, " ").trim()),
      folded: by(folded),
      chars: names.reduce((most, { length }) => Math.max(most, length), 0),
    };
  };
  return {
    events: index(events),
    properties: index(properties),
    person_properties: index(person_properties),
  };
}

/** Options of the lookups for one question. */
export type NameLookup = {
  /** The field that failures name. */
  attr: string;
  /** The form of a question, which failures show. */
  form: string;
  /** The quoted names that the marks of the question stand for. */
  quoted: readonly string[];
  /** Names, in lower case, to ignore. */
  without: ReadonlySet<string>;
};

/** Finds names: those in quotes exactly, others in any case. */
export type Known = ReturnType<typeof namesIn>;

/** Returns lookups of the names of a project, and failures of unknown names. */
export function namesIn(index: NameIndex, { attr, form, quoted, without }: NameLookup) {
  const refused = (detail: string) =>
    new Failure("invalid_input", `${detail} Ask like this: ${form}.`, attr);
  const filters = (text: string) => (FILTERING.test(plain(text)) ? ` ${FILTERS}` : "");
  const spelled = (text: string) => spelledOut({ text, quoted });
  const plain = (text: string) => nameOfMark(text, quoted) ?? spelled(text);
  const repeated = (text: string) =>
    JSON.stringify([...plain(text)].slice(0, REPEATED_CHARS_MAX).join(""));
  const finder = (names: Names) => (text: string) => {
    const name = nameOfMark(text, quoted);
    if (name !== undefined) return names.exact.has(name) ? name : undefined;
    return likely(names, spelled(text), without);
  };
  const unknown = (what: string, text: string, { list }: Names) => {
    if (text === "") return refused(`The name of ${what} is missing.`);
    const all = list.map(({ name }) => name);
    const offered = closestNames(folded(plain(text)), all, folded).slice(0, OFFERED_MAX);
    const there = offered.map(({ name }) => JSON.stringify(name)).join(", ") || "none yet";
    return refused(
      `${repeated(text)} is not understood as ${what}.${filters(text)} There are: ${there}.`,
    );
  };
  const event = finder(index.events);
  return {
    event,
    property: finder(index.properties),
    personProperty: finder(index.person_properties),
    /** Returns a part of the question as written; `plain` returns a name without its quotes. */
    spelled,
    plain,
    /** Returns a text without its quotes. Fails `invalid_input` on a part in quotes next to other words. */
    text(text: string): string {
      if (!text.includes("\0") || nameOfMark(text, quoted) !== undefined) return plain(text);
      throw refused(
        `${spelled(text)} is no name or value: all of it is in double quotes, or none.`,
      );
    },
    refused,
    noEvent: (text: string) =>
      unknownPart(text, event, { repeated, refused, filters }) ??
      unknown("an event", text, index.events),
    noPlace: (text: string) => unknown("an address or an event", text, index.events),
    noProperty: (text: string) => unknown("a property", text, index.properties),
    noPersonProperty: (text: string) =>
      unknown("a property of persons", text, index.person_properties),
  };
}

type Phrasing = {
  repeated(text: string): string;
  refused(detail: string): Failure;
  filters(text: string): string;
};

/** Returns the failure of unknown words before or after an event. */
function unknownPart(
  text: string,
  event: (text: string) => string | undefined,
  { repeated, refused, filters }: Phrasing,
): Failure | undefined {
  const spaces = [...text.matchAll(/ /g)].map(({ index }) => index);
  const before = spaces.find((at) => event(text.slice(at + 1)) !== undefined);
  const after = spaces.findLast((at) => event(text.slice(0, at)) !== undefined);
  const at = before ?? after;
  if (at === undefined) return undefined;
  const [head, tail] = [text.slice(0, at), text.slice(at + 1)];
  const [word, place] =
    before === undefined ? [tail, `after ${repeated(head)}`] : [head, `before ${repeated(tail)}`];
  // The words end like an item of a list, so a name of the list is unknown.
  if (before !== undefined && /(?:,| and| then| to| vs)$/i.test(word)) return undefined;
  const isWord = !word.includes(" ") && !RESERVED_WORDS.has(folded(word));
  const likely = isWord
    ? closestNames(folded(word), [...RESERVED_WORDS]).filter(({ like }) => like > 0)
    : [];
  const offered = likely.slice(0, OFFERED_WORDS_MAX).map(({ name }) => name);
  const there = offered.length === 0 ? "" : ` Is it ${offered.join(" or ")}?`;
  return refused(`${repeated(word)} is not understood ${place}.${filters(word)}${there}`);
}

/** Returns the name that equals a text, else the most frequent one that matches it. */
function likely(names: Names, text: string, without: NameLookup["without"]): string | undefined {
  // Most parts of a long list are longer than any name, and cost no lookup.
  if (text.length > names.chars) return undefined;
  const loose = folded(text);
  if (without.has(loose)) return undefined;
  if (names.exact.has(text)) return text;
  return names.spaced.get(text) ?? names.folded.get(loose);
}

/** Returns the name of an event, null for all events, undefined for an unknown one. */
export function eventIn(text: string, known: Known): string | null | undefined {
  return known.event(text) ?? (EVERYTHING.test(text) ? null : undefined);
}

/** Returns the event of a text, null for all events. Fails `invalid_input`. */
export function eventOf(text: string, known: Known): string | null {
  const event = eventIn(text, known);
  if (event === undefined) throw known.noEvent(text);
  return event;
}

/** Reads events between separators. Names may contain separators; the longest name counts. */
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

/** Returns the first part of a list that is no event; the whole text without one. */
export function firstUnknown(text: string, separators: RegExp, known: Known): string {
  const parts = text.split(separators);
  return parts.find((part) => part !== "" && eventIn(part, known) === undefined) ?? text;
}

/** Folds a name for comparison: lower case, plain quotes, single spaces. */
export function folded(text: string): string {
  const plain = text
    .normalize("NFC")
    .replace(/[‘’]/g, "'")
    .replace(/[“”„«»]/g, '"');
  return plain.toLowerCase().replace(/\s+/g, " ").trim();
}

/** Words of the grammar. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  `all and avg average by compared contains count daily day distinct does earlier ends events excluding first for from funnel
  hour hourly in intervals is last lifecycle matches not only or set starts this time where max maximum median min minimum month monthly number of on ordered over p50 p75 p90 p95 p99
  past path paths per person persons previous recurring retention screen session sessions since stickiness strict
  sum the then to today top total trend trends unique unordered until user users versus visitor visitors vs with
  within without week weekly year yesterday`.split(/\s+/),
);
