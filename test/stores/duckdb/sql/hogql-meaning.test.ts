import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlApp } from "../../../support/answers/sql.ts";
import { batch, event } from "../../../support/data/build-records.ts";

let app: Awaited<ReturnType<typeof sqlApp>>;

const VISITS: [session: string, at: string, name: string, properties: object][] = [
  ["paid", "10:00:00.900", "$pageview", { $current_url: "https://s.x/a", utm_medium: "cpc" }],
  ["paid", "10:00:10.100", "$pageview", { $current_url: "https://s.x/b" }],
  ["paid", "10:00:10.200", "sold", { $current_url: "https://s.x/b", words: "red big red" }],
  ["found", "11:00:00.900", "$pageview", { $referring_domain: "www.google.de", gclid: "" }],
  ["found", "11:00:10.100", "asked", { words: "red" }],
  ["mail", "12:00:00.000", "$pageview", { utm_medium: "E-Mail", utm_source: "crm" }],
  ["here", "13:00:00.000", "$pageview", { $referring_domain: "$direct" }],
  ["friend", "14:00:00.000", "$pageview", { $referring_domain: "blog.example" }],
  ["social", "15:00:00.000", "$pageview", { utm_source: "Instagram", utm_medium: "paid_social" }],
  ["click", "16:00:00.000", "$pageview", { gclid: "x1", $referring_domain: "duckduckgo.com" }],
];

beforeAll(async () => {
  app = await sqlApp();
  const events = VISITS.map(([$session_id, at, name, more]) =>
    event({
      event: name,
      distinct_id: `visitor ${$session_id}`,
      timestamp: `2026-11-15T${at}Z`,
      properties: { $session_id, $groups: name === "sold" ? { company: "acme" } : {}, ...more },
    }),
  );
  await app.capture(batch(...events));
});

afterAll(() => app[Symbol.asyncDispose]());

const rowsOf = async (text: string) => {
  const { status, body } = await app.run(text);
  expect({ text, status, body }).toMatchObject({ status: 200 });
  return (body as { results: unknown[][] }).results;
};

