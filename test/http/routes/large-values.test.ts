import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Query } from "../../../src/core/queries/insight.ts";
import { isoTime } from "../../../src/core/values/time.ts";
import { withoutMemory } from "../../../src/stores/duckdb/insights/queries.ts";
import { randomOf } from "../../support/disk/faulty-disk.ts";
import { type TestApp, type TestProject, testApp } from "../../support/start/app.ts";
import { rounds, seedOf } from "../../support/start/rounds.ts";

/** Follows each text of the large events: longer than what a large row keeps of one value. */
const PAD = ` ${"§".repeat(700)}`;

/** Makes an event large, so that its row omits what is long, and what does not fit. */
const BLOB = "b ".repeat(9000);
const FILLER = Object.fromEntries(
  Array.from({ length: 700 }, (_, n) => [`f${n}`, n < 250 ? "f".repeat(60) : 1]),
);

/** The same events in two projects. In the second one texts are long, and half of the events, persons and groups large. */
let app: TestApp;
let sides: { project: TestProject; pad: string }[];

const TIMES = Array.from(
  { length: 60 },
  (_, n) => Date.parse("2026-11-08T00:10:00Z") + n * 18_000_000,
);

function eventsOf(pad: string): object[] {
  const isLarge = pad !== "";
  return TIMES.flatMap((time, n) => {
    const who = `p${n % 7}`;
    const large = isLarge && n % 2 === 0 ? { blob: BLOB, ...(n % 4 === 0 ? FILLER : {}) } : {};
    const set = isLarge && n % 3 === 0 ? { notes: BLOB } : {};
    const properties = {
      ...large,
      tag: `t${n % 5}${pad}`,
      ...(n % 3 === 0 ? {} : { amount: n % 2 === 0 ? n : String(n / 2) }),
      list: [{ type: `E${n % 4}${pad}`, value: "v" }],
      $current_url: `https://a.example/${n % 3}?q=${pad.trim()}`,
      $session_id: `s${Math.floor(n / 4)}`,
      $groups: { team: `g${n % 3}` },
      $set: { ...set, plan: `q${(n % 7) % 3}${pad}`, rank: n % 7 },
    };
    const event = ["$pageview", "$pageview", "buy"][n % 3];
    const timestamp = isoTime(time);
    const saved = { ...(isLarge ? { blob: BLOB } : {}), page_html: `h${n % 3}${pad}` };
    return [
      { event, distinct_id: who, timestamp, properties },
      ...(n % 5 === 0
        ? [{ event: "saved", distinct_id: who, timestamp: isoTime(time + 1), properties: saved }]
        : []),
    ];
  });
}

const groupsOf = (pad: string) =>
  [0, 1, 2].map((n) => ({
    event: "$groupidentify",
    distinct_id: "p0",
    timestamp: "2026-11-08T00:00:00Z",
    properties: {
      ...{ $group_type: "team", $group_key: `g${n}` },
      $group_set: { ...(n === 1 && pad !== "" ? { notes: BLOB } : {}), size: `z${n}${pad}` },
    },
  }));

beforeAll(async () => {
  app = await testApp();
  sides = [
    { project: app, pad: "" },
    { project: await app.project(), pad: PAD },
  ];
  for (const { project, pad } of sides) {
    const { status } = await project.capture({
      batch: [...groupsOf(pad), ...eventsOf(pad)],
      api_key: project.token,
    });
    expect(status).toBe(200);
  }
});

afterAll(() => app[Symbol.asyncDispose]());

/** Compares the answers of both projects; `PAD` in what is asked and answered counts as nothing. */
async function expectSame(
  ask: (one: TestProject, pad: string) => Promise<{ status: number; body: unknown }>,
) {
  const [small, large] = await Promise.all(
    sides.map(async ({ project, pad }) => {
      const { status, body } = await ask(project, pad);
      const { results, count } = Object(body) as { results?: unknown; count?: number };
      return { status, count, results: results ?? body };
    }),
  );
  const plain = JSON.stringify(large).replaceAll(PAD, "").replaceAll(PAD.trim(), "");
  expect({ ...small, text: JSON.stringify(small) }).toMatchObject({ status: 200, text: plain });
}

