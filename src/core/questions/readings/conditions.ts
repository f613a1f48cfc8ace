import type { KnownValue, Property } from "../language/name-keys.ts";
import type { Part, Parts } from "../language/parts.ts";
import type { Context } from "./context.ts";
import type { Condition, Measure } from "./reading.ts";

/** Reads "with a coupon" and "without a coupon": whether a property is set. */
function namedIn(parts: Parts): Condition[] {
  const found: Condition[] = [];
  for (const part of parts.left()) {
    const { property } = part.meaning;
    const before = [-1, -2, -3].map((step) => parts.beside(part, step));
    const isNear = before[0]?.isSoft === true && before[1]?.meaning.roles.has("set") === true;
    const isSet = before[0]?.meaning.roles.has("set") === true || isNear;
    // The denial in "not used a coupon" stands one word further away.
    const lacking = (isSet ? before : before.slice(0, 2)).find(
      (one) => one?.meaning.roles.has("without") === true && parts.isLeft(one),
    );
    if (property === undefined || !(isSet || lacking !== undefined)) continue;
    parts.takePart(part);
    parts.takePart(lacking);
    found.push({ property, is: lacking === undefined ? "set" : "unset", values: [] });
  }
  return found;
}

/** Reads "searches that found nothing". */
function emptyIn(parts: Parts, context: Context): Condition[] {
  const property = context.propertyOf("results");
  if (property === undefined || parts.take("nothing") === undefined) return [];
  return [{ property, is: "equal", values: ["0"] }];
}

/** Reads "cron jobs that failed", where events say whether they went well. */
function outcomeIn(parts: Parts, context: Context): Condition[] {
  const property = context.propertyOf("ok");
  if (property === undefined) return [];
  const is = "equal" as const;
  if (parts.take("failed") !== undefined) return [{ property, is, values: ["false"] }];
  return parts.take("succeeded") === undefined ? [] : [{ property, is, values: ["true"] }];
}

/** Properties whose values are meant first where several have the same one. */
const LIKELY: readonly string[] = [
  ...["$geoip_country_name", "$geoip_country_code", "$device_type", "$browser", "$os"],
  ...["$pathname", "$referring_domain", "utm_source", "utm_medium", "utm_campaign"],
];

/** Reads the filters of a question. */
export function conditionsIn(parts: Parts, measure: Measure, context: Context): Condition[] {
  return merged([
    ...emptyIn(parts, context),
    ...outcomeIn(parts, context),
    ...namedIn(parts),
    ...comparedIn(parts, measure, context),
    ...valuesIn(parts),
    ...pagesIn(parts),
    ...personsIn(parts),
  ]);
}

function personsIn(parts: Parts): Condition[] {
  return [...parts.each(({ who }) => who !== undefined)].map(({ who = "" }) => ({
    property: { of: "person", name: "email" },
    is: "equal",
    values: [who],
  }));
}

function pagesIn(parts: Parts): Condition[] {
  const found: Condition[] = [];
  for (const part of parts.each(({ page }) => page !== undefined)) {
    const before = parts.beside(part, -1);
    if (
      before !== undefined &&
      parts.isLeft(before) &&
      before.meaning.property?.name === "$pathname"
    )
      parts.takePart(before);
    const is = isNegated(parts, part) ? "not" : "equal";
    found.push({ property: { of: "event", name: "$pathname" }, is, values: [part.page as string] });
  }
  return found;
}

/** Whether words of exclusion stand before a part, as far as only filler and other values are between. */
function isNegated(parts: Parts, part: Part): boolean {
  for (let at = part.at - 1; at >= 0; at -= 1) {
    const one = parts.all[at] as Part;
    if (one.meaning.roles.has("except") || one.meaning.roles.has("without")) {
      parts.takePart(one);
      return true;
    }
    const { values, property, event } = one.meaning;
    const isBetween = values.length > 0 || property !== undefined || event === "$pageview";
    if (!one.isSoft && !isBetween) return false;
  }
  return false;
}

function valuesIn(parts: Parts): Condition[] {
  const found: Condition[] = [];
  // A word that names a property means it, unless it stands next to a property that has it as a value.
  const isValue = (part: Part) =>
    part.meaning.values.length > 0 &&
    (part.meaning.property === undefined || isBesideProperty(parts, part));
  for (const part of parts.each(isValue)) {
    const { values } = part.meaning;
    const named = besideOf(parts, part, values);
    const chosen = named ?? likeliest(values);
    const is = isNegated(parts, part) ? "not" : "equal";
    const same = values.filter(({ property }) => isSame(property, chosen));
    found.push({ property: chosen, is, values: [...new Set(same.map(({ value }) => value))] });
  }
  return found;
}

