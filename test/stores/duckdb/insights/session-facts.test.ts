import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Found } from "../../../../src/core/ports/insights.ts";
import { readFormula } from "../../../../src/core/queries/formula.ts";
import { INTERVALS, type Interval } from "../../../../src/core/queries/intervals.ts";
import type { EventFilter, EventsNode } from "../../../../src/core/queries/query-fields.ts";
import type { Series, Trends } from "../../../../src/core/queries/trend.ts";
import { SHOWN_PLAIN } from "../../../../src/core/queries/trend-shown.ts";
import type { Json } from "../../../../src/core/values/json.ts";
import { propertyFilter } from "../../../../src/core/values/property-filter.ts";
import { expectActors, ownersOf, someOf } from "../../../support/data/actors-reference.ts";
import {
  type Chance,
  chance,
  type DataSet,
  type DataSets,
  dataSets,
  EVENTS,
  type Stored,
} from "../../../support/data/data-sets.ts";
import {
  asText,
  forEach,
  microsOf,
  numberIn,
  ownerOf,
  PROJECTS,
  periodOfChance,
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
  sessionsNear,
} from "../../../support/data/trends-reference.ts";

/** Every second data set, as sessions are worked out of few columns. */
const SETS = PROJECTS.filter((_, at) => at % 2 === 0);

let stored: DataSets;

beforeAll(async () => {
  stored = await dataSets(SETS);
});

afterAll(() => stored[Symbol.asyncDispose]());

/** The text of a property of the session of an event, found by a plain loop over events near a period. */
function sessionTexts(set: DataSet, period: { from: string; before: string }) {
  const idOf = ({ properties }: Stored) => asText(properties["$session_id"]) || null;
  const sessions = sessionsNear(set, period);
  return (event: Stored, key: string): string | null => {
    const own = idOf(event) === null ? [] : (sessions.get(idOf(event)) ?? []);
    const [head, end] = [own[0], own.at(-1)];
    if (head === undefined || end === undefined) return null;
    const views = own.filter((one) => one.event === "$pageview");
    const seconds = (microsOf(end) - microsOf(head)) / 1e6;
    switch (key) {
      case "$session_duration":
        return String(seconds);
      case "$pageview_count":
        return String(views.length);
      case "$is_bounce":
        return views.length === 0 ? null : String(views.length === 1 && seconds < 10);
      case "$entry_pathname":
        return asText(views[0]?.properties["$pathname"]);
      case "$exit_current_url":
        return asText(views.at(-1)?.properties["$current_url"]);
      case "$start_timestamp":
        return head.timestamp;
      default:
        return asText(head.properties[key]);
    }
  };
}

const KEYS = [
  ...["$session_duration", "$pageview_count", "$is_bounce", "$entry_pathname"],
  ...["$exit_current_url", "$start_timestamp", "$browser"],
];

const FILTERS: [filter: { operator: string; value?: Json }, passes: (text: string) => boolean][] = [
  [{ operator: "is_set" }, () => true],
  [{ operator: "gt", value: 1000 }, (text) => (numberIn(text) ?? 0) > 1000],
  [{ operator: "lte", value: 2 }, (text) => (numberIn(text) ?? 3) <= 2],
  [
    { operator: "exact", value: ["true", "/a", "x", "0", "1"] },
    (text) => /^(true|\/a|x|0|1)$/.test(text),
  ],
  [{ operator: "icontains", value: "A" }, (text) => text.toLowerCase().includes("a")],
];

/** A random node with conditions on its sessions, and whether an event belongs to it. */
function nodeOf(
  set: DataSet,
  { next, of }: Chance,
): { node: EventsNode; isOf: (one: Stored) => boolean } {
  const event = of([null, null, "a", "b", "$pageview", ...EVENTS]);
  const chosen = Array.from({ length: next(2) }, () => {
    const [operator, passes] = of(FILTERS);
    const [key, isNot] = [of(KEYS), next(4) === 0];
    const reading = { types: ["session"], now: 0, timezone: "UTC", attr: "query" } as const;
    const { filter } = propertyFilter({ key, ...operator }, { ...reading, types: ["session"] });
    const read: EventFilter = { of: { type: "session" }, filter: { ...filter, not: isNot } };
    const isMet = (one: Stored) => {
      const text = set.sessionText?.(one, key) ?? null;
      return (text !== null && passes(text)) !== isNot;
    };
    return { read, isMet };
  });
  return {
    node: { event, name: event ?? "All", filters: chosen.map(({ read }) => read) },
    isOf: (one) =>
      (event === null || one.event === event) && chosen.every(({ isMet }) => isMet(one)),
  };
}

