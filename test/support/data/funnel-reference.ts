import type {
  FunnelTimeRow,
  FunnelTrendRow,
} from "../../../src/core/ports/insights/funnel-rows.ts";
import type { FunnelRow, PlanOf } from "../../../src/core/ports/insights.ts";
import { type Exclusion, FUNNEL_ORDERS, type Funnel } from "../../../src/core/queries/funnel.ts";
import { type AskedTime, behaviorOfChance } from "./behavior-reference.ts";
import { chance, type DataSet, type Stored } from "./data-sets.ts";
import {
  breakdownOfChance,
  bucketOf,
  histories,
  inOrder,
  keyOf,
  microsOf,
  nodeOfChance,
  percentile,
  periodOfChance,
  shownAt,
  valueOfKey,
} from "./insight-reference.ts";

/** A step that all events reach, so that persons pass through long funnels. */
export const ANY = { node: { event: null, name: "All", filters: [] }, isOf: () => true };

export const NEVER = { node: { event: "never", name: "never", filters: [] }, isOf: () => false };

type Order = Funnel["order"];
type Viz = Funnel["viz"];
type IsOf = (event: Stored) => boolean;
type Excluded = { from: number; to: number; isOf: IsOf };

/** The times at which an attempt reached its steps, and the event that it began with. */
type Attempt = { times: number[]; began: Stored; at: number };

/** A random funnel over a data set, with its steps and exclusions as plain functions. */
export function asked(set: DataSet, order: Order, viz: Viz = "steps") {
  const dice = chance(set.project * 31 + FUNNEL_ORDERS.indexOf(order));
  const { next, of } = dice;
  const time: AskedTime = {};
  const other = () => behaviorOfChance(set, dice, time);
  const steps = Array.from({ length: 2 + next(3) }, () =>
    next(3) === 0 ? ANY : nodeOfChance(set, dice, other),
  );
  const excluded = Array.from({ length: next(3) }, () => {
    const { node, isOf } = of([
      nodeOfChance(set, dice, next(4) === 0 ? other : undefined),
      ...steps,
    ]);
    const last = steps.length - 1;
    const from = order === "unordered" ? 0 : next(last);
    const to = order === "unordered" ? last : from + 1 + next(last - from);
    return { exclusion: { ...node, from, to } as Exclusion, isOf, from, to };
  });
  const more = chance(set.project * 53 + FUNNEL_ORDERS.indexOf(order));
  const interval = viz === "trends" ? more.of(["hour", "day", "week", "month"] as const) : null;
  const { period, ...when } = periodOfChance(set, dice, interval);
  const { isIn } = when;
  time.when = when;
  const last = steps.length - 1;
  const from = viz === "steps" ? 0 : more.next(last);
  const by = more.of(["first_touch", "last_touch", "all_events", "step"] as const);
  const step = by === "step" ? more.next(order === "unordered" ? 1 : steps.length) : null;
  const query: Funnel = {
    ...{ kind: "FunnelsQuery", viz, interval, attribution: { by, step } },
    ...{ from, to: viz === "steps" ? last : from + 1 + more.next(last - from) },
    bins: more.next(2) === 0 ? null : 1 + more.next(90),
    aggregation: "average",
    steps: steps.map(({ node }) => node),
    order,
    window_s: of([420, 600, 43_200, 86_400, 14 * 86_400]),
    exclusions: excluded.map(({ exclusion }) => exclusion),
    dateRange: { date_from: "", date_to: null },
    breakdown: next(2) === 0 ? null : breakdownOfChance(dice, 1 + next(3)),
  };
  const plan: PlanOf<"FunnelsQuery"> = { query, period, previous: null, timezone: set.timezone };
  return { plan, isIn, steps: steps.map(({ isOf }) => isOf), excluded };
}

export type Asked = ReturnType<typeof asked>;

/**
 * The places of the events that do one more step, each step by an event of its own. An event takes a
 * free step, or the step of another event that can take a different one.
 */
function ownPlaces(steps: IsOf[], events: { event: Stored; place: number }[]): number[] {
  const holders: (Stored | undefined)[] = steps.map(() => undefined);
  const take = (event: Stored, seen: Set<number>): boolean =>
    steps.some((isOf, step) => {
      if (seen.has(step) || !isOf(event)) return false;
      seen.add(step);
      const other = holders[step];
      if (other !== undefined && !take(other, seen)) return false;
      holders[step] = event;
      return true;
    });
  return events.filter(({ event }) => take(event, new Set())).map(({ place }) => place);
}

