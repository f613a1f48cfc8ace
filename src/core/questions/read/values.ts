import {
  type NameIndex,
  type PropertyInfo,
  sameIn,
  type ValueInfo,
  yesOf,
} from "../names/index.ts";
import { folded } from "../text/stems.ts";
import { TEXT_OPERATORS } from "./conditions.ts";
import {
  type Condition,
  conditionOn,
  type PageNamed,
  type Part,
  type PersonNamed,
} from "./parts.ts";
import type { Match, Place, Places } from "./rules.ts";
import type { Term } from "./terms.ts";

type Found = Match<Part>;

const PREPOSITION =
  "({from}|{via}|{through}|{with}|{using}|{on}|{in}|{at}|{by}|{to}|{for}|{of}|{where})";
const VALUES = "VAL(((AND|OR|VERSUS|{,}) _ ({by|from|with|via|on|in})? _)+ VAL)*";

/** Tags that take priority over a value. */
const OTHERWISE =
  "EV PROP SESSION PERSON VISITOR PAYER GROUP REVENUE COUNT MOST BY ACTIVE IS_NEW RETURNING F EVPART NUM HOUR DATE".split(
    " ",
  );

/** Reads conditions that name only values, such as "from Germany", "mobile", "except Chrome and Safari". */
export function readValues(places: Places<Part>): void {
  places.each(
    `(EXCEPT|WITHOUT) _ ({\\w+ed|paid|made|bought|sold|sent|done} {in|with|by|via|on|from|using})? _ ${VALUES}`,
    (found) => alone(found, true),
  );
  // Values of different properties are no list: "in Leeds, by card" and "in Leeds, card" are two conditions.
  for (const values of [VALUES, "VAL"]) {
    places.each(`${PREPOSITION} _ ${values}`, (found) =>
      isBetweenSteps(found, places) ? undefined : alone(found, false),
    );
    places.each(values, (found) =>
      found.all[0]?.tags.some((tag) => OTHERWISE.includes(tag)) === true &&
      !(isTaggedF(found.all[0]) && found.of("VERSUS", "AND", "OR").length > 0)
        ? undefined
        : alone(found, false),
    );
  }
}

/** Whether "to" in "from sign up to trial booking" leads to the next step. */
const isBetweenSteps = ({ all, after }: Found, places: Places<Part>): boolean => {
  const sequence = places.sequence();
  const at = sequence.indexOf(all[0] as Place<Part>);
  const isEvent = (one: Place<Part> | undefined) => one?.part?.kind === "ev";
  const isFirst =
    all[0]?.word === "from" && after?.word === "to" && all.at(-1)?.tags.includes("EVPART") === true;
  return (
    isFirst || (all[0]?.word === "to" && isEvent(after) && sequence.slice(0, at).some(isEvent))
  );
};

/** The values that a word stands for. "Remote" may be a text, and the property "is remote". */
const valuesOf = ({ values, properties }: Term): readonly ValueInfo[] => [
  ...values,
  ...properties.flatMap((property) =>
    property.type === "boolean"
      ? yesOf(property).map((value) => ({ property, value, count: property.count }))
      : [],
  ),
];

/** The values that count as one: they differ by upper and lower case alone, or all mean yes. */
const sameOf = (values: readonly ValueInfo[], one: ValueInfo): string[] =>
  one.property.type === "boolean" ? yesOf(one.property) : sameIn(values, one);

function alone(found: Found, isNot: boolean): Condition | PageNamed | undefined {
  const places = found.free("VAL");
  const isNamedBy =
    found.all.some(({ word }) => word === "by") && places.some(({ tags }) => tags.includes("PROP"));
  const [first, ...others] = places.map((place) => valuesOf(found.term(place)));
  // "Our app users" are no users of the channel "app".
  const isVague =
    places.length === 1 &&
    isTaggedF(places[0]) &&
    !/^(?:in|on|via|through|from|using|at|by)$/.test(found.all[0]?.word ?? "");
  // "Bookings by city" asks for lines also where "city" is only a value; "paid by card" says how it was done.
  const before = found.before === undefined ? "" : found.text(found.before);
  const isLabel =
    found.all[0]?.word === "by" && !/(?:ed|en|paid|made|sent|done|bought|sold)$/.test(before);
  if (first === undefined || isNamedBy || isVague || isLabel) return undefined;
  const of = first.flatMap((one) => {
    // "Ford" and "FORD" are one value, unless the question has one of them as it is.
    const same = sameOf(first, one);
    const rest = others.map((values) => {
      const other = values.find(({ property }) => property === one.property);
      return other === undefined ? [] : sameOf(values, other);
    });
    if (same[0] !== one.value || rest.some(({ length }) => length === 0)) return [];
    const values = [same, ...rest];
    const isExact = places.every(
      (place, at) =>
        folded(values[at]?.[0] ?? "") === folded(found.text(place)) ||
        isCode(one.property, values[at]?.[0]),
    );
    return [{ property: one.property, values: values.flat(), isExact }];
  });
  const page = of.find(({ property }) => property.of === "event" && property.name === "$pathname");
  const isPage = of.every(({ property: { name } }) => name.endsWith("pathname"));
  // "The pricing page" may be a step, as "/pricing" may.
  if (page !== undefined && isPage && places.length === 1)
    return { kind: "pages", paths: page.values, isNot, how: "exact" };
  const isEach = !isNot && places.length > 1 && found.of("OR").length === 0;
  const operator = isNot ? "is_not" : "exact";
  return conditionOn(found, of, { operator, isNamed: false, ...(isEach ? { isEach } : {}) });
}

