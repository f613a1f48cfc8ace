import type { Today } from "../language/dates.ts";
import { isSpelledLike, plainEnglish, type Word, wordsOf } from "../language/english.ts";
import { OTHER_MEANINGS, type Role } from "../language/lexicon.ts";
import { type Part, type PartRole, type Parts, partsOf, unreadOf } from "../language/parts.ts";
import { type Timed, type TimeRole, takeTime } from "../language/time.ts";
import {
  type Range,
  rangeBefore,
  rewritten,
  type Traced,
  withoutQuoted,
} from "../language/traced.ts";
import type { Vocabulary } from "../language/vocabulary.ts";
import { bestDay, calculations, meanOfDays, perUnit } from "./calculations.ts";
import { isAnswerable } from "./compile.ts";
import type { Context } from "./context.ts";
import { counts } from "./counts.ts";
import { finish, lacksIntervals, lacksRows } from "./finish.ts";
import { funnel } from "./funnels.ts";
import { miscounted } from "./joined.ts";
import * as journeys from "./journeys.ts";
import { byProperty, differentValues, objects, unitsSold } from "./objects.ts";
import type { Measure, Reading } from "./reading.ts";
import type { Reader } from "./units.ts";
import * as visits from "./visits.ts";

/** A word of a question that no reading has a place for. */
export type Unknown = { text: string } & Range;

/** A part of a question: its role, and where it stands in the text. */
export type SaidPart = { role: PartRole | TimeRole } & Range;

/** The readings of a question, the likeliest first; without one, the words that were not understood. */
export type Understood = {
  readings: Reading[];
  /** In their order. */
  unknown: Unknown[];
  /** The parts of the first reading, in their order; without one, of the attempt that left the fewest words. */
  parts: SaidPart[];
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
  bestDay,
];

/** Readings of one question at most. */
const READINGS_MAX = 3;

/** Reads a question. `today` is the time on the clock of the project. */
export function readQuestion(question: string, vocabulary: Vocabulary, today: Today): Understood {
  const other = otherMeaningIn(question, vocabulary);
  if (other !== undefined) return { readings: [], unknown: [other], parts: [] };
  // In a question that is all in capitals, no capitals tell "US" from "us".
  const isLoud = question === question.toUpperCase();
  const plain = withTimeWords(plainEnglish(isLoud ? question.toLowerCase() : question), vocabulary);
  const { text, when, said } = takeTime(plain.text, today);
  const words = wordsOf(text).map((word) =>
    word.isQuoted ? word : (vocabulary.mended(word) ?? word),
  );
  const all = partsOf(words, vocabulary);
  const attempts = READERS.flatMap((reader) => {
    const parts = unreadOf(all);
    const context = contextOf(vocabulary, { ...when });
    const measure = reader(parts, context);
    return measure === undefined ? [] : [attemptOf(parts, measure, context, said)];
  });
  const fitting = attempts.filter(({ unread }) => unread.length === 0);
  const [nearest] = attempts.toSorted((a, b) => a.unread.length - b.unread.length);
  const place = (range: Range) => rangeBefore(plain, range);
  const [best = nearest] = fitting;
  const parts = [
    ...[...(best?.parts.read ?? [])].flatMap(([part, role]) =>
      part.isSoft ? [] : [{ role, ...place(rangeOf(part)) }],
    ),
    ...said.map(({ role, ...range }) => ({ role, ...place(range) })),
  ].toSorted((a, b) => a.start - b.start);
  const readings = fitting.map(({ reading }) => reading).slice(0, READINGS_MAX);
  if (readings.length > 0) return { readings, unknown: [], parts };
  const strange = all.filter(isStrange).map(unknownOf);
  const whole = wholeOf(text);
  const unknown = strange.length > 0 ? strange : (nearest?.unread ?? [whole]);
  return { readings, unknown: unknown.map((one) => ({ ...one, ...place(one) })), parts };
}

/** A phrase that means something else than its words, unless it is in quotes or a name of the project. */
function otherMeaningIn(question: string, vocabulary: Vocabulary): Unknown | undefined {
  const found = OTHER_MEANINGS.exec(withoutQuoted(question));
  if (found === null) return undefined;
  const [text] = found;
  const { event, property, values = [] } = vocabulary.meaningOf(wordsOf(text)) ?? {};
  if (event !== undefined || property !== undefined || values.length > 0) return undefined;
  return { text, start: found.index, end: found.index + text.length };
}

/** A question without its time, spaces and signs at its ends. */
function wholeOf(text: string): Unknown {
  const [before = ""] = /^[\s,]*/.exec(text) ?? [];
  const words = text.slice(before.length).replace(/[\s,]+$/, "");
  return { text: words, start: before.length, end: before.length + words.length };
}

/** Words of periods and intervals, whose spelling is put right before they are read. */
const TIME_WORDS =
  "last past previous today yesterday week weeks month months days daily weekly monthly hourly since between compared january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday".split(
    " ",
  );

/** Puts right the spelling of words about time that have no other meaning. */
function withTimeWords(text: Traced, vocabulary: Vocabulary): Traced {
  return rewritten(text, /(?<![\w$/@.-])[a-z]{4,12}(?![\w@./-])/gi, (typed) => {
    const word = typed.toLowerCase();
    const [one] = wordsOf(word);
    if (one === undefined || TIME_WORDS.includes(word) || vocabulary.isKnown(one)) return typed;
    const like = TIME_WORDS.find((known) => known[0] === word[0] && isSpelledLike(known, word, 1));
    return like ?? typed;
  });
}

/** Completes a reading; `unread` has the words that it has no place for. */
function attemptOf(parts: Parts, measure: Measure, context: Context, said: Timed["said"]) {
  const reading = finish(parts, measure, context);
  const unread = parts.unread().map(unknownOf);
  const withRole = (...roles: Role[]) =>
    parts.all.find(({ meaning }) => roles.some((role) => meaning.roles.has(role)));
  const missing = (text: string, range: Range | undefined) =>
    unread.push({ text, start: range?.start ?? 0, end: range?.end ?? 0 });
  const wrong = miscounted(parts, reading);
  if (wrong !== undefined) unread.push(unknownOf(wrong));
  if (!isAnswerable(reading)) missing("and", rangeOf(withRole("and")));
  if (lacksRows(reading))
    missing("most", rangeOf(withRole("most", "least", "greatest", "smallest")));
  if (lacksIntervals(reading))
    missing(
      `per ${reading.when.interval ?? "day"}`,
      said.find(({ role }) => role === "interval"),
    );
  return { reading, unread, parts };
}

const rangeOf = (part: Part | undefined): Range => ({
  start: part?.words[0]?.start ?? 0,
  end: part?.words.at(-1)?.end ?? 0,
});

const unknownOf = (part: Part): Unknown => ({
  text: part.words.map(({ text }) => text).join(" "),
  ...rangeOf(part),
});

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