/** A random query about sessions, and its events as plain functions. */
function asked(plain: DataSet): Asked & { set: DataSet } {
  const dice = chance(plain.project * 71);
  const { next, of } = dice;
  const interval = of<Interval>(INTERVALS);
  const { period, isIn } = periodOfChance(plain, dice, interval);
  const set = { ...plain, sessionText: sessionTexts(plain, period) };
  const nodes = Array.from({ length: 1 + next(2) }, () => nodeOf(set, dice));
  const series = nodes.map(({ node }): Series => {
    const math = of([
      "avg",
      "avg",
      "sum",
      "min",
      "max",
      "median",
      "p90",
      "total",
      "unique_session",
    ] as const);
    const isCount = math === "total" || math === "unique_session";
    return {
      ...{ ...node, isNamed: false, math },
      math_property: isCount
        ? null
        : of(["$session_duration", "$session_duration", "$pageview_count"]),
      math_property_of: isCount ? "event" : "session",
      math_group_type_index: null,
    };
  });
  const query: Trends = {
    ...({ kind: "TrendsQuery", series, interval, compare: false, compareTo: null } as const),
    dateRange: { date_from: "", date_to: null },
    shown: SHOWN_PLAIN,
    breakdown:
      next(3) === 0
        ? null
        : { by: [{ of: { type: "session" }, property: of(KEYS) }], limit: 1 + next(4) },
    formula: next(3) === 0 ? readFormula("A", 1, "") : null,
  };
  const { timezone } = set;
  return {
    set,
    plan: { query, period, previous: null, timezone },
    time: { when: { isIn, isUntil: isIn } },
    isOf: nodes.map(({ isOf }) => isOf),
    isIn,
  };
}

/** Rows with numbers that do not depend on the order of a sum. */
const rounded = (rows: readonly { value: number | null }[]) =>
  sorted(rows.map((row) => ({ ...row, value: row.value && Number(row.value.toPrecision(10)) })));

test(
  `trends of sessions are the same as in a plain loop over the events, as is their draft, on ${SETS.length} sets of events`,
  async () => {
    let found = 0;
    await forEach(stored.sets, async (plain) => {
      const { set, ...one } = asked(plain);
      const answered = await stored.queries.run(set.project, one.plan);

      const { current } = answered.found as Found["TrendsQuery"];
      const expected = current.map((_, index) => reference(set, one, index));
      const same = [set.project, ...expected.map(rounded)];
      expect([set.project, ...current.map(rounded)]).toEqual(same);
      found += expected.flat().length;
      if (set.project % 2 > 0) return;
      const rows = await stored.drafted(set.project, one.plan);
      const drafted = current.map((_, index) =>
        rows
          .filter((row) => row["series"] === "AB".charAt(index))
          .map((row) => ({
            ...(one.plan.query.breakdown === null
              ? { kind: "value", breakdown: null }
              : draftValue(row)),
            ...{ bucket: row["bucket"], value: row["value"] as number | null },
          })),
      );
      expect([set.project, ...drafted.map(rounded)]).toEqual(same);
    });
    expect(found).toBeGreaterThan(SETS.length);
  },
  TIMEOUT_MS,
);

test(
  "trends of sessions have the persons of each number, with the number of their sessions",
  async () => {
    let persons = 0;
    await forEach(stored.sets, async (plain) => {
      const { set, ...one } = asked(plain);
      const { plan } = one;
      const dice = chance(set.project * 73);
      const series = dice.next(plan.query.series.length);
      const math = plan.query.series[series] as Series;
      for (const { line, events } of someOf(linesOf(set, one, series), dice)) {
        const [bucket, within] = dice.of([[null, events] as const, ...intervalsOf(plan, events)]);
        const { counted, countOf } = countedIn(set, math, within);
        const owners = new Set(counted.map((event) => ownerOf(set, event))).size;
        const cell = {
          ...{ series, bucket, isPrevious: false },
          line: plan.query.breakdown === null ? null : line,
        };
        const of = { kind: "TrendsQuery", plan, cell } as const;
        const rows = await expectActors(stored, set, of, owners);
        const expected = ownersOf(set, counted, countOf);
        expect([set.project, cell, rows]).toEqual([set.project, cell, expected]);
        persons += owners;
      }
    });
    expect(persons).toBeGreaterThan(SETS.length / 2);
  },
  TIMEOUT_MS,
);
