import type { Bag, Item } from "../language/bag.ts";
import type { KnownValue, Property } from "../language/name-keys.ts";
import type { Context } from "./context.ts";
import type { Condition, Measure } from "./reading.ts";

/** Reads "with a coupon" and "without a coupon": whether a property is set. */
function namedIn(bag: Bag): Condition[] {
  const found: Condition[] = [];
  for (const item of bag.left()) {
    const { property } = item.meaning;
    const before = [bag.beside(item, -1), bag.beside(item, -2)];
    const isNear = before[0]?.isSoft === true && before[1]?.meaning.roles.has("set") === true;
    const isSet = before[0]?.meaning.roles.has("set") === true || isNear;
    const lacking = before.find(
      (one) => one?.meaning.roles.has("without") === true && bag.isLeft(one),
    );
    if (property === undefined || !(isSet || lacking !== undefined)) continue;
    bag.takeItem(item);
    bag.takeItem(lacking);
    found.push({ property, is: isSet ? "set" : "unset", values: [] });
  }
  return found;
}

/** Properties whose values are meant first where several have the same one. */
const LIKELY: readonly string[] = [
  ...["$geoip_country_name", "$geoip_country_code", "$device_type", "$browser", "$os"],
  ...["$pathname", "$referring_domain", "utm_source", "utm_medium", "utm_campaign"],
];

/** Reads the filters of a question. */
export function conditionsIn(bag: Bag, measure: Measure, context: Context): Condition[] {
  return merged([
    ...namedIn(bag),
    ...comparedIn(bag, measure, context),
    ...valuesIn(bag),
    ...pagesIn(bag),
    ...personsIn(bag),
  ]);
}

function personsIn(bag: Bag): Condition[] {
  const found: Condition[] = [];
  for (
    let item = bag.takeIf(({ who }) => who !== undefined);
    item;
    item = bag.takeIf(({ who }) => who !== undefined)
  ) {
    found.push({
      property: { of: "person", name: "email" },
      is: "equal",
      values: [item.who as string],
    });
  }
  return found;
}

function pagesIn(bag: Bag): Condition[] {
  const found: Condition[] = [];
  for (
    let item = bag.takeIf(({ page }) => page !== undefined);
    item;
    item = bag.takeIf(({ page }) => page !== undefined)
  ) {
    const before = bag.beside(item, -1);
    if (before !== undefined && bag.isLeft(before) && before.meaning.property?.name === "$pathname")
      bag.takeItem(before);
    const is = isNegated(bag, item) ? "not" : "equal";
    found.push({ property: { of: "event", name: "$pathname" }, is, values: [item.page as string] });
  }
  return found;
}

/** Whether words of exclusion stand before a part, as far as only filler and other values are between. */
function isNegated(bag: Bag, item: Item): boolean {
  for (let at = item.at - 1; at >= 0; at -= 1) {
    const one = bag.items[at] as Item;
    if (one.meaning.roles.has("except") || one.meaning.roles.has("without")) {
      bag.takeItem(one);
      return true;
    }
    if (!one.isSoft && one.meaning.values.length === 0 && one.meaning.property === undefined)
      return false;
  }
  return false;
}

function valuesIn(bag: Bag): Condition[] {
  const found: Condition[] = [];
  // A word that names a property means it, unless it stands next to a property that has it as a value.
  const isValue = (item: Item) =>
    item.meaning.values.length > 0 &&
    (item.meaning.property === undefined || isBesideProperty(bag, item));
  for (let item = bag.takeIf(isValue); item !== undefined; item = bag.takeIf(isValue)) {
    const { values } = item.meaning;
    const named = besideOf(bag, item, values);
    const chosen = named ?? likeliest(values);
    const is = isNegated(bag, item) ? "not" : "equal";
    const same = values.filter(({ property }) => isSame(property, chosen));
    found.push({ property: chosen, is, values: [...new Set(same.map(({ value }) => value))] });
  }
  return found;
}

function isBesideProperty(bag: Bag, item: Item): boolean {
  return [-1, 1].some((step) => {
    const property = bag.beside(item, step)?.meaning.property;
    return (
      property !== undefined && item.meaning.values.some((one) => isSame(one.property, property))
    );
  });
}

/** Whether two properties are the same. */
export const isSame = (a: Property, b: Property) => a.of === b.of && a.name === b.name;

/** Returns the property that stands next to its value, as in "utm source google" and "the pro plan". */
function besideOf(bag: Bag, item: Item, values: readonly KnownValue[]): Property | undefined {
  for (const step of [-1, 1, -2, 2]) {
    const near = bag.beside(item, step);
    const property = near?.meaning.property;
    if (near === undefined || property === undefined) continue;
    const found = values.find(
      (one) => isSame(one.property, property) || one.property.name === property.name,
    );
    if (found === undefined) continue;
    const between = Math.abs(step) === 2 ? bag.beside(item, step / 2) : undefined;
    if (Math.abs(step) === 2 && between?.isSoft !== true) continue;
    if (between?.meaning.roles.has("by") === true) continue;
    bag.takeItem(near);
    return found.property;
  }
  return undefined;
}

