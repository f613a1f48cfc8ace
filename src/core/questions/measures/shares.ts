import type { JsonObject } from "../../values/json.ts";
import { type EventInfo, yesOf } from "../names/index.ts";
import {
  type Asked,
  type Item,
  isTagged,
  meanNothing,
  NotUnderstood,
  rankedProperties,
  textOf,
} from "../read/asked.ts";
import { isFree, type Label } from "../read/labels.ts";
import { filterJson } from "../read/parts.ts";
import { sumOf } from "./amounts.ts";
import { ownerOf } from "./calculations.ts";
import { takeConditions, takeFilters } from "./conditions.ts";
import { didOf, takeDeeds } from "./deeds.ts";
import { type Draft, node, percentage, totalOf } from "./draft.ts";
import { infoOf } from "./events.ts";
import { isCondition, PEOPLE, use } from "./items.ts";
import { hasPeople, takePeople } from "./people.ts";
import { begunOf, takeSummed } from "./ratios.ts";
import { funnelOf, takeSteps, takeWindow } from "./steps.ts";
import { bounceRate, visitsWith } from "./visits.ts";

/** "What share of visitors signs up", "percentage of orders paid with paypal". */
export const share = (asked: Asked, labels: readonly Label[]): Draft | undefined => {
  const word = asked.take("SHARE");
  if (word === undefined) return undefined;
  asked.takeAll("COUNT");
  if (asked.take("SESSION") !== undefined) return sessionShare(asked);
  refuseKind(asked, word);
  const amount = sumShare(asked, word);
  if (amount !== undefined) return amount;
  const people = hasPeople(asked) ? takePeople(asked) : undefined;
  if (people !== undefined) return peopleShare(asked, people.base, word, labels);
  const [counted, another, third] = asked.events();
  const isOfMoney = asked.take("REVENUE") !== undefined;
  const { event } = counted?.part ?? { event: isOfMoney ? asked.orders() : undefined };
  if (event === undefined) throw new NotUnderstood(textOf(word));
  use(counted);
  const summed = asked.has("SUM") ? takeSummed(asked, event) : undefined;
  if (summed !== undefined) {
    asked.takeAll("SUM");
    const sum = node(event.name, { math: "sum", math_property: summed.name });
    return shareOf(asked, sum, event, word);
  }
  if (isOfMoney) return shareOf(asked, sumOf(asked, event, textOf(word)), event, word);
  if (another === undefined)
    return passive(asked, counted, event) ?? shareOf(asked, totalOf(event), event, word);
  // "What share of started lessons is finished" compares two events about the same thing.
  const over = another.part.event;
  if (third !== undefined || !event.stems.some((stem) => over.stems.includes(stem)))
    throw new NotUnderstood(textOf(another));
  use(another);
  return percentage(totalOf(over), totalOf(event), [over, event]);
};

/** "Percentage of alerts that get opened": of the alerts that were sent, which the event `alert_sent` says. */
function passive(asked: Asked, item: Item | undefined, event: EventInfo): Draft | undefined {
  if (item === undefined) return undefined;
  const verb = asked.items.find(({ at, tags }) => at > item.at && tags[0] === "JOINED");
  const between = asked.items.slice(item.at + 1, verb?.at ?? item.at + 1);
  if (!between.some((one) => /^(?:get|gets|got|are|is|were|was|been?)$/.test(one.word)))
    return undefined;
  const [begun, another] = begunOf(asked, event);
  // "Share of tasks created on a phone" has its condition after the verb.
  const isMet = asked.conditions().some(({ at }) => at > (verb?.at ?? 0));
  if (begun === undefined || isMet || asked.when.habits !== undefined) return undefined;
  if (another !== undefined)
    throw new NotUnderstood(textOf(item), `Say of what: ${event.name} per which event?`);
  const filters = takeConditions(asked, event);
  const [over, under] = [event, begun].map((one) => ({
    ...totalOf(one),
    ...(filters.length === 0 ? {} : { properties: filters }),
  }));
  return percentage(over ?? {}, under ?? {}, [event, begun]);
}

/** Refuses "share of students who finish", where "student" is a value of people, and the share would be one of events. */
function refuseKind(asked: Asked, word: Item): void {
  const next = asked.beside(word, 1);
  const after = next === undefined ? undefined : asked.beside(next, 1);
  const isPeople = next !== undefined && isCondition(next, ({ of }) => of === "person");
  if (isPeople && /[^s]s$/.test(textOf(next)) && after?.part?.kind === "ev")
    throw new NotUnderstood(textOf(next), 'Say "share of people", and what they are.');
}

/** "Share of minutes listened": a number that one event has, summed. */
function sumShare(asked: Asked, word: Item): Draft | undefined {
  const item = asked.beside(word, 1);
  const property = item?.term.properties.find(
    ({ of, type }) => of === "event" && type === "number",
  );
  // In "share of users", these are people, also if a number has that name.
  if (item === undefined || property === undefined || !isFree(item) || isTagged(item, ...PEOPLE))
    return undefined;
  const event = asked.events()[0]?.part.event ?? ownerOf(asked, property, textOf(item));
  if (event?.properties.has(property.name) !== true) return undefined;
  use(item, ...asked.events());
  for (const noun of asked.items) if (isFree(noun) && isTagged(noun, "PERSON")) meanNothing(noun);
  const sum = node(event.name, { math: "sum", math_property: property.name });
  return shareOf(asked, sum, event, word);
}

