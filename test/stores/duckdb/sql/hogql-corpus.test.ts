import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import openParser from "@posthog/hogql-parser";
import { batch, event } from "../../../support/data/build-records.ts";
import { type TestApp, testApp } from "../../../support/start/app.ts";

// Statements as people paste them. Numbers are counted here by plain loops over the same events.

type Stored = {
  event: string;
  distinct_id: string;
  at: number;
  properties: Record<string, string | number | boolean | null | string[]>;
};

const START = Date.parse("2026-10-23T00:00:00Z");
const HOUR = 3_600_000;
const PLANS = ["pro", "free", "9", null];

/** Events of seven persons over five days, every 40 minutes, with amounts as numbers and as texts. */
const EVENTS: Stored[] = Array.from({ length: 180 }, (_, n) => {
  const plan = PLANS[n % 4] ?? null;
  return {
    event: ["$pageview", "order", "login"][n % 3] ?? "",
    distinct_id: `person-${n % 7}`,
    at: START + n * (HOUR * (2 / 3)),
    properties: {
      ...(plan === null ? {} : { plan }),
      ...(n % 5 === 0 ? {} : { amount: n % 2 === 0 ? n : String(n) }),
      ...(n % 6 === 0 ? { tags: ["a", n % 12 === 0 ? "b" : "c"] } : {}),
      ...{ $browser: n % 2 === 0 ? "Chrome" : "Safari", $pathname: `/p/${n % 4}` },
    },
  };
});

let app: TestApp;
let parser: Awaited<ReturnType<typeof openParser>>;

beforeAll(async () => {
  parser = await openParser();
  app = await testApp();
  await app.app.projects.change(1, { timezone: "Europe/Berlin" });
  await app.capture(
    batch(
      ...EVENTS.map(({ at, properties, ...one }, n) =>
        event({
          ...one,
          timestamp: new Date(at).toISOString(),
          properties: {
            ...properties,
            ...(n < 4
              ? { $set: { email: n % 2 === 0 ? `p${n}@example.com` : `p${n}@x.y`, age: 9 + n } }
              : {}),
          },
        }),
      ),
    ),
  );
});

afterAll(() => app[Symbol.asyncDispose]());

const run = async (query: string, more: object = {}) => {
  const asked = { kind: "HogQLQuery", query, ...more };
  const { status, body } = await app.ask("POST", "/api/environments/1/query/", {
    body: { query: asked },
  });
  return {
    status,
    body: body as {
      detail: string;
      columns: string[];
      results: unknown[][];
      hasMore: boolean;
      limit: number;
      offset: number;
    },
  };
};
const rowsOf = async (query: string, more: object = {}) => {
  const { status, body } = await run(query, more);
  expect({ query, status, detail: body.detail }).toEqual({
    query,
    status: 200,
    detail: undefined,
  } as never);
  return body.results;
};

const count = (met: (one: Stored) => boolean) => EVENTS.filter(met).length;
const amountOf = ({ properties: { amount } }: Stored) => (amount == null ? null : Number(amount));
const amounts = EVENTS.map(amountOf).filter((one) => one !== null);
const wall = (at: number) => {
  const parts = new Intl.DateTimeFormat("sv-SE", {
    timeZone: "Europe/Berlin",
    dateStyle: "short",
    timeStyle: "medium",
  });
  return parts.format(at);
};
const dayOf = (one: Stored) => wall(one.at).slice(0, 10);
const hourOf = (one: Stored) => Number(wall(one.at).slice(11, 13));
const emailOf = ({ distinct_id }: Stored) => {
  const n = Number(distinct_id.slice(-1));
  if (n >= 4) return null;
  return n % 2 === 0 ? `p${n}@example.com` : `p${n}@x.y`;
};
const counted = <T>(of: (one: Stored) => T, among = EVENTS) => {
  const counts = new Map<T, number>();
  for (const one of among) counts.set(of(one), (counts.get(of(one)) ?? 0) + 1);
  return counts;
};
const days = [...counted(dayOf)].toSorted(([a], [b]) => (a < b ? -1 : 1));
const berlin = (text: string) => `${text}.000000${text < "2026-10-25T03" ? "+02:00" : "+01:00"}`;

/** What ClickHouse and DuckDB read, and PostHog's parser does not. */
const OF_CLICKHOUSE = /EXCEPT|'\\d'/;

