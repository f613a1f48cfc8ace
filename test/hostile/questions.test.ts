import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { HOSTILE_TEXTS, stored } from "../support/answers/hostile.ts";
import { type Ask, asker } from "../support/answers/requests.ts";
import { batch, event } from "../support/data/build-records.ts";
import { attributesOf, logsBody } from "../support/data/logs.ts";
import { temporaryDirectory } from "../support/start/app.ts";
import { turnOf } from "../support/start/rounds.ts";
import { PROJECT_KEY, type Server, startServer } from "../support/start/server.ts";

type Answer = { sql: string; results: { label: string; aggregated_value: number }[] };

const ENVIRONMENT = "/api/environments/1";
const ASK = `${ENVIRONMENT}/max_tools/create_and_query_insight/`;
const DRAFT = `${ENVIRONMENT}/query/draft_sql/`;
const LOGS = `${ENVIRONMENT}/logs/query/`;

/** Names of events and properties. */
const NAMES = [...new Set(HOSTILE_TEXTS.map((text) => stored(text)))].map((text) => `${text}x`);

/** A name of no language, of an event that questions see whole (decision 95). */
const LONG = "'\"\\;".repeat(1000);

let server: Server;
let ask: Ask;
const own = temporaryDirectory();

/** SQL that was shown, and what it must find. */
const shown: { sql: string; wanted: number }[] = [];

