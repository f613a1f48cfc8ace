import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Found, TrendsRow } from "../../../../src/core/ports/insights.ts";
import { previousPeriod } from "../../../../src/core/queries/earlier-period.ts";
import { readFormula } from "../../../../src/core/queries/formula.ts";
import { INTERVALS, type Interval } from "../../../../src/core/queries/intervals.ts";
import {
  ACTIVE_DAYS,
  isTypical,
  type Series,
  type SeriesMath,
  type Trends,
} from "../../../../src/core/queries/trend.ts";
import { SHOWN_PLAIN } from "../../../../src/core/queries/trend-shown.ts";
import { draftSql } from "../../../../src/stores/duckdb/insights/drafts.ts";
import { expectActors, ownersOf, someOf } from "../../../support/data/actors-reference.ts";
import { type AskedTime, behaviorOfChance } from "../../../support/data/behavior-reference.ts";
import {
  type Chance,
  chance,
  type DataSet,
  type DataSets,
  dataSets,
  KEYS,
  type Stored,
} from "../../../support/data/data-sets.ts";
import {
  breakdownOfChance,
  DATA_SETS,
  daysOfChance,
  draftedSets,
  forEach,
  nodeOfChance,
  ownerOf,
  PROJECTS,
  periodOfChance,
  shownAt,
  sorted,
  TIMEOUT_MS,
} from "../../../support/data/insight-reference.ts";
import { draftValue } from "../../../support/data/insight-trials.ts";
import {
  type Asked,
  countedIn,
  intervalsOf,
  linesOf,
  reference,
  valueOfMath,
} from "../../../support/data/trends-reference.ts";

const DAY_MS = 86_400_000;

let stored: DataSets;

beforeAll(async () => {
  stored = await dataSets(PROJECTS);
});

afterAll(() => stored[Symbol.asyncDispose]());

const MATHS: SeriesMath[] = [
  ...(["total", "dau", "unique_session", "unique_group"] as const),
  ...(["first_time_for_user", "hogql"] as const),
  ...(["sum", "avg", "min", "max", "median", "p50"] as const),
];

const COUNTS = ["total", "dau", "unique_session", "unique_group"];

/** A formula of so many series. */
const formulaOfChance = (series: number, { of }: Chance) =>
  readFormula(of(series === 1 ? ["A", "-A", "10/A"] : ["A", "A/B", "B/A", "(A-B)*2"]), series, "");

/** Returns a random query. */
function asked(set: DataSet): Asked {
  const dice = chance(set.project * 53);
  const { next, of } = dice;
  const time: AskedTime = {};
  const more = () => behaviorOfChance(set, dice, time);
  const nodes = Array.from({ length: 1 + next(2) }, () => nodeOfChance(set, dice, more));
  const interval = of<Interval>(INTERVALS);
  const { period, ...when } = periodOfChance(set, dice, interval);
  time.when = when;
  const series = nodes.map(({ node }): Series => {
    const math = of(MATHS);
    const isCount = [...COUNTS, "first_time_for_user"].includes(math);
    return {
      ...{ ...node, isNamed: false, math },
      math_property: isCount ? null : of(KEYS),
      math_property_of: set.project % 4 === 0 ? "person" : "event",
      math_group_type_index: math === "unique_group" ? of([0, 2]) : null,
    };
  });
  const query: Trends = {
    ...({ kind: "TrendsQuery", series, interval, compare: false, compareTo: null } as const),
    dateRange: { date_from: "", date_to: null },
    shown: SHOWN_PLAIN,
    breakdown: next(3) === 0 ? null : breakdownOfChance(dice, 1 + next(4)),
    formula: next(2) === 0 ? null : formulaOfChance(nodes.length, dice),
  };
  const { timezone } = set;
  return {
    plan: { query, period, previous: null, timezone },
    isOf: nodes.map(({ isOf }) => isOf),
    ...{ isIn: when.isIn, time },
  };
}

