import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { SQL_VIEWS } from "../../../../src/core/sql/tables.ts";
import type { Failure } from "../../../../src/core/values/failure.ts";
import { SQL_FUNCTIONS } from "../../../../src/stores/duckdb/sql/allowed.ts";
import { SQL_GROWTH_MAX } from "../../../../src/stores/duckdb/sql/calls.ts";
import {
  checkSql,
  SQL_COLUMNS_MAX,
  SQL_SETS_MAX,
} from "../../../../src/stores/duckdb/sql/check.ts";
import { Written } from "../../../../src/stores/duckdb/sql/hogql/written.ts";

let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
});

afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

/** Offsets of lag and lead on which DuckDB ends the process, and others that are no plain number. */
const OFFSETS = [
  "-9223372036854775808",
  "-9223372036854775807 - 1",
  "~9223372036854775807",
  "2 * -4611686018427387904",
  "CAST(1 AS BIGINT)",
  "seq",
  "1000001",
  "1.5",
  "NULL",
  "(SELECT 1)",
];

/** Statements with a query in the ORDER BY of a window: as it stands, by an alias, in EXISTS, in a call. */
const QUERIES_IN_ORDER = [
  "SELECT sum(1) OVER (ORDER BY (SELECT 1) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM events",
  "SELECT (SELECT 1) AS a, sum(1) OVER (ORDER BY a RANGE 1 PRECEDING) FROM events",
  "SELECT sum(1) OVER (ORDER BY EXISTS (SELECT 1)) FROM events",
  "SELECT sum(1) OVER w FROM events WINDOW w AS (ORDER BY 1 + abs((SELECT 1)))",
];

/** Statements with an ORDER BY in the arguments of a window function: an internal error, or the end of the process. */
const ORDERED_ARGUMENTS = [
  "SELECT nth_value(event, 2 ORDER BY seq IGNORE NULLS) OVER (ORDER BY seq) FROM events",
  "SELECT rank(ORDER BY seq) OVER (ORDER BY event ROWS BETWEEN 1 PRECEDING AND seq FOLLOWING) FROM events",
  "SELECT ntile(2 ORDER BY seq) OVER (ORDER BY event GROUPS BETWEEN seq FOLLOWING AND seq FOLLOWING) FROM events",
];

/** Returns the failure of a statement; undefined if it passes. */
async function problemOf(text: string): Promise<string | undefined> {
  const read = "SELECT json_serialize_sql($text::VARCHAR)::VARCHAR";
  const [[tree] = []] = (await connection.runAndReadAll(read, { text })).getRows();
  try {
    checkSql(JSON.parse(String(tree)), SQL_VIEWS, Written.of(text));
    return undefined;
  } catch (error) {
    const { code, attr, message } = error as Failure;
    expect({ code, attr }).toEqual({ code: "invalid_input", attr: "query__query" });
    return message;
  }
}

/** Queries of which each names the one before it in WITH. */
const chain = (first: string, each: string, count: number) =>
  `${[
    `WITH c0 AS (${first})`,
    ...Array.from({ length: count }, (_, n) => `c${n + 1} AS (${each.replaceAll("$", `c${n}`)})`),
  ].join(", ")} SELECT count(*) FROM c${count}`;

