import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { SeriesMath } from "../../src/domain/insight.ts";
import { INTERVALS, type Interval, periodOf } from "../../src/domain/insight-period.ts";
import type { Json, JsonObject } from "../../src/domain/json.ts";
import { propertyFilter } from "../../src/domain/property-filter.ts";
import { draftSql } from "../../src/storage/draft-sql.ts";
import { type Duckdb, openDuckdb, ROW_GROUP_ROWS, rows } from "../../src/storage/duckdb.ts";
import { eventStore } from "../../src/storage/events.ts";
import { loadFiles } from "../../src/storage/loads.ts";
import {
  type TrendQueries,
  type TrendsPlan,
  type TrendsRow,
  trendQueries,
} from "../../src/storage/trends.ts";
import { temporaryDirectory } from "../support/app.ts";

const DATA_SETS = 300;
const EVENTS_MAX = 40;
const OTHER_PROJECT = 1_000_000;

type Stored = {
  event: string;
  person_id: string;
  timestamp: string;
  properties: JsonObject;
};

/** The events of a data set, and to whom those of persons who were merged belong. */
type DataSet = { project: number; events: Stored[]; moved: Map<string, string> };

/** Numbers from 0 on that look like chance, the same in every run. */
function chance(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return { next, of: <T>(choices: readonly T[]): T => choices[next(choices.length)] as T };
}

const EVENTS = ["a", "b", "é🦔", "it's", 'q"; --'];
const PERSONS = Array.from(
  { length: 6 },
  (_, index) => `0000000${index}-592b-78b3-8d80-aa75992efae9`,
);
const VALUES: Json[] = ["x", "y", "", null, 1, 1.5, "1.5", true, "é", "z'z", { a: 1 }, "ü", "1e2"];
const KEYS = ["$browser", "own", "a/b~c", "$.x"];

/** Around the nights on which these clocks are put forward and back, and a year's turn. */
const ZONES: [timezone: string, day: string][] = [
  ["UTC", "2026-03-01"],
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-11-01"],
  ["America/Havana", "2026-11-01"],
  ["Africa/Cairo", "2026-04-24"],
  ["Asia/Kathmandu", "2026-01-01"],
  ["Australia/Lord_Howe", "2026-04-05"],
];

const DAY_MS = 86_400_000;

function dataSet(project: number, day: string): DataSet {
  const { next, of } = chance(project);
  const start = Date.parse(`${day}T00:00:00Z`) - 10 * DAY_MS;
  const events = Array.from({ length: next(EVENTS_MAX) }, () => ({
    event: of(EVENTS),
    person_id: of(PERSONS),
    timestamp: `${new Date(start + next(20 * 24 * 12) * 300_000).toISOString().slice(0, -1)}${of(["000", "001", "999"])}Z`,
    properties: Object.fromEntries([
      ...KEYS.filter(() => next(3) > 0).map((key) => [key, of(VALUES)]),
      ...(next(2) === 0 ? [] : [["$session_id", of(["s1", "s2", "s3"])]]),
    ]),
  }));
  const moved = new Map(
    [
      [PERSONS[1], PERSONS[0]],
      [PERSONS[2], PERSONS[0]],
      [PERSONS[3], PERSONS[4]],
    ].filter(() => next(2) === 0) as [string, string][],
  );
  return { project, events, moved };
}

let directory: ReturnType<typeof temporaryDirectory>;
let duckdb: Duckdb;
let trends: TrendQueries;
const sets: DataSet[] = [];

beforeAll(async () => {
  directory = temporaryDirectory();
  duckdb = await openDuckdb({
    directory: directory.path,
    generation: 1,
    memory_bytes: 256_000_000,
    threads: 2,
    onFatal(error) {
      throw error;
    },
  });
  trends = trendQueries(duckdb);
  for (let project = 1; project <= DATA_SETS; project++) {
    sets.push(dataSet(project, zoneOf(project)[1]));
  }
  // What another project has must not count anywhere.
  sets.push({ ...dataSet(7, "2026-03-29"), project: OTHER_PROJECT, moved: new Map() });
  await store(sets);
});

afterAll(async () => {
  await duckdb.close();
  directory[Symbol.dispose]();
});

const zoneOf = (project: number) => ZONES[project % ZONES.length] as (typeof ZONES)[number];