beforeAll(async () => {
  server = await startServer({ data: join(own.path, "data") });
  ask = asker(server);
  const events = NAMES.map((name) => event({ event: name, properties: { [name]: name, n: 1 } }));
  const groups = NAMES.map((name) => {
    const properties = { $group_type: "company", $group_key: name, $group_set: { [name]: name } };
    return event({ event: "$groupidentify", properties });
  });
  await server.capture(batch(...events, ...groups, event({ properties: { [LONG]: LONG } })));
  const records = NAMES.map((name) => ({
    body: { stringValue: `body of ${name}` },
    attributes: attributesOf({ [name]: name }),
  }));
  await fetch(`${server.url}/i/v1/logs?token=${PROJECT_KEY}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(logsBody(records)),
  });
  await server.stored(2 * NAMES.length + 1);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  own[Symbol.dispose]();
});

async function counted(query: object): Promise<number> {
  const { status, body } = await ask("POST", ASK, { body: { query } });
  expect([query, status]).toEqual([query, 200]);
  const { sql, results } = body as Answer;
  const wanted = results.reduce((sum, { aggregated_value }) => sum + aggregated_value, 0);
  shown.push({ sql, wanted });
  return wanted;
}

const trends = (series: object, more: object = {}) => ({
  kind: "TrendsQuery",
  series: [series],
  ...more,
});

describe("a name of an event or property is never SQL", () => {
  test("in insights, as an event, a filter, a breakdown or a number", async () => {
    for (const [at, name] of NAMES.entries()) {
      const filter = (operator: string, value: string) =>
        trends({ properties: [{ key: name, operator, value, type: "event" }] });
      const pattern = name.replace(/[!-/:-@[-`{-~]/g, "\\$&");
      const queries: [query: object, wanted: number][] = [
        [trends({ event: name, custom_name: name }), 1],
        [filter("exact", name), 1],
        [filter("icontains", name), 1],
        [filter("regex", `^${pattern}$`), 1],
        [trends({ event: name }, { breakdownFilter: { breakdown: name } }), 1],
        [trends({ event: name, math: "sum", math_property: name }), 0],
      ];
      for (const [query, wanted] of turnOf(queries, at, 6)) {
        expect([name, await counted(query)]).toEqual([name, wanted]);
      }
    }
  });

  test("in insights, of any length", async () => {
    const filter = { key: LONG, operator: "exact", value: LONG, type: "event" };
    expect(await counted(trends({ properties: [filter] }))).toBe(1);
    const all = await counted(trends({}, { breakdownFilter: { breakdown: LONG } }));
    expect(all).toBe(2 * NAMES.length + 1);
    for (const { sql } of shown.slice(-2)) {
      const query = { kind: "SQLQuery", query: sql };
      const { status } = await ask("POST", `${ENVIRONMENT}/query/`, { body: { query } });
      expect([sql, status]).toEqual([sql, 200]);
    }
  });

  test("in words, which name an event or are refused", async () => {
    for (const [at, name] of NAMES.entries()) {
      const prompts = [name, `"${name}"`, `unique users of ${name} by ${name}`];
      for (const prompt of turnOf(prompts, at, 3)) {
        const drafted = await ask("GET", `${DRAFT}?${new URLSearchParams({ prompt })}`);
        expect([200, 400]).toContain(drafted.status);
        if (drafted.status === 200) {
          shown.push({ sql: (drafted.body as Answer).sql, wanted: Number.NaN });
        }
      }
    }
  });

  test("in lists of events, which tell them as they are", async () => {
    for (const name of NAMES) {
      const found = await server.events(`&event=${encodeURIComponent(name)}`);
      expect(found).toMatchObject([{ event: name, properties: { [name]: name } }]);
    }
  });

  test("in logs, as an attribute, a service or a part of the body", async () => {
    const found = async (query: object) => {
      const { status, body } = await ask("POST", LOGS, { body: { query } });
      expect([query, status]).toEqual([query, 200]);
      return (body as { results: { body: string }[] }).results.map(({ body }) => body);
    };
    while ((await found({})).length < NAMES.length) await Bun.sleep(50);
    for (const [at, name] of NAMES.entries()) {
      const group = (filter: object) => ({ filterGroup: { type: "AND", values: [filter] } });
      const body = `body of ${name}`;
      const queries: [query: object, wanted: unknown][] = [
        [group({ key: name, operator: "exact", value: name }), [body]],
        [group({ key: name, operator: "is_set" }), [body]],
        [{ searchTerm: body }, expect.arrayContaining([body])],
        [{ serviceNames: [name] }, []],
      ];
      for (const [query, wanted] of turnOf(queries, at, 4)) {
        expect(await found(query)).toEqual(wanted as string[]);
      }
    }
  });

  test("nor is one of a group or playlist, which are found by any part of it", async () => {
    const playlists = `${ENVIRONMENT}/session_recording_playlists/`;
    for (const name of NAMES) await ask("POST", playlists, { body: { name } });

    const searched = async (path: string, search: string) => {
      const query = new URLSearchParams({ search, limit: "1000" });
      const { status, body } = await ask("GET", `${path}${query}`);
      expect([search, status]).toEqual([search, 200]);
      const { results } = body as { results: { group_key?: string; name?: string }[] };
      return results.map(({ group_key, name }) => group_key ?? name).sort();
    };
    for (const name of NAMES) {
      const search = name.slice(0, -1);
      const part = search.toLowerCase();
      const wanted = NAMES.filter((one) => one.toLowerCase().includes(part)).sort();
      const found = await searched(`${ENVIRONMENT}/groups/?group_type_index=0&`, search);
      expect([search, found]).toEqual([search, wanted]);
      expect([search, await searched(`${playlists}?`, search)]).toEqual([search, wanted]);
    }
  });

  test("in the SQL of an answer, which finds the same rows", async () => {
    const drafted = (await ask("GET", DRAFT)).body as Answer;
    expect(await server.stop()).toBe(0);
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const file = join(server.data, "events", "1.duckdb");
    const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" });
    const connection = await instance.connect();
    const run = async (sql: string) => {
      const { count } = await connection.extractStatements(sql);
      expect([sql, count]).toEqual([sql, 1]);
      return (await connection.runAndReadAll(sql)).getRowObjectsJson();
    };
    try {
      await connection.run("SET TimeZone = 'UTC'");
      // As the view has them: no blank rows (decision 95).
      await connection.run(
        'CREATE TEMP VIEW events AS SELECT * FROM "1".main.events WHERE project_id > 0',
      );
      expect(shown.filter(({ wanted }) => Number.isNaN(wanted))).not.toEqual([]);
      for (const { sql, wanted } of shown) {
        const whole = (await run(sql)).filter(({ bucket }) => bucket === null);
        const sum = whole.reduce((sum, { value }) => sum + Number(value), 0);
        if (!Number.isNaN(wanted)) expect([sql, sum]).toEqual([sql, wanted]);
      }
      const names = (await run(drafted.sql)).map(({ event }) => event as string);
      expect(names).toHaveLength(20);
      expect(
        names.filter(
          (name) => !["tested", "$groupidentify"].includes(name) && !NAMES.includes(name),
        ),
      ).toEqual([]);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  });
});
