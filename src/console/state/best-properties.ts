import { money, valueText } from "./format.ts";

/** Names of properties that say most, the best first. */
const BEST = ["product", "name", "title", "plan", "query", "amount", "revenue", "price", "value"];

/** The most characters of a value that stands in the row of an event. */
const CHARS_MAX = 60;

/** The two properties that say most about an event, with their names, and its page or screen. */
export function bestOf({ properties }: { properties: Record<string, unknown> }): string[] {
  const rank = (name: string) => (BEST.indexOf(name) + BEST.length + 1) % (BEST.length + 1);
  const own = Object.entries(properties)
    .filter(([name, value]) => !/^\$|^utm_|(^|_)id$|^currency$/i.test(name) && isShort(value))
    .sort(([a], [b]) => rank(a) - rank(b))
    .slice(0, 2)
    .map(([name, value]) => `${name}: ${amountText(name, value, properties["currency"])}`);
  const place = properties["$pathname"] ?? properties["$screen_name"] ?? properties["$current_url"];
  return typeof place === "string" ? [...own, place] : own;
}

/** Names of properties that are money in an event with a currency. */
const MONEY = /^(?:amount|revenue|price|value|total)$/;

const amountText = (name: string, value: unknown, currency: unknown): string =>
  typeof value === "number" && typeof currency === "string" && MONEY.test(name)
    ? money(value, currency)
    : valueText(value);

const isShort = (value: unknown): boolean =>
  typeof value === "number" ||
  (typeof value === "string" && value !== "" && value.length <= CHARS_MAX);
