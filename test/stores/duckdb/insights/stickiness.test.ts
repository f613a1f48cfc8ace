import { expect } from "bun:test";
import type { PlanOf, StickinessRow } from "../../../../src/core/ports/insights.ts";
import { INTERVALS, type Interval } from "../../../../src/core/queries/intervals.ts";
import { type AskedTime, behaviorOfChance } from "../../../support/data/behavior-reference.ts";
import { chance, type DataSet } from "../../../support/data/data-sets.ts";
import {
  bucketOf,
  nodeOfChance,
  ownerOf,
  periodOfChance,
  shownAt,
} from "../../../support/data/insight-reference.ts";
import { insightTrials } from "../../../support/data/insight-trials.ts";

/** A row of one of the series. */
type Row = StickinessRow & { series: string };

const SERIES = ["A", "B"];

/** A random stickiness over a data set, and its rows by a plain loop. */
function asked(set: DataSet) {
  const dice = chance(set.project * 43);
  const time: AskedTime = {};
  const more = () => behaviorOfChance(set, dice, time);
  const series = [nodeOfChance(set, dice, more), nodeOfChance(set, dice, more)];
  const interval = dice.of<Interval>(INTERVALS);
  const { period, ...when } = periodOfChance(set, dice, interval);
  const { isIn } = when;
  time.when = when;
  const { timezone } = set;
  const plan: PlanOf<"StickinessQuery"> = {
    query: {
      ...({ kind: "StickinessQuery", series: series.map(({ node }) => node), interval } as const),
      dateRange: { date_from: "", date_to: null },
    },
    ...{ period, previous: null, timezone },
  };
  const expected = series.flatMap(({ isOf }, at) => {
    const events = set.events.filter((event) => isIn(event) && isOf(event));
    const people = Map.groupBy(events, (event) => ownerOf(set, event));
    const counts = [...people.values()].map((some) => {
      return new Set(some.map(({ timestamp }) => bucketOf(shownAt(timestamp, timezone), interval)))
        .size;
    });
    return [...Map.groupBy(counts, (count) => count)].map(([intervals, some]): Row => {
      return { intervals, persons: some.length, series: SERIES[at] ?? "" };
    });
  });
  return { plan, expected };
}

insightTrials<"StickinessQuery", Row>("stickiness", {
  asked,
  rows: (found) =>
    found.flatMap((rows, at) => rows.map((row) => ({ ...row, series: SERIES[at] ?? "" }))),
  enough: (all) => expect(all.filter(({ intervals }) => intervals > 2).length).toBeGreaterThan(20),
  cell: ({ series, intervals, persons }) => ({
    cell: { series: SERIES.indexOf(series), intervals },
    number: persons,
  }),
  drafted: ({ series, intervals, persons }) => ({
    intervals: Number(intervals),
    persons: Number(persons),
    series: String(series),
  }),
});
