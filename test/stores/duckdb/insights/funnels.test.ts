import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Actors, FunnelRow, PlanOf } from "../../../../src/core/ports/insights.ts";
import { type Exclusion, FUNNEL_ORDERS, type Funnel } from "../../../../src/core/queries/funnel.ts";
import { expectActors, someOf } from "../../../support/data/actors-reference.ts";
import {
  chance,
  type DataSet,
  type DataSets,
  dataSets,
  type Stored,
} from "../../../support/data/data-sets.ts";
import {
  breakdownOfChance,
  DATA_SETS,
  forEach,
  histories,
  keyOf,
  microsOf,
  nodeOfChance,
  PROJECTS,
  percentile,
  periodOfChance,
  sorted,
  TIMEOUT_MS,
  valueOfKey,
} from "../../../support/data/insight-reference.ts";
import { draftValue } from "../../../support/data/insight-trials.ts";
import { turnOf } from "../../../support/start/rounds.ts";

let stored: DataSets;

beforeAll(async () => {
  stored = await dataSets(PROJECTS);
});

afterAll(() => stored[Symbol.asyncDispose]());

/** A step that all events reach, so that persons pass through long funnels. */
const ANY = { node: { event: null, name: "All", filters: [] }, isOf: () => true };

const NEVER = { node: { event: "never", name: "never", filters: [] }, isOf: () => false };

type Order = Funnel["order"];
type IsOf = (event: Stored) => boolean;
type Excluded = { from: number; to: number; isOf: IsOf };

/** The times at which an attempt reached its steps, and the event that it began with. */
type Attempt = { times: number[]; began: Stored; at: number };