/** Statements, with their rows. */
const NUMBERS: [query: string, rows: unknown[][]][] = [
  // A missing property is not equal to anything, and NOT of what it does not meet is true.
  [
    "SELECT count() FROM events WHERE properties.plan != 'pro'",
    [[count((e) => e.properties["plan"] !== "pro")]],
  ],
  [
    "SELECT count() FROM events WHERE properties.plan <> 'pro'",
    [[count((e) => e.properties["plan"] !== "pro")]],
  ],
  [
    "SELECT count() FROM events WHERE notEquals(properties.plan, 'pro')",
    [[count((e) => e.properties["plan"] !== "pro")]],
  ],
  [
    "SELECT count() FROM events WHERE properties.plan NOT IN ('pro', 'free')",
    [[count((e) => !["pro", "free"].includes(String(e.properties["plan"])))]],
  ],
  [
    "SELECT count() FROM events WHERE notIn(properties.plan, ['pro'])",
    [[count((e) => e.properties["plan"] !== undefined && e.properties["plan"] !== "pro")]],
  ],
  [
    "SELECT count() FROM events WHERE properties.plan NOT LIKE 'p%'",
    [[count((e) => e.properties["plan"] !== "pro")]],
  ],
  [
    "SELECT count() FROM events WHERE notLike(properties.plan, 'p%')",
    [[count((e) => e.properties["plan"] !== "pro")]],
  ],
  [
    "SELECT count() FROM events WHERE person.properties.email NOT ILIKE '%EXAMPLE.com%'",
    [[count((e) => !emailOf(e)?.includes("example.com"))]],
  ],
  [
    "SELECT uniq(person_id) FROM events WHERE person.properties.email NOT LIKE '%@example.com'",
    [[5]],
  ],
  ["SELECT count() FROM persons WHERE properties.email NOT ILIKE '%example.com%'", [[5]]],
  [
    "SELECT count() FROM events WHERE properties.plan !~ '^p'",
    [[count((e) => e.properties["plan"] !== "pro")]],
  ],
  [
    "SELECT count() FROM events WHERE NOT match(properties.plan, '^p')",
    [[count((e) => e.properties["plan"] !== "pro")]],
  ],
  [
    "SELECT count() FROM events WHERE not(properties.plan = 'pro')",
    [[count((e) => e.properties["plan"] !== "pro")]],
  ],
  [
    "SELECT count() FROM events WHERE NOT (properties.amount > 50)",
    [[count((e) => !((amountOf(e) ?? -1) > 50))]],
  ],
  [
    "SELECT count() FROM events WHERE NOT (properties.amount > 50 AND properties.plan = 'pro')",
    [[count((e) => !((amountOf(e) ?? -1) > 50 && e.properties["plan"] === "pro"))]],
  ],
  [
    "SELECT count() FROM events WHERE properties.amount NOT BETWEEN 20 AND 100",
    [[count((e) => !((amountOf(e) ?? 0) >= 20 && (amountOf(e) ?? 0) <= 100))]],
  ],
  [
    "SELECT countIf(properties.plan != 'pro') FROM events",
    [[count((e) => e.properties["plan"] !== "pro")]],
  ],
  [
    "SELECT count() FROM events WHERE properties.plan = 'pro' OR properties.$browser != 'Chrome'",
    [[count((e) => e.properties["plan"] === "pro" || e.properties["$browser"] !== "Chrome")]],
  ],
  [
    "SELECT count() FROM events WHERE properties.plan = NULL",
    [[count((e) => e.properties["plan"] === undefined)]],
  ],
  [
    "SELECT count() FROM events WHERE properties.plan IS NOT NULL",
    [[count((e) => e.properties["plan"] !== undefined)]],
  ],
  [
    "SELECT count() FROM events WHERE person_id NOT IN (SELECT id FROM persons WHERE properties.email LIKE '%x.y')",
    [[count((e) => !emailOf(e)?.endsWith("x.y"))]],
  ],
  // Properties by their type.
  [
    "SELECT max(properties.amount), min(properties.amount) FROM events",
    [[Math.max(...amounts), Math.min(...amounts)]],
  ],
  [
    "SELECT sum(properties.amount), avg(properties.amount) FROM events",
    [[amounts.reduce((a, b) => a + b, 0), amounts.reduce((a, b) => a + b, 0) / amounts.length]],
  ],
  [
    "SELECT properties.amount FROM events ORDER BY properties.amount DESC LIMIT 3",
    [["179"], ["178"], ["177"]],
  ],
  [
    "SELECT properties.amount AS a FROM events WHERE properties.amount > 0 ORDER BY a LIMIT 3",
    [["1"], ["2"], ["3"]],
  ],
  [
    "SELECT properties.amount FROM events WHERE properties.amount IS NOT NULL ORDER BY 1 LIMIT 2",
    [["1"], ["2"]],
  ],
  [
    "SELECT max(properties.plan), min(properties.plan) FROM events WHERE properties.plan != '9'",
    [["pro", "free"]],
  ],
  [
    "SELECT count() FROM events WHERE properties.amount BETWEEN 9 AND 100",
    [[count((e) => (amountOf(e) ?? 0) >= 9 && (amountOf(e) ?? 0) <= 100)]],
  ],
  [
    "SELECT count() FROM events WHERE properties.amount >= 100",
    [[count((e) => (amountOf(e) ?? 0) >= 100)]],
  ],
  ["SELECT count() FROM events WHERE properties.amount IN (9, 11)", [[2]]],
  ["SELECT count() FROM events WHERE properties.amount IN [9, 11]", [[2]]],
  [
    "SELECT max(greatest(properties.amount, 90)), min(least(properties.amount, 90)) FROM events",
    [[179, 1]],
  ],
  ["SELECT argMax(distinct_id, properties.amount) FROM events", [["person-4"]]],
  [
    "SELECT maxIf(properties.amount, event = 'order') FROM events",
    [[Math.max(...EVENTS.filter((e) => e.event === "order").map((e) => amountOf(e) ?? 0))]],
  ],
  [
    "SELECT distinct_id, max(properties.amount) AS most FROM events GROUP BY distinct_id ORDER BY most DESC LIMIT 2",
    [
      ["person-4", 179],
      ["person-3", 178],
    ],
  ],
  [
    "SELECT m FROM (SELECT distinct_id, max(properties.amount) AS m FROM events GROUP BY distinct_id) WHERE m > 177.5 ORDER BY m DESC",
    [["179"], ["178"]],
  ],
  [
    "SELECT properties.age FROM persons WHERE properties.age > 0 ORDER BY properties.age",
    [["9"], ["10"], ["11"], ["12"]],
  ],
  [
    "SELECT count() FROM events WHERE properties.amount > person.properties.age",
    [
      [
        count(
          (e) => emailOf(e) !== null && (amountOf(e) ?? -1) > 9 + Number(e.distinct_id.slice(-1)),
        ),
      ],
    ],
  ],
  [
    "SELECT row_number() OVER (ORDER BY properties.amount DESC) AS n, properties.amount FROM events ORDER BY n LIMIT 2",
    [
      [1, "179"],
      [2, "178"],
    ],
  ],
  // Lists and lambdas.
  ["SELECT length(groupArray(event)), length(groupUniqArray(event)) FROM events", [[180, 3]]],
  ["SELECT arraySort(groupUniqArray(event)) FROM events", [[["$pageview", "login", "order"]]]],
  ["SELECT length(groupArray(5)(distinct_id)) FROM events", [[5]]],
  [
    "SELECT length(groupArray(properties.plan)) FROM events",
    [[count((e) => e.properties["plan"] !== undefined)]],
  ],
  ["SELECT length(groupArrayIf(event, event = 'order')) FROM events", [[60]]],
  [
    "SELECT arrayMap(x -> x * 2, [1, 2, 3]), arrayFilter(x -> x > 1, [1, 2, 3])",
    [
      [
        [2, 4, 6],
        [2, 3],
      ],
    ],
  ],
  [
    "SELECT arrayExists(x -> x = 2, [1, 2]), arrayAll(x -> x > 1, [1, 2]), arrayCount(x -> x > 1, [1, 2, 3]), countEqual([1, 1], 1)",
    [[true, false, 2, 2]],
  ],
  [
    "SELECT count() FROM events WHERE arrayExists(t -> t = 'b', JSONExtract(properties.tags, 'Array(String)'))",
    [[15]],
  ],
  ["SELECT topK(1)(event) FROM events WHERE event = 'login'", [[["login"]]]],
  [
    "SELECT quantiles(0, 1)(properties.amount), quantile(0.5)(toFloat('7')) FROM events",
    [[[1, 179], 7]],
  ],
  ["SELECT median(properties.amount) FROM events WHERE properties.amount <= 3", [[2]]],
  [
    "SELECT tag, count() AS n FROM events ARRAY JOIN JSONExtract(properties.tags, 'Array(String)') AS tag GROUP BY tag ORDER BY n DESC, tag",
    [
      ["a", 30],
      ["b", 15],
      ["c", 15],
    ],
  ],
  [
    "SELECT count() FROM events LEFT ARRAY JOIN JSONExtractArrayRaw(properties.tags) AS tag",
    [[210]],
  ],
  ["SELECT arrayJoin(['x', 'y']) AS z ORDER BY z", [["x"], ["y"]]],
  [
    "SELECT event, distinct_id FROM events ORDER BY timestamp LIMIT 1 BY event",
    [
      ["$pageview", "person-0"],
      ["order", "person-1"],
      ["login", "person-2"],
    ],
  ],
  [
    "SELECT event, count() AS n FROM events GROUP BY event, distinct_id ORDER BY n DESC, event LIMIT 1 BY event LIMIT 2",
    [
      ["$pageview", 9],
      ["login", 9],
    ],
  ],
  [
    "SELECT count() FROM events PREWHERE event = 'order' OR event = 'login' WHERE properties.$browser = 'Chrome'",
    [[count((e) => e.event !== "$pageview" && e.properties["$browser"] === "Chrome")]],
  ],
  ["SELECT count() FROM events WHERE event =~ '^log'", [[60]]],
  ["SELECT number FROM numbers(3)", [[0], [1], [2]]],
  ["SELECT number * 2 FROM numbers(1, 2)", [[2], [4]]],
  ["SELECT range(1, 4)", [[[1, 2, 3]]]],
  ["SELECT count() FROM person_distinct_ids", [[7]]],
  [
    "SELECT count(DISTINCT pdi.person_id) FROM person_distinct_ids AS pdi JOIN persons p ON p.id = pdi.person_id WHERE p.properties.email LIKE '%example.com'",
    [[2]],
  ],
  // Texts.
  ["SELECT 'it\\'s', 'a\\\\b', 'x\\ny', length('\\t')", [["it's", "a\\b", "x\ny", 1]]],
  [
    "SELECT match('a1', '\\d'), match('a1', '^\\\\w+$'), '100%' LIKE '100\\%', 'a' LIKE '\\_'",
    [[true, true, true, false]],
  ],
  [
    "SELECT replaceRegexpAll('a1b2', '[0-9]', ''), extract('id=42', 'id=([0-9]+)'), splitByChar(',', 'a,b')[2]",
    [["ab", "42", "b"]],
  ],
  [
    "SELECT coalesce(properties.nothing, 'none'), properties.nothing ?? 'none', ifNull(properties.nothing, 'none') FROM events LIMIT 1",
    [["none", "none", "none"]],
  ],
  // The clock of the project, over the night in which it is put back.
  ["SELECT toDate(timestamp) AS day, count() FROM events GROUP BY day ORDER BY day", days],
  [
    "SELECT toStartOfDay(timestamp) AS day, count() FROM events GROUP BY day ORDER BY day",
    days.map(([day, n]) => [berlin(`${day}T00:00:00`), n]),
  ],
  [
    "SELECT dateTrunc('day', timestamp) AS day, count() FROM events GROUP BY day ORDER BY day",
    days.map(([day, n]) => [berlin(`${day}T00:00:00`), n]),
  ],
  [
    "SELECT date_trunc('day', timestamp) AS day, count() FROM events GROUP BY day ORDER BY day",
    days.map(([day, n]) => [berlin(`${day}T00:00:00`), n]),
  ],
  [
    "SELECT toHour(timestamp) AS hour, count() FROM events GROUP BY hour ORDER BY hour",
    [...counted(hourOf)].toSorted(([a], [b]) => a - b),
  ],
  [
    "SELECT hour(timestamp) AS hour, count() FROM events GROUP BY hour ORDER BY hour",
    [...counted(hourOf)].toSorted(([a], [b]) => a - b),
  ],
  [
    "SELECT count() FROM events WHERE timestamp >= '2026-10-25' AND timestamp < '2026-10-26'",
    [[count((e) => dayOf(e) === "2026-10-25")]],
  ],
  [
    "SELECT count() FROM events WHERE toDate(timestamp) = '2026-10-25'",
    [[count((e) => dayOf(e) === "2026-10-25")]],
  ],
  [
    "SELECT count() FROM events WHERE timestamp BETWEEN toDateTime('2026-10-25 00:00:00') AND toDateTime('2026-10-25 23:59:59')",
    [[count((e) => dayOf(e) === "2026-10-25")]],
  ],
  [
    "SELECT count() FROM events WHERE timestamp >= toStartOfDay(toDateTime('2026-10-25 12:00:00')) AND timestamp < toStartOfDay(addDays(toDateTime('2026-10-25 12:00:00'), 1))",
    [[count((e) => dayOf(e) === "2026-10-25")]],
  ],
  [
    "SELECT count() FROM events WHERE timestamp >= toDate('2026-10-25') AND toDate(timestamp) < toDate('2026-10-26')",
    [[count((e) => dayOf(e) === "2026-10-25")]],
  ],
  [
    "SELECT count() FROM events WHERE timestamp > toDateTime('2026-10-24T22:00:00Z')",
    [[count((e) => e.at > Date.parse("2026-10-24T22:00:00Z"))]],
  ],
  [
    "SELECT uniq(toStartOfHour(timestamp)) FROM events",
    [[new Set(EVENTS.map((e) => Math.floor(e.at / HOUR))).size]],
  ],
  [
    "SELECT toStartOfHour(toDateTime('2026-10-25T00:30:00Z')), toStartOfHour(toDateTime('2026-10-25T01:30:00Z'))",
    [["2026-10-25T02:00:00.000000+02:00", "2026-10-25T02:00:00.000000+01:00"]],
  ],
  [
    "SELECT min(toStartOfWeek(timestamp)), min(toMonday(timestamp)), min(toStartOfMonth(timestamp)) FROM events",
    [["2026-10-18", "2026-10-19", "2026-10-01"]],
  ],
  [
    "SELECT min(toStartOfWeek(timestamp, 1)), max(toDayOfWeek(timestamp)), min(timestamp) FROM events",
    [["2026-10-19", 7, "2026-10-23T02:00:00.000000+02:00"]],
  ],
  [
    "SELECT formatDateTime(min(timestamp), '%Y-%m-%d %H:%i'), dateName('weekday', min(timestamp)) FROM events",
    [["2026-10-23 02:00", "Friday"]],
  ],
  [
    "SELECT toHour(min(timestamp), 'UTC'), toTimeZone(min(timestamp), 'America/New_York') FROM events",
    [[0, "2026-10-22T20:00:00.000000-04:00"]],
  ],
  [
    "SELECT dateDiff('day', toDateTime('2026-10-24 23:00:00'), toDateTime('2026-10-26 01:00:00'))",
    [[2]],
  ],
  [
    "SELECT toDate(now()) = today(), yesterday() = today() - 1, now() > toStartOfDay(now())",
    [[true, true, true]],
  ],
  [
    "WITH all_of_it AS (SELECT * FROM events) SELECT count() FROM all_of_it WHERE toDate(timestamp) = '2026-10-25'",
    [[count((e) => dayOf(e) === "2026-10-25")]],
  ],
  [
    "SELECT toYYYYMM(min(timestamp)), toUnixTimestamp(min(timestamp)), fromUnixTimestamp(0) FROM events",
    [[202_610, START / 1000, "1970-01-01T01:00:00.000000+01:00"]],
  ],
  // Whole questions.
  ["SELECT uniqIf(person_id, event = 'order') / uniq(person_id) FROM events", [[1]]],
  [
    "SELECT event, count() AS n, round(n / 180 * 100) FROM events GROUP BY event ORDER BY event",
    [
      ["$pageview", 60, 33],
      ["login", 60, 33],
      ["order", 60, 33],
    ],
  ],
  [
    "SELECT count() FROM events e JOIN persons p ON e.person_id = p.id WHERE p.properties.email = 'p1@x.y'",
    [[count((e) => emailOf(e) === "p1@x.y")]],
  ],
  [
    "SELECT multiIf(properties.amount > 100, 'much', properties.amount > 0, 'some', 'none') AS size, count() FROM events GROUP BY size ORDER BY size",
    [
      ...counted((e) => {
        const amount = amountOf(e) ?? 0;
        if (amount > 100) return "much";
        return amount > 0 ? "some" : "none";
      }),
    ].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ],
  [
    "SELECT properties.$pathname AS path, uniq(person_id) FROM events GROUP BY path HAVING count() > 1 ORDER BY path LIMIT 1",
    [["/p/0", 7]],
  ],
  [
    "SELECT count() FROM (SELECT person_id, min(timestamp) AS first FROM events GROUP BY person_id) WHERE toDate(first) = '2026-10-23'",
    [[7]],
  ],
  [
    "SELECT event, lagInFrame(event) OVER (PARTITION BY distinct_id ORDER BY timestamp) AS before FROM events ORDER BY timestamp LIMIT 1",
    [["$pageview", null]],
  ],
  [
    "SELECT if(empty(properties.plan), 'none', properties.plan) AS p, count() FROM events GROUP BY p ORDER BY p",
    [
      ["9", 45],
      ["free", 45],
      ["none", 45],
      ["pro", 45],
    ],
  ],
  ["SELECT * EXCEPT (properties, uuid) FROM events ORDER BY timestamp LIMIT 0", []],
  ["SELECT event FROM events ORDER BY timestamp LIMIT 1, 2", [["order"], ["login"]]],
];

