import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SqlLimits, SqlReads } from "../../../../src/core/ports/sql.ts";
import {
  SQL_ANSWER_BYTES_MAX,
  SQL_BYTES_MAX,
  SQL_RUNNING_MAX,
  SQL_WAITING_MAX,
  sql,
} from "../../../../src/core/sql/sql.ts";
import type { Failure } from "../../../../src/core/values/failure.ts";
import { filesIn, MARKER, sqlApp } from "../../../support/answers/sql.ts";
import { batch, event } from "../../../support/data/build-records.ts";
import { sqlQuery } from "../../../support/data/sql-query.ts";
import { testApp } from "../../../support/start/app.ts";
import { PERSONAL_KEY, startServer } from "../../../support/start/server.ts";

type Answer = {
  columns: string[];
  types: string[][];
  results: unknown[][];
  hogql: string;
  detail: string;
};

let app: Awaited<ReturnType<typeof sqlApp>>;

beforeAll(async () => {
  app = await sqlApp({ flags: { "--query-rows": "1000" } });
});

afterAll(() => app[Symbol.asyncDispose]());

const answer = async (text: string) => {
  const { status, body } = await app.run(text);
  expect({ text, status, body }).toMatchObject({ status: 200 });
  return body as Answer;
};
const rowsOf = async (text: string) => (await answer(text)).results;

