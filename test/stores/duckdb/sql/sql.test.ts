import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL_VIEWS } from "../../../../src/core/sql/allowed.ts";
import { groupColumn, HOT_PROPERTIES } from "../../../../src/stores/loads/event-lines.ts";
import { filesIn, MARKER, sqlApp } from "../../../support/answers/sql.ts";
import { rounds, seedOf } from "../../../support/start/rounds.ts";

/** Statements that are tried. */
const STATEMENTS = rounds(250, 20_000);
const SEED = seedOf(1);

let app: Awaited<ReturnType<typeof sqlApp>>;

beforeAll(async () => {
  app = await sqlApp({ flags: { "--query-seconds": "5" } });
});

afterAll(() => app[Symbol.asyncDispose]());

describe("the views", () => {
  test("have every property that is a column", () => {
    const names = Object.keys(SQL_VIEWS["events"] ?? {});
    const hot = [...HOT_PROPERTIES, ...[0, 1, 2, 3, 4].map(groupColumn)];
    expect(names.slice(names.indexOf("properties") + 1)).toEqual(hot);
  });

  test("have the columns that they are said to have, of those types", async () => {
    for (const [view, columns] of Object.entries(SQL_VIEWS)) {
      const { body } = await app.run(`SELECT * FROM ${view} LIMIT 0`);
      const said = Object.entries(columns).map(([name, { type }]) => [name, type]);
      expect((body as { types: unknown }).types).toEqual(said);
    }
  });
});

/** Numbers that look random, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One statement; `forbidden` tells whether anything of it may not run, by how it was made. */
type Statement = { text: string; forbidden: boolean };