function likeliest(values: readonly KnownValue[]): Property {
  const rank = ({ property, count }: KnownValue) => {
    const at = property.of === "event" ? LIKELY.indexOf(property.name) : -1;
    if (at >= 0) return at - 1000;
    return (property.of === "event" ? 0 : 1_000_000_000) - count;
  };
  const [first] = values.toSorted((a, b) => rank(a) - rank(b));
  return (first as KnownValue).property;
}

/** Signs of comparison by their role. */
const COMPARED = {
  more: "above",
  at_least: "at_least",
  less: "below",
  at_most: "at_most",
  exactly: "equal",
} as const;

/** Reads comparisons with numbers, such as "over 100 euros" or "quantity above 2". */
function comparedIn(bag: Bag, measure: Measure, context: Context): Condition[] {
  const found: Condition[] = [];
  const roles = Object.keys(COMPARED) as (keyof typeof COMPARED)[];
  for (const role of roles) {
    const sign = bag.find(
      (item) => item.meaning.roles.has(role) && numberNear(bag, item) !== undefined,
    );
    const number = sign === undefined ? undefined : numberNear(bag, sign);
    if (sign === undefined || number === undefined) continue;
    const property = comparedProperty(bag, { sign, number }, measure, context);
    if (property === undefined) continue;
    bag.takeItem(sign);
    bag.takeItem(number);
    found.push({ property, is: COMPARED[role], values: [String(number.number)] });
  }
  return found.length > 0 ? found : [...betweenIn(bag, measure, context), ...countedIn(bag)];
}

/** Reads "with 0 results". */
function countedIn(bag: Bag): Condition[] {
  const number = bag.find(
    (item) =>
      item.number !== undefined &&
      /^with$/i.test(bag.beside(item, -1)?.words[0]?.text ?? "") &&
      bag.beside(item, 1)?.meaning.property !== undefined,
  );
  const named = number === undefined ? undefined : bag.beside(number, 1);
  const property = named?.meaning.property;
  if (number === undefined || property === undefined) return [];
  bag.takeItem(number);
  bag.takeItem(named);
  return [{ property, is: "equal", values: [String(number.number)] }];
}

function betweenIn(bag: Bag, measure: Measure, context: Context): Condition[] {
  const sign = bag.find((item) => item.meaning.roles.has("between"));
  const low = sign === undefined ? undefined : numberNear(bag, sign);
  const high =
    low === undefined
      ? undefined
      : bag.find((item) => item.at > low.at && item.number !== undefined);
  if (sign === undefined || low === undefined || high === undefined) return [];
  const property = comparedProperty(bag, { sign, number: high }, measure, context);
  if (property === undefined) return [];
  for (const item of [sign, low, high]) bag.takeItem(item);
  return [
    { property, is: "at_least", values: [String(low.number)] },
    { property, is: "at_most", values: [String(high.number)] },
  ];
}

function numberNear(bag: Bag, sign: Item): Item | undefined {
  const after = [bag.beside(sign, 1), bag.beside(sign, 2)];
  const before = /\bor (?:more|less)$/i.test(sign.words.map(({ text }) => text).join(" "))
    ? [bag.beside(sign, -1), bag.beside(sign, -2)]
    : [];
  return [...after, ...before].find((item) => item?.number !== undefined && bag.isLeft(item));
}

/** Returns the property of a number: its neighbour in the question, or the amount of an order. */
function comparedProperty(
  bag: Bag,
  { sign, number }: { sign: Item; number: Item },
  measure: Measure,
  context: Context,
): Property | undefined {
  const near = [bag.beside(sign, -1), bag.beside(sign, -2), bag.beside(number, 1)];
  const named = near.find(
    (item) =>
      item !== undefined &&
      bag.isLeft(item) &&
      item.meaning.property !== undefined &&
      item.meaning.event === undefined,
  );
  if (named !== undefined) return bag.takeItem(named)?.meaning.property;
  const unit = bag.beside(number, 1);
  if (unit?.meaning.roles.has("money") === true) bag.takeItem(unit);
  else if (
    unit !== undefined &&
    (["times", "days", "minutes", "seconds", "hours"] as const).some((role) =>
      unit.meaning.roles.has(role),
    )
  )
    return undefined;
  const bought = context.eventOf("purchase");
  const isOfOrders =
    measure.of === "events" && bought !== undefined && measure.events.includes(bought);
  const isMoney = unit?.meaning.roles.has("money") === true;
  return isOfOrders || isMoney ? context.propertyOf("amount") : undefined;
}

/** Joins conditions on one property to a list of values. */
function merged(conditions: readonly Condition[]): Condition[] {
  const found: Condition[] = [];
  for (const one of conditions) {
    const same = found.find(
      ({ property, is }) =>
        isSame(property, one.property) && is === one.is && (is === "equal" || is === "not"),
    );
    if (same === undefined) found.push({ ...one, values: [...one.values] });
    else same.values = [...new Set([...same.values, ...one.values])];
  }
  return found;
}
