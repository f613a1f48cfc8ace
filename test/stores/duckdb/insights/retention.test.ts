import { expect, test } from "bun:test";
import { BY_HAND } from "../../../../scripts/bench/insights-sql.ts";
import type { PlanOf, RetentionRow } from "../../../../src/core/ports/insights.ts";
import type { Breakdown } from "../../../../src/core/queries/breakdown.ts";
import type { Interval } from "../../../../src/core/queries/intervals.ts";
import type { Retention } from "../../../../src/core/queries/retention.ts";
import { rows } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import { type AskedTime, behaviorOfChance } from "../../../support/data/behavior-reference.ts";
import { chance, type DataSet, openStore, type Stored } from "../../../support/data/data-sets.ts";
import {
  breakdownOfChance,
  bucketOf,
  histories,
  inOrder,
  keyOf,
  nodeOfChance,
  periodOfChance,
  shownAt,
  valueOfKey,
} from "../../../support/data/insight-reference.ts";
import { draftValue, insightTrials } from "../../../support/data/insight-trials.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";

/** A random retention over a data set, and its rows by a plain loop. */
function asked(set: DataSet) {
  const dice = chance(set.project * 37);
  const { next, of } = dice;
  const time: AskedTime = {};
  const more = () => behaviorOfChance(set, dice, time);
  const target = nodeOfChance(set, dice, more);
  const returning = next(3) === 0 ? target : nodeOfChance(set, dice, more);
  const isFirstTime = next(2) === 0;
  const days: Interval = of(["day", "day", "week", "month"]);
  const { period, ...when } = periodOfChance(set, dice, days);
  const { isUntil } = when;
  time.when = when;
  const query: Retention = {
    kind: "RetentionQuery",
    target: target.node,
    returning: returning.node,
    isFirstTime,
    interval: days,
    intervals: next(2) === 0 ? 100 : 1 + next(9),
    dateRange: { date_from: "", date_to: null },
    breakdown: next(2) === 0 ? null : breakdownOfChance(dice, 1 + next(3)),
  };
  const plan: PlanOf<"RetentionQuery"> = { query, period, previous: null, timezone: set.timezone };
  const valueIn = (event: Stored) =>
    query.breakdown === null ? null : keyOf(set, event, query.breakdown);
  const placeOf = (timestamp: string) =>
    period.buckets.indexOf(bucketOf(shownAt(timestamp, set.timezone), days));
  const present = histories(set, set.events.filter(isUntil));
  const people = [...present.values()].map((events) => {
    const did = Map.groupBy(events.filter(target.isOf), ({ timestamp }) => placeOf(timestamp));
    const all = [...did.keys()].toSorted((a, b) => a - b);
    const began = isFirstTime ? all.slice(0, 1) : all;
    const came = new Set(events.filter(returning.isOf).map(({ timestamp }) => placeOf(timestamp)));
    return began
      .filter((at) => at >= 0)
      .map((at) => ({ at, came, value: valueIn(did.get(at)?.[0] as Stored) }));
  });
  const value = topOf(people.flat(), query.breakdown);
  const pairs = people.flat().flatMap(({ at, came, value: own }) => {
    const later = [...came].filter((place) => place > at).map((place) => place - at);
    const isWithin = (one: number) => one < (query.intervals ?? Number.POSITIVE_INFINITY);
    return [0, ...later].filter(isWithin).map((one) => ({ began: at, later: one, ...value(own) }));
  });
  const expected = [...Map.groupBy(pairs, (row) => JSON.stringify(row))].map(
    ([row, some]): RetentionRow => ({ ...JSON.parse(row), persons: some.length }),
  );
  return { plan, expected };
}

/** The value as rows have it: one of those with most persons, or all others. */
function topOf(cohorts: { value: string | null }[], breakdown: Breakdown | null) {
  const all = [...Map.groupBy(cohorts, ({ value }) => value)].map(([value, some]) => ({
    ...{ value, rank: some.length },
  }));
  const ranked = breakdown === null ? all : inOrder(all, breakdown);
  const top = ranked.slice(0, breakdown?.limit).map(({ value }) => value);
  return (value: string | null): Pick<RetentionRow, "kind" | "breakdown"> => {
    if (breakdown === null) return {};
    if (!top.includes(value)) return { kind: "other", breakdown: null };
    return value === null
      ? { kind: "none", breakdown: null }
      : { kind: "value", breakdown: valueOfKey(value, breakdown) };
  };
}

insightTrials<"RetentionQuery", RetentionRow>("retention", {
  asked,
  rows: (found) =>
    found.map(({ persons, kind, breakdown, ...row }) => {
      return {
        ...row,
        ...(kind === undefined ? {} : { kind, breakdown }),
        persons,
      } as RetentionRow;
    }),
  cell: ({ began, later, persons, kind, breakdown = null }) => ({
    cell: { began, later, line: kind === undefined ? null : { kind, breakdown } },
    number: persons,
  }),
  enough: (all) => expect(all.filter(({ later }) => later > 0).length).toBeGreaterThan(40),
  drafted: ({ began, later, persons, ...value }, { period, query }) => ({
    began: period.buckets.indexOf(String(began)),
    later: Number(later),
    ...(query.breakdown === null ? {} : draftValue(value)),
    persons: Number(persons),
  }),
});

test("the benchmark's own SQL counts an event late on a Sunday in the week that ends", async () => {
  using directory = temporaryDirectory();
  const store = await openStore(directory.path);
  const seen = ["2026-11-01 23:59:59.6", "2026-11-15 23:59:59.999999", "2026-11-16 00:00:00"];
  await store.write(async (writer) => {
    for (const [seq, time] of seen.entries()) {
      await writer.run(`INSERT INTO events BY NAME SELECT 1 AS project_id, ${seq} AS seq,
        uuid() AS uuid, '$pageview' AS event, 'ann' AS distinct_id, TIMESTAMP '${time}' AS "timestamp",
        '00000001-592b-78b3-8d80-aa75992efae9' AS person_id, now() AS ingested_at,
        '{}' AS properties`);
    }
  });

  const days = { first: "2026-09-28", last: "2026-11-22", weeksFrom: "2026-09-28" };
  const found = await store.read((connection) => rows(connection, BY_HAND.retention(days)));
  await store.close();

  const expected = [0, 2, 3].map((later) => ({ line: "4", place: String(later), value: 1 }));
  expect(found.toSorted((a, b) => Number(a["place"]) - Number(b["place"]))).toEqual(expected);
});