const asked = (query: object) => (project: TestProject) =>
  project.ask("POST", `${project.api}/query/`, { body: { query } });

type Filter = {
  key: string;
  operator: string;
  value?: unknown;
  type: string;
  group_type_index?: number;
};

/** Filters of each operator on properties that rows omit. */
function filters(pad: string): Filter[] {
  const event = { type: "event" };
  return [
    { ...event, key: "tag", operator: "exact", value: [`t1${pad}`, `t3${pad}`] },
    { ...event, key: "tag", operator: "is_not", value: [`t2${pad}`] },
    { ...event, key: "tag", operator: "icontains", value: "T4" },
    { ...event, key: "tag", operator: "not_icontains", value: "t0" },
    { ...event, key: "tag", operator: "regex", value: "^t[12]" },
    { ...event, key: "tag", operator: "not_regex", value: "^t[12]" },
    { ...event, key: "tag", operator: "is_set", value: "is_set" },
    { ...event, key: "amount", operator: "is_not_set", value: "is_not_set" },
    { ...event, key: "amount", operator: "gt", value: 12 },
    { ...event, key: "amount", operator: "lte", value: 30 },
    { ...event, key: "list", operator: "icontains", value: "e2" },
    { ...event, key: "$current_url", operator: "icontains", value: "example/1" },
    { type: "person", key: "plan", operator: "exact", value: [`q1${pad}`] },
    { type: "person", key: "plan", operator: "not_icontains", value: "q2" },
    { type: "group", group_type_index: 0, key: "size", operator: "regex", value: "z[12]" },
    { type: "session", key: "$entry_current_url", operator: "icontains", value: "example/0" },
  ];
}

const PERIOD = { dateRange: { date_from: "2026-11-08", date_to: "2026-11-20" } };
const node = (event: string | null, more: object = {}) => ({ kind: "EventsNode", event, ...more });
const BREAKDOWNS = [
  { breakdown: "tag", breakdown_type: "event" },
  { breakdown: "$current_url", breakdown_type: "event" },
  { breakdown: "list", breakdown_type: "event" },
  { breakdown: "plan", breakdown_type: "person" },
  { breakdown: "size", breakdown_type: "group", breakdown_group_type_index: 0 },
  { breakdown: "$entry_current_url", breakdown_type: "session" },
];
const MATHS = ["sum", "avg", "min", "max", "median", "p90"];

/** Queries of each kind with the parts that `pick` chooses. */
function queries(pick: <T>(list: readonly T[]) => T, properties: Filter[]): object[] {
  const breakdownFilter = pick(BREAKDOWNS);
  const [view, buy] = [node("$pageview", { properties }), node("buy")];
  const all = { ...PERIOD, properties };
  return [
    { kind: "TrendsQuery", ...all, series: [node(null)], breakdownFilter },
    {
      ...{ kind: "TrendsQuery", ...PERIOD, breakdownFilter },
      series: [node(null, { math: pick(MATHS), math_property: "amount", properties })],
      trendsFilter: { display: "BoldNumber" },
    },
    { kind: "FunnelsQuery", ...PERIOD, series: [view, buy], breakdownFilter },
    {
      ...{ kind: "RetentionQuery", ...all },
      retentionFilter: {
        period: "Day",
        totalIntervals: 5,
        targetEntity: { id: "$pageview" },
        returningEntity: { id: "buy" },
      },
    },
    { kind: "LifecycleQuery", ...all, interval: "day", series: [node("$pageview")] },
    { kind: "StickinessQuery", ...all, interval: "day", series: [node("$pageview")] },
    { kind: "PathsQuery", ...all, pathsFilter: { includeEventTypes: ["custom_event"] } },
  ];
}