/** The attempt that begins with one event of a person; undefined if it does not count. */
function attemptAt(
  events: Stored[],
  at: number,
  { query, steps, excluded }: { query: Funnel; steps: IsOf[]; excluded: Excluded[] },
): Attempt | undefined {
  const began = events[at] as Stored;
  const until = microsOf(began) + query.window_s * 1e6;
  const rest = events.map((event, place) => ({ event, place })).slice(at + 1);
  const inWindow = rest.filter(({ event }) => microsOf(event) <= until);
  if (query.order === "unordered") {
    if (!steps.some((isOf) => isOf(began))) return undefined;
    const places = ownPlaces(
      steps,
      events.flatMap((event, place) =>
        microsOf(event) >= microsOf(began) && microsOf(event) <= until ? [{ event, place }] : [],
      ),
    );
    const isDone = places.length === steps.length;
    const before = isDone ? Math.max(...places) : Number.POSITIVE_INFINITY;
    const isSpoilt = inWindow.some(
      ({ event, place }) => place < before && excluded.some(({ isOf }) => isOf(event)),
    );
    if (isSpoilt) return undefined;
    const times = places.map((place) => microsOf(events[place] as Stored));
    return { times: times.sort((a, b) => a - b), began, at };
  }
  if (!steps[0]?.(began)) return undefined;
  const reached = [at];
  for (const isOf of steps.slice(1)) {
    const last = reached.at(-1) as number;
    const found =
      query.order === "strict"
        ? inWindow.find(({ event, place }) => place === last + 1 && isOf(event))
        : inWindow.find(({ event, place }) => place > last && isOf(event));
    if (found === undefined) break;
    reached.push(found.place);
  }
  for (const { from, to, isOf } of excluded) {
    const [after, before = Number.POSITIVE_INFINITY] = [reached[from], reached[to]];
    if (after === undefined) continue;
    const spoils = inWindow.some(
      ({ event, place }) => place > after && place < before && isOf(event),
    );
    if (spoils) return undefined;
  }
  return { times: reached.map((place) => microsOf(events[place] as Stored)), began, at };
}

/** The best attempt: with most steps, then with the soonest end, then the last to begin. */
function best(attempts: Attempt[]): Attempt | undefined {
  return attempts.toSorted(
    (a, b) =>
      b.times.length - a.times.length ||
      (a.times.at(-1) as number) - (b.times.at(-1) as number) ||
      b.at - a.at,
  )[0];
}

/** The events of a person that one funnel is over, its steps, and the value of an attempt. */
type Sequence = {
  events: Stored[];
  steps: IsOf[];
  valueIn: (attempt: Attempt) => string | null;
};

function sequencesOf(set: DataSet, events: Stored[], { plan, steps }: Asked): Sequence[] {
  const { breakdown, attribution } = plan.query;
  const { by, step } = attribution;
  if (breakdown === null) return [{ events, steps, valueIn: () => "" }];
  const key = (event: Stored) => keyOf(set, event, breakdown);
  if (step === 0) return [{ events, steps, valueIn: ({ began }) => key(began) }];
  if (by === "all_events") {
    return [...Map.groupBy(events, key)].map(([value, own]) => {
      return { events: own, steps, valueIn: () => value };
    });
  }
  // The key of no value at all.
  const none = breakdown.by.length === 1 ? null : "\u{10ffff}\0\u{10ffff}";
  if (step !== null) {
    const isOf = steps[step] as IsOf;
    const values = new Set(events.filter(isOf).map(key));
    return [...(values.size === 0 ? [none] : values)].map((value) => ({
      events,
      steps: steps.with(step, (event) => isOf(event) && key(event) === value),
      valueIn: () => value,
    }));
  }
  const stepped = events.filter(
    (event) => steps.some((isOf) => isOf(event)) && key(event) !== none,
  );
  const touched = by === "first_touch" ? stepped[0] : stepped.at(-1);
  const value = touched === undefined ? none : key(touched);
  return [{ events, steps, valueIn: () => value }];
}

/** The attempt that began first. */
const firstOf = (attempts: Attempt[]): Attempt | undefined =>
  attempts.toSorted((a, b) => (a.times[0] ?? 0) - (b.times[0] ?? 0))[0];

/** An attempt of a person, and the value that it counts for. */
type Tried = { owner: string; value: string | null; attempt: Attempt };

/** Every attempt of every person. */
function attemptsOf(set: DataSet, trial: Asked): Tried[] {
  const { plan, isIn, excluded } = trial;
  return [...histories(set, set.events.filter(isIn))].flatMap(([owner, events]) =>
    sequencesOf(set, events, trial).flatMap(({ events: own, steps, valueIn }) =>
      own.flatMap((_, at) => {
        const attempt = attemptAt(own, at, { query: plan.query, steps, excluded });
        return attempt === undefined ? [] : { owner, value: valueIn(attempt), attempt };
      }),
    ),
  );
}

