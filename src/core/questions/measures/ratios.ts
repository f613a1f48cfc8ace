import type { JsonObject } from "../../values/json.ts";
import { type EventInfo, type PropertyInfo, yesOf } from "../names/index.ts";
import {
  type Asked,
  type Item,
  isTagged,
  NotUnderstood,
  rankedProperties,
  textOf,
} from "../read/asked.ts";
import { isFree } from "../read/labels.ts";
import { filterJson, type Named } from "../read/parts.ts";
import { refuseNumbers, refuseOwnNumber } from "../read/unclear.ts";
import { currency } from "./amounts.ts";
import { isCalculated } from "./calculations.ts";
import { takeConditions } from "./conditions.ts";
import { takeDeeds } from "./deeds.ts";
import { type Measure, node, percentage, totalOf, trend } from "./draft.ts";
import { infoOf, ordersOf, visitEvent } from "./events.ts";
import { PEOPLE, use } from "./items.ts";
import { visitsWith } from "./visits.ts";

/** "Page views per visitor", "revenue per session", "tasks per active user". */
export const perEach: Measure = (asked) => {
  const per = asked.items.find(
    (item) => !item.isUsed && isTagged(item, "PER", "BY") && isCounted(asked, item),
  );
  if (per === undefined) return undefined;
  const under = asked.beside(per, 1) as Item;
  const over = asked.events().find((item) => item !== under) ?? ownOf(asked, under);
  if (over === undefined && !asked.has("REVENUE", "SPEND", "SESSION")) return undefined;
  if (over !== undefined && over !== under) refuseOwnNumber(over);
  use(per, under);
  const { series, event, shown } = takeCounted(asked, over);
  const owner = ownerOf(asked, under, series["event"] as string | null);
  const isPerson = isTagged(under, ...PEOPLE) || (under.part?.kind === "ev" && under.part.isDoer);
  const by = isTagged(under, "SESSION")
    ? visitsWith(null)
    : node(owner, { math: isPerson ? "dau" : "total" });
  const events = [event ?? null, infoOf(asked, owner)];
  return trend([series, by], events, { formula: "A / B", ...shown });
};

/** "Amount per donor": the doers of an event with a number that the question names. */
function ownOf(asked: Asked, under: Item): (Item & { part: Named }) | undefined {
  const { part } = under;
  if (part?.kind !== "ev" || !part.isDoer) return undefined;
  const isNumber = ({ name, type }: PropertyInfo) =>
    type === "number" && part.event.properties.has(name);
  return asked.items.some((one) => isFree(one) && one.term.properties.some(isNumber))
    ? { ...under, part }
    : undefined;
}

/** Takes the numerator of a ratio: visits, an amount of money, or the number of events. */
function takeCounted(
  asked: Asked,
  over: (Item & { part: Named }) | undefined,
): { series: JsonObject; event?: EventInfo | undefined; shown?: JsonObject } {
  const summed = over === undefined ? undefined : takeSummed(asked, over.part.event);
  asked.takeAll("AVERAGE", "SUM", "COUNT", "MUCH");
  const isSpent = asked.take("REVENUE", "SPEND") !== undefined;
  if (!isSpent && over === undefined && asked.take("SESSION") !== undefined)
    return { series: visitsWith(null) };
  const event = isSpent ? ordersOf(asked, "revenue") : over?.part.event;
  use(over);
  const money = isSpent && event !== undefined ? asked.moneyOf(event, "revenue") : summed;
  if (money === undefined) return { series: totalOf(event ?? null), event };
  const series = node(event?.name ?? null, { math: "sum", math_property: money.name });
  return { series, event, shown: currency(asked, event) };
}

/** The event that the word after "per" stands for; null for any event. */
function ownerOf(asked: Asked, under: Item, otherwise: string | null): string | null {
  if (isTagged(under, "ACTIVE")) return null;
  if (isTagged(under, "VISITOR")) return visitEvent(asked);
  if (isTagged(under, "PAYER")) return asked.orders()?.name ?? null;
  return under.part?.kind === "ev" ? under.part.event.name : otherwise;
}

/** Takes a number property of an event, to be summed. */
export function takeSummed(asked: Asked, event: EventInfo): PropertyInfo | undefined {
  const item = asked.items.find(
    (one) => isFree(one) && isTagged(one, "PROP") && !isTagged(one, ...PEOPLE),
  );
  const [property] = rankedProperties(
    (item?.term.properties ?? []).filter(({ type }) => type === "number"),
    [event],
  );
  if (property?.of !== "event") return undefined;
  refuseNumbers(asked, { ...(item === undefined ? {} : { item }), property }, event, true);
  use(item);
  return property;
}