/** Statements that are refused, with words of the advice. */
const REFUSED: [query: string, words: string][] = [
  ["SELECT id FROM persons WHERE is_identified", "event = '$identify'"],
  [
    "SELECT windowFunnel(3600)(timestamp, event = 'a', event = 'b') FROM events",
    "ask a funnel insight",
  ],
  ["SELECT count() FROM events WHERE person_id IN COHORT 3", "write the condition"],
  ["SELECT count() FROM events SAMPLE 0.1", "leave it out"],
  ["SELECT event, count() FROM events GROUP BY event WITH TOTALS", "GROUP BY ROLLUP"],
  ["SELECT event = 'a' ? 1 : 2 FROM events", "write if(a, b, c)"],
  ["SELECT sparkline(groupArray(1)) FROM events", "select the numbers"],
  ["SELECT arrayMap(x -> concat(x, event), ['a']) FROM events", "arrayJoin(list)"],
  ["SELECT range(1, toInt(properties.amount)) FROM events", "numbers that are written out"],
  ["SELECT range(100000)", "at most 4,096"],
  ["SELECT transform(event, ['a'], ['b'], 'c') FROM events", "write CASE"],
  ["SELECT anyLast(event) FROM events", "argMax(value, timestamp)"],
  ["SELECT event FROM cohort_people", "there are events, persons"],
  ["SELECT * FROM system.tables", "there are events, persons"],
  ["SELECT f'{event}' FROM events", "write concat"],
  ["SELECT count() FROM events SETTINGS max_threads = 2", "leave them out"],
  ["SELECT tag FROM events ARRAY JOIN JSONExtractArrayRaw(properties.tags)", "AS tag"],
  ["SELECT sum(event) FROM events", "write toFloat(x)"],
  ["SELECT event + 1 FROM events", "write toFloat(x)"],
  ["SELECT event, count() FROM events", 'Add "event" to GROUP BY'],
  ["SELECT evnt FROM events", "Similar names"],
  ["SELECT count() FROM events WHERE count() > 1", "HAVING"],
  ["SELECT sum(count()) FROM events", "One aggregate is not within another"],
  ["SELECT matchesAction('x') FROM events", "there are no actions"],
  ["WITH 5 AS n SELECT n", "WITH takes queries"],
  ["SELECT e.event FROM events e ASOF JOIN events f ON e.timestamp >= f.timestamp", "write JOIN"],
  ["SELECT uniqState(event) FROM events", "there are no states"],
  ["SELECT repeat('x', 100)", "write concat"],
  ["SELECT {nothing}", "send `values`"],
  [
    "SELECT 1 FROM events e JOIN persons p ON e.person_id = p.id WHERE properties IS NULL",
    "column of two tables",
  ],
];