describe("a query in SQL", () => {
  test("answers columns, types and rows, and the SQL that ran", async () => {
    expect(
      await answer("select event, count(*) as n from events group by 1 order by n desc, event"),
    ).toEqual({
      columns: ["event", "n"],
      types: [
        ["event", "VARCHAR"],
        ["n", "BIGINT"],
      ],
      results: [
        ["view", 2],
        ["$create_alias", 1],
        ["$groupidentify", 1],
        ["paid", 1],
      ],
      hogql:
        'SELECT "event", count_star() AS n FROM events GROUP BY 1 ORDER BY n DESC, "event" LIMIT 101',
      ...{ limit: 100, offset: 0, hasMore: false },
    } as never);
  });

  test("has the smallest and largest of texts, times and numbers, under their own names", async () => {
    const text = `SELECT min(event), max(e.distinct_id) FILTER (event = 'view') AS last,
      min(timestamp), upper(max(properties->>'plan')), max(DISTINCT 9007199254740993), max(NULL)
      FROM events e WHERE event IN ('view', 'paid')`;
    const { columns, results } = await answer(text);
    expect(columns).toEqual([
      "min(event)",
      "last",
      "min(timestamp)",
      "upper(max(properties->>'plan'))",
      "max(DISTINCT 9007199254740993)",
      "max(NULL)",
    ]);
    const time = "2026-11-21T11:01:00.000000Z";
    expect(results).toEqual([["paid", "phone", time, "PRO", "9007199254740993", null]]);
    const largest =
      "(SELECT max(n) FROM (SELECT max(event) AS n FROM events GROUP BY distinct_id))";
    expect(await rowsOf(`SELECT DISTINCT event FROM events WHERE event = ${largest}`)).toEqual([
      ["view"],
    ]);
    const having = "SELECT event FROM events GROUP BY event HAVING max(event) = 'paid'";
    expect(await rowsOf(having)).toEqual([["paid"]]);
    expect(await rowsOf("SELECT DISTINCT max(event) OVER () FROM events")).toEqual([["view"]]);
  });

  test("names columns of GROUP BY ALL after themselves", async () => {
    const { columns, results } = await answer(
      "select event, min(seq), count(*) from events where event = 'paid' group by all",
    );
    expect(columns).toEqual(["event", "min(seq)", "count(*)"]);
    expect(results).toEqual([["paid", 3, 1]]);
  });

  test("adds integers up beyond 64 bits, also before anybody was merged", async () => {
    await using own = await testApp();
    await own.capture(batch(...Array.from({ length: 5 }, () => event({ event: "view" }))));
    const largest = 2n ** 63n - 1n;
    const query = `select sum(${largest}), sum(distinct ${largest}), sum(${largest}) filter (seq > 3),
      sum(seq), sum(1.5) as halves from events`;
    const { body } = await own.ask("POST", "/api/environments/1/query/", {
      body: { query: { kind: "SQLQuery", query } },
    });
    const sums = [5n * largest, largest, 2n * largest].map(String);
    expect((body as Answer).results).toEqual([[...sums, 15, 7.5]]);
    const { columns } = await answer("select sum(seq), sum(seq) + 1 from events");
    expect(columns).toEqual(["sum(seq)", "sum(seq) + 1"]);
  });

  test("keeps no last text: it would not count", async () => {
    expect(await app.run("SELECT last(event) FROM events")).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("argMax(value, timestamp)") },
    });
    expect(await rowsOf("SELECT last(1) OVER () FROM events LIMIT 1")).toEqual([[1]]);
  });

  test("sees merged persons as one", async () => {
    const text = `SELECT count(DISTINCT e.person_id), min(p.properties->>'email')
      FROM events e JOIN persons p ON p.uuid = e.person_id WHERE e.event = 'view'`;
    expect(await rowsOf(text)).toEqual([[1, "ann@x.y"]]);
  });

  test("reads groups and logs, too", async () => {
    expect(await rowsOf("SELECT type_index, key, properties FROM groups")).toEqual([
      [0, "acme", { size: 7 }],
    ]);
    expect(await rowsOf("SELECT count(*) FROM logs")).toEqual([[0]]);
  });

  test("orders by all that is selected, in its order", async () => {
    const text = "FROM (VALUES (2, 'b'), (1, 'z'), (2, 'a')) AS t(n, x) SELECT n, x ORDER BY ALL";
    expect(await rowsOf(text)).toEqual([
      [1, "z"],
      [2, "a"],
      [2, "b"],
    ]);
    expect(await rowsOf(`${text} DESC LIMIT 1`)).toEqual([[2, "b"]]);
  });

  test("answers each type as JSON can say it", async () => {
    const text = `SELECT timestamp, uuid, properties->'n', properties->>'tags', "$browser",
      9007199254740993, 9007199254740991, 1.25, 0.1::DOUBLE, 'nan'::DOUBLE, true, NULL,
      DATE '2026-11-21', INTERVAL 3 DAY, json_keys('{"a":1,"b":2}'), TIMESTAMPTZ '2026-11-21 12:00:00+02'
      FROM events WHERE event = 'view' ORDER BY timestamp LIMIT 1`;
    expect(await rowsOf(text)).toEqual([
      [
        ...["2026-11-21T11:01:00.000000Z", expect.any(String), 1.5, null, "Firefox"],
        ...["9007199254740993", 9_007_199_254_740_991, 1.25, 0.1, null, true, null],
        ...["2026-11-21", "3 days", ["a", "b"], "2026-11-21T10:00:00.000000Z"],
      ],
    ]);
  });

  test("says numbers with all their digits, as texts where readers of JSON would lose some", async () => {
    const text = `SELECT 0.1 + 0.2, 1.10::DECIMAL(9, 2), 123456789012.345, 1234567890123.456,
      -9007199254740993, 9007199254740991, 0.0000001, -0.50,
      '{"id": 9007199254740993, "n": [1.50, 1e2]}'::JSON, '12345678901234567890'::JSON,
      [9007199254740993, 1], [1.50, 2]`;

    expect((await app.run(text)).text).toContain(
      `"results":[[0.3,1.10,123456789012.345,"1234567890123.456","-9007199254740993",9007199254740991,0.0000001,-0.50,{"id": 9007199254740993, "n": [1.50, 1e2]},12345678901234567890,["9007199254740993",1],[1.50,2.00]]]`,
    );
    expect((await app.run(text, "?format=csv")).text.split("\r\n")[1]).toBe(
      `0.3,1.10,123456789012.345,1234567890123.456,-9007199254740993,9007199254740991,0.0000001,-0.50,"{""id"": 9007199254740993, ""n"": [1.50, 1e2]}",12345678901234567890,"[""9007199254740993"",1]","[1.50,2.00]"`,
    );
  });

  test("takes floating numbers for such", async () => {
    const text = `SELECT 1e3, 1.5e-3, .5e0, -1e300, 1e15 * 1000000, 5e-324, 1e3 AS "x"",""value"":{"`;
    const { results, types } = await answer(text);
    expect(results).toEqual([[1000, 0.0015, 0.5, -1e300, 1e21, 5e-324, 1000]]);
    expect(types.map(([, type]) => type)).toEqual(Array(7).fill("DOUBLE"));
    const short =
      "SELECT 1.1::FLOAT, [0.1::FLOAT], 16777216::FLOAT, 3.4028235e38::FLOAT, 1e-45::FLOAT";
    expect(await rowsOf(short)).toEqual([[1.1, [0.1], 16_777_216, 3.402_823_5e38, 1e-45]]);
  });

  test("compares several values at once, and counts them", async () => {
    const events = async (where: string) =>
      (await rowsOf(`SELECT count(*) FROM events WHERE ${where}`)).flat();
    expect(await events("(event, distinct_id) = ('view', 'ann')")).toEqual([1]);
    expect(await events("(event, distinct_id) IN (('view', 'ann'), ('paid', 'bob'))")).toEqual([2]);
    expect(await events("(event, distinct_id) NOT IN (SELECT 'view', 'ann')")).toEqual([4]);
    expect(await events("(timestamp, seq) > (TIMESTAMP '2026-11-21 11:02:00', 2)")).toEqual([3]);
    expect(await rowsOf("SELECT count(DISTINCT (event, 1)) FROM events")).toEqual([[4]]);
  });

  test("has lists and slices", async () => {
    const text = `SELECT 'hello'[2:3], [1, 2, 3][:2], string_split('a/b/c', '/')[-1],
      list_contains([1, 2], 2), array_to_string(['a', 'b'], '-'), [timestamp],
      quantile_cont(seq, [0, 1]) FROM events WHERE event = 'paid' GROUP BY timestamp`;
    expect(await rowsOf(text)).toEqual([
      ["el", [1, 2], "c", true, "a-b", ["2026-11-21T11:03:00.000000Z"], [3, 3]],
    ]);
  });

  test("has statistics and bits", async () => {
    const text = `SELECT geomean(n), sem(n), mad(n), bit_and(n), bit_or(n), bit_xor(n), regr_count(n, n),
      regr_avgx(n, 1), entropy(n) FROM (VALUES (2), (8)) AS t(n)`;
    expect(await rowsOf(text)).toEqual([[4, 2.121_320_343_559_642_4, 3, 0, 10, 10, 2, 1, 1]]);
  });

  test("tells times of every kind alike", async () => {
    const text = `SELECT TIMESTAMP_S '2026-01-01 00:00:00', TIMESTAMP_MS '2026-01-01 00:00:00.123',
      TIMESTAMP_NS '2026-01-01 00:00:00.123456789', TIMESTAMP '2300-01-01 00:00:00.123457',
      TIMESTAMP '0001-01-01', TIME '10:00:00.5',
      TIMESTAMP_NS '1960-01-01 00:00:00.123456001', [TIMESTAMP_NS '2026-01-01']`;
    expect(await rowsOf(text)).toEqual([
      [
        ...["2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.123000Z"],
        ...["2026-01-01T00:00:00.123456789Z", "2300-01-01T00:00:00.123457Z"],
        ...["0001-01-01T00:00:00.000000Z", "10:00:00.5"],
        ...["1960-01-01T00:00:00.123456001Z", ["2026-01-01T00:00:00.000000000Z"]],
      ],
    ]);
  });

  test("shows what DuckDB alone takes for JSON as a text", async () => {
    expect(await rowsOf("SELECT '[NaN]'::JSON, '[1,]'::JSON")).toEqual([["[NaN]", "[1,]"]]);
  });

  test("names an endless statement", async () => {
    const text =
      "SELECT DATE '-infinity', DATE 'infinity', TIMESTAMP 'infinity', DATE '0044-03-15 (BC)'";
    expect(await rowsOf(text)).toEqual([["-infinity", "infinity", "infinity", "0044-03-15 (BC)"]]);
  });

  test.each(["DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"])(
    "tells in which direction a %s is endless",
    async (type) => {
      const ends = ["-infinity", "infinity"];
      const cast = ends.map((end) => `CAST(TIMESTAMP '${end}' AS ${type})`);
      expect(await rowsOf(`SELECT ${cast.join(", ")}`)).toEqual([ends]);
    },
  );

  test("comes as CSV, in which no cell is a formula", async () => {
    const text = "SELECT '=1+1' AS a, properties AS b FROM groups";
    const csv = await app.run(text, "?format=csv");

    expect(csv).toMatchObject({ status: 200, body: `a,b\r\n'=1+1,"{""size"":7}"\r\n` });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toBe("attachment");
  });

  test("comes as CSV of every type, quoted where it must be", async () => {
    const text = `SELECT 'a,"b"' || chr(10) || 'c' AS text, ['=1', 'é'] AS list, INTERVAL 3 DAY AS span,
      TIMESTAMP '2026-01-01 00:00:00.5' AS at, DATE '2026-01-01' AS day, true AS yes, NULL AS none,
      'null'::JSON AS nothing, '"=1"'::JSON AS json, '[-1]'::JSON AS more, -1.5 AS number,
      -9007199254740993 AS large, 'nan'::DOUBLE AS nan, '-1' AS minus`;
    const [head, ...lines] = (await app.run(text, "?format=csv")).text.split("\r\n");
    expect(head).toBe("text,list,span,at,day,yes,none,nothing,json,more,number,large,nan,minus");
    expect(lines).toEqual([
      [
        ...['"a,""b""\nc"', '"[""=1"",""é""]"', "3 days", "2026-01-01T00:00:00.500000Z"],
        ...["2026-01-01", "true", "", "", "'=1", "[-1]", "-1.5", "-9007199254740993", "", "'-1"],
      ].join(","),
      "",
    ]);
  });

  test("may be called SQLQuery, and nothing else", async () => {
    const asked = (kind: string) =>
      app.ask("POST", "/api/environments/1/query/", {
        body: { query: { kind, query: "SELECT 1" } },
      });

    expect(await asked("SQLQuery")).toMatchObject({ status: 200 });
    const refusal = { code: "invalid_choice", attr: "query__kind" };
    expect(await asked("SessionsQuery")).toMatchObject({ status: 400, body: refusal });
  });

  test.each([
    ["SELECT nothing FROM events", 'There is no column "nothing" in these tables.'],
    [
      "SELECT event FROM events GROUP BY distinct_id",
      'Add "event" to GROUP BY, or write any(event).',
    ],
    ["SELECT event FROM events WHERE event =", "The SQL ends where more is expected (line 1, "],
    ["SELECT FROM events", "SELECT has no columns."],
    ["SELECT CAST(event AS INTEGER) FROM events", "A text is no number"],
    ["SELECT NOT properties.plan FROM events", "A text stands where a condition is expected"],
    [
      "SELECT NOT NOT properties.plan FROM events",
      "compare it, as in properties.plan = 'pro', or write toBool(x)",
    ],
    [
      "SELECT event IN ('view', 7777) FROM events",
      'A text is no number, at "event": toFloat(x) and toInt(x) make it NULL, and a number among texts has quotes',
    ],
    ["SELECT event = 100 FROM events", 'A text is no number, at "event"'],
    ["SELECT toStartOfDay(5) FROM events", "A value of the type Int64 is no time"],
    ["SELECT toHour(properties) FROM events", "All properties, or a part of JSON, stand where one"],
    ["SELECT JSONExtractKeys(event) FROM events", "A text is no JSON"],
    ["SELECT arrayStringConcat(properties.plan) FROM events", "A text is no list"],
    ["SELECT indexOf([1], event) FROM events", '"indexOf" takes a list and a value of the type'],
    ["SELECT arrayReverse(event) FROM events", "write reverse(x) for a text."],
    ["SELECT lag(event) FROM events", '"lag" takes OVER: write lag(x) OVER ('],
    [
      "SELECT arrayDistinct() FROM events",
      '"arrayDistinct" takes other arguments, at arrayDistinct()',
    ],
    ["SELECT sin() FROM events", '"sin" takes at least one argument.'],
    ["SELECT acos(5) FROM events", "ACOS takes no number outside [-1,1]"],
    [
      "SELECT arrayElement([1]) FROM events",
      "takes a list and a place in it: arrayElement(list, 1).",
    ],
    ["SELECT list_extract() FROM events", "takes a list and a place in it: arrayElement(list, 1)."],
    ["SELECT sum(event) FROM events", '"sum" does not take the types String: write toFloat(x)'],
    ["SELECT date_trunc('x', timestamp) FROM events", "A part of a date is not known: year,"],
    ["SELECT (SELECT seq FROM events)", "has more than one row. Add LIMIT 1."],
    ["SELECT regexp_matches(event, '(') FROM events", "The regular expression is not understood."],
    [
      "SELECT event LIKE '!' ESCAPE '!' FROM events",
      "its pattern ends with the character of ESCAPE",
    ],
    ["SELECT event ILIKE 'a' ESCAPE 'é' FROM events", "that is no ASCII character."],
    ["SELECT strptime(event, '%Y') FROM events", "A text is not in the format"],
    [
      "SELECT 9223372036854775807 + seq FROM events",
      "A number is too large for its type: toFloat(x)",
    ],
    ["SELECT now() AT TIME ZONE event FROM events", "A time zone is not known."],
    ["SELECT lenght(event) FROM events", '"lenght" is not allowed. There are: length,'],
    ["SELECT median(seq) OVER () FROM events", 'The function "median" has no OVER here.'],
    ["SELECT event::BLOB FROM events", "This type is not allowed. There are: String, Bool,"],
    [
      "SELECT 1 FROM events WHERE (event, seq) > ('a', 1) AND (event, seq) < ('b', 1)",
      "One (a, b) is not compared with two bounds at once",
    ],
    ["SELECT 1e999", "A number in the SQL is too large."],
    ["SELECT '\0'", "A text here has NUL (\\u0000)"],
  ])("%j gets the reason", async (text, detail) => {
    const { status, body } = await app.run(text);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: "invalid_input", attr: "query__query" },
    });
    expect((body as Answer).detail).toContain(detail);
  });

  test("that DuckDB fails to plan internally is refused, and the events stay readable", async () => {
    const query = `SELECT near.late FROM events AS outside, LATERAL (
      WITH same AS (SELECT event, timestamp FROM events WHERE event = outside.event AND seq < 5)
      SELECT EXISTS (FROM same AS one WHERE one.event = two.event AND one.timestamp < two.timestamp)
        AS late FROM same AS two) AS near`;

    expect(await app.run(query)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("This statement cannot be planned") },
    });
    expect(await rowsOf("SELECT count(*) > 0 FROM events")).toEqual([[true]]);
  });

  test("that makes DuckDB say what only a lost database does, loses none", async () => {
    for (const text of [
      "SELECT 'database has been invalidated'::INTEGER",
      'SELECT * FROM "FATAL Error: has been invalidated"',
      'SELECT "INTERNAL Error" FROM events',
    ]) {
      expect(await app.run(text)).toMatchObject({ status: 400 });
    }
    expect(await rowsOf("SELECT 1")).toEqual([[1]]);
  });
});