describe("allowed statements", () => {
  test.each([
    "SELECT 1",
    "FROM events",
    "TABLE persons",
    "VALUES (1, 'a'), (2, 'b')",
    `SELECT * EXCLUDE (properties) REPLACE (upper(event) AS event) FROM "Events" -- ; DROP TABLE x`,
    "SELECT e.event, p.properties->>'email', e.properties->'$.a.b' FROM events e JOIN persons p ON p.uuid = e.person_id",
    "SELECT event, count(*) AS events FROM events GROUP BY event HAVING count(*) > 1 ORDER BY events DESC LIMIT 10 OFFSET 2",
    "SELECT count(DISTINCT person_id) FILTER (WHERE event = 'a'), median(1), arg_max(event, timestamp) FROM events GROUP BY ALL",
    "WITH events AS (SELECT * FROM events WHERE event = 'a'), b(x) AS MATERIALIZED (SELECT event FROM events) SELECT * FROM b UNION ALL FROM b",
    "SELECT (SELECT max(timestamp) FROM events), EXISTS (FROM persons), event IN (SELECT event FROM events), event NOT IN ('a', 'b') FROM events",
    "SELECT sum(1) OVER (PARTITION BY event ORDER BY timestamp ROWS BETWEEN 3 PRECEDING AND CURRENT ROW), lag(event, 1, 'none') OVER w, lead(event, -2) OVER w FROM events WINDOW w AS (ORDER BY timestamp) QUALIFY row_number() OVER w = 1",
    "SELECT date_trunc('day', timestamp) AS day, extract(hour FROM timestamp), now() AT TIME ZONE 'Europe/Berlin', INTERVAL 3 DAY, DATE '2026-01-01' FROM events",
    "SELECT CASE WHEN event LIKE 'a%' THEN 1 ELSE 2 END, event ILIKE '%a', event LIKE '%a%b%c%', event SIMILAR TO '[0-9a-f]{8}.*', regexp_replace(event, '[a-z]+', '***redacted***') FROM events",
    "SELECT TRY_CAST(properties->>'n' AS DECIMAL(10, 2)), x::JSON, x::TIMESTAMPTZ, 1.5 BETWEEN 1 AND 2, x IS NOT DISTINCT FROM NULL FROM events, LATERAL (SELECT event || '!' AS x)",
    "SELECT unnest(json_keys(properties)), event FROM events",
    `SELECT properties->>'/$a', properties->>'$', properties->>'$[0]', properties->>'/${"x".repeat(9000)}' FROM events`,
    "SELECT event, distinct_id FROM events GROUP BY GROUPING SETS ((event), (distinct_id), ())",
    "SELECT event, count(*) FROM events GROUP BY ALL ORDER BY ALL DESC NULLS LAST LIMIT 3",
    // DuckDB reads it as ORDER BY ALL.
    "SELECT event FROM events ORDER BY COLUMNS(*)",
    "SELECT DISTINCT ON (event) event FROM logs SEMI JOIN events USING (uuid)",
  ])("%s", async (text) => {
    expect(await problemOf(text)).toBeUndefined();
  });
});

