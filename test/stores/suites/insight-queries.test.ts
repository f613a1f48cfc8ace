import { describe, expect, test } from "bun:test";
import type { Found, Plan } from "../../../src/core/ports/insights.ts";
import { previousPeriod } from "../../../src/core/queries/earlier-period.ts";
import { type Query, readQuery } from "../../../src/core/queries/insight.ts";
import type { Interval } from "../../../src/core/queries/intervals.ts";
import { periodOf, withIntervalBefore } from "../../../src/core/queries/period.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { ARRIVED, batchEvent, batchOf, loadOf } from "../../support/data/batches.ts";
import { FOREVER } from "../../support/data/build-records.ts";
import { sqlQuery } from "../../support/data/sql-query.ts";
import { EVENT_STORES, type Events } from "../stores.ts";

const [ANN, BOB] = ["01a1fc9a-592b-78b3-8d80-aa75992efae1", "01a1fc9a-592b-78b3-8d80-aa75992efae2"];
const DAYS = ["2026-11-02", "2026-11-03", "2026-11-04"] as const;

/** Person, event, day and plan of each event; a person has one session a day. Bob has events of the day before the first of {@link DAYS}. */
const EVENTS = [
  [BOB, "view", "2026-11-01T10:00", "free"],
  [ANN, "view", `${DAYS[0]}T10:00`, "pro"],
  [ANN, "paid", `${DAYS[0]}T10:10`, "pro"],
  [BOB, "view", `${DAYS[0]}T11:00`, "free"],
  [ANN, "view", `${DAYS[2]}T10:00`, "pro"],
  [ANN, "paid", `${DAYS[2]}T10:20`, null],
] as const;

/** Stores {@link EVENTS}, and one event of another project. */
async function withEvents({ store, files }: Events): Promise<void> {
  const events = EVENTS.map(([person_id, event, minute, plan], index) =>
    batchEvent(
      index + 1,
      {
        event,
        distinct_id: person_id,
        timestamp: `${minute}:00.000000Z`,
        properties: {
          ...(index === 0 ? { text: "x".repeat(101) } : {}),
          ...{ plan, $current_url: `https://x.y/${event}` },
          ...{ $session_id: `${person_id} ${minute.slice(0, 10)}`, utm_source: plan },
        },
      },
      { person_id },
    ),
  );
  const other = batchEvent(EVENTS.length + 1, { event: "view" }, { project_id: 2 });
  await store.append(loadOf(files, batchOf(1, [...events, other])));
}

/** Returns the plan of a query over {@link DAYS}, as it is made for a port. */
function planOf(sent: JsonObject): Plan {
  const [timezone, now] = ["UTC", ARRIVED];
  const dateRange = { date_from: DAYS[0], date_to: DAYS[2] };
  const query = readQuery({ ...sent, dateRange }, { now, timezone });
  const interval: Interval = ("interval" in query ? query.interval : null) ?? "day";
  const period = periodOf(dateRange, { interval, timezone, now });
  const divided = { interval, timezone };
  const isCompared = query.kind === "TrendsQuery" && query.compare;
  return {
    ...{ query, timezone },
    period: query.kind === "LifecycleQuery" ? withIntervalBefore(period, divided) : period,
    previous: isCompared ? previousPeriod(period, divided) : null,
  } as Plan;
}

const rowCountOf = (found: Found[Query["kind"]]) =>
  ("current" in found ? [...found.current, ...found.previous] : found).flat().length;

const VIEW = { event: "view" };
const PAID = { event: "paid" };
/** Of the two paths that came to the first place, both went on to the second. */
const PLACES = { source_paths: 2, source_ends: 0, target_paths: 2 };
const RETENTION = {
  ...{ targetEntity: { id: "view" }, returningEntity: { id: "paid" } },
  ...{ period: "Day", totalIntervals: 3 },
};
const value = (breakdown: string) => ({ kind: "value" as const, breakdown });