/** The data directory and a file that is not there yet, as paths that SQL may name. */
const path = (name: string) => join(app.files, name);

const ATTACKS: [name: string, text: () => string][] = [
  ...["read_csv", "read_csv_auto", "read_text", "read_blob", "read_json", "read_parquet"].map(
    (name): [string, () => string] => [
      name,
      () => `SELECT * FROM ${name}('${path("planted.csv")}')`,
    ],
  ),
  ["parquet_scan", () => `SELECT * FROM parquet_scan('${path("planted.csv")}')`],
  ["read_ndjson_objects", () => `FROM read_ndjson_objects('${path("planted.json")}')`],
  ["glob", () => "SELECT * FROM glob('/**')"],
  ["sniff_csv", () => `SELECT * FROM sniff_csv('${path("planted.csv")}')`],
  ["a scalar read_text", () => `SELECT read_text('${path("planted.txt")}')`],
  ["a file by its name", () => "SELECT * FROM '/etc/passwd'"],
  ["a file of CSV by its name", () => `SELECT * FROM '${path("planted.csv")}'`],
  ["a file in quotes", () => `SELECT * FROM "${path("planted.csv")}"`],
  ["a file in a join", () => `SELECT 1 FROM events JOIN '${path("planted.csv")}' ON true`],
  ["COPY TO", () => `COPY (SELECT 1) TO '${path("made.csv")}'`],
  ["COPY FROM", () => `COPY events FROM '${path("planted.csv")}'`],
  ["EXPORT DATABASE", () => `EXPORT DATABASE '${path("made")}'`],
  ["IMPORT DATABASE", () => `IMPORT DATABASE '${path("made")}'`],
  ["ATTACH", () => `ATTACH '${path("made.duckdb")}' AS made`],
  ["DETACH", () => "DETACH events_1"],
  ["USE", () => "USE events_1"],
  ["INSTALL", () => "INSTALL httpfs"],
  ["LOAD", () => "LOAD httpfs"],
  ["PRAGMA", () => "PRAGMA database_list"],
  ["SET", () => "SET memory_limit = '100GB'"],
  ["RESET", () => "RESET enable_external_access"],
  ["CALL", () => "CALL pragma_version()"],
  ["CREATE SECRET", () => "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')"],
  ["CREATE MACRO", () => "CREATE MACRO f(x) AS x"],
  ["CREATE TABLE", () => "CREATE TABLE t AS SELECT 1"],
  ["CREATE OR REPLACE VIEW", () => "CREATE OR REPLACE TEMP VIEW events AS SELECT 1"],
  ["INSERT", () => "INSERT INTO events SELECT 1"],
  ["UPDATE", () => "UPDATE events SET event = 'x'"],
  ["DELETE", () => "DELETE FROM events"],
  ["DROP", () => "DROP VIEW events"],
  ["CHECKPOINT", () => "CHECKPOINT"],
  ["VACUUM", () => "VACUUM"],
  ["BEGIN", () => "BEGIN"],
  ["EXPLAIN ANALYZE", () => "EXPLAIN ANALYZE SELECT 1"],
  ["PREPARE", () => "PREPARE p AS SELECT 1"],
  ["EXECUTE", () => "EXECUTE p"],
  ["a writing WITH", () => "WITH x AS (DELETE FROM events RETURNING 1) SELECT * FROM x"],
  ["getenv", () => "SELECT getenv('HOME')"],
  ["current_setting", () => "SELECT current_setting('temp_directory')"],
  ["getvariable", () => "SELECT getvariable('a')"],
  ["a parameter", () => "SELECT $project"],
  ["duckdb_secrets", () => "SELECT * FROM duckdb_secrets()"],
  ["duckdb_settings", () => "SELECT * FROM duckdb_settings()"],
  ["duckdb_databases", () => "SELECT * FROM duckdb_databases"],
  ["pragma functions", () => "SELECT * FROM pragma_database_list"],
  ["pragma_table_info", () => "SELECT * FROM pragma_table_info('events')"],
  ["query", () => "SELECT * FROM query('SELECT 1')"],
  ["query_table", () => "SELECT * FROM query_table('events')"],
  ["json_execute_serialized_sql", () => "SELECT * FROM json_execute_serialized_sql('{}')"],
  ["sqlite_scan", () => `SELECT * FROM sqlite_scan('${app.directory}/hoglet.sqlite', 'user')`],
  ["sqlite_master", () => "SELECT * FROM sqlite_master"],
  ["information_schema", () => "SELECT * FROM information_schema.tables"],
  ["pg_catalog", () => "SELECT * FROM pg_catalog.pg_class"],
  ["SHOW", () => "SHOW ALL TABLES"],
  ["two statements", () => "SELECT 1; DROP TABLE events"],
  ["a statement after a remark", () => "SELECT 1 -- \n; DROP TABLE events"],
  ["a statement after a block", () => "SELECT 1 /* ; */ ; DELETE FROM events"],
  ["RECURSIVE", () => "WITH RECURSIVE x AS (SELECT 1 UNION ALL FROM x) SELECT * FROM x"],
  ["range", () => "SELECT len(range(1000000000000))"],
  ["range as a table", () => "SELECT count(*) FROM range(1000000000000)"],
  ["generate_series", () => "SELECT * FROM generate_series(1, 1000000000000)"],
  ["repeat", () => "SELECT repeat('a', 1000000000)"],
  ["lpad", () => "SELECT lpad('a', 1000000000, 'b')"],
  ["format", () => "SELECT format('{:1000000000d}', 1)"],
  ["printf", () => "SELECT printf('%1000000000d', 1)"],
  ["bar", () => "SELECT bar(1, 0, 1, 1000000000)"],
  ["list_resize", () => "SELECT list_resize([1], 1000000000)"],
  ["string_agg", () => "SELECT string_agg(event) FROM events"],
  ["a pattern that goes back", () => "SELECT event LIKE '%a_%a_%a_%a_%a_%b' FROM events"],
  ["a pattern of many states", () => "SELECT event ~ '((x{1,100}){1,9}y)' FROM events"],
  ["sleep", () => "SELECT sleep_ms(100000)"],
  ["a lambda", () => "SELECT list_reduce([1], lambda a, b: a + b)"],
];

