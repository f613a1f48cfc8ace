import type { EventInfo, PropertyInfo } from "../names/index.ts";
import { type Asked, type Item, isTagged, meanNothing } from "../read/asked.ts";
import { nameStems } from "../text/stems.ts";

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

/** Whether a word is in the name of a property of an event. "Per level" of a "level number" is a label. */
const isOfProperty = ({ term: { words } }: Item, owner: EventInfo | undefined): boolean =>
  [...(owner?.properties.keys() ?? [])].some((name) =>
    nameStems(name).includes(words[0]?.stem ?? ""),
  );

/** The "per" before an event: "reading time per article" is that of each article read. */
export const perItems = (asked: Asked, owner: EventInfo | undefined): Item[] =>
  asked.items.filter((per) => {
    const thing = isTagged(per, "PER") ? asked.beside(per, 1) : undefined;
    if (thing === undefined || owner === undefined) return false;
    if (thing.part?.kind === "ev") return thing.part.event === owner && !thing.part.isDoer;
    if (thing.part !== undefined) return false;
    return !isOfProperty(thing, owner) && thing.term.partOf.includes(owner);
  });

/** Takes words that add nothing to a calculation, such as "per" in "seats per subscription". */
export function takeEmptyWords(asked: Asked, owner: EventInfo | undefined): void {
  for (const per of perItems(asked, owner)) {
    const thing = asked.beside(per, 1);
    meanNothing(per);
    if (thing !== undefined && thing.part === undefined) meanNothing(thing);
  }
  const hasLoss = asked.items.some(
    ({ part }) => part?.kind === "ev" && /cancel|refund|churn|lost/i.test(part.event.name),
  );
  useAll(asked, (item) => {
    const next = asked.beside(item, 1);
    const isLabel = next?.part?.kind === "ev" && next.part.isPart && isOfProperty(next, owner);
    const isOfEvent = next?.part?.kind === "ev" && !next.part.isDoer;
    const isBeforeEvent = !isLabel && (isOfEvent || isTagged(next, "IS_NEW"));
    return (
      (isBeforeEvent && isTagged(item, "PER", "BY")) ||
      (hasLoss && /^los[et]$/.test(item.word)) ||
      isTagged(item, "COUNT", "MUCH", "IS_NEW", "EACH")
    );
  });
}
