import { closestNames } from "../../values/similar-names.ts";
import { stemsOf } from "../language/english.ts";
import type { ProjectNames } from "../language/name-keys.ts";

/** Questions that a refusal offers, and unknown words that it repeats. */
const OFFERED_MAX = 4;
const UNKNOWN_MAX = 3;

/** Characters of an unknown word that a refusal repeats. */
const WORD_CHARS_MAX = 80;

/** Characters of a question that a refusal repeats. */
const QUESTION_CHARS_MAX = 200;

/**
 * Returns the sentence that refuses a question: the words that were not understood, and whole questions near to it that
 * would be answered.
 */
export function refusalOf(
  question: string,
  unknown: readonly string[],
  names: ProjectNames,
): string {
  const words = unknown
    .slice(0, UNKNOWN_MAX)
    .map((word) => JSON.stringify(word.slice(0, WORD_CHARS_MAX)));
  const what = words.length === 0 ? "This" : words.join(" and ");
  const verb = words.length > 1 ? "are" : "is";
  const offers = offeredFor(question, names).map((one) => JSON.stringify(one));
  return `${what} ${verb} not understood in ${JSON.stringify(question.slice(0, QUESTION_CHARS_MAX))}. Questions that are answered: ${offers.join("; ")}.`;
}

/** Properties to offer where a question names none, the best first. */
const OFFERED_PROPERTIES = [
  ...["$device_type", "$browser", "utm_source", "$referring_domain", "$geoip_country_name"],
  ...["$os", "$pathname", "$screen_name"],
];

/** Events of every project, which hardly anyone asks about. */
const SILENT =
  /^\$(?:set|identify|groupidentify|pageleave|autocapture|opt_in|feature_flag_called|web_vitals|exception)$/;

/** Returns whole questions about the events that a question is likest to. */
export function offeredFor(question: string, { events, properties }: ProjectNames): string[] {
  const sayable = (all: readonly { name: string }[]) =>
    all.map(({ name }) => name).filter((name) => !name.includes('"') && !SILENT.test(name));
  const known = likest(question, sayable(events)).map(({ name }) => name);
  const [near = "$pageview", second] = known;
  const all = sayable(properties);
  const [likestOne] = likest(question, all);
  // An event may lack a property of its own, which only its name in the question makes likely.
  const named = (likestOne?.shared ?? 0) > 0 ? likestOne?.name : undefined;
  const property = named ?? OFFERED_PROPERTIES.find((name) => all.includes(name));
  const offers = [
    `how many ${near} in the last 30 days`,
    `unique users of ${near} per week over the last 8 weeks`,
    ...(property === undefined ? [] : [`${near} by ${property} in the last 30 days`]),
    ...(second === undefined ? [] : [`funnel from ${near} to ${second} in the last 30 days`]),
    "how many visitors in the last 7 days",
  ];
  return offers.slice(0, OFFERED_MAX);
}

/** Sorts names by how many of their words a question has, then by how much they are like one of its words. */
function likest(question: string, names: readonly string[]): { name: string; shared: number }[] {
  const plain = question.toLowerCase().replace(/[?.,;!]/g, " ");
  const stems = new Set(stemsOf(plain));
  const likeness = new Map<string, number>();
  for (const word of plain.split(/\s+/).filter(({ length }) => length >= WORD_CHARS_MIN)) {
    for (const { name, like } of closestNames(word, names, (one) => one.toLowerCase())) {
      likeness.set(name, Math.max(likeness.get(name) ?? 0, like));
    }
  }
  return names
    .map((name) => ({ name, shared: stemsOf(name).filter((stem) => stems.has(stem)).length }))
    .toSorted(
      (a, b) => b.shared - a.shared || (likeness.get(b.name) ?? 0) - (likeness.get(a.name) ?? 0),
    );
}

/** Characters of a word that may be a misspelled name. */
const WORD_CHARS_MIN = 5;