function isBesideProperty(parts: Parts, part: Part): boolean {
  return [-1, 1].some((step) => {
    const property = parts.beside(part, step)?.meaning.property;
    return (
      property !== undefined && part.meaning.values.some((one) => isSame(one.property, property))
    );
  });
}

/** Whether two properties are the same. */
export const isSame = (a: Property, b: Property) => a.of === b.of && a.name === b.name;

/** Returns the property that stands next to its value, as in "utm source google" and "the pro plan". */
function besideOf(parts: Parts, part: Part, values: readonly KnownValue[]): Property | undefined {
  for (const step of [-1, 1, -2, 2]) {
    const near = parts.beside(part, step);
    const property = near?.meaning.property;
    if (near === undefined || property === undefined) continue;
    const found = values.find(
      (one) => isSame(one.property, property) || one.property.name === property.name,
    );
    if (found === undefined) continue;
    const between = Math.abs(step) === 2 ? parts.beside(part, step / 2) : undefined;
    if (Math.abs(step) === 2 && between?.isSoft !== true) continue;
    if (between?.meaning.roles.has("by") === true) continue;
    parts.takePart(near);
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
function comparedIn(parts: Parts, measure: Measure, context: Context): Condition[] {
  const found: Condition[] = [];
  const roles = Object.keys(COMPARED) as (keyof typeof COMPARED)[];
  for (const role of roles) {
    const sign = parts.find(
      (part) => part.meaning.roles.has(role) && numberNear(parts, part) !== undefined,
    );
    const number = sign === undefined ? undefined : numberNear(parts, sign);
    if (sign === undefined || number === undefined) continue;
    const property = comparedProperty(parts, { sign, number }, measure, context);
    if (property === undefined) continue;
    parts.takePart(sign);
    parts.takePart(number);
    found.push({ property, is: COMPARED[role], values: [String(number.number)] });
  }
  return found.length > 0 ? found : [...betweenIn(parts, measure, context), ...countedIn(parts)];
}

/** Reads "with 0 results". */
function countedIn(parts: Parts): Condition[] {
  const number = parts.find(
    (part) =>
      part.number !== undefined &&
      /^with$/i.test(parts.beside(part, -1)?.words[0]?.text ?? "") &&
      parts.beside(part, 1)?.meaning.property !== undefined,
  );
  const named = number === undefined ? undefined : parts.beside(number, 1);
  const property = named?.meaning.property;
  if (number === undefined || property === undefined) return [];
  parts.takePart(number);
  parts.takePart(named);
  return [{ property, is: "equal", values: [String(number.number)] }];
}

function betweenIn(parts: Parts, measure: Measure, context: Context): Condition[] {
  const sign = parts.find((part) => part.meaning.roles.has("between"));
  const low = sign === undefined ? undefined : numberNear(parts, sign);
  const high =
    low === undefined
      ? undefined
      : parts.find((part) => part.at > low.at && part.number !== undefined);
  if (sign === undefined || low === undefined || high === undefined) return [];
  const property = comparedProperty(parts, { sign, number: high }, measure, context);
  if (property === undefined) return [];
  for (const part of [sign, low, high]) parts.takePart(part);
  return [
    { property, is: "at_least", values: [String(low.number)] },
    { property, is: "at_most", values: [String(high.number)] },
  ];
}

function numberNear(parts: Parts, sign: Part): Part | undefined {
  const after = [parts.beside(sign, 1), parts.beside(sign, 2)];
  const before = /\bor (?:more|less)$/i.test(sign.words.map(({ text }) => text).join(" "))
    ? [parts.beside(sign, -1), parts.beside(sign, -2)]
    : [];
  return [...after, ...before].find((part) => part?.number !== undefined && parts.isLeft(part));
}

/** Returns the property of a number: its neighbour in the question, or the amount of an order. */
function comparedProperty(
  parts: Parts,
  { sign, number }: { sign: Part; number: Part },
  measure: Measure,
  context: Context,
): Property | undefined {
  const near = [parts.beside(sign, -1), parts.beside(sign, -2), parts.beside(number, 1)];
  const named = near.find(
    (part) =>
      part !== undefined &&
      parts.isLeft(part) &&
      part.meaning.property !== undefined &&
      part.meaning.event === undefined,
  );
  if (named !== undefined) return parts.takePart(named)?.meaning.property;
  const unit = parts.beside(number, 1);
  if (unit?.meaning.roles.has("money") === true) parts.takePart(unit);
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