const VALUES: Record<string, [sql: string, value: unknown][]> = {
  "values of a list stay as JSON has them": [
    [
      `JSONExtractArrayRaw('["a", {"b": [1, 2]}, null, 1.5, true, [[]]]')`,
      ['"a"', '{"b":[1,2]}', "null", "1.5", "true", "[[]]"],
    ],
    [`has(JSONExtractArrayRaw('["a"]'), '"a"')`, true],
    [`JSONExtractArrayRaw('{"x": ["é"]}', 'x')`, ['"é"']],
    [`JSONExtractArrayRaw('{"x": {"y": [7]}}', 'x', 'y')[1]`, "7"],
    [`length(JSONExtractArrayRaw('{"x": 1}'))`, 0],
    [`JSONExtract('["a", 7]', 'Array(String)')`, ["a", "7"]],
    [`JSONExtract('{"x": ["é"]}', 'x', 'Array(String)')`, ["é"]],
    [`JSONExtract('{"x": "7.9"}', 'x', 'Int64')`, 7],
    [`JSONExtract('{"x": 7.5}', 'x', 'Nullable(Float64)')`, 7.5],
    [`JSONExtract('{"x": true}', 'x', 'Bool')`, true],
  ],
  "numbers, texts and lists are written as ClickHouse writes them": [
    ["0xFf + 0b11", 258],
    ["1e2 + 1E-1 + 1. + .5", 101.6],
    ["toString(round(7.8)) || toString(9 / 3) || toString(2.5) || toString(4.00)", "832.54"],
    ["toString(-0.125) || toString(12) || toString(1 = 1)", "-0.12512true"],
    [`JSON_VALUE('{"x": {"y": "z"}}', '$.x.y')`, "z"],
    [`JSON_VALUE('{"x": {"y": "z"}}', '$.x')`, null],
    ["arrayMap(n->-n, [3, -4])", [-3, 4]],
    ["char(66)", "B"],
    ["dateSub('week', 1, toDate('2026-11-22')) = toDate('2026-11-15')", true],
    ["date_sub('hour', 2, toDateTime('2026-11-22')) = '2026-11-21 22:00:00'", true],
    ["date_add('month', 1, toDate('2026-11-22')) = '2026-12-22'", true],
    ["1 IN []", false],
    ["'a' NOT IN []", true],
  ],
  "bytes and characters": [
    ["length('東京')", 6],
    ["length('')", 0],
    ["length(['東', '京', ''])", 3],
    ["lengthUTF8('東京')", 2],
    ["substringUTF8('東京都', 2, 1)", "京"],
    ["positionUTF8('東京都', '都')", 3],
    ["reverseUTF8('東京')", "京東"],
    ["leftUTF8('東京', 1) || rightUTF8('東京', 1)", "東京"],
    ["upperUTF8('é')", "É"],
  ],
  "numbers, bits and addresses": [
    ["[positiveModulo(-3, 5), positiveModulo(7, -5), positiveModulo('-8', 5)]", [2, 2, 2]],
    ["[intDiv(7.5, 2), intDivOrZero(7, 2), intDivOrZero(7, 0), moduloOrZero(7, 0)]", [3, 3, 0, 0]],
    ["[intDiv(-7, 2), intDiv(9007199254740993, 1) % 10]", [-3, 3]],
    ["[isZeroOrNull(NULL), isZeroOrNull(0), isZeroOrNull(3)]", [true, true, false]],
    ["[ifNotFinite(1 / 0, 3), ifNotFinite(NULL, 3), ifNotFinite(2, 3)]", [3, null, 2]],
    ["[exp2(3), exp10(2), hypot(3, 4), log1p(0), floor(e())]", [8, 100, 5, 0, 2]],
    ["[bitAnd(6, 3), bitOr(6, 3), bitXor(6, 3), bitCount(7)]", [2, 7, 5, 3]],
    ["pathFull('https://a.b.uk:80/x?y=1#z')", "/x?y=1#z"],
    ["[port('https://a.b:8080/x'), port('https://a.b/x')]", [8080, 0]],
    ["[topLevelDomain('https://a.b.uk:80/x'), topLevelDomain('http://10.0.0.1/')]", ["uk", ""]],
    ["decodeURLFormComponent('a+b%20c') || encodeURLFormComponent('a b')", "a b ca+b"],
    ["splitByWhitespace('  a b  c ')", ["a", "b", "c"]],
    ["alphaTokens('ab1cd')", ["ab", "cd"]],
    ["toUnixTimestamp64Milli(toDateTime('2026-01-01 00:00:01'))", 1_767_225_601_000],
    ["fromUnixTimestamp64Milli(1767225601500)", "2026-01-01T00:00:01.500000Z"],
    ["timeSlot(toDateTime('2026-01-01 00:44:01'))", "2026-01-01T00:30:00.000000Z"],
    ["subDate(addDate(toDate('2026-01-30'), INTERVAL 1 MONTH), INTERVAL 1 DAY)", "2026-02-27"],
  ],
  "more names of ClickHouse": [
    ["toFloat64OrNull('x')", null],
    ["toFloat32OrNull('1.5')", 1.5],
    ["toFloat64OrZero('x')", 0],
    ["toInt64OrNull('')", null],
    ["toUInt16OrZero('7.9')", 7],
    ["toUUIDOrNull('x')", null],
    ["extractAll('a1b22', '[0-9]+')", ["1", "22"]],
    ["extractAll('a1b22', '([a-z])[0-9]')", ["a", "b"]],
    ["truncate(3.77, 1)", 3.7],
    ["trunc(-3.7)", -3],
    ["toRelativeWeekNum(toDate('1970-01-04'))", 0],
    ["toRelativeWeekNum(toDate('1970-01-05'))", 1],
    ["toRelativeDayNum(toDate('1970-02-01'))", 31],
    ["toRelativeMonthNum(toDate('2026-11-30')) - toRelativeMonthNum(toDate('2025-12-01'))", 11],
    ["toRelativeQuarterNum(toDate('2026-10-01')) - 2026 * 4", 3],
    ["toRelativeHourNum(toDateTime('1970-01-02 01:59:59'))", 25],
  ],
  "dates stay dates": [
    ["toDate('2026-03-31') + INTERVAL 1 MONTH", "2026-04-30"],
    ["toDate('2026-03-31') - INTERVAL 1 QUARTER", "2025-12-31"],
    ["toDate('2026-12-28') + INTERVAL 90 MINUTE", "2026-12-28T01:30:00.000000Z"],
    ["subtractMonths(toDate('2026-03-31'), 1)", "2026-02-28"],
    ["addHours(toDate('2026-01-01'), 5)", "2026-01-01T05:00:00.000000Z"],
    ["3 + toDate('2026-05-05')", "2026-05-08"],
    ["toDate('2026-05-05') - toDate('2026-05-01')", 4],
    ["least(toDate('2026-01-02'), toDate('2026-01-01')) + 1", "2026-01-02"],
    ["if(1 = 1, toDate('2026-01-01'), toDate('2026-02-01')) + INTERVAL 1 DAY", "2026-01-02"],
    ["dateTrunc('quarter', toDateTime('2026-08-17 10:00:00'))", "2026-07-01"],
    ["date_trunc('year', toDateTime('2026-08-17 10:00:00'))", "2026-01-01"],
    ["dateTrunc('hour', toDateTime('2026-08-17 10:20:00'))", "2026-08-17T10:00:00.000000Z"],
    ["toStartOfInterval(toDateTime('2026-05-06 10:47:00'), INTERVAL 1 WEEK)", "2026-05-04"],
    ["toStartOfInterval(toDateTime('2026-05-06 10:47:00'), INTERVAL 3 MONTH)", "2026-04-01"],
    [
      "toStartOfInterval(toDateTime('2026-05-06 10:47:00'), toIntervalDay(2))",
      "2026-05-05T00:00:00.000000Z",
    ],
    ["toWeek(toDate('2026-01-01'))", 0],
    ["toISOWeek(toDate('2026-01-01'))", 1],
  ],
  "a number added to a time is of seconds": [
    ["addDays('2026-01-31', 1)", "2026-02-01T00:00:00.000000Z"],
    ["toDateTime('2026-01-01 00:01:00') - 30", "2026-01-01T00:00:30.000000Z"],
    ["toDateTime('2026-01-01 00:01:00') - toDateTime('2026-01-01 00:00:00')", 60],
  ],
  "dateDiff counts what is crossed": [
    ["dateDiff('week', toDate('2026-01-04'), toDate('2026-01-05'))", 1],
    ["dateDiff('week', toDate('2026-01-19'), toDate('2026-01-04'))", -3],
    ["dateDiff('quarter', toDate('2026-03-31'), toDate('2026-04-01'))", 1],
    ["dateDiff('year', toDate('2025-12-31'), toDate('2026-01-01'))", 1],
    [
      "dateDiff('day', toDateTime('2026-03-01 23:00:00'), toDateTime('2026-03-02 01:00:00'), 'Europe/Berlin')",
      0,
    ],
  ],
  "numbers are rounded as in ClickHouse, and no number is null": [
    ["[round(0.5), round(1.5), round(-2.5), round(0.125, 2), round(7)]", [0, 2, -2, 0.12, 7]],
    ["round(toDecimal64(2.5, 1))", 3],
    ["round(1250, -2)", 1300],
    ["[1 / 0, 0 / 0, 2]", [null, null, 2]],
    ["log(0)", null],
    ["[log(1), log10(100), floor(2.57, 1), ceil(2.51, 1)]", [0, 2, 2.5, 2.6]],
  ],
  tuples: [
    ["(1, 'a')", [1, "a"]],
    ["(1, (2, 'b')).2.2", "b"],
    ["tupleElement((5, 'x'), 1)", 5],
    ["arrayMap(x -> x.2, arraySort(x -> x.1, [(3, 'c'), (1, 'a')]))", ["a", "c"]],
    [
      "arrayReverseSort(x -> x.2, [(1, 'a'), (2, 'b')])",
      [
        [2, "b"],
        [1, "a"],
      ],
    ],
    [
      "arrayZip([1, 2], ['a', 'b'])",
      [
        [1, "a"],
        [2, "b"],
      ],
    ],
  ],
  lists: [
    ["arrayCumSum([1, 2, 3, 4])", [1, 3, 6, 10]],
    ["arrayDifference([1, 4, 9])", [0, 3, 5]],
    ["arrayEnumerate(['a', 'b'])", [1, 2]],
    ["arrayDistinct([3, 1, 3, 2])", [3, 1, 2]],
    ["arrayAvg(x -> x * 10, [1, 2])", 15],
    ["arrayMax(x -> x * 2, [3, 1])", 6],
    ["arraySlice([1, 2, 3, 4], 1, -1)", [1, 2, 3]],
    ["arrayPopFront([1, 2])", [2]],
    ["arrayFirstIndex(x -> x > 1, [1, 2])", 2],
    ["arrayLast(x -> x < 3, [1, 2, 3])", 2],
    ["arrayCount([1, 0, 1])", 2],
    ["arrayExists([0, 1])", true],
    ["arrayReduce('max', [1, 5])", 5],
    ["arrayIntersect([1, 2, 3], [2, 3], [3])", [3]],
    ["arrayMap((x, y) -> x * y, [1, 2], [3, 4])", [3, 8]],
    ["arrayFilter((x, y) -> y > 3, ['a', 'b'], [3, 4])", ["b"]],
    ["arrayFirst((x, y) -> y = 4, ['a', 'b'], [3, 4])", "b"],
    ["arraySort((x, y) -> -y, ['a', 'b'], [3, 4])", ["b", "a"]],
  ],
};