/** Makes statements of every part of the grammar, one in some with a part that is not allowed. */
function statements(random: () => number, files: string) {
  let forbidden = false;
  let ctes: string[] = [];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const chance = (share: number) => random() < share;
  const some = (max: number, make: () => string) =>
    Array.from({ length: 1 + Math.floor(random() * max) }, make);
  const bad = (text: string) => {
    forbidden = true;
    return text;
  };

  const TYPES = ["VARCHAR", "INTEGER", "DOUBLE", "JSON", "DATE", "DECIMAL(9, 2)", "UUID"];
  const BAD_TYPES = ["INTEGER[5]", "STRUCT(a INTEGER)", "BIT", "BLOB", "MAP(INTEGER, INTEGER)"];
  const BAD_CALLS = [
    ...["getenv('HOME')", "repeat('a', 9)", "range(9)", "current_setting('threads')", "list(1)"],
    ...[`read_text('${join(files, "planted.txt")}')`, "main.read_csv('a')", "error('x')", "(1, 2)"],
    ...["string_agg(event)", "{'a': 1}", "lpad('a', 9, 'b')", "nextval('a')", "query('SELECT 1')"],
    ...["$1", "#1", "COLUMNS(*)", "lambda x: x", "event COLLATE nocase", "printf('%d', 1)"],
  ];
  const BAD_TABLES = [
    ...["events_1.main.events", "main.events", "memory.main.events", "system.main.duckdb_settings"],
    ...["person_overrides", "meta", "migration", "sqlite_master", "duckdb_tables", "pg_class"],
    ...["information_schema.tables", "pragma_database_list", "range(9)", "duckdb_settings()"],
    ...[`'${join(files, "planted.csv")}'`, `read_csv('${join(files, "planted.csv")}')`],
    ...[
      `glob('${files}/*')`,
      `"${join(files, "planted.json")}"`,
      "unnest([1])",
      "query('SELECT 1')",
    ],
    ...["(SHOW TABLES)", "(DESCRIBE events)", "(PIVOT events ON event USING count(*))"],
    ...["events TABLESAMPLE 50%", "events POSITIONAL JOIN logs"],
  ];
  const BAD_STATEMENTS = [
    ...["COPY events TO", "ATTACH", "EXPORT DATABASE", "CREATE TABLE t AS SELECT 1 AS", "LOAD"],
  ].map((words) => `${words} '${join(files, "made")}'`);

  const SHARE = 0.01;

  /** Returns one of them; the result may be forbidden. */
  const one = (makers: (() => string)[]): string => pick(makers)();

  const text = (depth: number): string => {
    if (chance(SHARE)) return bad(pick(BAD_CALLS));
    if (depth <= 0) return pick(["event", "distinct_id", "'view'", "''", "'é%_'", "NULL"]);
    return one([
      () => pick(["event", "distinct_id"]),
      () => `${pick(["lower", "upper", "md5", "reverse", "trim"])}(${text(depth - 1)})`,
      () => `(${text(depth - 1)} || ${text(depth - 1)})`,
      () => `concat(${some(3, () => text(depth - 1)).join(", ")})`,
      () => `CASE WHEN ${truth(depth - 1)} THEN ${text(depth - 1)} ELSE ${text(depth - 1)} END`,
      () => `${text(depth - 1)}[${pick(["1", "2:3", ":-1"])}]`,
      () => `[${text(depth - 1)}, ${text(depth - 1)}][1]`,
      () => `array_to_string(string_split(event, '${pick(["i", ""])}')[1:2], '-')`,
      () => `(properties->>'${pick(["plan", "$.a", "/n", "x*"])}')`,
      () => `TRY_CAST(${text(depth - 1)} AS ${type()})::VARCHAR`,
      () => `coalesce(${text(depth - 1)}, ${number(depth - 1)}::VARCHAR)`,
      () => `replace(${text(depth - 1)}, 'v', 'w')`,
      () => `strftime(timestamp, '%Y')`,
      () => `(SELECT max(${text(depth - 2)}) FROM ${source(depth - 2)})`,
    ]);
  };

  const type = () => (chance(SHARE) ? bad(pick(BAD_TYPES)) : pick(TYPES));

  const number = (depth: number): string => {
    if (chance(SHARE)) return bad(pick(BAD_CALLS));
    if (depth <= 0) return pick(["1", "-2.5", "NULL", "length(event)", "1e3", ".5e-7"]);
    return one([
      () => `length(${text(depth - 1)})`,
      () => `(${number(depth - 1)} ${pick(["+", "-", "*", "/", "%"])} ${number(depth - 1)})`,
      () => `TRY_CAST(${text(depth - 1)} AS DOUBLE)`,
      () => `extract(${pick(["day", "hour"])} FROM timestamp)`,
      () =>
        `(SELECT ${pick(["count", "sum", "avg"])}(1) FROM ${source(depth - 2)} WHERE ${truth(depth - 2)})`,
    ]);
  };

  function truth(depth: number): string {
    if (chance(SHARE)) return bad(`${pick(BAD_CALLS)} = 1`);
    if (depth <= 0) return pick(["true", "event = 'view'", "distinct_id <> ''", "NULL"]);
    return one([
      () => `(${text(depth - 1)} ${pick(["=", "<", "<>", "IS DISTINCT FROM"])} ${text(depth - 1)})`,
      () => `(${truth(depth - 1)} ${pick(["AND", "OR"])} NOT ${truth(depth - 1)})`,
      () => `(${text(depth - 1)} ${pick(["", "NOT "])}IN (${some(3, () => text(0)).join(", ")}))`,
      () => `(${text(depth - 1)} IN (SELECT ${text(depth - 2)} FROM ${source(depth - 2)}))`,
      () => `(${number(depth - 1)} BETWEEN ${number(depth - 1)} AND ${number(depth - 1)})`,
      () => `(${text(depth - 1)} ${pick(["LIKE", "NOT LIKE", "ILIKE"])} '${pick(["v%", "%e_"])}')`,
      () => `regexp_matches(${text(depth - 1)}, '${pick(["^v", "[a-z]{2}", "é|e"])}')`,
      () => `((${text(depth - 1)}, 1) ${pick(["=", "<", "IN"])} ((${text(depth - 1)}, 2)))`,
      () => `list_contains([${text(depth - 1)}], 'view')`,
      () => `EXISTS (${rows(depth - 2)})`,
      () => `(${text(depth - 1)} IS NOT NULL)`,
    ]);
  }

  const name = () => pick(["events", "EVENTS", '"events"', ...ctes]);

  /** A table with the columns that expressions name. */
  function source(depth: number): string {
    if (chance(SHARE * 2)) return bad(pick(BAD_TABLES));
    if (depth <= 0) return name();
    const times = "properties, created_at AS timestamp";
    return one([
      name,
      name,
      () => `(${rows(depth - 1)}) AS ${pick(["a", "b", "events"])}`,
      () => `(SELECT key AS event, key AS distinct_id, ${times} FROM groups) g`,
      () => `(SELECT 'p' AS event, uuid::VARCHAR AS distinct_id, ${times} FROM persons)`,
      () =>
        `(SELECT body AS event, level AS distinct_id, attributes AS properties, timestamp FROM logs)`,
      () =>
        `(SELECT a.* FROM ${name()} a ${pick(["", "LEFT ", "SEMI "])}JOIN ${name()} b ON a.event = b.event)`,
      () => `(SELECT a.* FROM ${name()} a, LATERAL (SELECT a.event AS x) b)`,
      () =>
        "(VALUES ('x', 'v', '{}'::JSON, now()::TIMESTAMP)) v(event, distinct_id, properties, timestamp)",
    ]);
  }

  function select(depth: number): string {
    const items = chance(0.2)
      ? "event, distinct_id, properties, timestamp"
      : `${text(depth)} AS event, ${text(depth)} AS distinct_id, properties, timestamp`;
    const parts = [
      `SELECT ${chance(0.1) ? "DISTINCT " : ""}${items} FROM ${source(depth)}`,
      chance(0.4) ? `WHERE ${truth(depth)}` : "",
      chance(0.1) ? "QUALIFY row_number() OVER (PARTITION BY event ORDER BY timestamp) = 1" : "",
      chance(0.2) ? `ORDER BY ${pick(["1", "event DESC", "length(event)"])}` : "",
      chance(0.3) ? `LIMIT ${pick(["5", "10%", "3 OFFSET 1"])}` : "",
    ];
    return parts.filter(Boolean).join(" ");
  }

  function rows(depth: number): string {
    const outer = ctes;
    let head = "";
    if (depth > 0 && chance(0.3)) {
      const named = pick(["c", "events", "persons", "x"]);
      const recursive = chance(SHARE * 3) ? bad("RECURSIVE ") : "";
      const body = recursive === "" ? rows(depth - 1) : `SELECT 1 UNION ALL SELECT * FROM ${named}`;
      head = `WITH ${recursive}${named} AS (${body}) `;
      ctes = [...ctes, named];
    }
    const set = pick(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]);
    const made = chance(0.15)
      ? `${head}(${select(depth - 1)}) ${set} (${select(depth - 1)})`
      : `${head}${select(depth)}`;
    ctes = outer;
    return made;
  }

  const whole = (): string =>
    one([
      () => rows(3),
      () => `SELECT * FROM ${source(3)}`,
      () => `SELECT ${text(2)} AS t, count(*), sum(${number(2)}) FROM ${source(2)} GROUP BY ALL`,
      () =>
        `SELECT event, sum(1) OVER (ORDER BY ${text(1)}), lag(event) OVER (ORDER BY timestamp) FROM ${source(2)}`,
      () =>
        `SELECT event, distinct_id, count(*) FILTER (WHERE ${truth(2)}) FROM ${source(2)} GROUP BY ROLLUP (event, distinct_id) HAVING count(*) > 0`,
    ]);

  return (): Statement => {
    forbidden = false;
    ctes = [];
    let made = whole();
    if (chance(SHARE)) made = bad(pick(BAD_STATEMENTS));
    if (chance(SHARE)) made = bad(`${made}; ${made}`);
    if (chance(0.1)) made = made.replace(/ /g, pick(["\n", " /* ; */ ", "\t", " -- x\n"]));
    return { text: made, forbidden };
  };
}

describe("random statements", () => {
  test(`run nothing that is not allowed, in ${STATEMENTS} statements`, async () => {
    const next = statements(randomOf(SEED), app.files);
    const before = filesIn(app.files);
    const tally = { ran: 0, refused: 0, forbidden: 0 };
    for (let n = 0; n < STATEMENTS; n++) {
      const { text, forbidden } = next();

      const { status, body } = await app.run(text);

      const said = JSON.stringify(body);
      const allowed = forbidden ? [400] : [200, 400];
      if (!allowed.includes(status) || said.includes(MARKER)) {
        expect({ n, text, forbidden, status, said }).toBeUndefined();
      }
      if (forbidden) tally.forbidden += 1;
      else if (status === 200) tally.ran += 1;
      else tally.refused += 1;
    }
    expect(filesIn(app.files)).toEqual(before);
    expect(await app.run("SELECT count(*) FROM events")).toMatchObject({
      status: 200,
      body: { results: [[5]] },
    });
    // Statements that only fail would prove little.
    expect(tally.ran).toBeGreaterThan(STATEMENTS / 10);
    expect(tally.forbidden).toBeGreaterThan(STATEMENTS / 20);
  }, 3_600_000);
});