function isCounted(asked: Asked, per: Item): boolean {
  const next = asked.beside(per, 1);
  if (next === undefined || next.isUsed) return false;
  // "How many members invited a member" has its people before.
  const isOfPeople = (one: Item) => one.at < per.at && isTagged(one, ...PEOPLE, "WHO");
  if (/^an?$/.test(per.word) && asked.items.some(isOfPeople)) return false;
  const isPer = isTagged(per, "PER");
  if (isTagged(next, ...PEOPLE, "SESSION")) return isPer || !asked.has("MOST", "LEAST");
  return next.part?.kind === "ev" && (next.part.isDoer || (isPer && !isCalculated(asked)));
}

/** "Ratio of A to B": the count of A divided by that of B. */
export const ratio: Measure = (asked) => {
  const word = asked.items.find((item) => item.word === "ratio");
  const [over, under, another] = asked.events();
  if (word === undefined || over === undefined || under === undefined) return undefined;
  if (another !== undefined) throw new NotUnderstood(textOf(another), "A ratio is of two counts.");
  use(word);
  const deeds = takeDeeds(asked, { isOfPeople: false });
  asked.takeAll("TO", "AND", "BETWEEN", "COUNT");
  const series = deeds.map(({ event, item, filters }) =>
    node(event.name, { math: item.part.isDoer ? "dau" : "total" }, filters),
  );
  const events = deeds.map(({ event }) => event);
  return trend(series, events, { formula: "A / B" });
};

/** "Invites accepted as a share of invites": one count of events or people as a percentage of another. */
export const asShare: Measure = (asked) => {
  const word = asked.find("AS_SHARE");
  if (word === undefined) return undefined;
  const sideOf = (from: number, to: number): JsonObject => {
    const own = asked.items.slice(from, to).filter((one) => isCounting(one));
    const events = own.filter(({ part }) => part !== undefined);
    const [named = own[0]] = events;
    if (named === undefined || events.length > 1) throw new NotUnderstood(textOf(word));
    use(...own);
    const owner = ownerOf(asked, named, null);
    const isOfPeople =
      events.length < own.length || (named.part?.kind === "ev" && named.part.isDoer);
    const filters = to === word.at ? takeConditions(asked, infoOf(asked, owner), { to }) : [];
    return node(owner, { math: isOfPeople ? "dau" : "total" }, filters);
  };
  use(word);
  const [over, under] = [sideOf(0, word.at), sideOf(word.at, asked.items.length)];
  const events = [over, under].map(({ event }) => infoOf(asked, event as string | null));
  return percentage(over, under, events);
};

/** Whether an item is an unused event or a noun for people. */
const isCounting = (item: Item): boolean =>
  !item.isUsed && (item.part === undefined ? isTagged(item, ...PEOPLE) : item.part.kind === "ev");

const BEGINNING =
  /^(?:start|creat|mak|complet|confirm|begin|open|invit|send|book|plac|submit|show|offer|request)/;

/** The events that start what an event ends: "task created" for "task completed". */
export function begunOf(asked: Asked, event: EventInfo): EventInfo[] {
  const objects = event.stems.filter((stem) => !event.verbs.has(stem));
  const begun = [...asked.index.events.values()].filter(
    (one) =>
      one !== event &&
      objects.length > 0 &&
      objects.every((stem) => one.stems.includes(stem)) &&
      [...one.verbs].some((verb) => BEGINNING.test(verb)),
  );
  // Of "donation made" and "donate form opened", the first one is about nothing else.
  const same = begun.filter(({ stems, verbs }) =>
    stems.every((stem) => verbs.has(stem) || objects.includes(stem)),
  );
  return same.length > 0 ? same : begun;
}

/** "Invite acceptance rate": the count of an event as a percentage of the event that starts it. */
export const rate: Measure = (asked) => {
  const word = asked.find("RATE");
  const [item, another] = asked.events();
  if (word === undefined || item === undefined || another !== undefined) return undefined;
  const { event } = item.part;
  const yes = asked.beside(word, -1);
  const so = (yes?.term.properties ?? []).find(
    ({ name, type }) => type === "boolean" && event.properties.has(name),
  );
  if (yes !== undefined && isFree(yes) && so !== undefined) {
    use(word, item, yes);
    const properties = [filterJson(so, "exact", yesOf(so))];
    return percentage({ ...totalOf(event), properties }, totalOf(event), [event]);
  }
  const begun = begunOf(asked, event);
  const [only] = begun;
  if (only === undefined || begun.length > 1)
    throw new NotUnderstood(textOf(word), `Say of what: ${event.name} per which event?`);
  use(word, item);
  return percentage(totalOf(event), totalOf(only), [event, only]);
};