describe.each(Object.entries(VALUES))("%s", (_, values) => {
  test.each(values)("%s", async (sql, value) => {
    expect(await rowsOf(`SELECT ${sql}`)).toEqual([[value]]);
  });
});

const ROWS: [text: string, rows: unknown[][]][] = [
  [
    "SELECT max(b - a) FROM (SELECT min(timestamp) AS a, max(timestamp) AS b FROM events GROUP BY distinct_id)",
    [[180]],
  ],
  [
    "SELECT toDate('2026-01-01') AS d, d + 7 AS e, addMonths(e, 1)",
    [["2026-01-01", "2026-01-08", "2026-02-08"]],
  ],
  [
    "WITH m AS (SELECT max(toStartOfMonth(timestamp)) AS d FROM events) SELECT d - 1 FROM m",
    [["2026-10-31"]],
  ],
  [
    "SELECT day + INTERVAL 1 WEEK FROM (SELECT toDate(timestamp) AS day FROM events) GROUP BY day ORDER BY day",
    [["2026-11-22"], ["2026-11-28"]],
  ],
  ["SELECT max(timestamp) - min(timestamp) FROM events WHERE event = '$pageview'", [[21_599.1]]],
  [
    "SELECT arrayJoin([1, 2, 2]) AS x, count() GROUP BY x ORDER BY x",
    [
      [1, 1],
      [2, 2],
    ],
  ],
  [
    "SELECT arrayJoin([1, 2]) AS a, arrayJoin(['x', 'y']) AS b ORDER BY a, b",
    [
      [1, "x"],
      [1, "y"],
      [2, "x"],
      [2, "y"],
    ],
  ],
  [
    "SELECT upper(arrayJoin(splitByChar(' ', coalesce(properties.words, '')))) AS word, count() FROM events WHERE word != '' GROUP BY word ORDER BY word",
    [
      ["BIG", 1],
      ["RED", 3],
    ],
  ],
  [
    "SELECT p.1, p.2 FROM (SELECT arrayJoin(groupArray((event, n))) AS p FROM (SELECT event, count() AS n FROM events WHERE event IN ('sold', '$pageview') GROUP BY event)) ORDER BY 2",
    [
      ["sold", 1],
      ["$pageview", 8],
    ],
  ],
  [
    "SELECT uniq(event, properties.$session_id), count(DISTINCT event, distinct_id), uniqIf(event, properties.words, event = 'sold') FROM events WHERE distinct_id LIKE 'visitor %'",
    [[9, 9, 1]],
  ],
  [
    "WITH v AS (SELECT 1 FROM events WHERE event = '$pageview'), s AS (SELECT 1 FROM events WHERE event = 'sold') SELECT (SELECT count() FROM v) AS a, (SELECT count() FROM s) AS b, round(b / a * 100, 1) AS rate, a - b",
    [[8, 1, 12.5, 7]],
  ],
  [
    "SELECT (SELECT count() FROM events WHERE event = 'sold') AS s, event, count() / s FROM events WHERE event = '$pageview' GROUP BY event",
    [[1, "$pageview", 8]],
  ],
  [
    "SELECT properties.words AS w, uniq(w), countIf(w = 'red') FROM events WHERE w IS NOT NULL GROUP BY w ORDER BY w",
    [
      ["red", 1, 1],
      ["red big red", 1, 0],
    ],
  ],
  [
    "SELECT groupArray(event) AS l, length(l) AS n FROM events GROUP BY distinct_id HAVING n > 2 ORDER BY length(l)",
    [[["$pageview", "$pageview", "sold"], 3]],
  ],
  [
    "SELECT $group_0 AS g, count(), countIf(properties.$group_0 IS NULL) FROM events WHERE $group_0 != '' OR event = 'asked' GROUP BY g ORDER BY g",
    [
      ["", 1, 1],
      ["acme", 1, 0],
    ],
  ],
  ["SELECT count() FROM events WHERE event = 'sold' AND elements_chain != ''", [[0]]],
  [
    "SELECT session_id, $session_duration, duration, $is_bounce, $num_uniq_urls, length($urls) FROM sessions WHERE session_id IN ('paid', 'found') ORDER BY 1",
    [
      ["found", 9.2, 9.2, true, 0, 0],
      ["paid", 9.3, 9.3, false, 2, 2],
    ],
  ],
  ["SELECT avg(session.$session_duration) FROM events WHERE event = 'sold'", [[9.3]]],
  [
    "SELECT session_id, $channel_type FROM sessions ORDER BY 1",
    [
      ["click", "Paid Search"],
      ["found", "Organic Search"],
      ["friend", "Referral"],
      ["here", "Direct"],
      ["mail", "Email"],
      ["paid", "Paid Unknown"],
      ["social", "Paid Social"],
    ],
  ],
  [
    "SELECT session.$channel_type, $channel_type FROM events WHERE event = 'asked'",
    [["Organic Search", "Organic Search"]],
  ],
];

