import type { Today } from "../language/dates.ts";
import { isSpelledLike, plainEnglish, type Word, wordsOf } from "../language/english.ts";
import { type Part, type Parts, partsOf, unreadOf } from "../language/parts.ts";
import { takeTime } from "../language/time.ts";
import type { Vocabulary } from "../language/vocabulary.ts";
import { calculations, meanOfDays, perUnit } from "./calculations.ts";
import { isAnswerable } from "./compile.ts";
import type { Context } from "./context.ts";
import { counts } from "./counts.ts";
import { finish, lacksIntervals, lacksRows } from "./finish.ts";
import { funnel } from "./funnels.ts";
import * as journeys from "./journeys.ts";
import { byProperty, differentValues, objects, unitsSold } from "./objects.ts";
import type { Measure, Reading } from "./reading.ts";
import type { Reader } from "./units.ts";
import * as visits from "./visits.ts";

/** The readings of a question, the likeliest first; without one, the words that were not understood. */
export type Understood = {
  readings: Reading[];
  /** Words that no reading has a place for, in their order. */
  unknown: string[];
  /** Words whose spelling was put right. */
  mended: { from: string; to: string }[];
};

/** Readers in the order in which a question is tried. A reader that is more particular comes first. */
const READERS: readonly Reader[] = [
  journeys.lifecycle,
  journeys.nextPages,
  visits.person,
  visits.moment,
  journeys.activeOn,
  journeys.stickiness,
  journeys.repeaters,
  journeys.without,
  journeys.newcomers,
  journeys.retention,
  funnel,
  visits.share,
  differentValues,
  visits.sessions,
  meanOfDays,
  perUnit,
  visits.knownPersons,
  calculations,
  unitsSold,
  objects,
  counts,
  byProperty,
];

/** Readings of one question at most. */
const READINGS_MAX = 3;

/** Reads a question. `today` is the time on the clock of the project. */
export function readQuestion(question: string, vocabulary: Vocabulary, today: Today): Understood {
  // In a question that is all in capitals, no capitals tell "US" from "us".
  const isLoud = question === question.toUpperCase();
  const plain = plainEnglish(isLoud ? question.toLowerCase() : question);
  const { text, when } = takeTime(withTimeWords(plain, vocabulary), today);
  const mended: Understood["mended"] = [];
  const words = wordsOf(text).map((word) => {
    const better = word.isQuoted ? undefined : vocabulary.mended(word);
    if (better !== undefined) mended.push({ from: word.text, to: better.stem });
    return better ?? word;
  });
  const all = partsOf(words, vocabulary);
  const attempts = READERS.flatMap((reader) => {
    const parts = unreadOf(all);
    const context = contextOf(vocabulary, { ...when });
    const measure = reader(parts, context);
    return measure === undefined ? [] : [attemptOf(parts, measure, context)];
  });
  const readings = attempts.flatMap(({ reading, unread }) =>
    unread.length === 0 ? [reading] : [],
  );
  if (readings.length > 0)
    return { readings: readings.slice(0, READINGS_MAX), unknown: [], mended };
  const [least] = attempts.toSorted((a, b) => a.unread.length - b.unread.length);
  const strange = all.filter(isStrange).map(textOf);
  const unknown = strange.length > 0 ? strange : (least?.unread ?? [text.trim()]);
  return { readings, unknown, mended };
}

/** Words of periods and intervals, whose spelling is put right before they are read. */
const TIME_WORDS =
  "last past previous today yesterday week weeks month months days daily weekly monthly hourly since between compared january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday".split(
    " ",
  );

/** Puts right the spelling of words about time that have no other meaning. */
function withTimeWords(text: string, vocabulary: Vocabulary): string {
  return text.replace(/(?<![\w$/@.-])[a-z]{4,12}(?![\w@./-])/gi, (typed) => {
    const word = typed.toLowerCase();
    const [one] = wordsOf(word);
    if (one === undefined || TIME_WORDS.includes(word) || vocabulary.isKnown(one)) return typed;
    const like = TIME_WORDS.find((known) => known[0] === word[0] && isSpelledLike(known, word, 1));
    return like ?? typed;
  });
}

/** Completes a reading; `unread` has the words that it has no place for. */
function attemptOf(parts: Parts, measure: Measure, context: Context) {
  const reading = finish(parts, measure, context);
  const unread = parts.unread().map(textOf);
  if (!isAnswerable(reading)) unread.push("and");
  if (lacksRows(reading)) unread.push("most");
  if (lacksIntervals(reading)) unread.push(`per ${reading.when.interval ?? "day"}`);
  return { reading, unread };
}

const textOf = ({ words }: Part) => words.map(({ text }) => text).join(" ");

/** Whether a part has no meaning at all. */
function isStrange({ isSoft, meaning, number, page, who }: Part): boolean {
  const { roles, event, property, values } = meaning;
  const isNothing = [event, property, number, page, who].every((one) => one === undefined);
  return !isSoft && isNothing && roles.size === 0 && values.length === 0;
}

function contextOf(vocabulary: Vocabulary, when: Context["when"]): Context {
  const meaningOf = (phrase: string) => vocabulary.meaningOf(wordsOf(phrase) as Word[]);
  return {
    when,
    eventOf: (phrase) => meaningOf(phrase)?.event,
    propertyOf: (phrase) => meaningOf(phrase)?.property,
    hasEvent: (name) => vocabulary.names.events.some((one) => one.name === name),
  };
}