describe("trends", () => {
  test(
    `are the same as in a plain loop over the events, on ${DATA_SETS} sets of events`,
    async () => {
      let found = 0;
      await forEach(stored.sets, async (set) => {
        const one = asked(set);
        const answered = await stored.queries.run(set.project, one.plan);

        const { current } = answered.found as Found["TrendsQuery"];
        const expected = current.map((_, index) => reference(set, one, index));
        expect([set.project, ...current.map(sorted)]).toEqual([
          set.project,
          ...expected.map(sorted),
        ]);
        const places = new Set(expected.flat().flatMap(({ bucket }) => bucket ?? []));
        const { buckets } = one.plan.period;
        expect([...places].filter((bucket) => !buckets.includes(bucket))).toEqual([]);
        found += expected.flat().length;

        const whole = await stored.queries.run(set.project, { ...one.plan, isWhole: true });
        const { current: ofWhole, persons } = whole.found as Found["TrendsQuery"];
        const ofIntervals = (answered.found as Found["TrendsQuery"]).persons?.current;
        expect(persons?.current.map(sorted)).toEqual(ofIntervals?.map(sorted));
        const { series, breakdown, formula } = one.plan.query;
        const counted = series.map((math, index) => {
          if (breakdown === null || (formula === null && !isTypical(math))) return [];
          return linesOf(set, one, index).map(({ line, events }) => {
            const value = new Set(events.map((event) => ownerOf(set, event))).size;
            return { ...line, bucket: null, value };
          });
        });
        expect([set.project, ...(persons?.current ?? []).map(sorted)]).toEqual([
          set.project,
          ...counted.map(sorted),
        ]);
        expect([set.project, ...ofWhole.map(sorted)]).toEqual([
          set.project,
          ...expected.map((rows) => sorted(rows.filter(({ bucket }) => bucket === null))),
        ]);
      });
      expect(found).toBeGreaterThan(DATA_SETS);
    },
    TIMEOUT_MS,
  );

  test(
    "are compared with the period before, by the values of the period itself",
    async () => {
      let found = 0;
      await forEach(stored.sets, async (set) => {
        const one = asked(set);
        const days = { interval: "day" as const, dateRange: { date_from: "", date_to: null } };
        const { period, ...ranked } = daysOfChance(set, chance(set.project), "day");
        const previous = previousPeriod(period, { interval: "day", timezone: set.timezone });
        const query = { ...one.plan.query, ...days, compare: true };
        const plan = { ...one.plan, query, period, previous };
        const answered = await stored.queries.run(set.project, plan);

        const before = (answered.found as Found["TrendsQuery"]).previous;
        const within = ({ buckets }: { buckets: string[] }, { timestamp }: Stored) =>
          buckets.includes(shownAt(timestamp, set.timezone).day);
        const isIn = (event: Stored) => within(previous, event);
        const isRanked = (event: Stored) => within(period, event);
        const isUntil = ({ timestamp }: Stored) =>
          shownAt(timestamp, set.timezone).day < previous.before.slice(0, 10);
        one.time.when = { isIn, isUntil };
        const expected = before.map((_, index) =>
          reference(set, { ...one, plan, isIn, isRanked, ranked }, index),
        );
        expect([set.project, ...before.map(sorted)]).toEqual([
          set.project,
          ...expected.map(sorted),
        ]);
        expect(previous.before).toBe(period.from);
        expect(previous.buckets).toHaveLength(period.buckets.length);
        found += expected.flat().length;
      });
      expect(found).toBeGreaterThan(DATA_SETS / 2);
    },
    TIMEOUT_MS,
  );

  test(
    "count active persons as often as an event makes them active on later days",
    async () => {
      let found = 0;
      const sets = stored.sets.filter(({ timezone }) => timezone === "UTC");
      await forEach(sets, async (set) => {
        const dice = chance(set.project * 59);
        const interval = dice.of<Interval>(["day", "day", "week"]);
        const maths = ["weekly_active", "monthly_active"] as const;
        const math = interval === "week" ? "monthly_active" : (maths[dice.next(2)] ?? maths[0]);
        const one = asked(set);
        // The reference moves events to later days, on which they would have another day of the week.
        const { series: all, breakdown: by } = one.plan.query;
        if (/timestamp\)/.test(Bun.inspect([all, by], { depth: 9 }))) return;
        const { period, ...when } = daysOfChance(set, dice, interval);
        one.time.when = when;
        const plan = (of: "dau" | typeof math) => ({
          ...one.plan,
          period,
          query: {
            ...one.plan.query,
            ...{
              interval,
              series: one.plan.query.series.map((series) => ({
                ...{ ...series, math: of, math_property: null, math_group_type_index: null },
              })),
            },
          },
        });
        const answered = await stored.queries.run(set.project, plan(math));

        const events = set.events.flatMap((event) =>
          Array.from({ length: ACTIVE_DAYS[math] }, (_, days) => ({
            ...event,
            timestamp: new Date(Date.parse(event.timestamp) + days * DAY_MS).toISOString(),
          })),
        );
        const isIn = ({ timestamp }: Stored) => period.buckets.includes(timestamp.slice(0, 10));
        const { current } = answered.found as Found["TrendsQuery"];
        const later = { ...one, plan: plan("dau"), isIn };
        const expected = current.map((_, index) =>
          reference({ ...set, events, ever: set.events }, later, index),
        );
        expect([set.project, ...current.map(sorted)]).toEqual([
          set.project,
          ...expected.map(sorted),
        ]);
        for (const { bucket, value, ...line } of someOf(current[0] ?? [], dice)) {
          const { breakdown } = one.plan.query;
          const cell = {
            ...{ series: 0, bucket, isPrevious: false },
            line: breakdown === null ? null : line,
          };
          const of = { kind: "TrendsQuery", plan: plan(math), cell } as const;
          await expectActors(stored, set, of, value ?? -1);
        }
        const drafted = await stored.drafted(set.project, plan(math));
        expect(drafted).toHaveLength(expected.flat().length);
        found += expected.flat().length;
      });
      expect(found).toBeGreaterThan(sets.length);
    },
    TIMEOUT_MS,
  );

  test(
    "have the persons of each number, as a plain loop over its events finds them",
    async () => {
      let persons = 0;
      await forEach(stored.sets, async (set) => {
        const one = asked(set);
        const { plan } = one;
        const dice = chance(set.project * 61);
        const series = dice.next(plan.query.series.length);
        const math = plan.query.series[series] as Series;
        for (const { line, events } of someOf(linesOf(set, one, series), dice)) {
          const all = [[null, events] as const, ...intervalsOf(plan, events)];
          const [bucket, within] = dice.of(all);
          const { counted, countOf } = countedIn(set, math, within);
          const expected = ownersOf(set, counted, countOf);
          const owners = new Set(counted.map((event) => ownerOf(set, event))).size;
          const cell = {
            ...{ series, bucket, isPrevious: false },
            line: plan.query.breakdown === null ? null : line,
          };
          const rows = await expectActors(
            ...([stored, set, { kind: "TrendsQuery", plan, cell } as const, owners] as const),
          );
          expect([set.project, cell, rows]).toEqual([set.project, cell, expected]);
          if (math.math === "dau") expect(owners).toBe(valueOfMath(set, math, within) ?? -1);
          persons += owners;
        }
      });
      expect(persons).toBeGreaterThan(DATA_SETS / 2);
    },
    TIMEOUT_MS,
  );

  test(
    "have as many persons of the period before as its number says",
    async () => {
      await forEach(stored.sets, async (set) => {
        const { plan: days } = asked(set);
        const { period } = daysOfChance(set, chance(set.project), "day");
        const previous = previousPeriod(period, { interval: "day", timezone: set.timezone });
        const series = days.query.series.map((one) => ({
          ...{ ...one, math: "dau" as const },
          ...{ math_property: null, math_group_type_index: null },
        }));
        const query = { ...days.query, series, interval: "day" as const, compare: true };
        const plan = { ...days, query, period, previous };
        const answered = await stored.queries.run(set.project, plan);

        const [before = []] = (answered.found as Found["TrendsQuery"]).previous;
        for (const { bucket, value, ...line } of someOf(before, chance(set.project))) {
          const cell = {
            ...{ series: 0, bucket, isPrevious: true },
            line: query.breakdown === null ? null : line,
          };
          await expectActors(stored, set, { kind: "TrendsQuery", plan, cell }, value ?? -1);
        }
      });
    },
    TIMEOUT_MS,
  );

  test(
    "have a draft that finds the same, also compared",
    async () => {
      await forEach(draftedSets(stored.sets), async (set) => {
        const one = asked(set);
        const { period, query, timezone } = one.plan;
        const previous = previousPeriod(period, { interval: query.interval, timezone });
        const isCompared = set.project % 3 === 0;
        const plan = { ...one.plan, previous: isCompared ? previous : null };
        const answered = await stored.queries.run(set.project, plan);
        const drafted = await stored.drafted(set.project, plan);

        const { current, previous: before } = answered.found as Found["TrendsQuery"];
        const labeled = (rows: TrendsRow[][], period: string) =>
          rows.flatMap((some, index) =>
            some.map((row) => ({ period, series: "AB".charAt(index), ...row })),
          );
        const expected = [...labeled(current, "current"), ...labeled(before, "previous")];
        const found = drafted.map((row) => ({
          period: isCompared ? row["period"] : "current",
          series: row["series"],
          ...(query.breakdown === null ? { kind: "value", breakdown: null } : draftValue(row)),
          ...{ bucket: row["bucket"], value: row["value"] },
        }));
        expect([set.project, ...sorted(found)]).toEqual([set.project, ...sorted(expected)]);
      });
    },
    TIMEOUT_MS,
  );

  test("have a first query that runs as it stands, over names of any kind", async () => {
    await forEach(stored.sets.slice(0, 40), async ({ project, events }) => {
      const names = await stored.queries.names(project);
      const sql = draftSql(names);
      const found = await stored.run(project, sql);

      const counted = [...Map.groupBy(events, ({ event }) => event)];
      const all = counted.map(([name, some]) => ({ name, count: some.length }));
      expect(names.events.toSorted(byName)).toEqual(all.toSorted(byName));
      expect(found).toBeArray();
      for (const { name } of names.properties) expect(sql).toContain(JSON.stringify(name));
    });
  });
});

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
