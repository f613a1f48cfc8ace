import type { Part, Parts } from "../language/parts.ts";
import type { Context } from "./context.ts";
import type { Measure } from "./reading.ts";

/** Takes the parts of a question that name a measure; returns undefined for other questions. */
export type Reader = (parts: Parts, context: Context) => Measure | undefined;

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
export function takeEvent(parts: Parts): string | undefined {
  return parts.takeIf(({ meaning }) => meaning.event !== undefined)?.meaning.event;
}

/** Takes the next event wherever a question names it, and leaves others. */
export function takeOnly(parts: Parts): string | undefined {
  const event = takeEvent(parts);
  if (event !== undefined) parts.takeAllIf(({ meaning }) => meaning.event === event);
  return event;
}

/** Takes all events, in order, each once. */
export function takeEvents(parts: Parts): string[] {
  return [...new Set([...parts.each(isEvent)].map(({ meaning }) => meaning.event as string))];
}

/** Whether a part counts persons. */
export const isPerson = ({ meaning }: Part) => PERSON_ROLES.some((role) => meaning.roles.has(role));

/** Whether a part counts sessions. */
export const isSession = ({ meaning }: Part) => meaning.roles.has("session");

/** Whether a part names a type of groups. */
export const isGroup = ({ meaning }: Part) => /^\$group_\d$/.test(meaning.property?.name ?? "");

/** Whether a part names an event. */
export const isEvent = ({ meaning }: Part) => meaning.event !== undefined;

/** Whether a part only says by what or of whom a number is, as after "by" and "per". */
export function isDetail(parts: Parts, part: Part): boolean {
  const before = parts.beside(part, -1);
  // In "top pages by visitors" the visitors are counted.
  const isRanking = parts.has("most", "least") && (isPerson(part) || isSession(part));
  return !isRanking && before?.meaning.roles.has("by") === true && parts.isLeft(before);
}

/** Whether persons come after the word "by", which is no "per": "orders by customer", "orders by customers on the pro plan". */
export const isAfterBy = (parts: Parts, part: Part) =>
  isPerson(part) && /^by$/i.test(parts.beside(part, -1)?.words[0]?.text ?? "");

/** Whether a question asks for each person: "orders by customer". "By customers" only names them. */
export const isEach = (parts: Parts, part: Part) =>
  isAfterBy(parts, part) && !/s$|people$/i.test(part.words.at(-1)?.text ?? "");

/** Takes an event that a question names twice. */
export function takeRepeated(parts: Parts, event: string): void {
  parts.takeAllIf(
    ({ meaning }) =>
      meaning.event === event && meaning.property === undefined && meaning.values.length === 0,
  );
}