/** A random funnel over a data set, with its steps and exclusions as plain functions. */
function asked(set: DataSet, order: Order) {
  const dice = chance(set.project * 31 + FUNNEL_ORDERS.indexOf(order));
  const { next, of } = dice;
  const steps = Array.from({ length: 2 + next(3) }, () =>
    next(3) === 0 ? ANY : nodeOfChance(set, dice),
  );
  const excluded = Array.from({ length: next(3) }, () => {
    const { node, isOf } = of([nodeOfChance(set, dice), ...steps]);
    const last = steps.length - 1;
    const from = order === "unordered" ? 0 : next(last);
    const to = order === "unordered" ? last : from + 1 + next(last - from);
    return { exclusion: { ...node, from, to } as Exclusion, isOf, from, to };
  });
  const { period, isIn } = periodOfChance(set, dice, null);
  const query: Funnel = {
    kind: "FunnelsQuery",
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

type Asked = ReturnType<typeof asked>;

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

/** The rows of a funnel, found by a plain loop over each person's events. */
function reference(set: DataSet, { plan, isIn, steps, excluded }: Asked): FunnelRow[] {
  const { query } = plan;
  const reached = [...histories(set, set.events.filter(isIn)).values()].flatMap((events) => {
    const attempts = events.flatMap(
      (_, at) => attemptAt(events, at, { query, steps, excluded }) ?? [],
    );
    return best(attempts) ?? [];
  });
  const { breakdown } = query;
  const valueIn = ({ began }: Attempt) => (breakdown === null ? "" : keyOf(set, began, breakdown));
  const ranked = [...Map.groupBy(reached, valueIn)]
    .sort(([a, some], [b, others]) => {
      if (some.length !== others.length) return others.length - some.length;
      if (a === null || b === null) return a === null ? 1 : -1;
      return Buffer.compare(Buffer.from(a), Buffer.from(b));
    })
    .map(([value]) => value);
  const top = ranked.slice(0, breakdown?.limit ?? 1);
  const lines = Map.groupBy(reached, (attempt) => {
    const value = valueIn(attempt);
    if (!top.includes(value)) return "other";
    return value === null ? "none" : `=${value}`;
  });
  return [...lines].map(([key, line]) => {
    const kind = key.startsWith("=") ? "value" : (key as "none" | "other");
    const taken = (step: number) =>
      line
        .filter(({ times }) => times.length > step)
        .map(({ times }) => (times[step] as number) - (times[step - 1] as number));
    const ofSteps = (average: (numbers: number[]) => number) =>
      query.steps.map((_, step) =>
        step === 0 || taken(step).length === 0 ? null : average(taken(step)) / 1_000_000,
      );
    return {
      kind,
      breakdown:
        kind === "value" && breakdown !== null ? valueOfKey(key.slice(1), breakdown) : null,
      persons: query.steps.map((_, step) => line.filter(({ times }) => times.length > step).length),
      average_s: ofSteps((numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length),
      median_s: ofSteps((numbers) => percentile(numbers, 0.5) as number),
    };
  });
}

/** Some of the data sets, others for each order; all of them in the long run. */
const inTurn = (order: Order) => turnOf(stored.sets, FUNNEL_ORDERS.indexOf(order), 3);

describe.each(FUNNEL_ORDERS)("funnels that are %s", (order) => {
  test(
    `are the same as in a plain loop over each person's events, on ${DATA_SETS} sets`,
    async () => {
      const reached = [0, 0, 0, 0];
      let excluding = 0;
      await forEach(stored.sets, async (set) => {
        const trial = asked(set, order);
        const { found } = await stored.queries.run(set.project, trial.plan);

        const expected = reference(set, trial);
        expect([set.project, ...sorted(found as FunnelRow[])]).toEqual([
          set.project,
          ...sorted(expected),
        ]);
        for (const { persons } of expected) {
          for (const [step, count] of persons.entries()) {
            reached[step] = (reached[step] ?? 0) + count;
          }
        }
        const without = reference(set, { ...trial, excluded: [] });
        if (JSON.stringify(without) !== JSON.stringify(expected)) excluding += 1;
      });
      expect(Math.min(...reached, excluding)).toBeGreaterThan(10);
    },
    TIMEOUT_MS,
  );

  test(
    "have as many persons as each step says, and as were lost before it",
    async () => {
      await forEach(inTurn(order), async (set) => {
        const trial = asked(set, order);
        const { breakdown } = trial.plan.query;
        const dice = chance(set.project);
        for (const { kind, breakdown: value, persons } of someOf(reference(set, trial), dice)) {
          const step = 1 + dice.next(persons.length);
          const [before = 0, came = 0] = [persons[step - 2], persons[step - 1]];
          const line = breakdown === null ? null : { kind, breakdown: value };
          const of = (step: number): Actors => {
            return { kind: "FunnelsQuery", plan: trial.plan, cell: { step, line } };
          };
          await expectActors(stored, set, of(step), came);
          if (step > 1) await expectActors(stored, set, of(-step), before - came);
        }
      });
    },
    TIMEOUT_MS,
  );

  test(
    "have a draft that finds the same",
    async () => {
      await forEach(inTurn(order), async (set) => {
        const trial = asked(set, order);
        const { breakdown, steps } = trial.plan.query;
        const rows = await stored.drafted(set.project, trial.plan);

        const found = rows
          .filter((row) => Number(row["persons_1"]) > 0)
          .map((row) => {
            const each = (name: string) =>
              steps.map((_, step) => (row[`${name}_${step + 1}`] ?? null) as number | null);
            return {
              ...(breakdown === null ? { kind: "value", breakdown: null } : draftValue(row)),
              ...{ persons: each("persons"), average_s: each("average_s") },
              median_s: each("median_s"),
            };
          });
        const expected = reference(set, trial);
        expect([set.project, ...sorted(found)]).toEqual([set.project, ...sorted(expected)]);
      });
    },
    TIMEOUT_MS,
  );
});

test(
  "a person that only began has the value of the first event, or of the last at that instant",
  async () => {
    await forEach(inTurn("unordered"), async (set) => {
      const { plan, isIn } = asked(set, "ordered");
      const steps = [ANY, NEVER];
      const query: Funnel = {
        ...plan.query,
        steps: steps.map(({ node }) => node),
        exclusions: [],
        breakdown: { by: [{ of: { type: "event" }, property: "own" }], limit: 3 },
      };
      const trial = {
        ...{ plan: { ...plan, query }, isIn, excluded: [] },
        steps: steps.map(({ isOf }) => isOf),
      };
      const { found } = await stored.queries.run(set.project, trial.plan);

      const expected = sorted(reference(set, trial));
      expect([set.project, ...sorted(found as FunnelRow[])]).toEqual([set.project, ...expected]);
    });
  },
  TIMEOUT_MS,
);