describe("refused statements, with name and place", () => {
  test.each([
    ["SELECT 1; SELECT 2", "One SELECT is expected."],
    ["", "One SELECT is expected."],
    ["DROP TABLE events", "DROP is not taken: SQL only reads here."],
    ["SELEC 1", 'The SQL is not understood at "SELEC" (line 1, column 1).'],
    ["SELECT\n 'é', getenv('HOME')", 'The function "getenv" is not allowed. (line 2, column 7)'],
    [
      "SELECT * FROM duckdb_settings",
      'There is no table "duckdb_settings": there are events, persons, person_distinct_ids, groups, sessions, logs. (line 1, column 15)',
    ],
    ["SELECT * FROM main.events", 'There is no table "main.events"'],
    ["SELECT * FROM a.main.events", 'There is no table "main.events"'],
    [
      "SELECT main.abs(1), other.abs(1)",
      'The function "abs" is not allowed. There are: abs, acos. (line 1, column 21)',
    ],
    ["SELECT main.events.event FROM events", "A column is named by one table at most."],
    ["SELECT * FROM range(5000)", "at most 4,096 of them"],
    ["SHOW TABLES", "SHOW is not allowed in FROM."],
    ["DESCRIBE events", "SHOW is not allowed in FROM."],
    ["SUMMARIZE events", "SHOW is not allowed in FROM."],
    ["SELECT * FROM (PIVOT events ON event IN ('a') USING count(*))", "PIVOT is not allowed"],
    ["SELECT $1", "NAMED PARAM is not allowed here."],
    ["SELECT ?", "NAMED PARAM is not allowed here."],
    ["SELECT list_transform([1], x -> list_filter([2], y -> y > x))", "One lambda within another"],
    [
      "SELECT list_transform([event], x -> x || distinct_id) FROM events",
      "takes the values of its list",
    ],
    [
      "SELECT list_filter([event], x -> x = properties) FROM events",
      "takes the values of its list",
    ],
    [
      `SELECT list_transform([event], x -> x || '${"a".repeat(17)}') FROM events`,
      "at most 16 characters",
    ],
    ["SELECT list_transform([event], (x, i) -> i) FROM events", "A lambda has one name"],
    [
      "SELECT list_transform([1], x -> x) FILTER (WHERE getenv('a') = 'b') FROM events",
      'The function "getenv" is not allowed.',
    ],
    ["SELECT range(seq) FROM events", "numbers that are written out"],
    ["SELECT range(1, 1000000, 1)", "at most 4,096 of them"],
    ["SELECT approx_top_k(event, 51) FROM events", "at most 50"],
    ["SELECT approx_top_k(properties, 50) FROM events", "may become at most 64 times longer"],
    ["SELECT x -> x + 1", "A lambda is taken by arrayMap"],
    ["SELECT {'a': 1}", 'The function "struct_pack" is not allowed.'],
    ["SELECT COLUMNS(*) FROM events", "COLUMNS is not allowed here."],
    ["SELECT count(COLUMNS(*)) FROM events", "STAR is not allowed."],
    ["SELECT event FROM events ORDER BY COLUMNS('e.*')", "is not allowed"],
    ["SELECT event FROM events ORDER BY *", "STAR is not allowed."],
    ["SELECT sum(1) OVER (ORDER BY ALL) FROM events", "is not"],
    ["SELECT #1 FROM events", "POSITIONAL REFERENCE is not allowed."],
    ["SELECT event COLLATE nocase FROM events", "COLLATE is not allowed."],
    ["SELECT NULL::INTEGER[100000]", "This type is not allowed."],
    ["SELECT NULL::STRUCT(a INTEGER)", "This type is not allowed."],
    ["SELECT 1::nothing", "This type is not allowed."],
    ["SELECT 1::BIT", "This type is not allowed."],
    ["SELECT * FROM events TABLESAMPLE 10%", "SAMPLE is not allowed here."],
    ["SELECT * FROM events AT (VERSION => 1)", "AT is not allowed here."],
    ["SELECT * FROM events POSITIONAL JOIN logs", "POSITIONAL JOIN is not allowed."],
    ["SELECT * FROM events ASOF JOIN logs USING (timestamp)", "ASOF JOIN is not allowed."],
    ...OFFSETS.map((offset): [string, string] => [
      `SELECT lag(event, ${offset}) OVER () FROM events`,
      "The offset of lag and lead must be a whole number up to 1,000,000.",
    ]),
    ...QUERIES_IN_ORDER.map((statement): [string, string] => [
      statement,
      "A query within the ORDER BY of a window is not allowed.",
    ]),
    ["WITH RECURSIVE a AS (SELECT 1 UNION ALL FROM a) FROM a", "RECURSIVE CTE is not"],
    [
      "SELECT sum(1) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES)",
      "EXCLUDE is not allowed in a window.",
    ],
    ...ORDERED_ARGUMENTS.map((statement): [string, string] => [
      statement,
      "ORDER BY is not allowed in the arguments of a window function.",
    ]),
    ["SELECT TRY(event) FROM events GROUP BY event", "TRY is not allowed."],
    ["SELECT count(DISTINCT event) OVER () FROM events", "DISTINCT is not allowed here."],
    ["SELECT median(1) OVER ()", 'The function "median" has no OVER here.'],
    ["SELECT max(event, 1000000) FROM events", 'The function "max" takes at most 1 arguments.'],
    ["SELECT arg_max(event, 1, 9) FROM events", 'The function "arg_max" takes at most 2'],
    ["SELECT event LIKE distinct_id FROM events", "Here a text is expected that is written out."],
    ["SELECT event LIKE '%a_%b' FROM events", "has at most one % before its end"],
    ["SELECT event ILIKE '%a%b%' FROM events", "has at most one % before its end"],
    ["SELECT event LIKE '%a%b%' ESCAPE '!' FROM events", "has at most one % before its end"],
    ["SELECT event ~ distinct_id FROM events", "Here a text is expected that is written out."],
    ["SELECT event ~ '(a{9}){9}' FROM events", "A regular expression has at most 256 characters"],
    ["SELECT event ~ 'a{60}b{5,9}' FROM events", "A regular expression has at most 256 characters"],
    [`SELECT event ~ '${"a".repeat(257)}' FROM events`, "A regular expression has at most 256"],
    ["SELECT properties->'$..*' FROM events", "A path has no wildcard."],
    ["SELECT properties->'$..b' FROM events", "A path has no wildcard."],
    ["SELECT event LIKE 'a' ESCAPE 'ab' FROM events", "ESCAPE is one character."],
    [
      "SELECT properties->>'$current_url' FROM events",
      "A key that begins with $ is written with a slash before it: '/$current_url'. (line 1",
    ],
    ["SELECT json_exists(properties, '$it''s a/b~c')", "before it: '/$it''s a~1b~0c'."],
    [`SELECT properties->'$${"x".repeat(300)}' FROM events`, "with a slash before it."],
    ["SELECT json_extract(properties, event) FROM events", "Here a text is expected"],
    ["SELECT replace(event, 'a', distinct_id) FROM events", "Here a text is expected"],
    [`SELECT strftime(timestamp, '${"%A".repeat(600)}') FROM events`, "at most 1024 characters"],
  ])("%s", async (text, problem) => {
    expect(await problemOf(text)).toContain(problem);
  });

  test("names of queries are those before, and not of themselves", async () => {
    expect(await problemOf("WITH a AS (FROM b), b AS (SELECT 1) FROM a")).toContain('table "b"');
    expect(await problemOf("WITH a AS (FROM a) FROM a")).toContain('no table "a"');
    expect(await problemOf("FROM (WITH a AS (SELECT 1) FROM a), a")).toContain('no table "a"');
    expect(await problemOf("WITH pg_class AS (FROM pg_class) SELECT 1 FROM pg_class")).toContain(
      'no table "pg_class"',
    );
  });

  test("letters beyond ASCII are not the ASCII letters that DuckDB would see", async () => {
    const kelvin = "\u212a";
    expect(kelvin.toLowerCase()).toBe("k");
    expect(
      await problemOf(`WITH "duc${kelvin}db_tables" AS (SELECT 1) FROM duckdb_tables`),
    ).toContain('no table "duckdb_tables"');
  });

  test("a row is no value, by any name", async () => {
    for (const text of [
      "SELECT events FROM events",
      "SELECT e FROM events AS e",
      "SELECT a FROM (SELECT 1) AS a",
      "SELECT 1 AS e, e FROM events e",
      "SELECT (SELECT e) FROM events e",
      "WITH a AS (SELECT 1) SELECT count(a) FROM a",
    ]) {
      expect(await problemOf(text)).toContain("is the name of a table, not of a column.");
    }
    expect(await problemOf("SELECT count(*) AS e FROM events e ORDER BY e")).toBeUndefined();
  });
});