test.each(ROWS)("%s", async (text, rows) => {
  expect(await rowsOf(text)).toEqual(rows);
});

test("days of another zone are dates, too", async () => {
  await app.app.projects.change(1, { timezone: "Asia/Tokyo" });
  expect(
    await rowsOf(`SELECT toDate(timestamp) + 1, toStartOfDay(timestamp) + INTERVAL 1 DAY,
      dateTrunc('week', timestamp), dateDiff('week', timestamp, timestamp + INTERVAL 12 HOUR)
      FROM events WHERE session.session_id = 'mail'`),
  ).toEqual([["2026-11-16", "2026-11-16T00:00:00.000000+09:00", "2026-11-09", 1]]);
  await app.app.projects.change(1, { timezone: "UTC" });
});

test("the hour that a clock repeats is two, and so are its half hours", async () => {
  await app.app.projects.change(1, { timezone: "Europe/Berlin" });
  const starts = (by: string) =>
    rowsOf(`SELECT toStartOfInterval(addMinutes(toDateTime('2026-10-25 01:59:00'), 30 * number), ${by})
      FROM numbers(6)`);
  const at = (time: string, offset = "+01:00") => [`2026-10-25T${time}:00.000000${offset}`];
  const [one, two] = [at("02:00", "+02:00"), at("02:00")];
  const first = at("01:00", "+02:00");
  expect(await starts("INTERVAL 1 HOUR")).toEqual([first, one, one, two, two, at("03:00")]);
  const halves = [at("01:30", "+02:00"), one, at("02:30", "+02:00"), two, at("02:30"), at("03:00")];
  expect(await starts("toIntervalMinute(30)")).toEqual(halves);
  await app.app.projects.change(1, { timezone: "UTC" });
});