const CASES: [name: string, sent: JsonObject, found: Found[Query["kind"]]][] = [
  [
    "trends count events and persons, by interval and of the whole time",
    { kind: "TrendsQuery", series: [VIEW, { ...VIEW, math: "dau" }] },
    {
      current: [3, 2].map((all) => [
        ...[DAYS[0], DAYS[2], null].map((bucket, index) => ({
          ...{ kind: "value" as const, breakdown: null, bucket, value: [2, 1, all][index] ?? 0 },
        })),
      ]),
      previous: [[], []],
    },
  ],
  [
    "trends compare values of a breakdown with the time before",
    {
      ...{ kind: "TrendsQuery", series: [VIEW], compareFilter: { compare: true } },
      breakdownFilter: { breakdown: "plan", breakdown_limit: 1 },
    },
    {
      current: [
        [
          ...[DAYS[0], DAYS[2]].map((bucket) => ({ ...value("pro"), bucket, value: 1 })),
          { ...value("pro"), bucket: null, value: 2 },
          ...[DAYS[0], null].map((bucket) => ({
            ...{ kind: "other" as const, breakdown: null, bucket, value: 1 },
          })),
        ],
      ],
      previous: [
        ["2026-11-01", null].map((bucket) => ({
          ...{ kind: "other" as const, breakdown: null, bucket, value: 1 },
        })),
      ],
    },
  ],
  [
    "trends calculate with the length of each session once, by what it began with",
    {
      kind: "TrendsQuery",
      series: [
        {
          ...{ event: null, math: "avg", math_property: "$session_duration" },
          math_property_type: "session_properties",
        },
      ],
      breakdownFilter: { breakdown: "$entry_utm_source", breakdown_type: "session" },
    },
    {
      current: [
        [
          { ...value("pro"), bucket: DAYS[0], value: 600 },
          { ...value("pro"), bucket: DAYS[2], value: 1200 },
          { ...value("pro"), bucket: null, value: 900 },
          ...[DAYS[0], null].map((bucket) => ({ ...value("free"), bucket, value: 0 })),
        ],
      ],
      previous: [[]],
    },
  ],
  ...(
    [
      [
        { kind: "FunnelsQuery", series: [VIEW, PAID] },
        [
          {
            ...{ kind: "value", breakdown: null, persons: [1, 1] },
            ...{ average_s: [null, 600], median_s: [null, 600] },
          },
        ],
      ],
      [
        {
          kind: "RetentionQuery",
          retentionFilter: { ...RETENTION, retentionType: "retention_first_time" },
        },
        [
          { began: 0, later: 0, persons: 1 },
          { began: 0, later: 2, persons: 1 },
        ],
      ],
      [
        { kind: "PathsQuery", pathsFilter: { includeEventTypes: ["custom_event"] } },
        [{ step: 1, source: "view", target: "paid", paths: 2, average_ms: 900_000, ...PLACES }],
      ],
      [
        { kind: "LifecycleQuery", series: [VIEW] },
        [
          { status: "dormant", place: 2, persons: 1 },
          { status: "new", place: 1, persons: 1 },
          { status: "resurrecting", place: 3, persons: 1 },
        ],
      ],
      [{ kind: "StickinessQuery", series: [VIEW] }, [[{ intervals: 2, persons: 1 }]]],
    ] as [JsonObject, Found[Query["kind"]]][]
  ).map(([sent, found]): (typeof CASES)[number] => [
    `a ${sent["kind"]} has only events of sessions that pass a filter`,
    {
      ...sent,
      properties: [{ ...{ key: "$session_duration", type: "session" }, operator: "gt", value: 1 }],
    },
    found,
  ]),
  [
    "a funnel counts persons at each step, and the seconds of the best attempt",
    { kind: "FunnelsQuery", series: [VIEW, PAID] },
    [
      {
        ...{ kind: "value", breakdown: null, persons: [2, 1] },
        ...{ average_s: [null, 600], median_s: [null, 600] },
      },
    ],
  ],
  [
    "a funnel of a breakdown has a row for each value, and none without persons",
    { kind: "FunnelsQuery", series: [VIEW, PAID], breakdownFilter: { breakdown: "plan" } },
    [
      {
        ...{ ...value("pro"), persons: [1, 1] },
        ...{ average_s: [null, 600], median_s: [null, 600] },
      },
      {
        ...{ ...value("free"), persons: [1, 0] },
        ...{ average_s: [null, null], median_s: [null, null] },
      },
    ],
  ],
  [
    "retention counts persons that began in an interval, and those of them that came in later ones",
    {
      kind: "RetentionQuery",
      retentionFilter: { ...RETENTION, retentionType: "retention_recurring" },
    },
    [
      { began: 0, later: 0, persons: 2 },
      { began: 0, later: 2, persons: 1 },
      { began: 2, later: 0, persons: 1 },
    ],
  ],
  [
    "retention of first times leaves out persons that began before",
    {
      kind: "RetentionQuery",
      retentionFilter: { ...RETENTION, retentionType: "retention_first_time" },
    },
    [
      { began: 0, later: 0, persons: 1 },
      { began: 0, later: 2, persons: 1 },
    ],
  ],
  [
    "paths count steps between events, with the time between",
    { kind: "PathsQuery", pathsFilter: { includeEventTypes: ["custom_event"] } },
    [
      {
        step: 1,
        source: "view",
        target: "paid",
        paths: 2,
        average_ms: 900_000,
        ...PLACES,
        source_paths: 3,
        source_ends: 1,
      },
    ],
  ],
  [
    "a lifecycle counts new, returning, dormant and resurrecting persons",
    { kind: "LifecycleQuery", series: [VIEW] },
    [
      { status: "dormant", place: 2, persons: 2 },
      { status: "new", place: 1, persons: 1 },
      { status: "resurrecting", place: 3, persons: 1 },
      { status: "returning", place: 1, persons: 1 },
    ],
  ],
  [
    "stickiness counts persons by their number of intervals, for each series",
    { kind: "StickinessQuery", series: [VIEW, PAID] },
    [
      [
        { intervals: 1, persons: 1 },
        { intervals: 2, persons: 1 },
      ],
      [{ intervals: 2, persons: 1 }],
    ],
  ],
];

