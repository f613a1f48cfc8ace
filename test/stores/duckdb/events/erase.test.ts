import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Erasing } from "../../../../src/core/ports/erasure.ts";
import { type Duckdb, rows } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import { eventErasure } from "../../../../src/stores/duckdb/events/erase.ts";
import { recountProperties } from "../../../../src/stores/duckdb/events/property-counts.ts";
import { noteOmitted } from "../../../../src/stores/duckdb/lists/omitted-properties.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";
import { testDuckdb } from "../../../support/start/duckdb-store.ts";
import { casesOf } from "../../../support/start/rounds.ts";

/** The least that the setting takes. */
const MEMORY_BYTES = 128_000_000;
const OPTIONS = {
  isPurging: false,
  ready: async () => {},
  forget: async () => {},
  stopped: () => false,
};

let directory = temporaryDirectory();
let duckdb: Duckdb;

beforeEach(async () => {
  directory = temporaryDirectory();
  duckdb = await testDuckdb(directory.path, { memory_bytes: MEMORY_BYTES });
});

afterEach(async () => {
  await duckdb.close();
  directory[Symbol.dispose]();
});

/** Texts of 32 bytes that are stored at once. */
const TEXTS = 131_072;

/** Stores events of a hundred persons, each with a text of 32 bytes, so often. */
async function fill(count: number, repeats: number): Promise<void> {
  const rows = Math.ceil(TEXTS / repeats);
  for (let first = 1; first <= count; first += rows) {
    const last = Math.min(count, first + rows - 1);
    await duckdb.write(async (connection) => {
      await connection.run(
        `INSERT INTO events BY NAME SELECT 1 AS project_id, seq, uuid() AS uuid, 'filled' AS event,
           'user-' || seq % 100 AS distinct_id, md5('user-' || seq % 100)::UUID AS person_id,
           TIMESTAMP '2026-11-21' AS "timestamp", TIMESTAMP '2026-11-21' AS ingested_at,
           '{"pad":"' || repeat(md5(random()::VARCHAR), ${repeats}) || '"}' AS properties
         FROM (SELECT unnest(range(${first}, ${last + 1})) AS seq)`,
      );
      await connection.run("UPDATE meta SET value = $last WHERE key = 'applied_seq'", { last });
    });
  }
  await duckdb.checkpoint();
}

const taskOf = (id: number, journal_seq: number): Erasing => ({
  ...{ id, project_id: 1, distinct_ids: [`user-${id}`], journal_seq },
});

const countOf = async () => {
  const sql = "SELECT count(*)::INTEGER AS events FROM events";
  const [row] = await duckdb.read((connection) => rows(connection, sql));
  return row?.["events"];
};

/** The same store, which records the statements of a rewrite. */
function listening(run: string[]): Duckdb {
  const heard = (connection: DuckDBConnection) =>
    new Proxy(connection, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => {
          if (typeof given[0] === "string") run.push(given[0]);
          return member.apply(target, given);
        };
      },
    });
  return {
    ...duckdb,
    rewrite: (rewriting) =>
      duckdb.rewrite({
        ...rewriting,
        copy: (connection, names, part) => rewriting.copy(heard(connection), names, part),
        catchUp: (connection, names, part) => rewriting.catchUp(heard(connection), names, part),
      }),
  };
}

