import type { JsonObject } from "../../values/json.ts";
import {
  type Asked,
  filterOf,
  type Item,
  isTagged,
  meanNothing,
  NotUnderstood,
  textOf,
} from "../read/asked.ts";
import { behavior } from "../read/parts.ts";
import { PEOPLE } from "../read/phrases.ts";
import { takeConditions, takeFilters } from "./conditions.ts";
import { FIRST, filtersOfIt, takeFirst } from "./deeds.ts";
import { type Draft, node } from "./draft.ts";
import { infoOf, ordersOf, visitEvent } from "./events.ts";
import { freeBefore, use } from "./items.ts";

/**
 * Takes the steps of a funnel in order. A step is an event, a page view, or a visit if it comes first. Throws
 * `NotUnderstood` for a negated step.
 */
export function takeSteps(asked: Asked): JsonObject[] {
  const [lead] = asked.items.filter(({ part }) => part?.kind === "ev" || part?.kind === "pages");
  const hasViews = lead?.part?.kind === "pages" || asked.items.some(isView);
  for (const item of asked.items) if (isSubject(asked, item)) meanNothing(item);
  const steps = asked.items.filter((item) => {
    if (item.isUsed) return false;
    if (item.part === undefined)
      return (isTagged(item, "VISITOR", "SESSION") && !hasViews) || isBuying(asked, item);
    const isPage = item.part.kind === "pages" && !isView(asked.beside(item, -1));
    return item.part.kind === "ev" || isPage;
  });
  let before: JsonObject[] = [];
  const all = steps.flatMap((item, at): JsonObject[] => {
    item.isUsed = true;
    if (isBuying(asked, item)) return [node(ordersOf(asked, textOf(item)).name)];
    if (item.part === undefined && at > 0) return [];
    // The conditions of the last step end at "all steps where".
    const end = asked.items.find((one) => one.at > item.at && isTagged(one, "FUNNEL"));
    const step = stepOf(asked, item, (steps[at + 1] ?? end)?.at ?? asked.items.length, before);
    before = (step["properties"] ?? []) as JsonObject[];
    const { part } = item;
    // A later step is the first such event after the one before it.
    if (part?.kind !== "ev" || !takeFirst(asked, item) || at > 0) return [step];
    const isFirst = behavior(part.event.name, { frequency: FIRST });
    return [{ ...step, properties: [...((step["properties"] ?? []) as JsonObject[]), isFirst] }];
  });
  const twice = all.findIndex((step, at) => at > 0 && Bun.deepEquals(step, all[at - 1]));
  if (twice < 0) return all;
  // A visit is a page view too.
  if (twice === 1 && steps[0]?.part === undefined) return all.slice(1);
  const again = steps[twice];
  throw new NotUnderstood(again === undefined ? "then" : textOf(again), "Two steps are the same.");
}

function stepOf(asked: Asked, item: Item, to: number, earlier: readonly JsonObject[]): JsonObject {
  if (item.part?.kind === "ev") {
    const not = freeBefore(asked, item, "WITHOUT");
    if (not !== undefined) throw new NotUnderstood(textOf(not));
    const { event } = item.part;
    // Conditions in parentheses are of the step; others after it if their property is specific to the event.
    const { at: from } = item;
    const after = asked.items.slice(from + 1, to).filter(({ tags }) => tags[0] !== "JOINED");
    const end = after[0]?.word === "(" ? after.find(({ word }) => word === ")")?.at : undefined;
    const own = end === undefined ? [] : takeFilters(asked, [event], { from, to: end });
    // "Trial booking": the condition stands right before its step.
    const before = takeConditions(asked, event, { from: from - 2, to: from, isOwn: true });
    const others = takeConditions(asked, event, { from, to, isOwn: true });
    const named = { ...item, part: item.part };
    return node(event.name, {}, [
      ...before,
      ...own,
      ...others,
      ...filtersOfIt(asked, named, earlier),
    ]);
  }
  if (item.part?.kind !== "pages") return node(visitEvent(asked));
  const visit = visitEvent(asked);
  return node(visit, {}, [filterOf(asked, item.part, [asked.event(visit) ?? null])]);
}

/**
 * Whether "readers" in "from registering until readers subscribe" are just the people. Throws `NotUnderstood` for a noun
 * that says more.
 */
function isSubject(asked: Asked, item: Item): boolean {
  const { part, isUsed } = item;
  if (isUsed || part?.kind !== "ev" || !part.isDoer) return false;
  const isStep = item === asked.events()[0] || isTagged(asked.beside(item, -1), "TO", "AND");
  if (isStep || asked.beside(item, 1)?.part?.kind !== "ev") return false;
  if (PEOPLE.test(item.term.words[0]?.low ?? "")) return true;
  throw new NotUnderstood(textOf(item));
}

/** Whether "buyer" in "visitor to buyer" is the last step. */
const isBuying = (asked: Asked, item: Item): boolean =>
  item.part === undefined && isTagged(item, "PAYER") && isTagged(asked.beside(item, -1), "TO");

const isView = (item: Item | undefined): boolean =>
  item?.part?.kind === "ev" && /^\$(?:pageview|screen)$/.test(item.part.event.name);

const UNITS = { DAYS: "day", HOURS: "hour", MINUTES: "minute", WEEKS: "week", SECONDS: "second" };

/** Takes "within 7 days", the time limit from the first step to the last, for a `funnelsFilter`; empty without one. */
export function takeWindow(asked: Asked): JsonObject {
  const within = asked.find("WITHIN");
  const number = within === undefined ? undefined : asked.beside(within, 1);
  const word = number === undefined ? undefined : asked.beside(number, 1);
  const unit = Object.entries(UNITS).find(([tag]) => isTagged(word, tag))?.[1];
  if (number?.term.number === undefined || word === undefined || unit === undefined) return {};
  use(within, number, word);
  // "Within 7 days of installing" names the first step again.
  const [first] = asked.events();
  const again = asked.beside(word, 1);
  if (first !== again && again?.part?.kind === "ev" && again.part.event === first?.part.event)
    again.isUsed = true;
  return { funnelWindowInterval: number.term.number, funnelWindowIntervalUnit: unit };
}

const takeStepOrder = (asked: Asked): string =>
  (["STRICT", "UNORDERED"] as const).find((tag) => asked.take(tag))?.toLowerCase() ?? "ordered";

/** A funnel, ordered by default. `filter` is the rest of its `funnelsFilter`; 14 days are the default window. */
export function funnelOf(asked: Asked, series: JsonObject[], filter: JsonObject): Draft {
  const { funnelWindowInterval: count, funnelWindowIntervalUnit: unit, ...rest } = filter;
  const isDefault = count === 14 && unit === "day";
  for (const item of asked.items) if (isDefault && isTagged(item, "WITHIN")) meanNothing(item);
  return {
    query: {
      ...{ kind: "FunnelsQuery", series },
      funnelsFilter: { funnelOrderType: takeStepOrder(asked), ...(isDefault ? rest : filter) },
    },
    events: series.map(({ event }) => infoOf(asked, String(event))),
  };
}
