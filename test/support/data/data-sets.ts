import { expect } from "bun:test";
import { join } from "node:path";
import type { MaterializedColumns } from "../../../src/core/ports/hot-columns.ts";
import type { Actors, ActorsPart, Plan } from "../../../src/core/ports/insights.ts";
import type { ProjectedPerson } from "../../../src/core/ports/persons/projection.ts";
import { jsonOf } from "../../../src/core/sql/sql.ts";
import type { Json, JsonObject } from "../../../src/core/values/json.ts";
import type { Duckdb } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { apiReads } from "../../../src/stores/duckdb/engine/query-deadline.ts";
import {
  materializedColumns,
  USE_SECONDS_MIN,
} from "../../../src/stores/duckdb/events/hot-columns.ts";
import { eventStore } from "../../../src/stores/duckdb/events/store.ts";
import { insightDraft } from "../../../src/stores/duckdb/insights/drafts.ts";
import { insightQueries } from "../../../src/stores/duckdb/insights/queries.ts";
import { sqlReads } from "../../../src/stores/duckdb/sql/sql.ts";
import { loadFiles } from "../../../src/stores/loads/loads.ts";
import { propertyTexts } from "../../../src/stores/loads/person-columns.ts";
import { temporaryDirectory } from "../start/app.ts";
import { testDuckdb } from "../start/duckdb-store.ts";
import { FOREVER } from "./build-records.ts";
import { sqlQuery } from "./sql-query.ts";

/** An event as it is stored; ties of time are in the order of the list. */
export type Stored = {
  event: string;
  person_id: string;
  /** With microseconds and `Z`. */
  timestamp: string;
  properties: JsonObject;
  groups: Record<number, string>;
  /** When it happened, where `timestamp` is the start of its session. */
  happened?: string;
};

/** The events of a project, and to whom those of persons who were merged belong. */
export type DataSet = {
  project: number;
  timezone: string;
  /** Around which its events are. */
  day: string;
  events: Stored[];
  moved: Map<string, string>;
  /** All events, where `events` has them more than once. */
  ever?: Stored[];
  /** Properties by uuid; a person that is absent here has no profile. */
  persons: Map<string, JsonObject>;
  /** Properties by the type's index and the key. */
  groups: Map<string, JsonObject>;
  /** The text of a property of an event's session, in the sets whose queries ask for such. */
  sessionText?: (event: Stored, key: string) => string | null;
};

const EVENTS_MAX = 60;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Numbers from 0 on that look like chance, the same in every run. */
export function chance(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return { next, of: <T>(choices: readonly T[]): T => choices[next(choices.length)] as T };
}

/** The values that chance chooses from. */
export type Chance = ReturnType<typeof chance>;

export const EVENTS = ["a", "b", "é🦔", "it's", 'q"; --', "$pageview", "$screen"];
export const VALUES: Json[] = [
  ...["x", "y", "", null, 1, 1.5, "1.5", true, "é", "z'z", { a: 1 }, "ü", "1e2"],
  ...["1_000", " 12 ", "+7", "+-7", "0x1f", ".5", "5.", "nan", "1e999"],
  ...["1.10.0", "v1.2.3", "1.2", "1.2.3abc", "2026-01-01"],
];
export const KEYS = ["$browser", "own", "a/b~c", "$.x"];

/** Of these, properties that get a column while events come in. */
export const PROMOTED = ["own", "$.x"];

const LOAD_EVENTS_MAX = 3000;
const STEP_ROWS = 2500;
const GROUP_KEYS = ["g1", "g'2", "ğ"];
const URLS = ["https://x.test/a/", "https://x.test/b?c=/d", "https://x.test", "/a", "odd", "/b//"];

const PERSONS = Array.from(
  { length: 5 },
  (_, index) => `0000000${index}-592b-78b3-8d80-aa75992efae9`,
);

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
  ["Australia/Lord_Howe", "2026-10-04"],
  ["America/Santiago", "2026-04-05"],
  ["America/Santiago", "2026-09-06"],
  ["Asia/Beirut", "2026-03-29"],
  ["America/St_Johns", "2010-11-07"],
];

/** How far apart events are: so far in all, in steps of so long, so that some are at the same time. */
const SPREADS_MS: [all: number, step: number][] = [
  [20 * DAY_MS, 5 * MINUTE_MS],
  [20 * DAY_MS, 12 * 60 * MINUTE_MS],
  [2 * DAY_MS, 10 * MINUTE_MS],
  [3 * 60 * MINUTE_MS, 7 * MINUTE_MS],
];

