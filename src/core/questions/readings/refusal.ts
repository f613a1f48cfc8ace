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

/** Returns whole questions about the events that a question is likest to. */
export function offeredFor(question: string, { events, properties }: ProjectNames): string[] {
  const isOwn = ({ name }: { name: string }) =>
    !name.includes('"') && !/^\$(?:set|identify|groupidentify|pageleave|autocapture)$/.test(name);
  const known = events.filter(isOwn).map(({ name }) => name);
  const [near = "$pageview", second] = likest(question, known);
  const [property] = likest(
    question,
    properties.map(({ name }) => name).filter((name) => !name.includes('"')),
  );
  const offers = [
    `how many ${near} in the last 30 days`,
    `unique users of ${near} per week over the last 8 weeks`,
    ...(property === undefined ? [] : [`${near} by ${property} in the last 30 days`]),
    ...(second === undefined ? [] : [`funnel from ${near} to ${second} in the last 30 days`]),
    "how many visitors in the last 7 days",
  ];
  return offers.slice(0, OFFERED_MAX);
}

/** Sorts names by how many of their words a question has, then as closest names are. */
function likest(question: string, names: readonly string[]): string[] {
  const stems = new Set(stemsOf(question.replace(/[?.,;!]/g, " ")));
  const shared = (name: string) => stemsOf(name).filter((stem) => stems.has(stem)).length;
  const closest = closestNames(question.toLowerCase(), names);
  return closest.map(({ name }) => name).toSorted((a, b) => shared(b) - shared(a));
}
