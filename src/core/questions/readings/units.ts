import type { Bag, Item } from "../language/bag.ts";
import type { Context } from "./context.ts";
import type { Measure } from "./reading.ts";

/** Takes the parts of a question that name a measure; returns undefined for other questions. */
export type Reader = (bag: Bag, context: Context) => Measure | undefined;

/** Words for units that persons are counted by. */
export const PERSON_ROLES = [
  "visitor",
  "person",
  "customer",
  "active",
  "dau",
  "wau",
  "mau",
] as const;

/** The event of page views; no name, which stands for all events, in a project without it. */
export const pageViews = ({ hasEvent }: Context): string[] =>
  hasEvent("$pageview") ? ["$pageview"] : [];

/** Takes the next event; undefined without one. */
export function takeEvent(bag: Bag): string | undefined {
  return bag.takeIf(({ meaning }) => meaning.event !== undefined)?.meaning.event;
}

/** Takes all events, in order, each once. */
export function takeEvents(bag: Bag): string[] {
  const found: string[] = [];
  for (let event = takeEvent(bag); event !== undefined; event = takeEvent(bag)) {
    if (!found.includes(event)) found.push(event);
  }
  return found;
}

/** Whether a part counts persons. */
export const isPerson = ({ meaning }: Item) => PERSON_ROLES.some((role) => meaning.roles.has(role));

/** Whether a part counts sessions. */
export const isSession = ({ meaning }: Item) => meaning.roles.has("session");

/** Whether a part names a type of groups. */
export const isGroup = ({ meaning }: Item) => /^\$group_\d$/.test(meaning.property?.name ?? "");

/** Whether a part names an event. */
export const isEvent = ({ meaning }: Item) => meaning.event !== undefined;

/** Whether a part only says by what or of whom a number is, as after "by" and "per". */
export function isDetail(bag: Bag, item: Item): boolean {
  const before = bag.beside(item, -1);
  // In "top pages by visitors" the visitors are counted.
  const isRanking = bag.has("most", "least") && (isPerson(item) || isSession(item));
  return !isRanking && before?.meaning.roles.has("by") === true && bag.isLeft(before);
}

/** Takes an event that a question names twice. */
export function takeRepeated(bag: Bag, event: string): void {
  const isSame = ({ meaning }: Item) =>
    meaning.event === event && meaning.property === undefined && meaning.values.length === 0;
  while (bag.takeIf(isSame) !== undefined);
}