/** The percentage of all that meets the conditions. */
function shareOf(asked: Asked, all: JsonObject, event: EventInfo | null, word: Item): Draft {
  // In "share of German visitors on a phone", all are the German visitors.
  const noun = asked.items.find(
    (item) =>
      item.at > word.at && item.isUsed && (item.part?.kind === "ev" || isTagged(item, ...NOUNS)),
  );
  const isOpen = noun !== undefined && asked.items[noun.at + 1]?.word === "(";
  const end = isOpen ? asked.items.find((item) => item.word === ")") : noun;
  const before =
    end === undefined ? [] : takeConditions(asked, event, { from: word.at, to: end.at });
  const filters = takeConditions(asked, event);
  const rest = filters.length > 0 ? filters : takeFilters(asked, [event]);
  refuseEach(asked, rest);
  const so = rest.length > 0 ? rest : takeBoolean(asked, event);
  const own = so.length > 0 ? so : asked.takeHabits();
  if (own.length > 0) {
    const whole = before.length === 0 ? all : { ...all, properties: before };
    return percentage({ ...all, properties: [...before, ...own] }, whole, [event]);
  }
  if (before.length > 0) return percentage({ ...all, properties: before }, all, [event]);
  const [begun, another] = event === null ? [] : begunOf(asked, event);
  if (begun !== undefined && another === undefined)
    return percentage(all, totalOf(begun), [event, begun]);
  const reason = asked.has("PROP", "WEEKDAY", "HOUR")
    ? "A share is of what meets a condition."
    : undefined;
  throw new NotUnderstood(textOf(word), reason);
}

/** Refuses "share of sign ups with Google vs email", which asks for two shares. */
function refuseEach(asked: Asked, filters: readonly JsonObject[]): void {
  const each = asked.items.find(
    ({ part, isUsed }) => isUsed && part?.kind === "filter" && part.isEach === true,
  );
  if (each !== undefined && filters.some(({ value }) => Array.isArray(value) && value.length > 1))
    throw new NotUnderstood(
      textOf(each),
      "A share is of one value. Ask for the count by property.",
    );
}

const NOUNS = ["VISITOR", "PERSON", "PAYER", "SESSION"];

/** Takes "resolved" in "share of chats resolved", if the event has such a yes-or-no property. */
const takeBoolean = (asked: Asked, event: EventInfo | null): JsonObject[] =>
  asked.items.flatMap((item) => {
    const [property] = isFree(item) ? rankedProperties(item.term.properties, [event]) : [];
    if (property?.type !== "boolean") return [];
    item.isUsed = true;
    return [filterJson(property, "exact", yesOf(property))];
  });

function sessionShare(asked: Asked): Draft {
  if (asked.take("BOUNCED") !== undefined) return bounceRate(asked);
  const [named] = asked.events();
  if (named === undefined) {
    return shareOf(asked, visitsWith(null), null, asked.items[0] as Item);
  }
  named.isUsed = true;
  asked.takeAll("SET_ANY");
  const { event } = named.part;
  const part = visitsWith(event.name, takeConditions(asked, event));
  return percentage(part, visitsWith(null), [null]);
}

function peopleShare(
  asked: Asked,
  base: string | null,
  word: Item,
  labels: readonly Label[],
): Draft {
  const window = takeWindow(asked);
  if (Object.keys(window).length > 0) return windowed(asked, base, window);
  const deeds = takeDeeds(asked, { isOfPeople: true });
  const [first, ...others] = deeds;
  if (first === undefined)
    return shareOf(asked, node(base, { math: "dau" }), infoOf(asked, base), word);
  // "Of the people who created a workspace, how many created a task": the first event is the base.
  const isOfFirst = base === null && (others.length > 0 || first.item.part.isDoer);
  const event = isOfFirst ? first.event : infoOf(asked, base);
  const filters = isOfFirst ? first.filters : [];
  const own = (isOfFirst ? others : deeds).flatMap(didOf);
  const whole = node(isOfFirst ? first.event.name : base, { math: "dau" }, filters);
  if (own.length === 0) {
    const met = takeConditions(asked, event);
    if (met.length === 0)
      throw new NotUnderstood(textOf(word), "A share is of what meets a condition.");
    return percentage({ ...whole, properties: [...filters, ...met] }, whole, [event]);
  }
  const last = own.length === 1 ? deeds.at(-1) : undefined;
  if (
    last?.isNot === false &&
    last.frequency === undefined &&
    isOfBoth(labels, event, last.event)
  ) {
    const part = node(last.event.name, { math: "dau" }, last.filters);
    return percentage(part, whole, [event, last.event]);
  }
  return percentage({ ...whole, properties: [...filters, ...own] }, whole, [event]);
}

/** Whether a label is an own property of both events: each line then compares the two with the same value. */
const isOfBoth = (labels: readonly Label[], one: EventInfo | null, other: EventInfo): boolean =>
  labels
    .flatMap((label) => ("properties" in label ? label.properties : []))
    .some(
      ({ of, name }) =>
        of === "event" &&
        !/^(?:\$|utm_)/.test(name) &&
        [one, other].every((event) => event?.properties.has(name)),
    );

/** "Signed up within 7 days": the last step of a funnel. */
function windowed(asked: Asked, base: string | null, window: JsonObject): Draft {
  const steps = takeSteps(asked);
  asked.takeAll("AND", "WHO", "FIRST_SEEN", "IS_NEW", "TO");
  const series = steps.length === 1 && base !== null ? [node(base), ...steps] : steps;
  if (series.length < 2) throw new NotUnderstood("within", "Say from what to what.");
  return funnelOf(asked, series, window);
}
