import type { Bag, Item } from "../language/bag.ts";
import type { Context } from "./context.ts";
import { PERSON_ROLES, pageViews, type Reader, takeEvents } from "./units.ts";

/** Words that only say that persons are meant. */
const takePersons = (bag: Bag) =>
  bag.takeAll(
    ...PERSON_ROLES,
    "session",
    "count",
    "share",
    "go",
    "take",
    "and",
    "to",
    "funnel",
    "by",
  );

/** Whether a part names an event. */
export const isStep = ({ meaning }: Item) => meaning.event !== undefined;

/** Takes "within 7 days". */
function windowIn(bag: Bag): { count: number; unit: string } | undefined {
  const within = bag.find(
    ({ words, at }) =>
      /^(?:within|in|inside)$/i.test(words[0]?.text ?? "") &&
      bag.items[at + 1]?.number !== undefined,
  );
  const number = within === undefined ? undefined : bag.beside(within, 1);
  const unit = number === undefined ? undefined : bag.beside(number, 1);
  const word = unit?.words[0]?.text.toLowerCase().replace(/s$/, "") ?? "";
  if (
    number === undefined ||
    unit === undefined ||
    !/^(?:second|minute|min|hour|day|week|month)$/.test(word)
  )
    return undefined;
  for (const item of [within, number, unit]) bag.takeItem(item);
  return { count: number.number ?? 1, unit: word === "min" ? "minute" : word };
}

/** Steps one after the other: as a funnel, as the share of persons who get through, or as the time between them. */
export const funnel: Reader = (bag, context) => {
  const window = windowIn(bag);
  const kind = kindOfFunnel(bag);
  if (kind === undefined) return undefined;
  const order = bag.find((item) => item.meaning.roles.has("among"));
  const steps = stepsIn(bag, context, kind);
  if (order !== undefined) bag.takeItem(order);
  takePersons(bag);
  bag.takeAll("first_seen", "first_touch", "new");
  if (steps.length < 2) return undefined;
  return { of: "funnel", steps, as: kind, ...(window === undefined ? {} : { window }) };
};

type FunnelKind = "steps" | "rate" | "lost" | "seconds" | "median_seconds";

function kindOfFunnel(bag: Bag): FunnelKind | undefined {
  const steps = bag.left().filter(isStep).length;
  if (bag.take("abandonment") !== undefined) return "lost";
  const done = bag
    .left()
    .filter((item) => isStep(item) && !item.meaning.roles.has("session")).length;
  if (done >= 1 && !bag.has("session_length") && bag.take("how_long") !== undefined) {
    const isMedian = bag.take("median") !== undefined;
    bag.takeAll("average");
    return isMedian ? "median_seconds" : "seconds";
  }
  if (bag.take("conversion") !== undefined) return bag.has("funnel") ? "steps" : "rate";
  if (done >= 2 && bag.take("share") !== undefined) return "rate";
  return isFunnel(bag, steps) ? "steps" : undefined;
}

/** Whether events are named as steps. */
function isFunnel(bag: Bag, steps: number): boolean {
  if (bag.take("funnel") !== undefined) return true;
  if (steps >= 2 && bag.has("go") && bag.has("to")) return true;
  const isThen = ({ meaning, words }: Item) =>
    meaning.roles.has("to") && !/^to$/i.test(words[0]?.text ?? "");
  return steps >= 3 && bag.left().some(isThen);
}

/** Returns the steps in their order: after "among" and "after" comes the first one. */
function stepsIn(bag: Bag, context: Context, kind: FunnelKind): string[] {
  const isRate = kind === "rate" || kind === "lost";
  const isFlipped = isRate && bag.has("among", "after");
  const isOfVisits = bag.has("visitor", "person", "session") || kind !== "steps";
  const found = takeEvents(bag);
  const [only, ...others] = isFlipped ? found.toReversed() : found;
  if (only === undefined) return isRate ? usualSteps(context, kind) : [];
  if (others.length > 0) return [only, ...others];
  const bought = context.eventOf("purchase");
  if (kind === "lost") return bought === undefined || bought === only ? [only] : [only, bought];
  const views = pageViews(context);
  return isOfVisits && views[0] !== only ? [...views, only] : [only];
}

/** From a visit to a purchase, or of an abandoned cart. */
function usualSteps(context: Context, kind: FunnelKind): string[] {
  const first = kind === "lost" ? context.eventOf("add to cart") : pageViews(context)[0];
  const bought = context.eventOf("purchase");
  return first === undefined || bought === undefined ? [] : [first, bought];
}
