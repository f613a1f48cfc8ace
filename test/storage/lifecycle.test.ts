import { afterAll, beforeAll, expect, test } from "bun:test";
import { INTERVALS, type Interval, withIntervalBefore } from "../../src/domain/insight-period.ts";
import type { PlanOf } from "../../src/storage/insight-queries.ts";
import type { LifecycleRow } from "../../src/storage/lifecycle.ts";
import { chance, type DataSet, type DataSets, dataSets } from "../support/data-sets.ts";
import {
  bucketOf,
  DATA_SETS,
  forEach,
  nodeOfChance,
  ownerOf,
  periodOfChance,
  shownAt,
  sorted,
  TIMEOUT_MS,
} from "../support/insight-reference.ts";

let stored: DataSets;

beforeAll(async () => {
  stored = await dataSets(DATA_SETS);
});

afterAll(() => stored[Symbol.asyncDispose]());

/** A lifecycle of chance over a data set, and the same by a plain loop. */
function asked(set: DataSet) {
  const dice = chance(set.project * 41);
  const { node, isOf } = nodeOfChance(set, dice);
  const interval = dice.of<Interval>(["hour", "day", "day", "day", ...INTERVALS]);
  const told = periodOfChance(set, dice, interval);
  const { timezone } = set;
  const period = withIntervalBefore(told.period, { interval, timezone });
  const plan: PlanOf<"LifecycleQuery"> = {
    query: {
      ...({ kind: "LifecycleQuery", series: node, interval } as const),
      dateRange: { date_from: "", date_to: null },
    },
    ...{ period, previous: null, timezone },
  };
  const events = set.events.filter((event) => told.isUntil(event) && isOf(event));
  const people = [...Map.groupBy(events, (event) => ownerOf(set, event)).values()].map(
    (some) =>
      new Set(
        some.map(({ timestamp }) =>
          period.buckets.indexOf(bucketOf(shownAt(timestamp, timezone), interval)),
        ),
      ),
  );
  const statusAt = (places: Set<number>, place: number): LifecycleRow["status"] | undefined => {
    if (!places.has(place)) return places.has(place - 1) && place > 0 ? "dormant" : undefined;
    if (Math.min(...places) === place) return "new";
    return places.has(place - 1) ? "returning" : "resurrecting";
  };
  const expected = [...period.buckets.keys()].slice(1).flatMap((place) => {
    const statuses = people.flatMap((places) => statusAt(places, place) ?? []);
    return [...Map.groupBy(statuses, (status) => status)].map(([status, some]) => {
      return { status, place, persons: some.length };
    });
  });
  return { plan, expected };
}

test(
  `a lifecycle is what a plain loop over the events finds, on ${DATA_SETS} sets of events`,
  async () => {
    const seen = new Map<string, number>();
    await forEach(stored.sets, async (set) => {
      const { plan, expected } = asked(set);
      const { found } = await stored.queries.run(set.project, plan);

      expect([set.project, ...sorted(found as LifecycleRow[])]).toEqual([
        set.project,
        ...sorted(expected),
      ]);
      for (const { status } of expected) seen.set(status, (seen.get(status) ?? 0) + 1);
    });
    expect(Math.min(...seen.values())).toBeGreaterThan(20);
    expect(seen.size).toBe(4);
  },
  TIMEOUT_MS,
);

test(
  "a lifecycle is shown as SQL that answers the same",
  async () => {
    await forEach(stored.sets.slice(0, 40), async (set) => {
      const { plan, expected } = asked(set);
      expect(sorted(await stored.rows(stored.queries.sql(set.project, plan)))).toEqual(
        sorted(expected),
      );
    });
  },
  TIMEOUT_MS,
);