async function store(all: DataSet[]): Promise<void> {
  let seq = 0;
  const events = all.flatMap(({ project, events }) =>
    events.map(({ person_id, ...fields }) => {
      const event = { uuid: Bun.randomUUIDv7(), distinct_id: "ann", ...fields };
      seq += 1;
      return {
        seq,
        project_id: project,
        arrived_at: 0,
        person_id,
        event,
        groups: undefined,
        mark: 9,
        historical: false,
        line: Buffer.from(JSON.stringify(event)),
      };
    }),
  );
  const overrides = all.flatMap(({ project: project_id, moved }) =>
    [...moved].map(([old_person_id, person_id]) => ({ project_id, old_person_id, person_id })),
  );
  const files = loadFiles(join(directory.path, "loads"), ROW_GROUP_ROWS);
  const mirror = { version: 1, persons: [], gone: [], overrides, groups: [], owned: [] };
  const range = { first: 1, last: seq };
  const [load = files.end()] = files.add({ range, events, logs: [], mirror });
  if (load === null) throw new Error("There is no load");
  const { dead } = await eventStore(duckdb, join(directory.path, "dead")).append(load);
  expect(dead).toEqual([]);
}

/** What the clock of a zone shows: day and hour, by its own calendar. */
function shownAt(timestamp: string, timeZone: string): { day: string; hour: string } {
  const format = { timeZone, dateStyle: "short", timeStyle: "short" } as const;
  const text = new Intl.DateTimeFormat("sv-SE", format).format(
    Date.parse(`${timestamp.slice(0, 19)}Z`),
  );
  return { day: text.slice(0, 10), hour: `${text.slice(0, 13)}:00` };
}

function bucketOf({ day, hour }: { day: string; hour: string }, interval: Interval): string {
  if (interval === "hour") return hour;
  if (interval === "month") return `${day.slice(0, 7)}-01`;
  if (interval === "day") return day;
  let monday = Date.parse(`${day}T00:00:00Z`);
  while (new Date(monday).getUTCDay() !== 1) monday -= DAY_MS;
  return new Date(monday).toISOString().slice(0, 10);
}

const asText = (value: Json | undefined): string | null => {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
};

function percentile(numbers: number[], share: number): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === undefined || high === undefined
    ? null
    : low + (high - low) * (at - Math.floor(at));
}

function told(
  math: SeriesMath,
  property: string | null,
  events: Stored[],
  moved: Map<string, string>,
) {
  const numbers = events.flatMap(({ properties }) => {
    const text = asText(properties[property ?? ""]) ?? "";
    return /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? [Number(text)] : [];
  });
  const sum = numbers.reduce((total, number) => total + number, 0);
  switch (math) {
    case "total":
      return events.length;
    case "dau":
      return new Set(events.map(({ person_id }) => moved.get(person_id) ?? person_id)).size;
    case "unique_session":
      return new Set(events.flatMap(({ properties }) => asText(properties["$session_id"]) ?? []))
        .size;
    case "sum":
      return numbers.length === 0 ? null : sum;
    case "avg":
      return numbers.length === 0 ? null : sum / numbers.length;
    case "min":
      return numbers.length === 0 ? null : Math.min(...numbers);
    case "max":
      return numbers.length === 0 ? null : Math.max(...numbers);
    default:
      return percentile(numbers, math === "median" ? 0.5 : Number(math.slice(1)) / 100);
  }
}

/** The same by a plain loop; `passes` is the filter. */
function reference(
  { events, moved }: DataSet,
  plan: TrendsPlan,
  [from, to]: [from: string, to: string],
  passes: (event: Stored) => boolean,
): TrendsRow[] {
  const [series] = plan.series;
  if (series === undefined) throw new Error("There is no series");
  const tell = (some: Stored[]) => told(series.math, series.math_property, some, moved);
  const found = events
    .map((event) => ({ event, at: shownAt(event.timestamp, plan.timezone) }))
    .filter(({ event, at }) => at.day >= from && at.day <= to && passes(event))
    .filter(({ event }) => series.event === null || event.event === series.event);
  const textIn = ({ properties }: Stored) =>
    plan.breakdown === null ? "" : asText(properties[plan.breakdown.property]);
  const ranked = [...Map.groupBy(found, ({ event }) => textIn(event))]
    .map(([value, some]) => ({ value, rank: tell(some.map(({ event }) => event)) }))
    .sort((a, b) => {
      if (a.rank !== b.rank) return (b.rank ?? -Infinity) - (a.rank ?? -Infinity);
      if (a.value === null || b.value === null) return a.value === null ? 1 : -1;
      return Buffer.compare(Buffer.from(a.value), Buffer.from(b.value));
    });
  const top = ranked.slice(0, plan.breakdown?.limit ?? 1).map(({ value }) => value);
  const lines = Map.groupBy(found, ({ event }) => {
    const value = textIn(event);
    if (!top.includes(value)) return "other";
    return value === null ? "none" : `=${value}`;
  });
  return [...lines].flatMap(([key, line]): TrendsRow[] => {
    const buckets = Map.groupBy(line, ({ at }) => bucketOf(at, plan.interval));
    const kind = key.startsWith("=") ? "value" : (key as "none" | "other");
    const breakdown = kind === "value" && plan.breakdown !== null ? key.slice(1) : null;
    const row = (bucket: string | null, some: typeof line): TrendsRow => ({
      kind,
      breakdown,
      bucket,
      value: tell(some.map(({ event }) => event)),
    });
    return [row(null, line), ...[...buckets].map(([bucket, some]) => row(bucket, some))];
  });
}