test("words, insights and SQL read the same amounts in texts", async () => {
  const sent = ["20", "20,50", "€20", " 20 ", "1e3", true];
  const timestamp = new Date(app.clock.now).toISOString();
  await app.capture(
    batch(...sent.map((amount) => event({ event: "refund", timestamp, properties: { amount } }))),
  );
  const read = async (query: object) => {
    const asked = await app.ask("POST", "/api/environments/1/query/", { body: { query } });
    expect(asked).toMatchObject({ status: 200 });
    return (asked.body as { results: { aggregated_value: number }[] }).results[0]?.aggregated_value;
  };
  for (const [math, words, of, value] of [
    ["sum", "sum of", "sum", 1020],
    ["avg", "average", "avg", 510],
    ["max", "highest", "max", 1000],
  ] as const) {
    const series = [{ kind: "EventsNode", event: "refund", math, math_property: "amount" }];
    expect(await read({ kind: "TrendsQuery", series })).toBe(value);
    const query = `${words} amount of refund last 7 days`;
    expect(await read({ kind: "WordsQuery", query })).toBe(value);
    const sql = `SELECT ${of}(toFloat(properties.amount)) FROM events WHERE event = 'refund'`;
    expect(await rowsOf(sql)).toEqual([[value]]);
  }
});

