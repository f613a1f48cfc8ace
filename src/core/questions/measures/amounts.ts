import type { JsonObject } from "../../values/json.ts";
import { type EventInfo, isMoney } from "../names/index.ts";
import { type Asked, isTagged } from "../read/asked.ts";
import { filterJson } from "../read/parts.ts";
import { type Draft, node, trend } from "./draft.ts";
import { isCondition } from "./items.ts";

const CURRENCIES: readonly [words: RegExp, code: string][] = [
  [/^(?:euros?|eur|€)$/, "EUR"],
  [/^(?:dollars?|usd|\$|bucks?)$/, "USD"],
  [/^(?:pounds?|gbp|£)$/, "GBP"],
  [/^chf$/, "CHF"],
];

/** The code of the one currency that words name; undefined without one, or with several. */
export function currencyOf(words: readonly string[]): string | undefined {
  const codes = words.flatMap((name) => CURRENCIES.find(([word]) => word.test(name))?.[1] ?? []);
  return new Set(codes).size === 1 ? codes[0] : undefined;
}

/** Whether the amounts of an event are in several currencies. */
export const hasCurrencies = (asked: Asked, event: EventInfo | null): boolean =>
  event?.properties.has("currency") === true && currencyCodes(asked).size > 1;

/** The filter for amounts in one currency. */
export const inCurrency = (code: string): JsonObject =>
  filterJson({ of: "event", name: "currency" }, "exact", code);

/** The currencies of a project's events, as three-letter codes. */
const currencyCodes = (asked: Asked): ReadonlySet<string> =>
  new Set(
    [...asked.index.values.values()]
      .flat()
      .filter(
        ({ property, value }) =>
          property.name === "currency" && property.of === "event" && /^[A-Z]{3}$/i.test(value),
      )
      .map(({ value }) => value),
  );

/** The currency format of an event's amounts, for a `trendsFilter`; empty unless the project has exactly one currency. */
export function currency(asked: Asked, event: EventInfo | undefined): JsonObject {
  const [code, ...others] = currencyCodes(asked);
  if (code === undefined || others.length > 0 || event?.properties.has("currency") !== true)
    return {};
  return { aggregationAxisFormat: "currency", aggregationAxisPostfix: ` ${code}` };
}

/** The trend of amounts. With several currencies, each gets its own line, as they cannot be added up. */
export function amountsTrend(
  asked: Asked,
  series: JsonObject,
  event: EventInfo | undefined,
): Draft {
  const draft = trend([series], [event ?? null], currency(asked, event));
  const isSplit = hasCurrencies(asked, event ?? null) && !isCurrencySaid(asked);
  return isSplit ? { ...draft, labels: [{ property: "currency", type: "event" }] } : draft;
}

/** Whether a question names a currency. */
export const isCurrencySaid = (asked: Asked): boolean =>
  asked.items.some((item) => item.part === undefined && isTagged(item, "MONEY")) ||
  asked.conditions().some((item) => isCondition(item, ({ name }) => name === "currency"));

/** Whether an event has amounts of money. */
export const hasMoney = (event: EventInfo): boolean => [...event.properties.values()].some(isMoney);

/** The node with the sum of an event's amounts. */
export const sumOf = (asked: Asked, event: EventInfo, words: string): JsonObject =>
  node(event.name, { math: "sum", math_property: asked.moneyOf(event, words).name });
