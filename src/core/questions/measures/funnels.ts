import type { JsonObject } from "../../values/json.ts";
import type { EventInfo } from "../names/index.ts";
import { type Asked, type Item, meanNothing, NotUnderstood } from "../read/asked.ts";
import type { Label } from "../read/labels.ts";
import { behavior, type Named } from "../read/parts.ts";
import { takeDeeds } from "./deeds.ts";
import { type Draft, node, percentage, trend } from "./draft.ts";
import { infoOf, ordersOf, visitEvent } from "./events.ts";
import { funnelOf, takeSteps, takeWindow } from "./steps.ts";

/** Words at the end of "hit a limit and upgraded afterwards". */
const LATER = /^(?:afterwards?|later|later_on|subsequently)$/;

const KINDS = ["HOW_LONG", "ABANDONMENT", "CONVERSION", "FUNNEL"] as const;

/** Takes the words between steps. */
const takeJoints = (asked: Asked): void => {
  asked.takeAll(
    ...["TO", "AND", "FUNNEL", "COUNT", "PERSON", "VISITOR", "WHO", "AVERAGE", "RATE", "MUCH"],
    ...["VERSUS", "BETWEEN", "SHARE", "ACTIVE"],
  );
};

/** "Funnel from A to B to C", "A then B", "conversion rate from A to B", "how long from A to B", "A to B abandonment". */
export const funnel = (asked: Asked, labels: readonly Label[]): Draft | undefined => {
  const kind = KINDS.find((tag) => asked.has(tag));
  const steps = asked.events();
  if (kind === undefined && !isInOrder(asked, steps)) return undefined;
  if (kind === "HOW_LONG" && steps.length + asked.conditions().length < 2) return undefined;
  // "Acceptance rate" names one event, and `rate` looks for the other.
  if (kind === undefined && steps.length === 1 && asked.has("RATE")) return undefined;
  asked.takeAll(...KINDS);
  const isMedian = asked.take("MEDIAN") !== undefined;
  const window = takeWindow(asked);
  if (kind === "ABANDONMENT" && steps.length < 3) return abandonment(asked, steps);
  takeName(asked, steps);
  const named = takeSteps(asked);
  takeJoints(asked);
  const series = kind === "CONVERSION" ? converted(asked, named) : named;
  if (series.length < 2) {
    const words = kind?.toLowerCase().replace("_", " ") ?? "then";
    throw new NotUnderstood(words, "A way has two steps at least.");
  }
  const [first, last, another] = series;
  if (
    kind === "CONVERSION" &&
    another === undefined &&
    isBySource(
      [...labels, ...eachSource(asked)],
      series.map(({ event }) => infoOf(asked, String(event))),
    ) &&
    isPlain(window)
  ) {
    const [part, whole] = [last, first].map((step) => ({ ...step, math: "dau" }));
    return percentage(part ?? {}, whole ?? {}, [
      infoOf(asked, String(last?.["event"])),
      infoOf(asked, String(first?.["event"])),
    ]);
  }
  return funnelOf(asked, series, { ...window, ...shownOf(asked, kind, isMedian) });
};

/**
 * Whether lines are by the source of a visit. People come from several sources, so each source has the people who
 * converted on a visit from it.
 */
const isBySource = (labels: readonly Label[], steps: readonly (EventInfo | null)[]): boolean =>
  labels.some((one) => {
    const name = "properties" in one && !one.isFirstTouch ? (one.properties[0]?.name ?? "") : "";
    return (
      /^(?:utm_|\$referr)/.test(name) && steps.every((step) => step?.properties.has(name) === true)
    );
  });

/** Values of one property that get a line each, as in "autumn sale vs brand campaign". */
const eachSource = (asked: Asked): Label[] =>
  asked
    .conditions()
    .flatMap(({ part }) =>
      part.kind === "filter" && part.isEach === true
        ? [{ properties: part.of.map(({ property }) => property), isFirstTouch: false, words: "" }]
        : [],
    );

