import { type Asked, type Item, isTagged, textOf } from "../read/asked.ts";
import { behavior, parted } from "../read/parts.ts";
import { refusePassive } from "../read/unclear.ts";
import { areOfPersons, takeConditions, takeExclusions, takeSpent } from "./conditions.ts";
import {
  behaviorsOf,
  type Deed,
  didOf,
  earlier,
  FIRST,
  isOneOf,
  repeated,
  takeDeeds,
  takeOften,
} from "./deeds.ts";
import { type Draft, node, trend } from "./draft.ts";
import { infoOf, ordersOf, visitEvent } from "./events.ts";
import { freeBefore, PEOPLE, use } from "./items.ts";

/** The people in a question. */
export type People = {
  /** The event that these people did; null for any event. */
  base: string | null;
  isNew: boolean;
  isReturning: boolean;
  isPayer: boolean;
  isDoer: boolean;
  words: string;
};

/** Whether a question is about people; "how many orders did customers place" is about orders. */
export const hasPeople = (asked: Asked): boolean =>
  asked.has(...PEOPLE, "WHO") || asked.events().some(({ part }) => part.isDoer);

/**
 * Takes the noun for people and words such as "new" next to it; undefined without a noun. Throws `NotUnderstood` for
 * customers if the project has no orders.
 */
export function takePeople(asked: Asked): People | undefined {
  const noun = asked.take(...PEOPLE) ?? asked.take("WHO");
  const doer = noun === undefined ? asked.events().find(({ part }) => part.isDoer) : undefined;
  const item = noun ?? doer;
  if (item === undefined) return undefined;
  item.isUsed = true;
  const verb = asked.events().find(({ at }) => at > item.at);
  if (verb !== undefined) refusePassive(asked, item, verb);
  const people = {
    base: doer?.part.event.name ?? null,
    isNew: takeBeside(asked, item, "IS_NEW"),
    isReturning: takeBeside(asked, item, "RETURNING"),
    isPayer: isTagged(noun, "PAYER"),
    isDoer: doer !== undefined,
    words: textOf(item),
  };
  if (noun === undefined) return people;
  asked.takeAll("WHO");
  if (people.isPayer) {
    const reason = "The project has no event for orders, so its customers are unknown.";
    return { ...people, base: ordersOf(asked, people.words, reason).name };
  }
  return isTagged(noun, "VISITOR") ? { ...people, base: visitEvent(asked) } : people;
}

function takeBeside(asked: Asked, noun: Item, tag: string): boolean {
  // "How many visitors were new?"
  const found = freeBefore(asked, noun, tag) ?? (asked.has("EV") ? undefined : asked.find(tag));
  use(found);
  return found !== undefined;
}

/**
 * People who did not do something in a period, whether they were active in it or not. Customers are those of all time.
 * Undefined with a deed that they did, and with conditions on events, as those need an event.
 */
function absentPeople(
  asked: Asked,
  { base: noun, isPayer }: Pick<People, "base" | "isPayer">,
  deeds: readonly Deed[],
): Draft | undefined {
  if (deeds.length === 0 || !deeds.every(({ isNot }) => isNot)) return undefined;
  if ((noun !== null && !isPayer) || !areOfPersons(asked)) return undefined;
  const customers = noun === null ? [] : [behavior(noun, { time: { explicit_datetime: "all" } })];
  const properties = [...customers, ...behaviorsOf(deeds)];
  return {
    query: { kind: "ActorsQuery", select: ["count()"], properties },
    events: [null],
  };
}

/** The number of people over time, with their conditions. */
export function peopleTrend(asked: Asked, { base: noun, ...people }: People): Draft {
  const spent = takeSpent(asked);
  const deeds = takeDeeds(asked, { isOfPeople: true });
  const who = { base: noun, ...people };
  const absent = spent.length === 0 ? absentPeople(asked, who, deeds) : undefined;
  if (absent !== undefined) return absent;
  const isMade = people.isPayer || people.isDoer;
  const main = isMade ? undefined : deeds.find(({ isNot }, at) => !isNot && !isOneOf(deeds, at));
  const others = deeds.filter((one, at) => {
    const isSaid = one.frequency !== undefined || one.filters.length > 0 || one.isNot;
    return one !== main && (one.event.name !== noun || isSaid || isOneOf(deeds, at));
  });
  const often = takeOften(asked);
  const base = main?.event.name ?? noun;
  const event = infoOf(asked, base);
  const own = [...(main?.filters ?? []), ...takeExclusions(asked, event)];
  const isFirst = main?.frequency === FIRST;
  if (main?.frequency !== undefined && !isFirst) own.push(...didOf(main));
  if (often !== undefined) {
    const filters = takeConditions(asked, event);
    own.push(...filters, ...parted(behavior(base, { frequency: often, filters })));
  }
  if (people.isReturning) own.push(isMade ? repeated(base) : earlier(base));
  own.push(...behaviorsOf(others), ...spent);
  const math = people.isNew || isFirst ? "first_time_for_user" : "dau";
  return trend([node(base, { math }, own)], [event]);
}