describe("statements as people paste them", () => {
  test.each(NUMBERS)("%s", async (query, rows) => {
    const isHogql = !("error" in JSON.parse(parser.parseSelect(query, false)));
    expect({ query, isHogql }).toEqual({ query, isHogql: !OF_CLICKHOUSE.test(query) });
    expect(await rowsOf(query)).toEqual(rows);
  });

  test.each(REFUSED)("refused with advice: %s", async (query, words) => {
    const { status, body } = await run(query);
    expect({ status, detail: body.detail }).toEqual({
      status: 400,
      detail: expect.stringContaining(words),
    });
    expect(body.detail).not.toMatch(/DuckDB|Binder|Catalog|Error|Candidate/);
  });
});

describe("names in braces", () => {
  const FILTERED = "SELECT count() FROM events WHERE {filters}";
  const filtered = async (filters: object) => (await rowsOf(FILTERED, { filters }))[0]?.[0];
  const by = (key: string, operator: string, value: unknown, type = "event") => ({
    properties: [{ key, operator, value, type }],
  });

  test("are the filters of the request; without them all is meant", async () => {
    expect(await rowsOf(FILTERED)).toEqual([[180]]);
    expect(await filtered({})).toBe(180);
    expect(await filtered({ dateRange: { date_from: "2026-10-25", date_to: "2026-10-25" } })).toBe(
      count((e) => dayOf(e) === "2026-10-25"),
    );
    expect(await filtered(by("plan", "is_not", ["pro"]))).toBe(
      count((e) => e.properties["plan"] !== "pro"),
    );
    expect(await filtered(by("plan", "exact", ["pro", "9"]))).toBe(90);
    expect(await filtered(by("plan", "not_icontains", "PR"))).toBe(135);
    expect(await filtered(by("plan", "not_regex", "^p"))).toBe(135);
    expect(await filtered(by("plan", "is_not_set", undefined))).toBe(45);
    expect(await filtered(by("amount", "gt", 100))).toBe(count((e) => (amountOf(e) ?? 0) > 100));
    expect(await filtered(by("amount", "not_between", [20, 100]))).toBe(
      count((e) => !((amountOf(e) ?? 0) >= 20 && (amountOf(e) ?? 0) <= 100)),
    );
    expect(await filtered(by("email", "not_icontains", "example.com", "person"))).toBe(
      count((e) => !emailOf(e)?.includes("example.com")),
    );
    expect(await filtered(by("properties.plan = 'pro' -- all", "", undefined, "hogql"))).toBe(45);
    expect(await filtered(by("properties.plan = 'it\\'s' OR 1 = 1", "", undefined, "hogql"))).toBe(
      180,
    );
    expect(await filtered(by("it's'; DROP", "exact", ["'); SELECT 1 --"]))).toBe(0);
  });

  test("are bounds of time, where there are any", async () => {
    const text =
      "SELECT count() FROM events WHERE timestamp >= {filters.dateRange.from} AND timestamp < {filters.dateRange.to}";
    for (const filters of [undefined, {}, { dateRange: {} }, { dateRange: { date_from: null } }]) {
      const { status, body } = await run(text, { filters });
      expect([status, body.detail]).toEqual([400, expect.stringContaining("has no value")]);
    }
    const all = { dateRange: { date_from: "all" } };
    expect(await rowsOf(text, { filters: all })).toEqual([[180]]);
    const filters = { dateRange: { date_from: "2026-10-25", date_to: "2026-10-25" } };
    expect(await rowsOf(text, { filters })).toEqual([[count((e) => dayOf(e) === "2026-10-25")]]);
  });

  test("are values and variables, never text of the statement", async () => {
    const variables = {
      "1": { code_name: "plan", value: "pro" },
      "2": { code_name: "none", isNull: true },
    };
    const text =
      "SELECT count() FROM events WHERE properties.plan = {variables.plan} AND {variables.none} IS NULL";
    expect(await rowsOf(text, { variables })).toEqual([[45]]);
    const plan = ["pro", "9"];
    const values = { evil: "x' OR true --", yes: true, none: null };
    expect(
      await rowsOf("SELECT count() FROM events WHERE properties.plan IN {plan}", {
        values: { plan },
      }),
    ).toEqual([[90]]);
    expect(
      await rowsOf("SELECT count() FROM events WHERE properties.amount > {least}", {
        values: { least: 100.5 },
      }),
    ).toEqual([[count((e) => (amountOf(e) ?? 0) > 100.5)]]);
    expect(await rowsOf("SELECT {evil}, {yes}, {none}", { values })).toEqual([
      ["x' OR true --", true, null],
    ]);
  });

  test("that have no value, or one of another kind, are refused", async () => {
    for (const [query, more] of [
      ["SELECT {variables.x}", {}],
      ["SELECT {constructor}", { values: {} }],
      ["SELECT {x}", { values: { x: { a: 1 } } }],
      ["SELECT {x}", { values: { x: "a\0b" } }],
      [FILTERED, { filters: { filterTestAccounts: true } }],
      [FILTERED, { filters: { properties: [{ type: "hogql", key: "1 = 1) OR (1 = 1" }] } }],
      [FILTERED, { filters: { properties: [{ type: "hogql", key: "event = 'a" }] } }],
      [FILTERED, { filters: { properties: [{ type: "hogql", key: "" }] } }],
      [FILTERED, { filters: { properties: [{ type: "cohort", key: "id", value: 1 }] } }],
      [FILTERED, { filters: { nothing: 1 } }],
    ] as const) {
      expect((await run(query, more)).status).toBe(400);
    }
  });
});