const isTaggedF = (place: Place<Part> | undefined): boolean => place?.tags.includes("F") === true;

/** Whether a value is the code of a country, which questions name. */
const isCode = ({ name }: PropertyInfo, value = ""): boolean =>
  /country/i.test(name) && !name.startsWith("$") && /^[A-Z]{2}$/.test(value);

/** Reads "with google and how many with email": two values of one property, each with a line. */
function eachOf(found: Found): Condition | undefined {
  const [one, other] = found.all.flatMap(({ part }) => (part?.kind === "filter" ? part : []));
  if (one === undefined || other === undefined) return undefined;
  const of = one.of.flatMap(({ property, values, isExact }) => {
    const same = other.of.find((another) => another.property === property);
    return same === undefined ? [] : [{ property, values: [...values, ...same.values], isExact }];
  });
  if (of.length === 0) return undefined;
  return { ...one, of, text: `${one.text} and ${other.text}`, isEach: true };
}

const OPPOSITES: Readonly<Record<string, string>> = {
  ...{ exact: "is_not", is_not: "exact", is_set: "is_not_set", is_not_set: "is_set" },
};

/** Reads "excluding orders with a coupon". */
function without(found: Found): Condition | undefined {
  const part = found.all.at(-1)?.part;
  const operator = part?.kind === "filter" ? OPPOSITES[part.operator] : undefined;
  if (part?.kind !== "filter" || operator === undefined || part.bounds !== undefined)
    return undefined;
  return { ...part, operator };
}

/** Reads "from Germany or with Firefox": either condition must be met. */
export function readAlternatives(places: Places<Part>): void {
  places.each("FILTER _ AND _ COUNT _ FILTER", eachOf);
  places.each("EXCEPT _ (EV|SESSION) _ FILTER", without);
  places.each("(FILTER|PAGES) _ OR _ (FILTER|PAGES)", (found) => {
    const or = found.all.flatMap(({ part }) => {
      if (part?.kind === "filter") return part.or ?? [part];
      return part?.kind === "pages" ? [part] : [];
    });
    const of = or.flatMap((one) => (one.kind === "filter" ? one.of : []));
    const text = or
      .map((one) => (one.kind === "filter" ? one.text : one.paths.join(" ")))
      .join(" or ");
    return { kind: "filter", of, operator: "exact", text, isNamed: true, or };
  });
}

const pages = (found: Found, how: PageNamed["how"] = "exact", isNot = false): PageNamed => ({
  kind: "pages",
  paths: found.free("PAGE").flatMap((place) => found.term(place).page ?? []),
  ...{ isNot, how, isBoth: found.of("AND").length > 0 && found.of("OR").length === 0 },
});

function person(found: Found): PersonNamed | undefined {
  const [place] = found.free("WHOM");
  const id = place && found.term(place).who;
  const isNot = found.of("EXCEPT", "WITHOUT").length > 0;
  return id === undefined ? undefined : { kind: "whom", id, isNot };
}

/** Whether each property in a match may have a name that fits a pattern. */
const areNamed = (found: Found, pattern: RegExp): boolean =>
  found
    .of("PROP")
    .every((place) => found.term(place).properties.some(({ name }) => pattern.test(name)));

