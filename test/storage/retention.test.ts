import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Interval } from "../../src/domain/insight-period.ts";
import type { Retention } from "../../src/domain/retention.ts";
import type { PlanOf } from "../../src/storage/insight-queries.ts";
import type { RetentionRow } from "../../src/storage/retention.ts";
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

/** A retention of chance over a data set, and the same by a plain loop. */
function asked(set: DataSet) {
  const dice = chance(set.project * 37);
  const { next, of } = dice;
  const target = nodeOfChance(set, dice);
  const returning = next(3) === 0 ? target : nodeOfChance(set, dice);
  const isFirstTime = next(2) === 0;
  const days: Interval = of(["day", "day", "week", "month"]);
  const { period, isUntil } = periodOfChance(set, dice, days);
  const query: Retention = {
    kind: "RetentionQuery",
    target: target.node,
    returning: returning.node,
    isFirstTime,
    interval: days,
    dateRange: { date_from: "", date_to: null },
  };
  const plan: PlanOf<"RetentionQuery"> = { query, period, previous: null, timezone: set.timezone };
  const placeOf = (timestamp: string) =>
    period.buckets.indexOf(bucketOf(shownAt(timestamp, set.timezone), days));
  const told: RetentionRow[] = [];
  const present = [...Map.groupBy(set.events.filter(isUntil), (event) => ownerOf(set, event))];
  const people = present.map(([, events]) => {
    const did = events.filter(target.isOf);
    const all = [...new Set(did.map(({ timestamp }) => placeOf(timestamp)))];
    const came = new Set(events.filter(returning.isOf).map(({ timestamp }) => placeOf(timestamp)));
    return { began: isFirstTime && all.includes(-1) ? [] : all.filter((at) => at >= 0), came };
  });
  for (const began of period.buckets.keys()) {
    const cohort = people.filter((one) => {
      return isFirstTime ? Math.min(...one.began) === began : one.began.includes(began);
    });
    for (let later = 0; began + later < period.buckets.length; later++) {
      const persons = cohort.filter(({ came }) => later === 0 || came.has(began + later)).length;
      if (persons > 0) told.push({ began, later, persons });
    }
  }
  return { plan, expected: told };
}

test(
  `retention is what a plain loop over the events finds, on ${DATA_SETS} sets of events`,
  async () => {
    let cameBack = 0;
    await forEach(stored.sets, async (set) => {
      const { plan, expected } = asked(set);
      const { found } = await stored.queries.run(set.project, plan);

      expect([set.project, ...sorted(found as RetentionRow[])]).toEqual([
        set.project,
        ...sorted(expected),
      ]);
      cameBack += expected.filter(({ later }) => later > 0).length;
    });
    expect(cameBack).toBeGreaterThan(50);
  },
  TIMEOUT_MS,
);

test(
  "retention is shown as SQL that answers the same",
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