test("a text has the bytes and signs that are written", async () => {
  const [row] = await rowsOf(String.raw`SELECT '\xc3\xa9\x41\e\'', 1 AS ${'`a"b`'}`);
  expect(row).toEqual(["éA\x1b'", 1]);
});

test.each([
  [{ filters: { dateRange: { date_from: "-3d" } } }, "query__filters", "{filters}"],
  [
    { filters: { properties: [{ key: "a", value: "b", operator: "exact", type: "event" }] } },
    "query__filters",
    "{filters}",
  ],
  [{ filters: { colour: "red" } }, "query__filters__colour", "dateRange"],
  [{ values: { limit: 3 } }, "query__values", "{limit}"],
  [{ variables: { a: { code_name: "tier", value: 1 } } }, "query__variables", "{variables.tier}"],
])("%j is refused where the SQL does not use it", async (fields, attr, words) => {
  const query = { kind: "HogQLQuery", query: "SELECT 1", ...fields };
  const { status, body } = await app.ask("POST", "/api/environments/1/query/", { body: { query } });
  expect({ status, body }).toMatchObject({ status: 400, body: { attr } });
  expect((body as { detail: string }).detail).toContain(words);
});

test("empty filters change nothing, and no value is in an empty list", async () => {
  const filters = { dateRange: { date_from: null, date_to: null }, properties: [] };
  for (const fields of [{ filters }, { filters: {} }, { values: {} }, { variables: {} }]) {
    const query = { kind: "HogQLQuery", query: "SELECT 1", ...fields };
    const asked = await app.ask("POST", "/api/environments/1/query/", { body: { query } });
    expect(asked).toMatchObject({ status: 200, body: { results: [[1]] } });
  }
  const query = "SELECT countIf(event IN {names}), countIf(event NOT IN {names}) > 0 FROM events";
  const body = { query: { kind: "HogQLQuery", query, values: { names: [] } } };
  const asked = await app.ask("POST", "/api/environments/1/query/", { body });
  expect(asked).toMatchObject({ status: 200, body: { results: [[0, true]] } });
});

test.each([
  ["a date_from beside dateRange", { date_from: "-7d" }, "dateRange"],
  ["a created_before within it", { dateRange: { created_before: "x" } }, "date_from"],
  ["a cohort", { properties: [{ type: "cohort", key: "id", value: 1 }] }, "conditions"],
])("{filters} with %s is refused with what to write", async (_, filters, words) => {
  const query = { kind: "HogQLQuery", query: "SELECT 1 FROM events WHERE {filters}", filters };
  const { status, body } = await app.ask("POST", "/api/environments/1/query/", { body: { query } });
  expect({ status, body }).toMatchObject({ status: 400 });
  expect((body as { detail: string }).detail).toContain(words);
});

test.each([
  [String.raw`SELECT 'C:\'`, "A backslash is written"],
  [String.raw`SELECT '\0'`, "code 0"],
  [String.raw`SELECT '\xff'`, "no character in UTF-8"],
  ["SELECT toInt(properties.words) IN (3, 'x') FROM events", "at 'x'"],
  ["SELECT count() FROM events WHERE properties['words']", 'at "words"'],
  ["SELECT properties.words::Int FROM events", "A text is no number: toFloat"],
  ["SELECT toTimeZone(now(), 'Asia/Soul')", "A time zone is not known."],
  ["SELECT toTimeZone(timestamp, properties.tz) FROM events", "A zone is written out"],
  [
    "SELECT toStartOfInterval(toTimeZone(timestamp, 'Asia/Seoul'), INTERVAL 2 HOUR) FROM events",
    "write toStartOfHour(time, 'Asia/Seoul')",
  ],
  ["SELECT 0xZZ", '"0xZZ" is no number'],
  ["SELECT count() FROM events WHERE 3days > 1", '"3days" is no number'],
  ["SELECT toString(groupArray(event)) FROM events", "arrayStringConcat(list, ',')"],
  ["SELECT toString(splitByChar(',', event)) FROM events", "toJSONString(list)"],
  ["SELECT toDate('22.11.2026')", "A text is no time"],
  ["SELECT parseDateTimeBestEffort('tomorrow')", "A text is no time"],
  ["SELECT [n + 1 for n in [1, 2]]", "arrayMap(x -> f(x), list)"],
  ["SELECT ('a', 'b').7", "A tuple has no part 7"],
  ["SELECT * FROM persons, persons", "twice in FROM"],
  ["SELECT formatDateTime(timestamp, '%Y %L') FROM events", "no %L"],
  ["SELECT count() FROM events WHERE event = 'a' XOR event = 'b'", "write a != b"],
  ["SELECT 9 DIV 2 FROM events", "write intDiv(a, b)"],
  ["SELECT count() FROM events WHERE event <=> 'a'", "IS NOT DISTINCT FROM"],
  ["SELECT count() FROM events WHERE !(event = 'a')", "write NOT"],
  ["SELECT count() FROM events WHERE inCohort(person_id, 4)", "there are no cohorts"],
  ["SELECT simpleLinearRegression(1, 2) FROM events", "regr_slope(y, x)"],
  ["INSERT INTO events VALUES (1)", "INSERT is not taken"],
  ["/* a */ alter TABLE events DELETE WHERE 1", "ALTER is not taken"],
  ["WITH a AS (SELECT 1) DELETE FROM events", "DELETE is not taken"],
  ["SELECT 1; DROP TABLE events", '"DROP" after the semicolon'],
  ["SELECT event + 1 FROM events", '"+" does not take the types String, Int64'],
  ["SELECT toDate(now()) + toDate(now())", '"+" does not take the types Date, Date'],
  ["SELECT arraySum('a')", "takes another list, at arraySum"],
  ["SELECT if(event = 'a', 1, [1]) FROM events", "type Array(Int64) does not go with one of Int64"],
  ["SELECT concat(event, [1]) FROM events", "type String does not go with one of Array(Int64)"],
  ["SELECT [1, 'big']", "at 'big'"],
  ["SELECT event.x FROM events", '"event" has no part "x".'],
  ["SELECT now()::BLOB", "There are: String, Bool, UUID, Date"],
  ["SELECT arraySumm([1])", "There are: arraySum, arrayCumSum,"],
  ["SELECT local(event) FROM events", 'The function "local" is not allowed.'],
  ["SELECT $num_urls FROM sessions", 'Similar names: "$num_uniq_urls"'],
  ["SELECT arrayCumSum(range(1500))", "arrayCumSum takes at most 1000 values"],
])("%s is refused with the part and in words of HogQL", async (text, words) => {
  const { status, body } = await app.run(text);
  expect({ text, status }).toEqual({ text, status: 400 });
  const { detail } = body as { detail: string };
  expect(detail).toContain(words);
  expect(detail).not.toMatch(
    /BIGINT|VARCHAR|DOUBLE|STRUCT|list_|->>|CAST|current_local|"[^"]*, ?$/,
  );
});