/** Reads "shop screen": the name of a screen, even if its word has no meaning elsewhere. */
function screen(found: Found, index: NameIndex): PageNamed | undefined {
  const [name, noun] = found.all.map((place) => found.term(place));
  if (name === undefined || noun === undefined) return undefined;
  const isScreen =
    noun.events.some((one) => one.name === "$screen") ||
    noun.properties.some((one) => one.name === "$screen_name");
  const text = folded(name.words.map((word) => word.text).join(" "));
  const value = isScreen
    ? index.values.get(text)?.find(({ property }) => property.name === "$screen_name")?.value
    : undefined;
  return value === undefined
    ? undefined
    : { kind: "pages", paths: [value], isNot: false, how: "exact" };
}

/** Reads "blog posts" and "any advice page": all pages of a part of the site. */
function section({ all, term }: Found, index: NameIndex): PageNamed | undefined {
  const [name] = all.map((place) => term(place));
  const last = all.at(-1);
  if (name === undefined) return undefined;
  const low = name.words.map((word) => word.low).join(" ");
  const found =
    index.sections.get(low) ?? index.sections.get(`${low}s`) ?? sectionAt(name.page, index);
  if (found === undefined) return undefined;
  // "Blog posts" leaves out the page that lists them.
  const path = /^(?:posts?|articles?|entries)$/.test(last?.word ?? "") ? found.pages : found.all;
  return { kind: "pages", paths: [path], isNot: false, how: "starts_with" };
}

/** The part of a site that a path without a page of its own names, as in "an /advice page". */
const sectionAt = (page: string | undefined, index: NameIndex) =>
  page !== undefined && !index.values.has(page)
    ? [...index.sections.values()].find(({ pages }) => pages === `${page.replace(/\/$/, "")}/`)
    : undefined;

/** Words before the page on which visits start or end. */
const EDGES = [
  [
    "(ENTRY|{start|starts|started|starting|begin|began|land|lands|landed|landing})",
    "$entry_pathname",
  ],
  ["(EXIT|{end|ends|ended|ending})", "$end_pathname"],
] as const;

/** Reads "the blog" as all of its pages, if the word has no other meaning. */
const onlySection = (found: Found, index: NameIndex): PageNamed | undefined =>
  found.all[0]?.tags.length === 0 ? section(found, index) : undefined;

/** Reads pages and persons. */
export function readPlaces(places: Places<Part>, index: NameIndex): void {
  places.each("{[^|>]+} {pages?|posts?|articles?|sections?|entries}", (found) =>
    section(found, index),
  );
  // "Visitors read the docs": the verb adds nothing to the pages.
  places.each(
    "(EV|{read|visit|visited|browse|browsed|opened}) _ {(?!(?:the|our|an?|>)\\b)[^|>]+}",
    (found) => {
      const [verb, name] = [found.all[0] as Place<Part>, found.all.slice(-1)];
      const isView =
        verb.part === undefined &&
        !found.term(verb).events.some(({ name: own }) => !own.startsWith("$"));
      return isView ? section({ ...found, all: name }, index) : undefined;
    },
  );
  // With "and", the verb is a deed of its own.
  const isAlone = !places.sequence().some(({ tags }) => tags.includes("AND"));
  places.each("{reads?} _ PAGES", (found) => (isAlone ? found.all.at(-1)?.part : undefined));
  places.each("(VAL|F|NEARPROP|EVPART) (EV|PROP)", (found) => screen(found, index));
  places.each("(EXCEPT|WITHOUT) _ (PROP)? _ PAGE(((AND|OR|{,}) _)+ PAGE)*", (found) =>
    pages(found, "exact", true),
  );
  for (const [tag, how] of TEXT_OPERATORS) {
    places.each(`(PROP)? _ ${tag} _ PAGE`, (found) => pages(found, how));
  }
  places.each("PAGE", (found) => section(found, index));
  places.each("{[^|>]+}", (found) => onlySection(found, index));
  places.each("(PROP _)? PAGE((OR|{,}|AND) PAGE)* (PROP)?", (found) =>
    areNamed(found, /^\$(?:pathname|current_url|screen_name)$/) ? pages(found) : undefined,
  );
  places.each("PAGE((OR|{,}|AND) PAGE)*", (found) => pages(found));
  places.each("(EXCEPT|WITHOUT) _ (BY _)? ({person|user|customer|visitor} _)? WHOM", person);
  places.each("({person|user|customer|visitor} _)? (PROP _)? WHOM", (found) =>
    areNamed(found, /e-?mail/i) ? person(found) : undefined,
  );
  places.each("WHOM", person);
  for (const [words, edge] of EDGES) {
    places.each(`${words} _ PAGES`, (found) => {
      const part = found.all.at(-1)?.part;
      return part?.kind === "pages" ? { ...part, edge } : undefined;
    });
  }
}