test("insights are the same over large values", async () => {
  const seed = seedOf();
  const random = randomOf(seed);
  const count = filters("").length;
  for (let round = 0; round < rounds(20, 300); round += 1) {
    const places = [round % count, Math.floor(random() * count)].slice(0, 1 + (round % 2));
    const parts = Array.from({ length: 4 }, random);
    const chosen = (pad: string) => {
      const left = [...parts];
      const pick = <T>(list: readonly T[]) =>
        list[Math.floor((left.shift() ?? 0) * list.length)] as T;
      const given = filters(pad);
      return queries(
        pick,
        places.flatMap((at) => given[at] ?? []),
      );
    };
    for (const at of chosen("").keys()) {
      await expectSame((project, pad) => asked(chosen(pad)[at] ?? {})(project));
    }
  }
}, 240_000);

/** SQL in all ways to name a property, with `#` for what follows each text. */
const STATEMENTS = `
SELECT properties.tag, count() FROM events GROUP BY 1 ORDER BY 1
SELECT properties['tag'] AS tag, uniq(person_id) AS n FROM events GROUP BY tag ORDER BY tag
SELECT properties->>'tag' AS tag, count(*) FROM events GROUP BY 1 ORDER BY 1
SELECT JSONExtractString(properties, 'tag') AS tag, count() FROM events GROUP BY tag ORDER BY tag
SELECT e.properties."tag" AS tag FROM events e WHERE e.properties.tag LIKE 't1%' ORDER BY e.timestamp
SELECT count() FROM events WHERE properties.tag = 't1#' AND toFloat(properties.amount) > 5
SELECT properties.page_html AS html, count() FROM events WHERE event = 'saved' GROUP BY html ORDER BY html
SELECT sum(toFloat(properties.amount)), avg(toFloat(properties.amount)) FROM events
SELECT countIf(isNull(properties.amount)), countIf(JSONHas(properties, 'amount')) FROM events
SELECT JSONExtractString(properties.list, 1, 'type') AS t, count() FROM events GROUP BY t ORDER BY t
SELECT JSONExtractString(properties, 'list', 1, 'type') AS t, count() FROM events GROUP BY t ORDER BY t
SELECT properties->'$.list[0].type' AS t, count() FROM events GROUP BY t ORDER BY t
SELECT p->>'tag' AS t, count() FROM (SELECT properties AS p FROM events) GROUP BY t ORDER BY t
WITH x AS (SELECT * FROM events WHERE event = 'buy') SELECT properties.tag FROM x ORDER BY timestamp
SELECT t.properties.tag AS tag FROM (SELECT *, 1 AS one FROM events) AS t ORDER BY t.timestamp
SELECT properties.$current_url AS url, count() FROM events GROUP BY url ORDER BY url
SELECT "$current_url", count() FROM events GROUP BY 1 ORDER BY 1
SELECT person.properties.plan AS plan, count() FROM events GROUP BY plan ORDER BY plan
SELECT person.properties.rank AS rank, properties.tag AS tag FROM events ORDER BY timestamp
SELECT group_0.properties.size AS size, count() FROM events GROUP BY size ORDER BY size
SELECT properties.plan AS plan, count() FROM persons GROUP BY plan ORDER BY plan
SELECT key, properties->>'size' FROM groups ORDER BY key
SELECT $entry_current_url AS url, count() FROM sessions GROUP BY url ORDER BY url
SELECT session.$entry_current_url AS url, count() FROM events GROUP BY url ORDER BY url
`;

test.each(STATEMENTS.trim().split("\n"))("SQL is the same over large values: %s", async (sql) => {
  await expectSame((project, pad) =>
    asked({ kind: "HogQLQuery", query: sql.replaceAll("#", pad) })(project),
  );
});

