import type { PropertyInfo } from "../names/index.ts";
import { isTagged, NotUnderstood, rankedProperties, textOf } from "../read/asked.ts";
import { isCalculated, ownerOf } from "./calculations.ts";
import { type Measure, node, trend } from "./draft.ts";
import { freeBefore, use } from "./items.ts";
import { hasPeople } from "./people.ts";

/** "How many different products were sold". */
export const different: Measure = (asked) => {
  const item = asked.items.find(
    (one) =>
      !one.isUsed &&
      isTagged(one, "PROP") &&
      freeBefore(asked, one, "DIFFERENT", "COUNT") !== undefined,
  );
  const isOther = item?.term.group !== undefined || hasPeople(asked) || isCalculated(asked);
  if (item === undefined || isOther) return undefined;
  const events = asked.events();
  const [event] = events.map(({ part }) => part.event);
  const [property] = rankedProperties(item.term.properties, [event ?? null]);
  if (property === undefined || /^(?:group|session)$/.test(property.of)) return undefined;
  // "How many credits were sold" asks for their sum.
  if (property.type === "number" && !asked.has("DIFFERENT")) return undefined;
  const owner = event ?? ownerOf(asked, property, textOf(item));
  if (asked.take("DIFFERENT") === undefined) {
    if (property.name === "$pathname" && event?.name === "$pageview") return undefined;
    throw new NotUnderstood(
      textOf(item),
      `Say "different ${textOf(item)}" to count them, or name what happened to count that.`,
    );
  }
  refuseLists(property, textOf(item));
  use(item, ...events);
  asked.takeAll("DIFFERENT", "COUNT");
  const expression = `count(DISTINCT ${expressionOf(property)})`;
  const series = node(owner?.name ?? null, { math: "hogql", math_hogql: expression });
  return trend([series], [owner ?? null]);
};

/** Refuses a list: the different lists would be counted, and not the different values in them. */
function refuseLists({ type }: PropertyInfo, words: string): void {
  if (type !== "list") return;
  throw new NotUnderstood(words, `An event has several. Ask for "top ${words}".`);
}

const expressionOf = ({ of, name }: PropertyInfo): string =>
  `${of === "person" ? "person." : ""}properties.${/^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``}`;