/** For each line, the attempt that is chosen of those of each person. */
function linesOf(
  all: readonly Tried[],
  lineOf: (value: string | null) => string,
  chosen: (attempts: Attempt[]) => Attempt | undefined = best,
): Map<string, Attempt[]> {
  const lines = Map.groupBy(all, ({ value }) => lineOf(value));
  return new Map(
    [...lines].map(([line, tried]) => {
      const owners = Map.groupBy(tried, ({ owner }) => owner).values();
      const attempts = [...owners].map((own) => chosen(own.map(({ attempt }) => attempt)));
      return [line, attempts as Attempt[]];
    }),
  );
}

/** Returns the line of each value: those that most persons have have their own. */
function ranked(all: readonly Tried[], { plan }: Asked) {
  const { breakdown } = plan.query;
  const values = [...Map.groupBy(all, ({ value }) => value)].map(([value, some]) => ({
    ...{ value, rank: new Set(some.map(({ owner }) => owner)).size },
  }));
  const inRank = (breakdown === null ? values : inOrder(values, breakdown)).map(
    ({ value }) => value,
  );
  const top = inRank.slice(0, breakdown?.limit ?? 1);
  return (value: string | null) => {
    if (!top.includes(value)) return "other";
    return value === null ? "none" : `=${value}`;
  };
}

function labelled(line: string, { plan }: Asked) {
  const { breakdown } = plan.query;
  const kind = line.startsWith("=") ? ("value" as const) : (line as "none" | "other");
  const isOfValue = kind === "value" && breakdown !== null;
  return { kind, breakdown: isOfValue ? valueOfKey(line.slice(1), breakdown) : null };
}

const mean = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** The rows of a funnel, found by a plain loop over each person's events. */
export function reference(set: DataSet, trial: Asked): FunnelRow[] {
  const { query } = trial.plan;
  const tried = attemptsOf(set, trial);
  return [...linesOf(tried, ranked(tried, trial))].map(([key, line]) => {
    const taken = (step: number) =>
      line
        .filter(({ times }) => times.length > step)
        .map(({ times }) => (times[step] as number) - (times[step - 1] as number));
    const ofSteps = (average: (numbers: number[]) => number) =>
      query.steps.map((_, step) =>
        step === 0 || taken(step).length === 0 ? null : average(taken(step)) / 1_000_000,
      );
    return {
      ...labelled(key, trial),
      persons: query.steps.map((_, step) => line.filter(({ times }) => times.length > step).length),
      average_s: ofSteps(mean),
      median_s: ofSteps((numbers) => percentile(numbers, 0.5) as number),
    };
  });
}

/** The rows of a funnel over time. */
export function trendReference(set: DataSet, trial: Asked): FunnelTrendRow[] {
  const { query, period, timezone } = trial.plan;
  const { from, to, interval } = query;
  const tried = attemptsOf(set, trial);
  const lineOf = ranked(tried, trial);
  const bucketIn = ({ attempt: { began } }: Tried) =>
    bucketOf(shownAt(began.timestamp, timezone), interval ?? "day");
  return [null, ...period.buckets].flatMap((bucket) => {
    const some = bucket === null ? tried : tried.filter((one) => bucketIn(one) === bucket);
    return [...linesOf(some, lineOf)].map(([key, line]) => {
      const count = (step: number) => line.filter(({ times }) => times.length > step).length;
      return { ...labelled(key, trial), bucket, from: count(from), to: count(to) };
    });
  });
}

/** The rows of the times of a funnel. */
export function timeReference(set: DataSet, trial: Asked): FunnelTimeRow[] {
  const { from, to, bins: asked, order } = trial.plan.query;
  const converted = attemptsOf(set, trial).filter(({ attempt }) => attempt.times.length > to);
  if (converted.length === 0) return [];
  // The first attempt that converts counts; in any order the best one.
  const chosen = order === "unordered" ? best : firstOf;
  const lines = [...linesOf(converted, ranked(converted, trial), chosen)].map(([key, line]) => ({
    key,
    taken: line.map(({ times }) => (times[to] as number) - (times[from] as number)),
  }));
  const all = lines.flatMap(({ taken }) => taken);
  const [first_s, last] = [Math.floor(Math.min(...all) / 1e6), Math.ceil(Math.max(...all) / 1e6)];
  const bins = asked ?? Math.min(60, Math.ceil(Math.cbrt(all.length)));
  const width_s = last > first_s ? Math.ceil((last - first_s) / bins) : 60;
  return lines.flatMap(({ key, taken }) => {
    const binOf = (us: number) => Math.floor((us / 1e6 - first_s) / width_s);
    return [[null, taken] as const, ...Map.groupBy(taken, binOf)].map(([bin, some]) => ({
      ...labelled(key, trial),
      ...{ bin, persons: some.length, average_s: mean([...some]) / 1e6 },
      ...{ median_s: (percentile([...some], 0.5) as number) / 1e6, first_s, width_s, bins },
    }));
  });
}