const isPlain = (window: JsonObject): boolean => Object.keys(window).length === 0;

/** How a funnel is shown if not by its steps: as the time to convert, or as its rate over time. */
function shownOf(asked: Asked, kind: string | undefined, isMedian: boolean): JsonObject {
  if (kind === "HOW_LONG") {
    const median = isMedian ? { timeToConvertAggregation: "median" } : {};
    return { funnelVizType: "time_to_convert", ...median };
  }
  const isOver = asked.when.interval !== undefined || asked.when.isOverTime === true;
  return kind === "CONVERSION" && isOver ? { funnelVizType: "trends" } : {};
}

/** Whether words put events in order: "go from A to B", "A then B", "did A and B afterwards". Takes the words at the edges. */
function isInOrder(asked: Asked, steps: readonly Item[]): boolean {
  const second = steps[1]?.at;
  if (second === undefined) return false;
  const later = asked.items.find(({ word, at }) => LATER.test(word) && at > second);
  if (later === undefined && !isChain(asked, steps)) return false;
  const from = asked.items.find(({ word }) => /^(?:go|goes|went|get|move)_from/.test(word));
  for (const item of [later, from]) if (item !== undefined) meanNothing(item);
  return true;
}

/** Whether each event comes after the one before it in the words: "then", "to", ">". */
const isChain = (asked: Asked, steps: readonly Item[]): boolean =>
  steps
    .slice(1)
    .every((step, at) =>
      asked.items
        .slice(endOf(asked, steps[at] as Item), step.at)
        .some(
          ({ isUsed, tags, word }) =>
            /^(?:then|to|>)$/.test(word) || (!isUsed && tags.includes("TO") && !tags.includes("F")),
        ),
    );

/** The place after the last word of an event: "to" in "subscribed to the newsletter" leads nowhere. */
const endOf = (asked: Asked, { at }: Item): number => {
  const next = asked.items.findIndex((one) => one.at > at && one.part !== undefined);
  const until = next < 0 ? asked.items.length : next;
  const last = asked.items.slice(0, until).findLast(({ tags }) => tags[0] === "JOINED");
  return Math.max(at, last?.at ?? at) + 1;
};

/** Takes the name of a funnel, as in "signup funnel: page view then sign up". */
function takeName(asked: Asked, steps: readonly (Item & { part: Named })[]): void {
  const word = asked.items.find(({ tags }) => tags.includes("FUNNEL"));
  const name = word === undefined ? undefined : asked.beside(word, -1);
  if (name?.part?.kind !== "ev") return;
  const { event } = name.part;
  if (steps.some((one) => one !== name && one.part.event === event)) name.isUsed = true;
}

/** Completes the steps of a conversion rate. With one step or none, it goes from a visit to that step or to an order. */
function converted(asked: Asked, named: JsonObject[]): JsonObject[] {
  if (named.length > 1) return named;
  const reason = "Say from what to what, as no event is known as an order.";
  const last = named[0] ?? node(ordersOf(asked, "conversion", reason).name);
  return [node(visitEvent(asked)), last];
}

/** The share of people who did the first step and not the last. The default is from adding to the cart to an order. */
function abandonment(asked: Asked, named: readonly { part: Named }[]): Draft {
  takeDeeds(asked, { isOfPeople: true });
  const isCount = asked.has("COUNT");
  takeJoints(asked);
  const { eventsBy } = asked.index;
  const cart = eventsBy.get("cart")?.[0] ?? eventsBy.get("add cart")?.[0];
  const first = named[0]?.part.event ?? cart;
  const last = named.length > 1 ? named.at(-1)?.part.event : asked.orders();
  if (first === undefined || last === undefined || first === last)
    throw new NotUnderstood("abandonment", "Say from what to what.");
  const whole = node(first.name, { math: "dau" });
  const part = node(first.name, { math: "dau" }, [behavior(last.name, { isNot: true })]);
  // "How many people abandoned their cart" asks for their number.
  return isCount ? trend([part], [first]) : percentage(part, whole, [first]);
}