/** Rows without the persons of each line, which say only whether a line is of few. */
const withoutPersons = (found: Found[Query["kind"]]): object =>
  "current" in found ? { current: found.current, previous: found.previous } : found;

const sorted = (found: object): unknown => {
  if (!Array.isArray(found)) {
    return Object.fromEntries(
      Object.entries(found).map(([key, rows]) => [key, rows.map((row: object) => sorted(row))]),
    );
  }
  if (found.every(Array.isArray)) return found.map(sorted);
  return found.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
};

describe.each(EVENT_STORES)("queries of events in %s", (_name, open) => {
  test.each(CASES)("%s", async (_case, sent, expected) => {
    await using stored = await open();
    await withEvents(stored);
    const plan = planOf(sent);

    const { kind, found } = await stored.queries.run(1, plan, FOREVER);

    expect(kind).toBe(plan.query.kind);
    expect(sorted(withoutPersons(found))).toEqual(sorted(expected));
    const none = await stored.queries.run(3, plan, FOREVER);
    expect(rowCountOf(none.found)).toBe(0);
    const text = stored.drafts.sql(plan);
    expect(text).toStartWith("-- ");
    const drafted = await stored.sql.run(1, sqlQuery(text), {
      signal: FOREVER,
      rows: 100,
      bytes: 10_000,
    });
    expect(drafted.rows).toHaveLength(rowCountOf(found));
  });

  test("fail on a regular expression that cannot be read", async () => {
    await using stored = await open();
    const properties = [{ key: "plan", value: "(", operator: "regex", type: "event" }];
    const plan = planOf({ kind: "TrendsQuery", series: [VIEW], properties });

    const error = await stored.queries.run(1, plan, FOREVER).catch((failure: unknown) => failure);

    expect(error).toMatchObject({ code: "invalid_input" });
  });

  test("name events and properties, the most frequent first, and draft a first query", async () => {
    await using stored = await open();
    await withEvents(stored);

    const names = await stored.queries.names(1, FOREVER);

    expect(names.events).toEqual([
      { name: "view", count: 4 },
      { name: "paid", count: 2 },
    ]);
    expect(names.properties.map(({ name }) => name)).toEqual([
      ...["$current_url", "$session_id", "plan", "utm_source", "text"],
    ]);
    expect((await stored.queries.names(2, FOREVER)).events).toEqual([{ name: "view", count: 1 }]);
    const text = stored.drafts.overview(names);
    expect(text).toMatch(/^-- .*\bview\b/m);
    const limits = { signal: FOREVER, rows: 100, bytes: 10_000 };
    expect((await stored.sql.run(1, sqlQuery(text), limits)).rows.length).toBeGreaterThan(0);
  });

  test("know the first event", async () => {
    await using stored = await open();
    await withEvents(stored);

    expect(await stored.queries.firstEventAt(1, FOREVER)).toBe(Date.parse("2026-11-01T10:00:00Z"));
    expect(await stored.queries.firstEventAt(3, FOREVER)).toBeUndefined();
  });
});