const sorted = (all: TrendsRow[]) =>
  all.map((row) => JSON.stringify(row)).sort((a, b) => (a < b ? -1 : 1));

/** Filters, and the same by hand. */
const FILTERS: [filter: Json, passes: (event: Stored) => boolean][] = [
  [{ key: "own", value: "x" }, ({ properties }) => properties["own"] === "x"],
  [
    { key: "$browser", value: ["x", "1.5"], operator: "is_not" },
    ({ properties }) => !["x", "1.5"].includes(asText(properties["$browser"]) ?? ""),
  ],
  [{ key: "a/b~c", operator: "is_set" }, ({ properties }) => asText(properties["a/b~c"]) !== null],
  [
    { key: "$.x", operator: "icontains", value: "Z'" },
    ({ properties }) => asText(properties["$.x"])?.includes("z'") === true,
  ],
];

const MATHS: [SeriesMath, boolean][] = [
  ["total", false],
  ["dau", false],
  ["unique_session", false],
  ["sum", true],
  ["avg", true],
  ["min", true],
  ["max", true],
  ["median", true],
];

/** A query of chance over a data set: as a plan, as what it means, as its days. */
function asked(set: DataSet) {
  const { next, of } = chance(set.project * 31);
  const [timezone, middle] = zoneOf(set.project);
  const [math, calculates] = MATHS[(set.project * 7 + next(3)) % MATHS.length] as [
    SeriesMath,
    boolean,
  ];
  const [filter, passes] = of([undefined, ...FILTERS]) ?? [undefined, () => true];
  const interval = INTERVALS[set.project % INTERVALS.length] as Interval;
  const dayAt = (days: number) =>
    new Date(Date.parse(`${middle}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
  const [first, to] = [dayAt(next(9) - 9), dayAt(next(9))];
  const from = interval === "hour" ? first : bucketOf({ day: first, hour: "" }, interval);
  const plan: TrendsPlan = {
    series: [
      {
        event: of([null, ...EVENTS]),
        name: "",
        math,
        math_property: calculates ? of(KEYS) : null,
        filters:
          filter === undefined
            ? []
            : [propertyFilter(filter, { types: ["event"], now: 0, attr: "query" }).filter],
      },
    ],
    interval,
    breakdown: next(2) === 0 ? null : { property: of(KEYS), limit: 1 + next(4) },
    timezone,
    period: periodOf({ date_from: first, date_to: to }, { interval, timezone, now: 0 }),
  };
  return { plan, passes, days: [from, to] as [string, string] };
}

describe("trends", () => {
  test(`are what a plain loop over the events finds, on ${DATA_SETS} sets of events`, async () => {
    let found = 0;
    for (const set of sets.slice(0, DATA_SETS)) {
      const { plan, passes, days } = asked(set);
      const [answered = []] = await trends.run(set.project, plan);

      const expected = reference(set, plan, days, passes);
      expect([set.project, ...sorted(answered)]).toEqual([set.project, ...sorted(expected)]);
      const places = new Set(
        expected.map(({ bucket }) => bucket).filter((bucket) => bucket !== null),
      );
      expect([...places].filter((bucket) => !plan.period.buckets.includes(bucket))).toEqual([]);
      found += expected.length;
    }
    expect(found).toBeGreaterThan(DATA_SETS);
  });

  test("are shown as SQL that answers the same, with nothing of it run before", async () => {
    for (const set of sets.slice(0, 40)) {
      const { plan } = asked(set);
      const [answered = []] = await trends.run(set.project, plan);
      const shown = await duckdb.read((connection) =>
        rows(connection, trends.sql(set.project, plan)),
      );
      expect(sorted(shown as TrendsRow[])).toEqual(sorted(answered));
    }
  });

  test("have a first query that runs as it stands, over names of any kind", async () => {
    for (const { project, events } of sets.slice(0, 40)) {
      const names = await trends.names(project);
      const sql = draftSql(project, names);
      const found = await duckdb.read((connection) => rows(connection, sql));

      const counted = [...Map.groupBy(events, ({ event }) => event)];
      const told = counted.map(([name, some]) => ({ name, count: some.length }));
      expect(names.events.toSorted(byName)).toEqual(told.toSorted(byName));
      expect(found).toBeArray();
      for (const { name } of names.properties) expect(sql).toContain(JSON.stringify(name));
    }
  });
});

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
