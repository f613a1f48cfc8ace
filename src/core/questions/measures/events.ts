import type { EventInfo } from "../names/index.ts";
import { type Asked, NotUnderstood } from "../read/asked.ts";

/** Looks up an event by name; null for any event, and for an event that the project does not have. */
export const infoOf = (asked: Asked, event: string | null): EventInfo | null =>
  event === null ? null : (asked.event(event) ?? null);

/** The event that counts as a visit: a page view, or a screen in an app. */
export const visitEvent = (asked: Asked): string =>
  asked.event("$pageview") === undefined && asked.event("$screen") !== undefined
    ? "$screen"
    : "$pageview";

/** The event for orders. Throws `NotUnderstood` with the words and the reason if the project has no such event. */
export function ordersOf(
  asked: Asked,
  words: string,
  reason = "The project has no event for orders.",
): EventInfo {
  const orders = asked.orders();
  if (orders === undefined) throw new NotUnderstood(words, reason);
  return orders;
}
