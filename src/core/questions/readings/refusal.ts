import { plainEnglish, wordsOf } from "../language/english.ts";
import type { ProjectNames } from "../language/name-keys.ts";
import { partsOf } from "../language/parts.ts";
import { vocabularyOf } from "../language/vocabulary.ts";

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

/** Properties to offer where a question names none, the best first. No others with a $ are offered. */
const OFFERED_PROPERTIES = [
  ...["$device_type", "$browser", "utm_source", "$referring_domain", "$geoip_country_name"],
  ...["$os", "$pathname", "$screen_name"],
];

/** Events of every project, which hardly anyone asks about. */
const SILENT =
  /^\$(?:set|identify|groupidentify|pageleave|autocapture|opt_in|feature_flag_called|web_vitals|exception)$/;

/** Returns whole questions about the words of a question that are understood; without any, questions of most sites. */
export function offeredFor(question: string, names: ProjectNames): string[] {
  const isSayable = (name: string) => !name.includes('"') && !SILENT.test(name);
  const isOffered = (name: string) =>
    isSayable(name) && (!name.startsWith("$") || OFFERED_PROPERTIES.includes(name));
  const vocabulary = vocabularyOf(names);
  const words = wordsOf(plainEnglish(question).text).map((one) => vocabulary.mended(one) ?? one);
  const meanings = partsOf(words, vocabulary).map(({ meaning }) => meaning);
  const events = meanings.flatMap(({ event }) => event ?? []).filter(isSayable);
  const [near, second] = [...new Set(events)];
  const named = meanings
    .flatMap(({ property }) => (property?.of === "event" ? property.name : []))
    .find(isOffered);
  const has = (list: readonly { name: string }[], name: string) =>
    list.some((one) => one.name === name);
  const usual = OFFERED_PROPERTIES.find((name) => has(names.properties, name));
  const property = named ?? usual;
  const isOfMoney = meanings.some(({ roles }) => roles.has("revenue") || roles.has("order_value"));
  const general = [
    ...(near === undefined && named !== undefined && !isOfMoney
      ? [`visitors by ${named} last month`]
      : []),
    "how many visitors in the last 7 days",
    ...(has(names.events, "$pageview") ? ["page views per week over the last 8 weeks"] : []),
    ...moneyOffers(vocabulary),
    "how many sessions in the last 30 days",
  ];
  const sums = moneyOffers(vocabulary).toReversed();
  const hasParts = sums.length > 0 && usual !== undefined;
  const money = hasParts ? [...sums, `revenue by ${usual} in the last 30 days`] : sums;
  const first = isOfMoney ? [...money, ...general.filter((one) => !money.includes(one))] : general;
  if (near === undefined) return first.slice(0, OFFERED_MAX);
  const isOfReturn = meanings.some(({ roles }) => roles.has("come_back"));
  const offers = [
    ...(isOfReturn ? [`weekly retention of ${near}`] : []),
    `how many ${near} in the last 30 days`,
    `unique users of ${near} per week over the last 8 weeks`,
    ...(property === undefined ? [] : [`${near} by ${property} in the last 30 days`]),
    ...(second === undefined ? [] : [`funnel from ${near} to ${second} in the last 30 days`]),
    ...general,
  ];
  return offers.slice(0, OFFERED_MAX);
}

/** Questions about revenue, of a project with orders and their amounts. */
function moneyOffers(vocabulary: ReturnType<typeof vocabularyOf>): string[] {
  const meaningOf = (phrase: string) => vocabulary.meaningOf(wordsOf(phrase));
  const isSold =
    meaningOf("purchase")?.event !== undefined && meaningOf("amount")?.property !== undefined;
  return isSold ? ["revenue per week over the last 8 weeks", "revenue in the last 30 days"] : [];
}
