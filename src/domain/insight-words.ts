import { Failure } from "./errors.ts";
import type { InsightType } from "./insight.ts";
import type { JsonObject } from "./json.ts";
import { GRAMMARS, KIND } from "./words-kinds.ts";
import { type EventNames, type Known, namesIn } from "./words-names.ts";
import { intervalFirst } from "./words-time.ts";

/** Characters of a question in words. */
export const WORDS_CHARS_MAX = 1000;

/** What a question may look like (decision 72). */
const FORMS: Record<InsightType, string> = {
  trends:
    "[hourly|daily|weekly|monthly] [unique users of|unique sessions of|sum of PROPERTY of|…] EVENT[, EVENT] [by PROPERTY|by person PROPERTY] [last N days|since 2026-11-21|today|yesterday] [compared to previous]",
  funnel:
    "[strict|unordered] funnel EVENT then EVENT[ then EVENT] [without EVENT] [within N days] [by PROPERTY] [last N days]",
  retention:
    "[recurring] retention of EVENT[ then EVENT] [by PROPERTY] [daily|weekly|monthly] [last N weeks]",
  paths: "paths [from /address|from EVENT] [to /address|to EVENT] [last N days]",
  lifecycle: "[daily|weekly|monthly] lifecycle of EVENT [last N days]",
  stickiness: "[daily|weekly|monthly] stickiness of EVENT[, EVENT] [last N days]",
};

/** Which field the words are in, and of which type the answer is to be, if that is told. */
export type WordsAsked = { attr: string; type?: InsightType | undefined };

/**
 * The query that words ask for, in which names are those of the project, in any case. Fails
 * `required`, `too_long`, and `invalid_input` with what was not understood and what there is instead.
 */
export function readWords(
  words: string,
  names: EventNames,
  { attr, type: told }: WordsAsked,
): JsonObject {
  if (words.length > WORDS_CHARS_MAX) {
    throw new Failure("too_long", `At most ${WORDS_CHARS_MAX} characters.`, attr);
  }
  const text = words.trim().replace(/\s+/g, " ");
  if (text === "") throw new Failure("required", "This field is required.", attr);
  const type = told ?? typeOf(text, namesIn(names, { attr, form: "" }));
  return GRAMMARS[type](text, namesIn(names, { attr, form: FORMS[type] }));
}

/** What a question is of, which stands at its beginning. An event may be called like that, too. */
function typeOf(text: string, known: Known): InsightType {
  const { rest } = intervalFirst(text);
  if ([text, rest].some((name) => known.event(name) !== undefined)) return "trends";
  const [, , kind = "trends"] = KIND.exec(rest) ?? [];
  return kind.toLowerCase().replace(/^path$/, "paths") as InsightType;
}
