import type { Behavior, BehaviorFilter } from "../../../src/core/queries/behavior.ts";
import { type Chance, type DataSet, EVENTS, KEYS, type Stored } from "./data-sets.ts";
import {
  bucketOf,
  daysOfChance,
  microsOf,
  numberIn,
  ownerOf,
  type PropertyChoice,
  propertyOfChance,
  shownAt,
  textOf,
} from "./insight-reference.ts";

/** Which events are within the time of a behavior, and which before its end. */
export type When = { isIn: (event: Stored) => boolean; isUntil: (event: Stored) => boolean };

/** The time of a query, which behaviors without their own have; it may be set once they are made. */
export type AskedTime = { when?: When };

/** A random behavior, and whether the person of an event meets it, by a plain loop. */
export function behaviorOfChance(set: DataSet, dice: Chance, asked: AskedTime) {
  const { next, of } = dice;
  const event = of([null, "a", "b", "b", ...EVENTS]);
  const chosen: PropertyChoice[] = next(3) === 0 ? [propertyOfChance(set, dice)] : [];
  const isOwn = next(2) === 0;
  const ever = next(3) === 0;
  const own = daysOfChance(set, dice, null);
  const did = didOfChance(dice);
  const behavior: Behavior = {
    ...{ event, did },
    filters: chosen.map(({ read }) => read),
    within: isOwn ? { period: own.period, ever } : null,
  };
  const read: BehaviorFilter = { behavior, not: next(3) === 0 };
  const when = (): When => {
    if (!isOwn) return asked.when as When;
    return ever ? { ...own, isIn: own.isUntil } : own;
  };
  const passes = (one: Stored) => {
    const owner = ownerOf(set, one);
    const events = set.events.filter(
      (each) =>
        ownerOf(set, each) === owner &&
        (event === null || each.event === event) &&
        chosen.every((filter) => filter.passes(each)),
    );
    return isMet(set, did, events, when()) !== read.not;
  };
  return { read, passes };
}

function didOfChance({ next, of }: Chance): Behavior["did"] {
  const by = of([">=", "<=", ">", "<", "="] as const);
  const intervals = ["day", "week", "month"] as const;
  return of<Behavior["did"]>([
    { what: "count", by: ">=", than: 1 },
    { what: "count", by, than: next(4) },
    { what: "count", by, than: next(9) },
    { what: "sum", property: of(KEYS), by, than: of([-1, 0, 0.5, 1, 1.5, 100]) },
    { what: "first" },
    { what: "first" },
    { what: "intervals", interval: of(intervals), least: 1 + next(3) },
  ]);
}

function isMet(set: DataSet, did: Behavior["did"], events: Stored[], { isIn, isUntil }: When) {
  const within = events.filter(isIn);
  if (did.what === "first") {
    const until = events.filter(isUntil).toSorted((a, b) => microsOf(a) - microsOf(b));
    return until[0] !== undefined && isIn(until[0]);
  }
  if (did.what === "intervals") {
    const all = within.map(({ timestamp }) =>
      bucketOf(shownAt(timestamp, set.timezone), did.interval),
    );
    return new Set(all).size >= did.least;
  }
  const numbers = within.map((event) =>
    did.what === "sum" ? (numberIn(textOf(set, event, { type: "event" }, did.property)) ?? 0) : 1,
  );
  const number = numbers.reduce((sum, one) => sum + one, 0);
  return {
    ...{ ">=": number >= did.than, "<=": number <= did.than },
    ...{ ">": number > did.than, "<": number < did.than, "=": number === did.than },
  }[did.by];
}