const OF_OTHERS: [name: string, text: string][] = [
  ["the table itself", "SELECT * FROM events_1.main.events"],
  ["the table in its schema", "SELECT * FROM main.events"],
  ["the table of another schema", "SELECT * FROM temp.events"],
  ["the table in quotes", 'SELECT * FROM "events_1"."main"."events"'],
  ["the table as one name", 'SELECT * FROM "events_1.main.events"'],
  ["UNION", "SELECT event FROM events UNION ALL SELECT event FROM events_1.main.events"],
  ["a query in FROM", "SELECT * FROM (SELECT * FROM events_1.main.events)"],
  ["a query as a value", "SELECT (SELECT max(event) FROM events_1.main.events)"],
  ["EXISTS", "SELECT EXISTS (SELECT 1 FROM events_1.main.events WHERE project_id = 2)"],
  ["LIMIT", "SELECT event FROM events LIMIT (SELECT count(*) FROM events_1.main.events)"],
  ["ORDER BY", "SELECT 1 FROM events ORDER BY (SELECT max(event) FROM events_1.main.events)"],
  ["a window", "SELECT sum(1) OVER (ORDER BY (SELECT 1 FROM events_1.main.events)) FROM events"],
  ["VALUES", "VALUES ((SELECT max(event) FROM events_1.main.events))"],
  ["WITH", "WITH events AS (SELECT * FROM events_1.main.events) SELECT * FROM events"],
  ["an unused WITH", "WITH x AS (SELECT * FROM events_1.main.events) SELECT 1"],
  ["person_overrides", "SELECT * FROM person_overrides"],
  ["meta", "SELECT * FROM meta"],
  ["the column of projects", "SELECT * FROM events WHERE project_id = 2"],
  ["the column by its table", "SELECT stored.project_id FROM events"],
  ["a macro", "SELECT * FROM histogram_values(events, event)"],
];