test("without LIMIT there are 100 rows, and whether there are more", async () => {
  const page = async (query: string) => {
    const { results, hasMore, limit, offset } = (await run(query)).body;
    return { rows: results.length, hasMore, limit, offset };
  };
  expect(await page("SELECT event FROM events")).toEqual({
    rows: 100,
    hasMore: true,
    limit: 100,
    offset: 0,
  });
  expect(await page("SELECT event FROM events LIMIT 80 OFFSET 100")).toEqual({
    rows: 80,
    hasMore: false,
    limit: 80,
    offset: 100,
  });
  expect(await page("SELECT event FROM events LIMIT 179")).toEqual({
    rows: 179,
    hasMore: true,
    limit: 179,
    offset: 0,
  });
  expect(await page("SELECT event FROM events UNION ALL SELECT 'x'")).toEqual({
    rows: 100,
    hasMore: true,
    limit: 100,
    offset: 0,
  });
});

test("a list of too many values is refused, not cut", async () => {
  const { status, body } = await run("SELECT length(groupArray(a.event)) FROM events a, events b");
  expect({ status, detail: body.detail }).toEqual({
    status: 400,
    detail: expect.stringContaining("groupArray(100)(x)"),
  });
});

describe("a negated filter of the API is met by a missing property", () => {
  const isPro = (e: Stored) => e.properties["plan"] === "pro";
  const within = (e: Stored) => (amountOf(e) ?? 0) >= 20 && (amountOf(e) ?? 0) <= 100;
  const FILTERS: [key: string, operator: string, value: unknown, met: (e: Stored) => boolean][] = [
    ["plan", "is_not", ["pro"], (e) => !isPro(e)],
    ["plan", "not_in", ["pro", "9"], (e) => !(isPro(e) || e.properties["plan"] === "9")],
    ["plan", "not_icontains", "PR", (e) => !isPro(e)],
    ["plan", "not_icontains_multi", ["pr", "x"], (e) => !isPro(e)],
    ["plan", "not_regex", "^p", (e) => !isPro(e)],
    ["plan", "semver_neq", "9.0.0", () => true],
    ["amount", "not_between", [20, 100], (e) => !within(e)],
  ];

  test.each(FILTERS)("of events: %s %s %j", async (key, operator, value, met) => {
    const query = {
      kind: "TrendsQuery",
      series: [{ kind: "EventsNode", event: null }],
      dateRange: { date_from: "2026-10-20", date_to: "2026-10-30" },
      trendsFilter: { display: "BoldNumber" },
      properties: [{ key, operator, value, type: "event" }],
    };
    const { body } = await app.ask("POST", "/api/environments/1/query/", { body: { query } });
    const { results } = body as { results: { aggregated_value: number }[] };
    expect(results.map((line) => line.aggregated_value)).toEqual([count(met)]);
  });

  test.each([
    ["is_not", ["p1@x.y"], 6],
    ["not_icontains", "EXAMPLE.com", 5],
    ["not_regex", "x.y$", 5],
    ["not_in", ["p1@x.y", "p3@x.y"], 5],
  ])("of persons: %s %j", async (operator, value, persons) => {
    const properties = JSON.stringify([{ key: "email", operator, value, type: "person" }]);
    const path = `/api/environments/1/persons/?properties=${encodeURIComponent(properties)}`;
    const { body } = await app.ask("GET", path);
    expect((body as { results: unknown[] }).results).toHaveLength(persons);
  });
});