const NEGATED: [sql: string, value: unknown][] = [
  ["NOT properties.gone", true],
  ["not(properties.gone)", true],
  ["NOT toBool(properties.gone)", true],
  ["NOT properties.gone > 5", true],
  ["NOT properties.gone <= 5 AND NOT (properties.gone) < 2", true],
  ["NOT properties.gone = 'x'", true],
  ["NOT 7 > 5", false],
  ["not 3 >= 5 and 1 < 2", true],
  ["arrayFilter(x -> NOT x > 2, [1, 2, 3])", [1, 2]],
  ["if(NOT properties.gone, 'no', 'yes')", "no"],
  ["CASE properties.gone WHEN 'x' THEN 1 ELSE 2 END", 2],
];

test.each(NEGATED)("NOT of a missing value is true: %s", async (sql, value) => {
  expect(await rowsOf(`SELECT any(${sql}) FROM events`)).toEqual([[value]]);
  if (typeof value !== "boolean") return;
  const [counts] = await rowsOf(`SELECT countIf(${sql}), count() FROM events`);
  const [met] = await rowsOf(`SELECT count() FROM events WHERE ${sql}`);
  expect([met?.[0], counts?.[0]]).toEqual(value ? [counts?.[1], counts?.[1]] : [0, 0]);
});
