import type { Part, Parts } from "../language/parts.ts";
import type { Context } from "./context.ts";
import { PERSON_ROLES, pageViews, type Reader, takeEvents } from "./units.ts";

/** Words that only say that persons are meant. */
const takePersons = (parts: Parts) =>
  parts.takeAll(
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
export const isStep = ({ meaning }: Part) => meaning.event !== undefined;

/** Takes "within 7 days". */
function windowIn(parts: Parts): { count: number; unit: string } | undefined {
  const within = parts.find(
    ({ words, at }) =>
      /^(?:within|in|inside)$/i.test(words[0]?.text ?? "") &&
      parts.all[at + 1]?.number !== undefined,
  );
  const number = within === undefined ? undefined : parts.beside(within, 1);
  const unit = number === undefined ? undefined : parts.beside(number, 1);
  const word = unit?.words[0]?.text.toLowerCase().replace(/s$/, "") ?? "";
  if (
    number === undefined ||
    unit === undefined ||
    !/^(?:second|minute|min|hour|day|week|month)$/.test(word)
  )
    return undefined;
  for (const part of [within, number, unit]) parts.takePart(part);
  return { count: number.number ?? 1, unit: word === "min" ? "minute" : word };
}

/** Steps one after the other: as a funnel, as the share of persons who get through, or as the time between them. */
export const funnel: Reader = (parts, context) => {
  const window = windowIn(parts);
  const kind = kindOfFunnel(parts);
  const isCounted = parts.has("count") && !parts.has("share");
  if (kind === undefined) return undefined;
  const order = parts.find((part) => part.meaning.roles.has("among"));
  const steps = stepsIn(parts, context, kind);
  if (order !== undefined) parts.takePart(order);
  takePersons(parts);
  parts.takeAll("first_seen", "first_touch", "new");
  const [first, last] = [steps[0], steps.at(-1)];
  if (steps.length < 2 || first === undefined || last === undefined) return undefined;
  if (kind === "lost" && isCounted && window === undefined)
    return { of: "without", event: first, not: last };
  return { of: "funnel", steps, as: kind, ...(window === undefined ? {} : { window }) };
};

type FunnelKind = "steps" | "rate" | "lost" | "seconds" | "median_seconds";

function kindOfFunnel(parts: Parts): FunnelKind | undefined {
  const steps = parts.left().filter(isStep).length;
  if (parts.take("abandonment") !== undefined) return "lost";
  const done = parts
    .left()
    .filter((part) => isStep(part) && !part.meaning.roles.has("session")).length;
  if (done >= 1 && !parts.has("session_length") && parts.take("how_long") !== undefined) {
    const isMedian = parts.take("median") !== undefined;
    parts.takeAll("average");
    return isMedian ? "median_seconds" : "seconds";
  }
  if ((parts.take("conversion") ?? rateIn(parts)) !== undefined)
    return parts.has("funnel") ? "steps" : "rate";
  if (done >= 2 && parts.take("share") !== undefined) return "rate";
  return isFunnel(parts, steps) ? "steps" : undefined;
}

/** The "rate" of "sign up rate". */
function rateIn(parts: Parts): Part | undefined {
  return parts.takeIf((part) => {
    const before = parts.beside(part, -1)?.meaning;
    const isDone = before?.event !== undefined && before.event !== "$pageview";
    return isDone && /^rate$/i.test(part.words[0]?.text ?? "");
  });
}

/** Whether events are named as steps. */
function isFunnel(parts: Parts, steps: number): boolean {
  if (parts.take("funnel") !== undefined) return true;
  if (steps >= 2 && parts.has("go") && parts.has("to")) return true;
  const isThen = ({ meaning, words }: Part) =>
    meaning.roles.has("to") && !/^to$/i.test(words[0]?.text ?? "");
  return steps >= 3 && parts.left().some(isThen);
}

/** Returns the steps in their order: after "among" and "after" comes the first one. */
function stepsIn(parts: Parts, context: Context, kind: FunnelKind): string[] {
  const isRate = kind === "rate" || kind === "lost";
  const isFlipped = isRate && parts.has("among", "after");
  const isOfVisits = parts.has("visitor", "person", "session") || kind !== "steps";
  takeHeading(parts);
  const found = takeEvents(parts);
  const [only, ...others] = isFlipped ? found.toReversed() : found;
  if (only === undefined) return isRate ? usualSteps(context, kind) : [];
  if (others.length > 0) return [only, ...others];
  const bought = context.eventOf("purchase");
  if (kind === "lost") return bought === undefined || bought === only ? [only] : [only, bought];
  const views = pageViews(context);
  return isOfVisits && views[0] !== only ? [...views, only] : [only];
}

/** Takes an event that only names a funnel: "checkout funnel: add to cart, checkout, purchase". */
function takeHeading(parts: Parts): void {
  const [first, ...later] = parts.left().filter(isStep);
  const next = first === undefined ? undefined : parts.beside(first, 1);
  if (later.length > 1 && next?.meaning.roles.has("funnel") === true) parts.takePart(first);
}

/** From a visit to a purchase, or of an abandoned cart. */
function usualSteps(context: Context, kind: FunnelKind): string[] {
  const first = kind === "lost" ? context.eventOf("add to cart") : pageViews(context)[0];
  const bought = context.eventOf("purchase");
  return first === undefined || bought === undefined ? [] : [first, bought];
}
