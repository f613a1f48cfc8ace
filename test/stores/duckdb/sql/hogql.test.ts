import { afterAll, beforeAll, expect, test } from "bun:test";
import { HOGQL_FUNCTIONS } from "../../../../src/stores/duckdb/sql/hogql/functions.ts";
import { HOGQL_REFUSED } from "../../../../src/stores/duckdb/sql/hogql/refused.ts";
import { sqlApp } from "../../../support/answers/sql.ts";

let app: Awaited<ReturnType<typeof sqlApp>>;

beforeAll(async () => {
  app = await sqlApp();
});

afterAll(() => app[Symbol.asyncDispose]());

const answer = async (text: string) => {
  const { status, body } = await app.run(text);
  expect({ text, status, body }).toMatchObject({ status: 200 });
  return body as { columns: string[]; results: unknown[][] };
};

const VALUES: [sql: string, value: unknown][] = [
  ["uniq(event)", 4],
  ["uniqExact(event)", 4],
  ["uniqIf(event, event = 'view')", 1],
  ["countIf(event = 'view')", 2],
  ["countIf(properties.$browser = 'Firefox')", 1],
  ["sumIf(properties.n, event = 'view')", 8.5],
  ["sum(properties.n)", 8.5],
  ["avg(properties.n)", 4.25],
  ["avgIf(properties.n, event = 'view')", 4.25],
  ["quantile(0.5)(properties.n)", 4.25],
  ["max(toFloat(properties.n))", 7],
  ["countIf(properties.n > 2)", 1],
  ["countIf(assumeNotNull(properties.n) > 2)", 1],
  ["any(properties.plan)", "pro"],
  ["any(person.properties.email)", "ann@x.y"],
  ["countIf(person.properties.email = 'ann@x.y')", 3],
  ["uniq(person.id)", 2],
  ["uniq(`event`)", 4],
  ["min(toDate(timestamp))", "2026-11-21"],
  ["min(toStartOfWeek(timestamp))", "2026-11-15"],
  ["min(toMonday(timestamp))", "2026-11-16"],
  ["min(toStartOfMonth(timestamp))", "2026-11-01"],
  ["min(toDayOfWeek(timestamp))", 6],
  ["max(toHour(timestamp))", 11],
  ["min(toYYYYMM(timestamp))", 202_611],
  ["min(dateDiff('day', timestamp, toDateTime('2026-11-23 00:00:00')))", 2],
  ["max(JSONExtractString(properties, 'plan'))", "pro"],
  ["max(JSONExtractInt(properties, 'n'))", 7],
  ["max(if(event = 'view', 1, 0))", 1],
  ["countIf((event = 'view') && (properties.$browser = 'Firefox'))", 1],
  [
    "countIf((event = 'view') || (event IN ('login')) || (not properties.plan = 'pro')) = countIf(event = 'view' OR event IN ('login') OR NOT properties.plan = 'pro')",
    true,
  ],
  ["max('a' || 'b')", "ab"],
  ["sum(CAST(properties.n, 'Float64'))", 8.5],
  ["sum(cast(if(event = 'view', '1', '0'), 'Nullable(Int32)'))", 2],
  ["sum(CAST(properties.n AS Float64))", 8.5],
  ["max(length(event))", 14],
  ["countIf(timestamp > now() - INTERVAL 7 DAY) >= 0", true],
  ["countIf(toDate(timestamp) = today()) >= 0", true],
  ["countIf(timestamp > yesterday()) >= 0", true],
  ["max(toInt('3.7'))", 3],
  ["max(toInt('x'))", null],
  ["max(toFloatOrZero('x'))", 0],
  ["max(replaceAll('a-b-c', '-', '+'))", "a+b+c"],
  ["max(domain('https://shop.example/a?b'))", "shop.example"],
  ["max(arrayElement(splitByChar('/', 'a/b'), 2))", "b"],
  ["countIf(match(event, '^v'))", 2],
  ["countIf(like(event, 'v%'))", 2],
  ["countIf(isNull(properties.plan))", 4],
  ["countIf(notEmpty(properties.plan))", 1],
  ["max('$browser') || '`x`'", "$browser`x`"],
  ["any(properties['$browser'])", "Firefox"],
  ["any(properties.tags[1])", "é"],
  ["any(properties['tags'][1])", "é"],
  ["max(multiIf(event = 'view', 'seen', event = 'paid', 'sold', 'other'))", "sold"],
  ["countIf(and(event = 'view', or(properties.n > 5, properties.plan = 'pro')))", 2],
  ["countIf(in(event, ('view', 'paid')))", 3],
  ["countIf(notIn(event, ['view', 'paid']))", 2],
  ["min(formatDateTime(timestamp, '%Y-%m-%d %H:%i %M'))", "2026-11-21 11:01 November"],
  ["min(formatDateTime(timestamp, '%T', 'Asia/Tokyo'))", "20:01:00"],
  ["min(dateName('weekday', timestamp))", "Saturday"],
  ["min(toStartOfWeek(timestamp, 1))", "2026-11-16"],
  ["min(toHour(timestamp, 'Asia/Tokyo'))", 20],
  ["min(toStartOfInterval(timestamp, INTERVAL 15 MINUTE))", "2026-11-21T11:00:00.000000Z"],
  ["min(dateAdd('day', 7, toDate('2026-11-21')))", "2026-11-28"],
  ["min(dateSub(DAY, 1, toDate('2026-11-21')))", "2026-11-20"],
  ["max(age('day', toDateTime('2026-11-21 12:00:00'), toDateTime('2026-11-22 11:00:00')))", 0],
  ["max(fromUnixTimestamp(1795219200))", "2026-11-21T00:00:00.000000Z"],
  ["max(extract('/users/42/x', 'users/([0-9]+)'))", "42"],
  ["max(extract('abc', 'b.'))", "bc"],
  ["max(extractURLParameter('https://x.y/?a=1&q=two', 'q'))", "two"],
  ["max(path('https://x.y/a/b?c#d'))", "/a/b"],
  ["max(position('shop', 'o'))", 3],
  ["max(properties.nothing ?? 'none')", "none"],
  ["sumIf(1, event = 'nothing')", 0],
  ["medianIf(properties.n, event = 'view')", 4.25],
  ["countDistinctIf(distinct_id, event = 'view')", 2],
  ["uniqExactIf(event, event != 'view')", 3],
  ["any(toTypeName(timestamp))", "TIMESTAMP"],
  ["max(JSONExtractString(properties, 'tags', 1))", "é"],
  ["max(arrayStringConcat(arraySort(splitByChar(',', 'b,a')), '+'))", "a+b"],
  ["max(splitByChar('/', 'a/b')[2])", "b"],
  ["countIf(has(JSONExtractArrayRaw(properties.tags), '\"é\"'))", 1],
  ["countIf(has(JSONExtract(properties.tags, 'Array(String)'), 'é'))", 1],
  ["countIf(toDateTime(person.created_at) < now())", 5],
  ["countIf(dateDiff('day', person.properties.since, now()) > 1)", 0],
  ["countIf(person.properties.since + INTERVAL 30 DAY < now())", 0],
  ["any(CAST(properties.n AS Float64))", 1.5],
  ["any(properties.tags[9223372036854775807])", null],
  ["max(JSONExtractString(properties, 'tags', 9223372036854775807))", ""],
  ["max(splitByChar('/', 'a/b')[9223372036854775807])", null],
];

