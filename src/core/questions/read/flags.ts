import { type NameIndex, noOf, type PropertyInfo, spoken, yesOf } from "../names/index.ts";
import { nameStems, stemOf } from "../text/stems.ts";
import { type Condition, condition, conditionOn, type Part, propertiesIn } from "./parts.ts";
import type { Match } from "./rules.ts";

type Found = Match<Part>;

/**
 * Reads "without a coupon" as not set, for each type of property. "Not urgent" is anything but true, and "without a due
 * date" is a false `has_due_date`. "No results" is 0 too, if that is a value, and "without results" if they are never unset.
 */
export function without(found: Found, { values, events }: NameIndex): Condition | undefined {
  const properties = propertiesIn(found);
  const [first] = properties;
  const word = found.of("WITHOUT")[0]?.word ?? "";
  if (first?.type === "boolean") {
    if (/(?:^|_)(?:not|never)(?:_|$)/.test(word)) return flag(found, properties, "is_not");
    if (/^(?:has|had|is|was)\b/.test(spoken(first.name)))
      return flag(found, properties, "exact", noOf);
    if (first.of === "event") return flag(found, properties, "is_not");
  }
  const unset = condition(found, properties, "is_not_set", []);
  if (first?.type !== "number" || !values.get("#0")?.some(({ property }) => property === first))
    return unset;
  const zero = condition(found, properties, "exact", ["0"]);
  // An event that has other properties more often lacks the number at times.
  const isUnset = [...(first.events ?? [])].some((name) => {
    const own = events.get(name)?.properties;
    const most = Math.max(...[...(own?.values() ?? [])].map(({ count }) => count));
    return most > (own?.get(first.name)?.count ?? most);
  });
  if (zero === undefined || unset === undefined || !isUnset) return zero;
  return /(?:^|_)no$/.test(word) ? { ...zero, or: [zero, unset] } : unset;
}

/** A condition that yes-or-no properties are true, with all their values that mean yes; or with other values. */
const flag = (
  found: Found,
  properties: readonly PropertyInfo[],
  operator: "exact" | "is_not" = "exact",
  valuesOf = yesOf,
): Condition | undefined =>
  conditionOn(
    found,
    properties
      .filter(({ type }) => type === "boolean")
      .map((property) => ({ property, values: valuesOf(property), isExact: true })),
    { operator, isNamed: true },
  );

/** Reads "runs that failed" and "unresolved tickets" by yes-or-no properties such as `ok` and `resolved`. */
export function outcome(found: Found, { properties, ownWords }: NameIndex): Condition | undefined {
  const [{ word, tags } = { word: "", tags: [] }] = found.all;
  if (tags.length > 0 || ownWords.has(word)) return undefined;
  const [, base] = /^un(.+)$/.exec(word) ?? [];
  const isSame = base === undefined ? /^(?:ok|success(?:ful)?|succeeded|passed)$/ : undefined;
  const named = properties.filter(
    ({ of, name, type }) =>
      of === "event" &&
      type === "boolean" &&
      (isSame?.test(spoken(name)) ?? nameStems(name).at(-1) === stemOf(base ?? "")),
  );
  return flag(found, named, "exact", word.startsWith("succ") ? yesOf : noOf);
}

/** Reads "VIP versus non-VIP", with a line for each. */
export function either(found: Found): Condition | undefined {
  const [first, second = first] = found.of("PROP");
  if (first === undefined || found.before?.tags.includes("BY") === true) return undefined;
  const same = new Set(found.term(second ?? first).properties);
  const properties = found
    .term(first)
    .properties.filter((one) => one.type === "boolean" && same.has(one));
  const of = properties.map((property) => {
    return { property, values: [...yesOf(property), ...noOf(property)], isExact: true };
  });
  return conditionOn(found, of, { operator: "exact", isNamed: true, isEach: true });
}

/** Reads "ok is false". */
export function isTrue(found: Found): Condition | undefined {
  const is = /^(?:true|yes)$/.test(found.all.at(-1)?.word ?? "");
  return flag(found, propertiesIn(found), "exact", is ? yesOf : noOf);
}

/** Reads "settled by subscribed users", which says who did it. */
export const isDoneBy = (found: Found): Condition | undefined =>
  ["PERSON", "VISITOR", "PAYER"].some((tag) => found.after?.tags.includes(tag))
    ? flag(found, propertiesIn(found))
    : undefined;

/** Reads a boolean property as a condition if it stands before an event or after a form of "be". */
export function isSo(found: Found, isAny = false): Condition | undefined {
  const { before, after } = found;
  const properties = propertiesIn(found);
  if (isAny && properties[0]?.type !== "boolean") return condition(found, properties, "is_set", []);
  const isAfterBe = BE.test(`${before?.word} ${found.all[0]?.word}`);
  const isLabel = ["BY", "PER", "WHICH", "MOST"].some((tag) => before?.tags.includes(tag));
  const isAdjective =
    !isLabel &&
    ["EV", "EVPART", "VAL", "PERSON", "VISITOR", "PAYER"].some((tag) => after?.tags.includes(tag));
  // A plural such as "students" or "first purchases" is a condition too.
  const isNoun = !isLabel && /[^s]s$/.test(found.all[0]?.word ?? "");
  // "Charged on fast chargers", "for remote jobs".
  const isObject = /^(?:on|for|with|in|from|at|using|via)$/.test(before?.word ?? "");
  // "Handed in late".
  const isAdverb = before?.part === undefined && before?.tags.includes("DONE") === true;
  return isAny || isAfterBe || isAdjective || isNoun || isObject || isAdverb
    ? flag(found, properties)
    : undefined;
}

const BE = /^\S*(?:^| )(?:is|are|was|were|be|been|being)[ _]/;