test("bare properties are whole in SQL, and those of rows in lists", async () => {
  const { project } = sides[1] ?? { project: app };
  const { body } = await asked({
    kind: "HogQLQuery",
    query: "SELECT * FROM events WHERE properties.blob IS NOT NULL ORDER BY timestamp LIMIT 1",
  })(project);
  const { columns, results } = body as { columns: string[]; results: unknown[][] };
  const row = Object.fromEntries(columns.map((name, at) => [name, results[0]?.[at]]));
  expect(JSON.stringify(row["properties"])).toBe(JSON.stringify(row["whole_properties"]));
  expect(String(JSON.stringify(row["properties"])).length).toBeGreaterThan(BLOB.length);
});

const encoded = (value: object) => encodeURIComponent(JSON.stringify(value));

test("lists are the same over large values", async () => {
  for (const at of filters("").keys()) {
    const isOf = (type: string) => filters("")[at]?.type === type;
    if (isOf("event")) {
      const rowsOf = async (project: TestProject, pad: string) => {
        const { status, body } = await project.get(
          `/events/?limit=100&properties=${encoded([filters(pad)[at] ?? {}])}`,
        );
        const { results } = body as { results: { timestamp: string }[] };
        return { status, body: { results: results.map(({ timestamp }) => timestamp) } };
      };
      await expectSame(rowsOf);
    }
    if (!isOf("person")) continue;
    await expectSame(async (project, pad) => {
      const { status, body } = await project.get(
        `/persons/?properties=${encoded([filters(pad)[at] ?? {}])}`,
      );
      return { status, body: { count: (body as { count: number }).count, results: [] } };
    });
    await expectSame((project, pad) =>
      asked({
        ...{ kind: "ActorsQuery", properties: [filters(pad)[at]] },
        ...{ select: ["properties.plan", "properties.rank"], orderBy: ["properties.rank ASC"] },
      })(project),
    );
  }
  const named = (path: string) =>
    expectSame(async (project) => {
      const { status, body } = await project.get(path);
      const { results } = body as { results: { name: string; count: number }[] };
      const own = results.filter(({ name }) => !/^(?:f\d+|blob|notes)$/.test(name));
      return { status, body: { results: own.map(({ name, count }) => [name, count]).toSorted() } };
    });
  await named("/property_definitions/?limit=1000");
  await named("/property_definitions/?limit=1000&type=person");
  await named("/property_definitions/?limit=1000&type=group");
  for (const key of ["amount", "$session_id"]) {
    await expectSame((project) => project.get(`/events/values/?key=${key}&value=1`));
  }
});

test("a query by values that the memory cannot hold is refused with what to do", () => {
  const error = new Error("Out of Memory Error: failed to allocate data");
  const by = (type: string, property: string) =>
    ({ kind: "TrendsQuery", breakdown: { by: [{ of: { type }, property }] } }) as unknown as Query;
  const omitted = (kind: string, name?: string) => kind === "event" && name === "text";
  const failed = (query: Query, ...used: string[]) =>
    withoutMemory({ query, omitted, used }, error);
  expect(failed(by("event", "text"), "text")).toMatchObject({
    code: "invalid_input",
    attr: "query__breakdownFilter",
    message: expect.stringContaining(`substring(properties."text", 1, 100)`),
  });
  expect(failed(by("event", "plan"), "plan", "text")).toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/^Reading the long values of "text" .* more --memory\.$/),
  });
  expect(failed(by("person", "text"))).toBe(error);
  expect(failed(by("event", "plan"), "plan")).toBe(error);
});

test("words know the properties that rows omit", async () => {
  await expectSame(async (project) => {
    const body = { query: "number of saved by page html from 2026-11-08 to 2026-11-20" };
    const path = `${project.api}/max_tools/create_and_query_insight/?format=txt`;
    const { status, text } = await project.ask("POST", path, { body });
    return { status, body: text.slice(text.indexOf("|")) };
  });
});