/** The same data set for the same project in every run. */
export function dataSet(project: number): DataSet {
  const { next, of } = chance(project);
  const [timezone, day] = ZONES[project % ZONES.length] as (typeof ZONES)[number];
  const [all, step] = of(SPREADS_MS);
  const start = Date.parse(`${day}T01:00:00Z`) - all / 2;
  const some = (keys: string[], likely: number): JsonObject =>
    Object.fromEntries(keys.filter(() => next(likely) > 0).map((key) => [key, of(VALUES)]));
  const events = Array.from({ length: next(EVENTS_MAX) }, () => ({
    event: of(["a", "a", "a", "b", "b", "b", ...EVENTS]),
    person_id: of(PERSONS),
    timestamp: `${new Date(start + next(all / step) * step).toISOString().slice(0, -1)}${of(["000", "000", "000", "001", "999"])}Z`,
    properties: {
      ...some(KEYS, 3),
      ...(next(2) === 0 ? {} : { $session_id: of(["s1", "s2", "s3", ""]) }),
      ...(next(2) === 0 ? {} : { $current_url: of(URLS) }),
      ...(next(4) === 0 ? { $pathname: of(["/a", "/c/", "", "/"]) } : {}),
      ...(next(2) === 0 ? {} : { $screen_name: of(["Home", ""]) }),
    },
    groups: Object.fromEntries(
      [0, 2].filter(() => next(2) === 0).map((at) => [at, of(GROUP_KEYS)]),
    ),
  }));
  const moved = new Map(
    [
      [PERSONS[1], PERSONS[0]],
      [PERSONS[2], PERSONS[0]],
      [PERSONS[3], PERSONS[4]],
    ].filter(() => next(2) === 0) as [string, string][],
  );
  const there = PERSONS.filter((uuid) => !moved.has(uuid) && next(4) > 0);
  const groups = [0, 2].flatMap((index) => GROUP_KEYS.map((key) => `${index} ${key}`));
  return {
    ...{ project, timezone, day, events, moved },
    persons: new Map(there.map((uuid) => [uuid, some(KEYS, 3)])),
    groups: new Map(groups.filter(() => next(3) > 0).map((name) => [name, some(KEYS, 3)])),
  };
}

/**
 * Opens the event store of a directory. The sets are smaller than a row group, so a second thread would find no work,
 * and costs an eighth of the time.
 */
export const openStore = (directory: string): Promise<Duckdb> =>
  testDuckdb(directory, { memory_bytes: 256_000_000, threads: 1 });

/** The numbers of the first `count` projects. */
export function firstProjects(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** An event store with the data sets of these projects, in a new directory or in this one. */
export async function dataSets(projects: readonly number[], path?: string) {
  const directory = temporaryDirectory();
  const duckdb = await openStore(path ?? directory.path);
  const sets = projects.map(dataSet);
  await store(duckdb, path ?? directory.path, sets);
  const asked = insightQueries(apiReads(duckdb, 600));
  const queries = {
    run: (project: number, plan: Plan) => asked.run(project, plan, FOREVER),
    actors: (project: number, of: Actors, part: ActorsPart) =>
      asked.actors(project, of, part, FOREVER),
    names: (project: number) => asked.names(project, FOREVER),
    sql: insightDraft,
  };
  const reads = sqlReads(duckdb);
  const run = async (project: number, sql: string) => {
    const found = await reads.run(project, sqlQuery(sql), {
      signal: FOREVER,
      rows: 10_000,
      bytes: 1e7,
    });
    return found.rows.map((row) =>
      Object.fromEntries(
        found.columns.map((name, at) => [name, JSON.parse(jsonOf(row[at] ?? null)) as Json]),
      ),
    );
  };
  return {
    sets,
    duckdb,
    queries,
    /** Rows of SQL as callers of the API run it. */
    run,
    /** Rows of the draft of a query. */
    drafted: (project: number, plan: Plan) => run(project, queries.sql(plan)),
    async [Symbol.asyncDispose]() {
      await duckdb.close();
      directory[Symbol.dispose]();
    },
  };
}

/** An event store with data sets. */
export type DataSets = Awaited<ReturnType<typeof dataSets>>;

/** Has properties used so much that they are to get columns. */
export async function use(
  columns: MaterializedColumns,
  keys: readonly string[],
  day = "2026-01-01",
) {
  const uses = { queries: 1, seconds: USE_SECONDS_MIN };
  await columns.note(new Map(keys.map((key) => [key, uses])), day);
}

async function store(duckdb: Duckdb, directory: string, sets: DataSet[]): Promise<void> {
  let seq = 0;
  const events = sets.flatMap(({ project, events }) =>
    events.map(({ person_id, groups, ...fields }) => {
      const event = { uuid: Bun.randomUUIDv7(), distinct_id: "ann", ...fields };
      seq += 1;
      const line = Buffer.from(JSON.stringify(event));
      return {
        ...{ seq, project_id: project, arrived_at: 0, person_id, event, groups, line },
        ...{ mark: 9, historical: false },
      };
    }),
  );
  const created_at = "2026-01-01T00:00:00.000000Z";
  const persons = sets.flatMap(({ project: project_id, persons }) =>
    [...persons].map(([uuid, properties], at): ProjectedPerson => {
      const id = project_id * 10 + at;
      const about = { project_id, id, uuid, created_at, known: false };
      const { columns } = propertyTexts(properties as JsonObject);
      return { ...about, columns, distinct_ids: [], moved: [] };
    }),
  );
  const groups = sets.flatMap(({ project: project_id, groups }) =>
    [...groups].map(([name, properties]) => {
      const [index, key] = [name.slice(0, 1), name.slice(2)];
      return {
        ...{ project_id, type_index: Number(index), key, created_at, known: false },
        properties: JSON.stringify(properties),
      };
    }),
  );
  const overrides = sets.flatMap(({ project: project_id, moved }) =>
    [...moved].map(([old_person_id, person_id]) => ({ project_id, old_person_id, person_id })),
  );
  const files = loadFiles(join(directory, "loads"), LOAD_EVENTS_MAX);
  const projection = { version: 1, persons, gone: [], overrides, groups, owned: [] };
  const range = { first: 1, last: seq };
  const loads = [...files.add({ range, events, logs: [], projection }), files.end()];
  const events_ = eventStore(duckdb, join(directory, "dead"));
  const columns = materializedColumns(duckdb, STEP_ROWS);
  for (const load of loads) {
    if (load === null || load === undefined) continue;
    const { dead } = await events_.append(load);
    expect(dead).toEqual([]);
    await use(columns, PROMOTED);
    await columns.choose();
    await columns.fill();
  }
  while (await columns.choose()) await columns.fill();
}
