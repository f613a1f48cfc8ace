import type { EventInfo } from "../names/index.ts";
import { type Asked, isTagged, NotUnderstood, rankedProperties, textOf } from "../read/asked.ts";
import { isByPerson, type Label } from "../read/labels.ts";
import { amountsTrend, hasMoney, sumOf } from "./amounts.ts";
import { ownerOf } from "./calculations.ts";
import { type Draft, type Measure, node, totalTrend, trend } from "./draft.ts";
import { infoOf, ordersOf, visitEvent } from "./events.ts";
import { use } from "./items.ts";
import { hasPeople } from "./people.ts";
import { visitsWith } from "./visits.ts";

/** "Best selling products", "bestsellers": orders by their product. */
export const sold: Measure = (asked) => {
  const word = asked.find("SOLD");
  if (word === undefined) return undefined;
  const orders = ordersOf(asked, textOf(word));
  asked.takeAll("SOLD");
  use(...asked.events().filter(({ part }) => part.event === orders));
  const named = asked.find("PROP");
  const properties = named?.term.properties ?? asked.index.propertiesBy.get("product") ?? [];
  const [property] = rankedProperties(properties, [orders]);
  if (property === undefined)
    throw new NotUnderstood(textOf(word), `${orders.name} has no property with the product.`);
  use(named);
  return {
    ...totalTrend(orders),
    labels: [{ property: property.name, type: property.of }],
  };
};

/**
 * "Top pages", "countries": a label alone counts page views, visits or visitors, or the only event with that property.
 * Throws `NotUnderstood` if several events have it.
 */
export const labelled = (asked: Asked, [label]: readonly Label[]): Draft | undefined => {
  if (label === undefined || asked.events().length > 0 || hasPeople(asked)) return undefined;
  asked.takeAll("COUNT");
  const visit = visitEvent(asked);
  const view = asked.event(visit);
  if ("json" in label) return ofExpression(asked, label, view ?? null);
  const ofEvents = label.properties.filter(({ of }) => of === "event");
  const ofVisits = ofEvents.find(
    ({ name }) => view?.properties.has(name) === true && /^(?:\$|utm_)/.test(name),
  );
  if (ofVisits !== undefined && view !== undefined) {
    const isPage = /path|url|screen_name|title/.test(ofVisits.name);
    return trend([node(view.name, { math: isPage ? "total" : "dau" })], [view]);
  }
  const [property] = ofEvents;
  const owner = property === undefined ? undefined : ownerOf(asked, property, label.words);
  return owner === undefined ? undefined : totalTrend(owner);
};

/** Counts what a label without a property belongs to: any events, a person's events, or visits. */
function ofExpression(asked: Asked, label: Label, view: EventInfo | null): Draft | undefined {
  if (isByPerson([label])) return ofPersons(asked);
  const type = "json" in label ? label.json["type"] : undefined;
  if (type === "event_metadata") return totalTrend(null);
  if (type === "event") return totalTrend(view);
  return type === "session" ? trend([visitsWith(visitEvent(asked))], [view]) : undefined;
}

/** "Top customers" are those with the highest revenue, "top users" those with the most events. */
function ofPersons(asked: Asked): Draft {
  const noun = asked.items.find((item) => item.isUsed && isTagged(item, "PAYER", "VISITOR"));
  if (noun === undefined) return totalTrend(null);
  if (isTagged(noun, "VISITOR")) return totalTrend(infoOf(asked, visitEvent(asked)));
  const orders = ordersOf(asked, textOf(noun));
  if (!hasMoney(orders)) return totalTrend(orders);
  return amountsTrend(asked, sumOf(asked, orders, textOf(noun)), orders);
}
