import type { JsonObject } from "../../values/json.ts";
import type { EventInfo } from "../names/index.ts";
import {
  type Asked,
  filterOf,
  type Item,
  isTagged,
  meanNothing,
  NotUnderstood,
  textOf,
} from "../read/asked.ts";
import { behavior, type Frequency, joined, type Named, parted } from "../read/parts.ts";
import { nameStems, nameWords, stemOf } from "../text/stems.ts";
import { isOfFirst, leadOf, refuseBoth, takeConditions } from "./conditions.ts";
import { freeBefore, use } from "./items.ts";

/** An event that people did or did not do, with its conditions and frequency. */
export type Deed = {
  event: EventInfo;
  item: Item & { part: Named };
  filters: JsonObject[];
  frequency: Frequency | undefined;
  isNot: boolean;
  isOr: boolean;
};

/** The frequency of an event that people did for the first time. */
export const FIRST: Frequency = {
  ...{ kind: "freq", bounds: [], did: { value: "performed_event_first_time" } },
};

/** Takes the events of a question, each with the conditions after it, its frequency and its negation. */
export function takeDeeds(asked: Asked, { isOfPeople }: { isOfPeople: boolean }): Deed[] {
  takeObjects(asked);
  const events = asked.events();
  if (isOfPeople) {
    refusePage(asked, events);
    refuseBoth(asked);
  }
  const leads = events.map((item) => leadOf(asked, item, item.part.event));
  const isApart = events.length > 1 && isOfFirst(asked, leads, events);
  let before: JsonObject[] = [];
  const deeds = events.map((item, at): Deed => {
    item.isUsed = true;
    const { event } = item.part;
    const to = leads[at + 1]?.at ?? asked.items.length;
    const lead = leads[at] ?? item;
    const not = negationOf(asked, item);
    const link = takeLink(asked, not ?? lead, at === 0);
    use(not);
    const often = isOfPeople ? takeFrequency(asked, item, to) : undefined;
    const isWhole = events.length === 1 && not === undefined && often === undefined;
    const isLed = at > 0 || isApart || often !== undefined;
    const from = isLed ? lead.at - 1 : item.at;
    const own = isWhole ? [] : takeConditions(asked, event, { from, to });
    const filters = [...own, ...filtersOfIt(asked, item, before)];
    before = filters;
    const isNot = not !== undefined;
    return { event, item, filters, frequency: often, isNot, isOr: isTagged(link, "OR") };
  });
  // "Printed no label" has the verb and the noun of one event.
  const both = deeds.find(
    ({ isNot, event, filters }) =>
      isNot &&
      filters.length === 0 &&
      deeds.some((one) => !one.isNot && one.event === event && one.frequency === undefined),
  );
  if (both !== undefined)
    throw new NotUnderstood(textOf(both.item), "People did not do it and did it, both at once.");
  return deeds;
}

/**
 * The filters of the event before, if "it" stands for its thing, as in "viewed the tent and bought it". Throws
 * `NotUnderstood` if the event does not have the property.
 */
export function filtersOfIt(
  { items }: Asked,
  { at, term, part }: Item & { part: Named },
  earlier: readonly JsonObject[],
): JsonObject[] {
  const after = items.slice(at + 1).find(({ tags }) => tags[0] !== "JOINED");
  const word = [...term.words.map(({ low }) => low), after?.word].find((one) => IT.test(one ?? ""));
  const own = earlier.filter(({ key, type }) => type === "event" && !/^\$|^utm_/.test(String(key)));
  const lacking = own.find(({ key }) => !part.event.properties.has(String(key)));
  if (word === undefined || lacking === undefined) return word === undefined ? [] : own;
  throw new NotUnderstood(word, `${String(lacking["key"])} is no property of ${part.event.name}.`);
}

/** Refuses "read the docs and signed up": the page would be that of the sign up. */
function refusePage(asked: Asked, events: readonly Item[]): void {
  const page = asked.conditions().find(({ part }) => part.kind === "pages");
  const and = asked.items.find((item) => item.at > (page?.at ?? item.at) && isTagged(item, "AND"));
  if (page === undefined || and === undefined || events.some(({ at }) => at < page.at)) return;
  if (events.some(({ at }) => at > and.at))
    throw new NotUnderstood(textOf(page), 'Say "viewed" before the page.');
}

const IT = /^(?:it|them|those|these)$/;

/**
 * Takes things that an event is about: "job" in "applied for a remote job". Throws `NotUnderstood` for a part of an
 * event's name that no "and", "or" or "who" makes a deed of its own.
 */
function takeObjects(asked: Asked): void {
  const [first, ...others] = asked.events();
  for (const item of others) {
    const before = asked.beside(item, -1);
    const link = before?.part?.kind === "filter" ? asked.beside(before, -1) : before;
    const isLinked =
      !item.part.isPart ||
      isTagged(link, "AND", "OR", "WHO", "WITHOUT", "VERSUS", "TO", "COUNT") ||
      link?.word === "," ||
      link?.part?.kind === "freq" ||
      link?.part?.kind === "cmp";
    if (isLinked || first === undefined) continue;
    const stems = item.term.words.map(({ stem }) => stem);
    const isObject = [...first.part.event.properties.keys()].some((name) =>
      nameStems(name).some((stem) => stems.includes(stem)),
    );
    if (!isObject) throw new NotUnderstood(textOf(item));
    meanNothing(item);
  }
}

/**
 * Takes nouns after a verb that an event is about: "episodes" in "played at least 5 episodes", of an event with an
 * `episode_id`.
 */