describe("S25: no way out of the store", () => {
  test.each(ATTACKS)("%s is refused", async (_, text) => {
    const before = filesIn(app.files);

    const { status, body } = await app.run(text());

    expect({ text: text(), status, body }).toMatchObject({
      status: 400,
      body: { code: "invalid_input", attr: "query__query" },
    });
    expect(JSON.stringify(body)).not.toContain(MARKER);
    expect(filesIn(app.files)).toEqual(before);
    expect(existsSync(path("made.csv"))).toBe(false);
  });

  test("remarks are nothing but remarks", async () => {
    const text = "/* ; DROP TABLE events */ SELECT count(*) -- FROM '/etc/passwd'\n FROM events";
    expect(await rowsOf(text)).toEqual([[5]]);
  });
});

describe("S26: no way to another project", () => {
  test.each(OF_OTHERS)("%s is refused", async (_, text) => {
    const { status, body } = await app.run(text);

    expect({ text, status }).toMatchObject({ status: 400 });
    expect(JSON.stringify(body)).not.toContain(MARKER);
  });

  test("names that hide a view hide it from the caller alone", async () => {
    expect(await rowsOf("WITH events AS (SELECT 1 AS a) SELECT * FROM events")).toEqual([[1]]);
    expect(await rowsOf('SELECT count(*) FROM "EVENTS" AS persons')).toEqual([[5]]);
    expect(await rowsOf("SELECT count(*) FROM events")).toEqual([[5]]);
  });

  test("every view shows only the project's rows, also to expressions that fail on others", async () => {
    for (const view of ["events", "persons", "groups", "sessions", "logs"]) {
      expect(JSON.stringify(await rowsOf(`SELECT * FROM ${view}`))).not.toContain(MARKER);
    }
    const failing = `CASE WHEN distinct_id = '${MARKER}' THEN CAST(event AS INTEGER) ELSE 1 END`;
    for (const text of [
      `SELECT count(*) FROM events WHERE ${failing} = 1`,
      `SELECT sum(${failing}) FROM events`,
      `SELECT count(*) FROM events a JOIN events b ON a.uuid = b.uuid AND ${failing.replaceAll("distinct_id", "a.distinct_id").replaceAll("event", "b.event")} = 1`,
    ]) {
      expect(await rowsOf(text)).toEqual([[5]]);
    }
  });

  test("another project's key sees its own", async () => {
    const asked = { query: { kind: "HogQLQuery", query: "SELECT DISTINCT event FROM events" } };
    const { body } = await app.ask("POST", "/api/environments/2/query/", { body: asked });
    expect((body as Answer).results.flat().sort()).toEqual(["$groupidentify", MARKER]);
  });
});