describe("an erasure", () => {
  test("reads the events as often for fifty tasks as for one, and writes them once", async () => {
    const count = 98_000;
    await fill(count, 1);
    const readingsOf = async (tasks: Erasing[]) => {
      const run: string[] = [];
      await eventErasure(listening(run)).erase(tasks, OPTIONS);
      return run.filter((sql) => /FROM events_\d+\.events/.test(sql)).length;
    };

    const once = await readingsOf([taskOf(0, count)]);
    expect([duckdb.generation(), await countOf()]).toEqual([2, count - count / 100]);
    const tasks = Array.from({ length: 50 }, (_, at) => taskOf(at + 1, count));
    const fifty = await readingsOf(tasks);

    expect([duckdb.generation(), await countOf()]).toEqual([3, (count / 100) * 49]);
    expect(once).toBeGreaterThan(0);
    expect(fifty).toBeLessThanOrEqual(once);
  });

  /** Numbers of events, and of pieces of their texts. */
  const TEXTS_OF_EVENTS = [
    [20_000, 320],
    [200_000, 32],
  ] as const;

  test.each(casesOf(TEXTS_OF_EVENTS.slice(0, 1), TEXTS_OF_EVENTS))(
    "of %i texts that are more than its memory finds room in that",
    async (count, repeats) => {
      await fill(count, repeats);
      expect(count * repeats * 32).toBeGreaterThan(1.5 * MEMORY_BYTES);

      await eventErasure(duckdb).erase([taskOf(0, count), taskOf(1, count)], OPTIONS);

      expect([duckdb.generation(), await countOf()]).toEqual([2, (count / 100) * 98]);
    },
  );

  test("leaves no name that only erased events omit", async () => {
    await duckdb.write(async (connection) => {
      await connection.run(
        `INSERT INTO events BY NAME SELECT 1 AS project_id, seq, uuid() AS uuid, 'e' || seq AS event,
           'user-' || seq AS distinct_id, uuid() AS person_id, TIMESTAMP '2026-11-21' AS "timestamp",
           TIMESTAMP '2026-11-21' AS ingested_at, '{"n":1}' AS properties,
           '{"n":1,"text":"long","of user ' || seq || '":"long"}' AS whole_properties
         FROM range(1, 3) AS made(seq)`,
      );
      await connection.run("UPDATE meta SET value = 2 WHERE key = 'applied_seq'");
      await recountProperties(connection, "true");
      await noteOmitted(connection, "event", {});
    });
    await eventErasure(duckdb).erase([taskOf(1, 2)], OPTIONS);
    const sql = "SELECT owner || ': ' || name AS name FROM omitted_properties ORDER BY name";
    const left = await duckdb.read((connection) => rows(connection, sql));
    expect(left.map(({ name }) => name)).toEqual(["e2: of user 2", "e2: text"]);
  });
});

test("padding rows go with the large event or record before them, or without one, and are counted as no row", async () => {
  await fill(200, 1);
  await duckdb.write(async (connection) => {
    await connection.run(`INSERT INTO events BY NAME SELECT -1 AS project_id, seq, uuid, event, '' AS distinct_id,
      person_id, "timestamp", ingested_at, '{}' AS properties
      FROM events, range(5) WHERE seq IN (3, 4, 103)`);
    // An earlier version left the padding rows of an event that it erased.
    await connection.run("DELETE FROM events WHERE seq = 103 AND project_id > 0");
    const log = (project: number, attributes: string) =>
      `SELECT ${project} AS project_id, 3 AS seq, uuid() AS uuid, TIMESTAMP '2026-11-21' AS "timestamp",
         TIMESTAMP '2026-11-21' AS observed_timestamp, TIMESTAMP '2026-11-21' AS ingested_at,
         '' AS trace_id, '' AS span_id, 0 AS trace_flags, '' AS severity_text, 0 AS severity_number, 'info' AS level,
         '' AS service_name, '' AS event_name, '' AS body, '${attributes}' AS attributes,
         '{}' AS resource_attributes, '{}' AS instrumentation_scope`;
    await connection.run(`INSERT INTO logs BY NAME ${log(1, '{"posthogDistinctId":"user-3"}')}`);
    await connection.run(`INSERT INTO logs BY NAME ${log(-1, "{}")}`);
  });
  let counted: unknown;
  const ready = async (erased: unknown) => {
    counted = erased;
  };

  await eventErasure(duckdb).erase([taskOf(3, 100)], { ...OPTIONS, ready });

  expect(counted).toEqual(new Map([[3, { events: 1, logs: 1 }]]));
  const left = await duckdb.read((connection) =>
    rows(
      connection,
      `SELECT seq::INTEGER AS seq, count(*)::INTEGER AS count FROM events WHERE project_id < 0 GROUP BY ALL
       UNION ALL SELECT 0, count(*)::INTEGER FROM logs ORDER BY seq`,
    ),
  );
  expect(left).toEqual([
    { seq: 0, count: 0 },
    { seq: 4, count: 5 },
  ]);
});