export function takeNouns(asked: Asked): void {
  for (const item of asked.events()) {
    const next = item.part === undefined ? undefined : asked.beside(item, 1);
    const isCounted = next?.part?.kind === "cmp" && next.part.unit === undefined;
    const noun = isCounted ? asked.beside(next, 1) : next;
    if (noun === undefined || !isNounOf(noun, item.part.event)) continue;
    meanNothing(noun);
    if (isCounted && next.part?.kind === "cmp")
      next.part = { kind: "freq", bounds: next.part.bounds };
  }
}

/** Whether a word names what an event is about by a property such as `episode_id`, and means nothing else. */
function isNounOf({ part, tags, term }: Item, { properties, stems }: EventInfo): boolean {
  const stem = term.words[0]?.stem ?? "";
  const isOf = [...properties.keys()].some((name) => {
    const [first, ...rest] = nameWords(name);
    return (
      stemOf(first ?? "") === stem && /^(?:id|uuid|name|title|slug|number)$/.test(rest.join(" "))
    );
  });
  const isOnly =
    part === undefined
      ? tags.every((tag) => /^(?:EVPART|NEARPROP)$/.test(tag))
      : part.kind === "ev" && part.isPart;
  return isOnly && isOf && !stems.includes(stem);
}

/** Takes the word that joins an event to the words before it. */
function takeLink(asked: Asked, item: Item, isFirst: boolean): Item | undefined {
  const link = asked.beside(item, -1);
  if (isTagged(link, "WHO") || (!isFirst && isTagged(link, "OR", "AND"))) use(link);
  return link;
}

/** The negation of an event, also before its frequency as in "did not have at least 3 orders". */
function negationOf(asked: Asked, item: Item): Item | undefined {
  const before = asked.beside(item, -1);
  return freeBefore(asked, before?.part?.kind === "cmp" ? before : item, "WITHOUT");
}

/** Whether an item is between the words of an event. */
const isWithin = ({ items }: Asked, { at }: Item): boolean => items[at + 1]?.tags[0] === "JOINED";

/** Takes the word "first" before an event, between its words, or in "for the first time" after it. */
export function takeFirst(asked: Asked, item: Item): boolean {
  const after = asked.beside(item, 1);
  const next = asked.events().find(({ at }) => at > item.at)?.at ?? asked.items.length;
  const first =
    asked.items
      .slice(item.at + 1, Math.min(next, item.at + 4))
      .find((one) => isTagged(one, "FIRST_SEEN") && isWithin(asked, one)) ??
    freeBefore(asked, item, "IS_NEW", "FIRST_SEEN") ??
    (/first_time$/.test(after?.word ?? "") ? after : undefined);
  use(first);
  return first !== undefined;
}

/** Takes how often people did an event: a number of times or days, a sum, or for the first time. */
function takeFrequency(asked: Asked, item: Deed["item"], to: number): Frequency | undefined {
  const inside = asked.items.slice(item.at + 1, to);
  if (takeFirst(asked, item)) return FIRST;
  // "Read at least 5 articles" has the number between the words of its event.
  const compared = [asked.beside(item, -1), ...inside.filter((one) => isWithin(asked, one))].find(
    (one) => one?.isUsed === false && one.part?.kind === "cmp",
  );
  use(compared);
  if (compared?.part?.kind === "cmp") return { kind: "freq", bounds: compared.part.bounds };
  return takeSum(asked, item, to) ?? takeOften(asked, to);
}

/** Takes a frequency such as "twice" or "on at least 3 days". */
export function takeOften(asked: Asked, to = asked.items.length): Frequency | undefined {
  const often = asked.items.find(
    ({ at, isUsed, part }) => at < to && !isUsed && part?.kind === "freq",
  );
  use(often);
  return often?.part?.kind === "freq" ? often.part : undefined;
}

/** Takes a condition on the sum of a property, as in "orders with a sum of amounts of at least 300". */
function takeSum(asked: Asked, item: Deed["item"], to: number): Frequency | undefined {
  const found = asked
    .conditions()
    .find((one) => one.at > item.at && one.at < to && freeBefore(asked, one, "SUM") !== undefined);
  const bounds = found?.part.kind === "filter" ? found.part.bounds : undefined;
  if (found === undefined || bounds === undefined) return undefined;
  use(found, freeBefore(asked, found, "SUM"));
  const sum_property = String(filterOf(asked, found.part, [item.part.event])["key"]);
  return { kind: "freq", bounds, did: { value: "performed_event_sum", sum_property } };
}

/** The filters for people who did a deed, or did not do it. */
export const didOf = ({ event, filters, frequency, isNot }: Deed): JsonObject[] =>
  parted(behavior(event.name, { filters, frequency, isNot }));

/** The filter for people who had an event, and not for the first time. */
export const earlier = (event: string | null): JsonObject =>
  behavior(event, { frequency: FIRST, isNot: true });

/** The filter for people who did an event at least twice. */
export const repeated = (event: string | null): JsonObject =>
  behavior(event, { frequency: { kind: "freq", bounds: [{ is: "gte", number: 2 }] } });

/** Whether a deed is one of several of which people did any. */
export const isOneOf = (deeds: readonly Deed[], at: number): boolean =>
  deeds[at]?.isOr === true || deeds[at + 1]?.isOr === true;

/** The filters for people by their deeds. Deeds that "or" joins are one filter. */
export const behaviorsOf = (deeds: readonly Deed[]): JsonObject[] => {
  const groups: JsonObject[][] = [];
  for (const deed of deeds) {
    if (deed.isOr) groups.at(-1)?.push(joined(didOf(deed)));
    else groups.push([joined(didOf(deed))]);
  }
  return groups.flatMap((group) =>
    group.length > 1 ? [{ type: "OR", values: group }] : group.flatMap(parted),
  );
};