/** Runs until it is ended. */
const ENDLESS = `SELECT count(*) FROM ${Array.from({ length: 30 }, (_, n) => `events e${n}`).join(", ")}`;

describe("the limits of a query", () => {
  test("its length", async () => {
    const longest = `SELECT 1${" ".repeat(SQL_BYTES_MAX - 8)}`;
    expect(await rowsOf(longest)).toEqual([[1]]);
    expect(await app.run(`${longest} `)).toMatchObject({
      status: 400,
      body: { code: "too_long", attr: "query__query" },
    });
  });

  test("its rows", async () => {
    const product = "SELECT 1 FROM events a, events b, events c, events d, events e";
    expect(await rowsOf(`${product} LIMIT 1000`)).toHaveLength(1000);
    for (const limit of ["1001", "50000", "ALL"]) {
      const { status, body } = await app.run(`${product} LIMIT ${limit} OFFSET 7`);
      const { results, ...page } = body as Answer;
      expect({ status, rows: results.length, page }).toMatchObject({
        ...{ status: 200, rows: 1000 },
        page: { limit: 1000, offset: 7, hasMore: true },
      });
    }
    for (const query of ["?format=csv", "?format=txt"]) {
      expect(await app.run(`${product} LIMIT 1001`, query)).toMatchObject({
        status: 400,
        text: expect.stringContaining("LIMIT 1000 and OFFSET 1000"),
      });
    }
  });

  test("a client that reads pages gets each row once", async () => {
    const all = "SELECT a.seq, b.seq AS other FROM events a, events b ORDER BY 1, 2";
    const whole = await rowsOf(`${all} LIMIT 1000`);
    for (const size of [1, 3, 7, 1000]) {
      const rows: unknown[][] = [];
      for (let hasMore = true; hasMore; ) {
        const { body } = await app.run(`${all} LIMIT ${size} OFFSET ${rows.length}`);
        const page = body as Answer & { hasMore: boolean };
        rows.push(...page.results);
        ({ hasMore } = page);
      }
      expect(rows).toEqual(whole);
    }
  });

  test.each(["10%", "5 + 5", "(SELECT 3)", "2.5", "-1", "'3'", "1 OFFSET 1 + 1"])(
    "LIMIT %s is refused, as its number is not known",
    async (limit) => {
      expect(await app.run(`SELECT event FROM events LIMIT ${limit}`)).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining("LIMIT 100 OFFSET 200") },
      });
    },
  );

  test("LIMIT 0 has no rows, and says that there are some", async () => {
    expect(await app.run("SELECT event FROM events LIMIT 0")).toMatchObject({
      body: { results: [], hasMore: true },
    });
  });

  test("its bytes", async () => {
    await using own = await sqlApp({ idleMs: 0 });
    const large = "x".repeat(900_000);
    const events = Array.from({ length: 20 }, () => event({ properties: { large } }));
    await own.capture(batch(...events));

    expect(await own.run("SELECT whole_properties FROM events")).toMatchObject({
      status: 400,
      body: {
        code: "invalid_input",
        detail: `The answer has more than ${SQL_ANSWER_BYTES_MAX} bytes. Select less.`,
      },
    });
  });

  test("its time, and then the next one runs", async () => {
    await using own = await sqlApp({ flags: { "--query-seconds": "1" } });

    expect(await own.run(ENDLESS)).toMatchObject({
      status: 504,
      body: {
        code: "query_timeout",
        detail: "The query took longer than 1 s. Select less.",
        attr: null,
      },
    });
    // On a busy machine even this one may take longer than a second.
    while ((await own.run("SELECT 1")).status !== 200) await Bun.sleep(20);
  });
});

