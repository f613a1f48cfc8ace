import { afterEach, beforeEach, expect, test } from "bun:test";
import type { MaterializedColumns } from "../../../../src/core/ports/hot-columns.ts";
import type { Plan } from "../../../../src/core/ports/insights.ts";
import { periodOf } from "../../../../src/core/queries/period.ts";
import { SHOWN_PLAIN } from "../../../../src/core/queries/trend-shown.ts";
import { type Duckdb, rows } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import { apiReads } from "../../../../src/stores/duckdb/engine/query-deadline.ts";
import { eventErasure } from "../../../../src/stores/duckdb/events/erase.ts";
import {
  MATERIALIZED_MAX,
  materializedColumns,
  readableColumns,
  USE_DAYS,
  USE_DAYS_MIN,
  USE_QUERIES_MIN,
} from "../../../../src/stores/duckdb/events/hot-columns.ts";
import { insightQueries } from "../../../../src/stores/duckdb/insights/queries.ts";
import { FOREVER } from "../../../support/data/build-records.ts";
import {
  type DataSets,
  dataSets,
  firstProjects,
  PROMOTED,
  use,
} from "../../../support/data/data-sets.ts";
import { expectSameTexts } from "../../../support/data/promoted.ts";

const SETS = 20;
const STEP_ROWS = 50;

const DATES = { date_from: "2000-01-01", date_to: "2040-01-01" };

/** A query of a property of every event. */
const SLOW: Plan = {
  query: {
    kind: "TrendsQuery",
    series: [
      {
        ...{ event: null, name: "all", isNamed: false, filters: [], math: "sum" },
        ...{ math_property: "a/b~c", math_property_of: "event", math_group_type_index: null },
      },
    ],
    ...{
      interval: "month",
      compare: false,
      compareTo: null,
      dateRange: DATES,
      breakdown: null,
      formula: null,
      shown: SHOWN_PLAIN,
    },
  },
  period: periodOf(DATES, { interval: "month", timezone: "UTC", now: 0 }),
  previous: null,
  timezone: "UTC",
};

let stored: DataSets;
let columns: MaterializedColumns;

beforeEach(async () => {
  stored = await dataSets(firstProjects(SETS));
  columns = materializedColumns(stored.duckdb, STEP_ROWS);
});

afterEach(() => stored[Symbol.asyncDispose]());

const whole = async () => [...(await stored.duckdb.read(readableColumns)).keys()].toSorted();

async function countEvents(): Promise<number> {
  const [row] = await stored.duckdb.read((connection) =>
    rows(connection, "SELECT count(*)::INTEGER AS events FROM events"),
  );
  return Number(row?.["events"]);
}

async function fillAll(): Promise<number> {
  let steps = 0;
  while (await columns.choose()) {
    await columns.fill();
    steps += 1;
  }
  return steps;
}

test("a property has the same text in its column, of events before and since", async () => {
  expect(await whole()).toEqual(PROMOTED.toSorted());
  expect(await expectSameTexts(stored.duckdb)).toBe(PROMOTED.length);
});

test("a column is not read before it is filled, some events at a time", async () => {
  await use(columns, ["a/b~c"]);
  expect(await columns.choose()).toBe(true);
  expect(await columns.fill()).toBe(true);
  expect(await whole()).not.toContain("a/b~c");

  expect(await fillAll()).toBeGreaterThan(2);
  expect(await whole()).toContain("a/b~c");
  await expectSameTexts(stored.duckdb);
});

test("a few queries of one day are not enough, those of two days are", async () => {
  const some = { queries: USE_QUERIES_MIN / USE_DAYS_MIN, seconds: 0.1 };
  await columns.note(new Map([["a/b~c", some]]), "2026-01-01");
  await columns.note(new Map([["a/b~c", some]]), "2026-01-01");
  expect(await columns.choose()).toBe(false);

  await columns.note(new Map([["a/b~c", some]]), "2026-01-02");
  expect(await columns.choose()).toBe(true);
});

test("the number of columns has a limit, and a property without queries loses its column", async () => {
  columns = materializedColumns(stored.duckdb);
  const keys = Array.from({ length: MATERIALIZED_MAX + 3 }, (_, index) => `p'${index}"`);
  await use(columns, keys);
  await fillAll();
  expect(await whole()).toHaveLength(MATERIALIZED_MAX);

  const later = new Date(Date.parse("2026-01-01") + USE_DAYS * 86_400_000);
  await use(columns, ["a/b~c"], later.toISOString().slice(0, 10));
  await fillAll();
  expect(await whole()).toEqual(["a/b~c"]);
  await expectSameTexts(stored.duckdb);
});

test("rows that are filled during a rewrite are filled again", async () => {
  await use(columns, ["a/b~c"]);
  await columns.choose();
  const [one] = stored.sets.filter(({ events }) => events.length > 20);
  const all = await countEvents();
  const task = { id: 1, project_id: one?.project ?? 0, distinct_ids: ["ann"], journal_seq: all };
  const erased = eventErasure(stored.duckdb).erase([task], {
    isPurging: true,
    ready: async () => undefined,
    forget: async () => undefined,
    stopped: () => false,
  });
  await Promise.all([erased, fillAll()]);
  expect(stored.duckdb.generation()).toBe(2);
  expect(await countEvents()).toBeLessThan(all);

  await expectSameTexts(stored.duckdb);
  await use(columns, [...PROMOTED, "a/b~c"]);
  await fillAll();
  expect(await whole()).toEqual([...PROMOTED, "a/b~c"].toSorted());
  await expectSameTexts(stored.duckdb);
});

test("the time of a query that was cut off counts, too", async () => {
  const { duckdb } = stored;
  await duckdb.write(async (connection) => {
    const all = "SELECT events.* REPLACE (1 AS project_id) FROM events, range(1000)";
    await connection.run(`INSERT INTO events ${all}`);
  });
  let running: Promise<unknown> = Promise.resolve();
  const read: Duckdb["read"] = (work) => {
    const reading = duckdb.read(work);
    running = reading;
    return reading;
  };
  const [uses, noted]: [string[], number[]] = [[], []];
  for (let seconds = 0.02; uses.length === 0; seconds *= 2) {
    const queries = insightQueries(apiReads({ readForOthers: read }, seconds), (properties, ms) => {
      uses.push(...properties);
      noted.push(ms);
    });
    const run = queries.run(1, SLOW, FOREVER);
    await expect(run).rejects.toMatchObject({ code: "query_timeout" });
    // The engine ends after the caller got the failure.
    await running.catch(() => undefined);
  }
  expect(uses).toEqual(["a/b~c"]);
  expect(noted[0]).toBeGreaterThan(0);
});

test("nothing is filled while a read runs", async () => {
  await use(columns, ["a/b~c"]);
  expect(await columns.choose()).toBe(true);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const reading = stored.duckdb.read(() => end);
  const filled = async () => {
    const sql = "SELECT filled::INTEGER AS filled FROM promoted WHERE key = 'a/b~c'";
    const [row] = await stored.duckdb.read((connection) => rows(connection, sql));
    return row?.["filled"];
  };
  expect(await columns.fill()).toBe(true);
  expect(await filled()).toBe(0);
  resolve();
  await reading;
  await columns.fill();
  expect(await filled()).toBe(STEP_ROWS);
});