test.each(VALUES)("HogQL %s", async (sql, value) => {
  expect((await answer(`SELECT ${sql} AS value FROM events`)).results).toEqual([[value]]);
});

test("HogQL with aliases, groups and a join of two tables", async () => {
  const text = `SELECT properties.$browser, toStartOfDay(e.timestamp) AS day, count() FROM events e
    WHERE e.properties.$browser IS NOT NULL GROUP BY properties.$browser, day ORDER BY count() DESC`;
  const { columns, results } = await answer(text);
  expect(columns).toEqual(["$browser", "day", "count()"]);
  expect(results).toEqual([["Firefox", "2026-11-21T00:00:00.000000Z", 1]]);
  const emails = `SELECT e.person.properties.email, count() FROM events e JOIN persons p
    ON p.uuid = e.person_id WHERE p.properties.email = 'ann@x.y' GROUP BY 1`;
  expect((await answer(emails)).results).toEqual([["ann@x.y", 3]]);
});

test("a word that is not taken says what to write", async () => {
  for (const [name, advice] of Object.entries(HOGQL_REFUSED)) {
    const { status, body } = await app.run(`SELECT ${name}(event) FROM events`);
    expect({ status, body }).toMatchObject({ status: 400 });
    expect(JSON.stringify(body)).toContain(JSON.stringify(advice).slice(1, -1));
  }
  for (const [text, words] of [
    ["SELECT {plan} FROM events", "{plan} has no value"],
    ["SELECT topK(51)(event) FROM events", "at most 50"],
    ["SELECT max(properties.n) OVER () FROM events", "max(toFloat(…))"],
    ["SELECT 1 FROM events WHERE event = 'a' && event != 'b'", "joined by AND and OR"],
    ["SELECT 1 FROM events WHERE event = 'a' || event = 'b'", "joined by AND and OR"],
    ["SELECT CAST(event, 'constructor') FROM events", "a type that is written out: one of string"],
    ["SELECT constructor(event) FROM events", "constructor"],
    ["SELECT CAST(event, 'Ring') FROM events", "a type that is written out: one of string"],
    ["SELECT toDate() FROM events", "takes 1 or 2 arguments"],
    ["SELECT person.properties.email FROM groups", "person is known where FROM has events"],
  ] as const) {
    const { status, body } = await app.run(text);
    expect({ text, status }).toEqual({ text, status: 400 });
    expect(JSON.stringify(body)).toContain(words);
  }
});

test("each function of the table passes the allow-list", async () => {
  for (const [name, sql] of Object.entries(HOGQL_FUNCTIONS)) {
    for (const one of [sql].flat()) {
      const count = Math.max(0, ...[...one.matchAll(/\$(\d)/g)].map(([, at]) => Number(at)));
      const { body } = await app.run(`SELECT "${name}"(${Array(count).fill("NULL")}) FROM events`);
      expect({ name, body: JSON.stringify(body) }).not.toMatchObject({
        body: expect.stringMatching(/not allowed|not understood/),
      });
    }
  }
});