/** A store in which each statement runs until it is ended. */
function endless() {
  const signals: AbortSignal[] = [];
  const reads: SqlReads = {
    names: { functions: [], types: [] },
    run: (_project, _query, { signal }: SqlLimits) => {
      signals.push(signal);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("interrupted")));
      });
    },
  };
  const memory = { used: 1000 };
  const limits = { query_seconds: 120, query_rows: 1, memory: 100 };
  const needs = {
    ...{ reads, isCatchingUp: () => false, limits, now: Date.now, timezoneOf: async () => "UTC" },
    ...{ memoryBytes: () => memory.used, memoryBytesMax: 1e9 },
  };
  return { signals, memory, queries: sql(needs) };
}

const failing = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: Failure) => ({ code: error.code, detail: error.message }),
  );

describe("queries that run", () => {
  test("are limited in number; others wait, and one beyond them is refused", async () => {
    const { queries, signals } = endless();
    const ends = Array.from(
      { length: SQL_RUNNING_MAX + SQL_WAITING_MAX },
      () => new AbortController(),
    );
    const asked = ends.map(({ signal }) => failing(queries.run(1, sqlQuery("SELECT 1"), signal)));

    const { signal } = new AbortController();
    expect(await failing(queries.run(1, sqlQuery("SELECT 1"), signal))).toEqual({
      code: "throttled",
      detail:
        "2 SQL queries run at a time, of all projects together, and up to 16 others wait for at most 10 s. Try again in a moment.",
    });
    expect(signals).toHaveLength(SQL_RUNNING_MAX);
    for (const end of ends) {
      end.abort();
      await Promise.all(asked.slice(0, ends.indexOf(end) + 1));
    }
    expect(signals.every(({ aborted }) => aborted)).toBe(true);

    const next = new AbortController();
    const started = failing(queries.run(1, sqlQuery("SELECT 1"), next.signal));
    next.abort();
    expect(await started).toMatchObject({ code: "query_timeout" });
  });

  test.each([
    ["twice what the engine may use", 1000, 200e6],
    ["that leave the machine 15 %", 700e6, 150e6],
    ["half of what the engine may use, where there was less from the beginning", 900e6, 50e6],
  ])("end when memory grows by more than %s", async (_, used, growth) => {
    const { queries, memory, signals } = endless();
    memory.used = used;
    const work = failing(queries.run(1, sqlQuery("SELECT 1"), new AbortController().signal));

    memory.used += growth - 1;
    await Bun.sleep(250);
    expect(signals[0]?.aborted).toBe(false);
    memory.used += 2;

    expect(await work).toEqual({
      code: "invalid_input",
      detail:
        "The query takes too much memory for --memory 100. Select less, or start the server with more.",
    });
    expect(signals[0]?.aborted).toBe(true);
  });

  test("are limited to the free memory, also after earlier statements", async () => {
    const { queries, memory, signals } = endless();
    const started = () =>
      failing(queries.run(1, sqlQuery("SELECT 1"), new AbortController().signal));
    const first = started();
    while (signals.length < 1) await Bun.sleep(1);
    memory.used += 200e6 + 1;
    expect(await first).toMatchObject({ code: "invalid_input" });
    memory.used = 150e6;

    const second = started();
    await Bun.sleep(250);
    expect(signals[1]?.aborted).toBe(false);
    memory.used = 250e6;
    expect(await second).toMatchObject({ code: "invalid_input" });

    expect(await started()).toMatchObject({ code: "unavailable" });
  });

  test("end when their callers go away", async () => {
    await using server = await startServer({ flags: ["--query-seconds", "120"] });
    await server.capture(batch(...Array.from({ length: 20 }, () => event())));
    await server.stored(20);
    const ask = async (text: string, signal: AbortSignal | null = null) => {
      const { status } = await fetch(`${server.url}/api/environments/1/query/`, {
        method: "POST",
        headers: { authorization: `Bearer ${PERSONAL_KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ query: { kind: "HogQLQuery", query: text } }),
        signal,
      });
      return status;
    };
    const until = async (wanted: number) => {
      while ((await ask("SELECT 1")) !== wanted) await Bun.sleep(10);
    };
    const end = new AbortController();
    const endless = Array.from({ length: SQL_RUNNING_MAX + SQL_WAITING_MAX }, () =>
      ask(ENDLESS, end.signal),
    );
    await until(429);

    end.abort();

    await Promise.allSettled(endless);
    await until(200);
  });
});