describe("growing values are bounded", () => {
  test.each([
    ["tables", chain("FROM events", "SELECT 1 FROM $ a, $ b", 7)],
    ["rows on top of each other", chain("SELECT 1", "FROM $ UNION ALL FROM $", 7)],
    ["unused queries", `${chain("FROM events", "SELECT 1 FROM $ a, $ b", 7)} x, c0 y`],
    ["columns of the same list", `SELECT 1 AS a0, ${doubled((n) => `a${n}+a${n} AS a${n + 1}`)}`],
    ["values", `SELECT ${Array(70).fill("(SELECT 1 FROM events)").join(", ")}`],
  ])("%s", async (_, text) => {
    expect(await problemOf(text)).toContain("too large once its names are written out");
  });

  test("named queries count where they are used, and sets of queries have more room", async () => {
    const used = chain("FROM events", "SELECT * FROM $", 40);
    const sets = (from: string) => Array(64).fill(`SELECT 1 FROM ${from}`).join(" UNION ALL ");
    const tooLarge = "too large once its names are written out";

    expect(await problemOf(used)).toBeUndefined();
    expect(await problemOf(sets("events, persons"))).toBeUndefined();
    expect(await problemOf(sets("events, persons, groups"))).toContain(tooLarge);
    expect(await problemOf(`SELECT 1 FROM (${sets("events")})`)).toContain(tooLarge);
  });

  test.each(["UNION", "UNION ALL BY NAME", "EXCEPT", "INTERSECT ALL"])(
    "SELECTs of %s",
    async (set) => {
      const sets = (count: number) => Array(count).fill("SELECT * FROM persons").join(` ${set} `);

      expect(await problemOf(sets(SQL_SETS_MAX))).toBeUndefined();
      expect(await problemOf(sets(100))).toStartWith(
        `UNION, EXCEPT and INTERSECT combine at most ${SQL_SETS_MAX} SELECTs, not 100: `,
      );
    },
  );

  test("columns", async () => {
    const text = chain("SELECT 1 AS a", "SELECT *, * FROM $", 11);
    expect(await problemOf(text)).toContain(`at most ${SQL_COLUMNS_MAX} columns`);
  });

  test.each([
    ["a query upon another", chain("SELECT event AS x FROM events", "SELECT x||x AS x FROM $", 7)],
    [
      "the same list",
      `SELECT event AS a0, ${doubled((n) => `a${n}||a${n} AS a${n + 1}`)} FROM events`,
    ],
    ["one call", `SELECT concat(${Array(65).fill("event").join(", ")}) FROM events`],
    ["separators", `SELECT concat_ws(${Array(33).fill("event").join(", ")}) FROM events`],
    ["replacing", `SELECT replace(event, 'a', '${"b".repeat(64)}') FROM events`],
    [
      "replacing twice",
      "SELECT replace(replace(event, 'a', 'bbbbbbbb'), 'b', 'cccccccc') FROM events",
    ],
    ["a pattern", `SELECT regexp_replace(event, '', '${"b".repeat(64)}', 'g') FROM events`],
    ["adding long ones", `SELECT ${Array(6).fill("properties::VARCHAR").join(" || ")} FROM events`],
    ["replacing in a long one", "SELECT replace(body, 'a', 'bbbbbb') FROM logs"],
    ["a list of all properties", "SELECT CAST(properties AS VARCHAR[]) FROM events"],
    [
      "a property of a long one under another name",
      `SELECT replace(properties->>'a', 'a', 'bbbbbb') FROM (SELECT attributes AS properties FROM logs)`,
    ],
    [
      "a property of an alias",
      "SELECT attributes AS properties, replace(properties->>'a', 'a', 'bbbbbb') FROM logs",
    ],
    [
      "adding long ones under another name",
      `WITH few AS (SELECT body AS text FROM logs) SELECT concat(${Array(6).fill("text").join(", ")}) FROM few`,
    ],
    ["a text written out", `SELECT event || '${"x".repeat(65_000)}' FROM events`],
    [
      "a query in an expression",
      `SELECT concat(${Array(65).fill("(SELECT max(event) FROM events)").join(", ")})`,
    ],
  ])("texts, by %s", async (_, text) => {
    const grown = `at most ${SQL_GROWTH_MAX} times longer`;
    expect(await problemOf(text)).toMatch(new RegExp(`${grown}|too large once`));
  });

  test("texts may be put together, also of properties", async () => {
    const text = `SELECT event || ': ' || (properties->>'a') || (properties->>'b') || "$os",
      concat_ws('-', properties->>'a', properties->>'b'), replace(properties->>'a', 'x', 'yy')
      FROM events`;
    expect(await problemOf(text)).toBeUndefined();
  });

  test.each([
    ["sums", `SELECT 1${"+1".repeat(60)}`],
    ["calls", `SELECT ${"abs(".repeat(61)}1${")".repeat(61)}`],
    ["queries", `SELECT ${"(SELECT ".repeat(7)}1${")".repeat(7)}`],
    ["more than the parser reads", `SELECT 1${"+1".repeat(1100)}`],
    [
      "brackets that the parser does not read",
      `SELECT ${"(".repeat(11_000)}1${")".repeat(11_000)}`,
    ],
    ["columns of the same list", `SELECT 1 AS a0, ${doubled((n) => `a${n}+1+1+1+1 AS a${n + 1}`)}`],
  ])("depth, of %s", async (_, text) => {
    expect(await problemOf(text)).toContain("At most 60 parts may stand within each other.");
  });

  test("sets that are grouped by", async () => {
    const columns = Array.from({ length: 7 }, (_, n) => `'${n}'`).join(", ");
    const text = `SELECT 1 FROM events GROUP BY CUBE(${columns})`;
    expect(await problemOf(text)).toContain("grouping sets");
  });
});

function doubled(each: (n: number) => string): string {
  return Array.from({ length: 16 }, (_, n) => each(n)).join(", ");
}

test("every function on the list is one of DuckDB's", async () => {
  const found = await connection.runAndReadAll(
    "SELECT DISTINCT function_name FROM duckdb_functions()",
  );
  const known = new Set(found.getRows().map(([name]) => String(name)));
  // The others are macros of the connection.
  const names = [...SQL_FUNCTIONS.keys()].filter((name) => !name.startsWith("hoglet_"));
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});
