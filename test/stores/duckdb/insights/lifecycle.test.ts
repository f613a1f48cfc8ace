import { expect } from "bun:test";
import type { LifecycleRow, PlanOf } from "../../../../src/core/ports/insights.ts";
import { INTERVALS, type Interval } from "../../../../src/core/queries/intervals.ts";
import { withIntervalBefore } from "../../../../src/core/queries/period.ts";
import { type AskedTime, behaviorOfChance } from "../../../support/data/behavior-reference.ts";
import { chance, type DataSet, type Stored } from "../../../support/data/data-sets.ts";
import {
  bucketOf,
  nodeOfChance,
  ownerOf,
  periodOfChance,
  shownAt,
} from "../../../support/data/insight-reference.ts";
import { insightTrials } from "../../../support/data/insight-trials.ts";

/** A random lifecycle over a data set, and its rows by a plain loop. */
function asked(set: DataSet) {
  const dice = chance(set.project * 41);
  const time: AskedTime = {};
  const more = () => behaviorOfChance(set, dice, time);
  const { node, isOf } = nodeOfChance(set, dice, more);
  const interval = dice.of<Interval>(["hour", "day", "day", "day", ...INTERVALS]);
  const inPeriod = periodOfChance(set, dice, interval);
  const { timezone } = set;
  const period = withIntervalBefore(inPeriod.period, { interval, timezone });
  const placeOf = ({ timestamp }: Stored) =>
    period.buckets.indexOf(bucketOf(shownAt(timestamp, timezone), interval));
  const { isUntil } = inPeriod;
  time.when = { isIn: (event) => isUntil(event) && placeOf(event) > 0, isUntil };
  const plan: PlanOf<"LifecycleQuery"> = {
    query: {
      ...({ kind: "LifecycleQuery", series: node, interval } as const),
      dateRange: { date_from: "", date_to: null },
    },
    ...{ period, previous: null, timezone },
  };
  const events = set.events.filter((event) => isUntil(event) && isOf(event));
  const people = [...Map.groupBy(events, (event) => ownerOf(set, event)).values()].map(
    (some) => new Set(some.map(placeOf)),
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

insightTrials<"LifecycleQuery", LifecycleRow>("a lifecycle", {
  asked,
  rows: (found) => found,
  cell: ({ status, place, persons }) => ({ cell: { status, place }, number: persons }),
  enough(all) {
    const seen = [...Map.groupBy(all, ({ status }) => status).values()];
    expect(seen).toHaveLength(4);
    expect(Math.min(...seen.map((some) => some.length))).toBeGreaterThan(20);
  },
  drafted: ({ bucket, status, persons }, { period }) => ({
    status: status as LifecycleRow["status"],
    place: period.buckets.indexOf(String(bucket)),
    persons: Math.abs(Number(persons)),
  }),
});
