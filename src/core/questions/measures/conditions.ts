import type { JsonObject } from "../../values/json.ts";
import type { EventInfo, PropertyInfo } from "../names/index.ts";
import { type Asked, filterOf, type Item, NotUnderstood, textOf } from "../read/asked.ts";
import { behavior, type Condition, type Named, type PageNamed, parted } from "../read/parts.ts";
import { currencyOf, hasCurrencies, inCurrency } from "./amounts.ts";
import { ordersOf } from "./events.ts";
import { isCondition, use } from "./items.ts";

/** Takes the conditions between two items that an event can meet. With `isOwn`, only those specific to the event. */
export const takeConditions = (
  asked: Asked,
  event: EventInfo | null,
  { from = -1, to = asked.items.length, isOwn = false } = {},
): JsonObject[] =>
  taken(
    asked,
    ({ at, part }) =>
      at > from && at < to && isConditionOf(part, event) && (!isOwn || isOnlyOf(part, event)),
    [event],
  );

/** The first of the conditions right before an event, as in "new card bills"; the event itself without any. */
export function leadOf(asked: Asked, item: Item, event: EventInfo): Item {
  const before = asked.items[item.at - 1];
  const { part } = before ?? {};
  const isOwn =
    part?.kind === "filter" && !/^where\b/i.test(part.text) && isConditionOf(part, event);
  return before?.isUsed === false && isOwn ? leadOf(asked, before, event) : item;
}

/** Whether the conditions before the first of several events are of it alone: others have some, or cannot have these. */
export function isOfFirst(asked: Asked, leads: readonly Item[], events: readonly Doer[]): boolean {
  const [lead, first, ...others] = [leads[0], ...events];
  const own = asked
    .conditions()
    .filter(({ at }) => at >= (lead?.at ?? 0) && at < (first?.at ?? 0))
    .map(({ part }) => part);
  return (
    asked.conditions().some(({ at }) => at > (first?.at ?? 0)) ||
    others.some((one) => !own.every((part) => isConditionOf(part, one.part.event)))
  );
}

type Doer = Item & { part: Named };

/** Refuses "people who saw /prices and /book": no single event is of both, and people with either are others. */
export function refuseBoth(asked: Asked): void {
  if (asked.has("VERSUS", "COMPARE")) return;
  const both = asked
    .conditions()
    .find(({ part }) =>
      part.kind === "pages"
        ? part.isBoth === true && !part.isNot && part.edge === undefined
        : part.isEach === true && /\b(?:and|&)\b/i.test(part.text) && isOnlyOf(part, null),
    );
  if (both === undefined) return;
  const said = both.part.kind === "pages" ? both.part.paths.join(" and ") : textOf(both);
  throw new NotUnderstood(
    said,
    'Repeat the verb for people who did both: "who visited /a and visited /b". Write "or" for either.',
  );
}

/** Takes all remaining conditions as filters of the whole query, or those between two items. */
export const takeFilters = (
  asked: Asked,
  events: readonly (EventInfo | null)[],
  { from = -1, to = asked.items.length } = {},
): JsonObject[] => taken(asked, ({ at }) => at > from && at < to, events);

const taken = (
  asked: Asked,
  meets: (item: { at: number; part: Condition | PageNamed }) => boolean,
  events: readonly (EventInfo | null)[],
): JsonObject[] =>
  asked
    .conditions()
    .filter(meets)
    .flatMap((item) => {
      item.isUsed = true;
      return parted(filterOf(asked, item.part, events));
    });

const isConditionOf = (part: Condition | PageNamed, event: EventInfo | null): boolean =>
  part.kind === "pages"
    ? event === null || event.name === "$pageview" || event.properties.has("$pathname")
    : part.of.some(
        ({ property }) =>
          property.of === "event" && (event === null || event.properties.has(property.name)),
      );

/** Whether a condition is specific to an event, and not on a property that SDKs send with every event. */
const isOnlyOf = (part: Condition | PageNamed, event: EventInfo | null): boolean =>
  part.kind === "pages"
    ? event?.name === "$pageview"
    : part.of.every(
        ({ property: { of, name } }) =>
          of === "event" &&
          (!/^(?:\$|utm_)/.test(name) || (event?.name === "$pageview" && name === "$pathname")),
      );

/**
 * Takes conditions that exclude people. "People outside France" are people without any event from France. An event from
 * another country is not enough.
 */
export const takeExclusions = (asked: Asked, event: EventInfo | null): JsonObject[] =>
  asked.conditions().flatMap((item) => {
    const { part } = item;
    const isNot = part.kind === "pages" ? part.isNot : part.operator === "is_not";
    if (!isNot) return [];
    const positive =
      part.kind === "pages" ? { ...part, isNot: false } : { ...part, operator: "exact" };
    const filter = filterOf(asked, positive, [event]);
    if (filter["type"] !== "event" && filter["type"] !== "session") return [];
    item.isUsed = true;
    return [behavior(event?.name ?? null, { filters: [filter], isNot: true })];
  });

/** Limits all conditions to properties of persons. Returns false if one of them cannot be on such a property. */
export function areOfPersons(asked: Asked): boolean {
  const isOfPerson = ({ of }: PropertyInfo) => of === "person";
  if (!asked.conditions().every((item) => isCondition(item, isOfPerson))) return false;
  for (const item of asked.conditions()) {
    const { part } = item;
    if (part.kind === "filter")
      item.part = { ...part, of: part.of.filter(({ property }) => isOfPerson(property)) };
  }
  return true;
}

/** Takes "spent more than 100". Throws `NotUnderstood` if the project has no orders, or orders without amounts. */
export function takeSpent(asked: Asked): JsonObject[] {
  const spend = asked.find("SPEND", "REVENUE");
  const after = spend === undefined ? undefined : asked.beside(spend, 1);
  if (spend === undefined || after?.part?.kind !== "cmp" || after.isUsed) return [];
  const orders = ordersOf(asked, textOf(spend));
  use(spend, after);
  const { bounds, currency: word = "" } = after.part;
  const code = currencyOf([word]);
  const isOneOfSeveral = hasCurrencies(asked, orders);
  if (isOneOfSeveral && code === undefined) {
    throw new NotUnderstood(textOf(spend), "Amounts are in several currencies. Name one.");
  }
  const sum_property = asked.moneyOf(orders, textOf(spend)).name;
  const did = { value: "performed_event_sum", sum_property };
  const filters = isOneOfSeveral && code !== undefined ? [inCurrency(code)] : [];
  return parted(behavior(orders.name, { frequency: { kind: "freq", bounds, did }, filters }));
}
