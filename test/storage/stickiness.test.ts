import { afterAll, beforeAll, expect, test } from "bun:test";
import { INTERVALS, type Interval } from "../../src/domain/insight-period.ts";
import type { PlanOf } from "../../src/storage/insight-queries.ts";
import type { StickinessRow } from "../../src/storage/stickiness.ts";
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

/** A stickiness of chance over a data set, and the same by a plain loop. */
function asked(set: DataSet) {
  const dice = chance(set.project * 43);
  const series = [nodeOfChance(set, dice), nodeOfChance(set, dice)];
  const interval = dice.of<Interval>(INTERVALS);
  const { period, isIn } = periodOfChance(set, dice, interval);
  const { timezone } = set;
  const plan: PlanOf<"StickinessQuery"> = {
    query: {
      ...({ kind: "StickinessQuery", series: series.map(({ node }) => node), interval } as const),
      dateRange: { date_from: "", date_to: null },
    },
    ...{ period, previous: null, timezone },
  };
  const expected = series.map(({ isOf }) => {
    const events = set.events.filter((event) => isIn(event) && isOf(event));
    const people = Map.groupBy(events, (event) => ownerOf(set, event));
    const counts = [...people.values()].map((some) => {
      return new Set(some.map(({ timestamp }) => bucketOf(shownAt(timestamp, timezone), interval)))
        .size;
    });
    return [...Map.groupBy(counts, (count) => count)].map(([intervals, some]): StickinessRow => {
      return { intervals, persons: some.length };
    });
  });
  return { plan, expected };
}

test(
  `stickiness is what a plain loop over the events finds, on ${DATA_SETS} sets of events`,
  async () => {
    let often = 0;
    await forEach(stored.sets, async (set) => {
      const { plan, expected } = asked(set);
      const { found } = await stored.queries.run(set.project, plan);

      const rows = found as StickinessRow[][];
      expect([set.project, ...rows.map(sorted)]).toEqual([set.project, ...expected.map(sorted)]);
      often += expected.flat().filter(({ intervals }) => intervals > 2).length;
    });
    expect(often).toBeGreaterThan(20);
  },
  TIMEOUT_MS,
);

test(
  "stickiness is shown as SQL that answers the same",
  async () => {
    await forEach(stored.sets.slice(0, 40), async (set) => {
      const { plan, expected } = asked(set);
      const [first = ""] = stored.queries.sql(set.project, plan).split(";\n\n");
      expect(sorted(await stored.rows(first))).toEqual(sorted(expected[0] ?? []));
    });
  },
  TIMEOUT_MS,
);
