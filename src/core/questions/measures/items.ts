import type { PropertyInfo } from "../names/index.ts";
import { type Asked, type Item, isTagged } from "../read/asked.ts";

/** Tags of nouns for people. */
export const PEOPLE = ["VISITOR", "PERSON", "PAYER", "ACTIVE"] as const;

/** Marks items as used. Undefined ones are skipped. */
export const use = (...items: readonly (Item | undefined)[]): void => {
  for (const item of items) if (item !== undefined) item.isUsed = true;
};

/** Marks all items that meet a condition as used. */
export const useAll = (asked: Asked, meets: (item: Item) => boolean): void =>
  use(...asked.items.filter(meets));

/** The item before another, if it is unused and has any of the tags. */
export function freeBefore(asked: Asked, item: Item, ...tags: readonly string[]): Item | undefined {
  const before = asked.beside(item, -1);
  return before?.isUsed === false && isTagged(before, ...tags) ? before : undefined;
}

/** Whether an item is a condition that may be on a property for which `meets` is true. */
export const isCondition = (
  { part }: Pick<Item, "part">,
  meets: (property: PropertyInfo) => boolean,
): boolean => part?.kind === "filter" && part.of.some(({ property }) => meets(property));
