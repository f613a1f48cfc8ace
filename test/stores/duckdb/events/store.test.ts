import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { EventStore } from "../../../../src/core/ports/events.ts";
import type { BatchEvent, BulkLoad } from "../../../../src/core/ports/loads.ts";
import { eventStore } from "../../../../src/stores/duckdb/events/store.ts";
import { removeLoad } from "../../../../src/stores/loads/loads.ts";
import { propertyColumn, SPREAD_PROPERTIES } from "../../../../src/stores/loads/person-columns.ts";
import {
  batchEvent,
  batchOf,
  columnsOf,
  loadOf,
  logBatch,
  logRecord,
  PERSON,
  projectedPerson,
} from "../../../support/data/batches.ts";
import { duckdbStore } from "../../../support/start/duckdb-store.ts";
import { readLines } from "../../../support/start/server.ts";

/** The store, and shorter ways to its loads. */
async function madeStore() {
  const made = await duckdbStore();
  return Object.assign(made, {
    load: (...batch: Parameters<typeof batchOf>): BulkLoad => loadOf(made.files, batchOf(...batch)),
    /** Another store in the same place, whose first change of all goes another way. */
    storeWhere(way: (work: () => Promise<unknown>) => Promise<never>): EventStore {
      const { duckdb, deadLetters } = made;
      let isFirst = true;
      const writeFirst: typeof duckdb.writeFirst = (work) => {
        const isOther = isFirst;
        isFirst = false;
        return isOther ? way(() => duckdb.writeFirst(work)) : duckdb.writeFirst(work);
      };
      return eventStore({ ...duckdb, writeFirst }, deadLetters);
    },
  });
}

describe("the event store on DuckDB", () => {
  test("has a load for which there is no memory, all of it, by that of a commit", async () => {
    await using made = await madeStore();
    const { load, deadLetters } = made;
    const pad = Buffer.from(crypto.getRandomValues(new Uint8Array(48_000))).toString("base64");
    const events = Array.from({ length: 120 }, (_, at) =>
      batchEvent(at + 1, { properties: { pad: `${at}${pad.slice(at)}` } }),
    );
    const large = load(1, events);

    await made.reopen(6e6);
    expect(await made.store.append(large)).toEqual({ dead: [] });
    await made.reopen();

    expect([await made.store.applied(), existsSync(deadLetters)]).toEqual([120, false]);
    expect(await made.store.counts()).toEqual({ events: 120, logs: 0 });
  });

  test("has a load once that was carried out although it failed for want of memory", async () => {
    await using made = await madeStore();
    const changes = { version: 7, persons: [projectedPerson()] };
    const first = made.load(1, [batchEvent(1)], changes);
    const store = made.storeWhere(async (work) => {
      await work();
      throw new Error("Out of Memory Error: could not allocate block");
    });
    await expect(store.append(first)).rejects.toThrow(/^Out of Memory Error/);

    expect(await store.append(first)).toEqual({ dead: [] });
    expect(await made.store.counts()).toEqual({ events: 1, logs: 0 });
    expect(await made.query("SELECT count(*)::INTEGER AS n FROM persons")).toEqual([{ n: 1 }]);
    await expect(store.append(first)).rejects.toThrow("was applied before");
  });

  test("puts the events of a person next to each other, and those of a migration by time", async () => {
    await using made = await madeStore();
    const other = PERSON.replace("0", "1");
    const events = (first: number, fields: Partial<BatchEvent>) =>
      [other, PERSON, other].map((person_id, at) => {
        const timestamp = `2026-11-0${3 - at}T00:00:00Z`;
        return { ...batchEvent(first + at, { timestamp }), person_id, ...fields };
      });

    await made.store.append(made.load(1, events(1, {})));
    await made.store.append(made.load(4, events(4, { historical: true })));

    const stored = await made.query("SELECT seq::INTEGER AS seq FROM events ORDER BY rowid");
    expect(stored.map(({ seq }) => seq)).toEqual([2, 1, 3, 6, 5, 4]);
  });
});

describe("DuckDB", () => {
  test("has hot properties as columns", async () => {
    await using duck = await madeStore();
    const properties = { $browser: "Firefox", $group_0: "x", utm_source: null, $session_id: [1] };

    const groups = { 0: "acme", 4: "42" };
    await duck.store.append(duck.load(1, [{ ...batchEvent(1, { properties }), groups }]));

    const [columns] = await duck.query(
      `SELECT "$browser" AS a, "$group_0" AS b, utm_source AS c, "$session_id" AS d,
         "$group_4" AS e FROM events`,
    );
    expect(columns).toEqual({ a: "Firefox", b: "acme", c: null, d: "[1]", e: "42" });
  });

  test("projects persons: new ones are added, known ones replaced, gone ones removed", async () => {
    await using duck = await madeStore();
    const two = ["bob", "cat"].map((id, at) => projectedPerson({ id: at + 2, distinct_ids: [id] }));
    await duck.store.append(
      duck.load(1, [batchEvent(1)], { persons: [projectedPerson(), ...two] }),
    );

    const changed = projectedPerson({
      known: true,
      ...columnsOf({}),
      distinct_ids: ["ann-2", "cat"],
    });
    await duck.store.append(
      duck.load(2, [], {
        persons: [
          { ...changed, moved: ["cat"] },
          projectedPerson({
            known: true,
            id: 2,
            ...columnsOf({ a: 1, $os: "iOS" }),
            distinct_ids: [],
          }),
        ],
        gone: [3],
      }),
    );

    expect(
      await duck.query(
        `SELECT id::INTEGER AS id, ${propertyColumn("a")} AS own, ${propertyColumn("$os")} AS sdk,
           ${SPREAD_PROPERTIES} AS properties FROM persons ORDER BY id`,
      ),
    ).toEqual([
      { id: 1, own: null, sdk: null, properties: "{}" },
      { id: 2, own: '{"a":1}', sdk: '{"$os":"iOS"}', properties: '{"a":1,"$os":"iOS"}' },
    ]);
    const ids = await duck.query("SELECT distinct_id FROM person_distinct_ids ORDER BY ALL");
    expect(ids.map(({ distinct_id }) => distinct_id)).toEqual(["ann", "ann-2", "bob", "cat"]);
    expect(await duck.store.projectionVersion()).toBe(2);
  });

  test("is brought to a later version of the persons without events", async () => {
    await using duck = await madeStore();
    await duck.store.append(duck.load(1, [batchEvent(1)], { persons: [projectedPerson()] }));
    const persons = [projectedPerson({ known: true, ...columnsOf({ n: 1 }), moved: ["ann"] })];

    const lacking = { version: 9, persons, gone: [], overrides: [], groups: [], owned: [] };
    await duck.store.applyProjection(duck.files.writeProjection(lacking));
    await duck.store.applyProjection(duck.files.writeProjection(lacking));

    const stored = `SELECT id::INTEGER AS id, ${SPREAD_PROPERTIES} AS properties FROM persons`;
    expect(await duck.query(stored)).toEqual([{ id: 1, properties: '{"n":1}' }]);
    expect(await duck.query("SELECT distinct_id FROM person_distinct_ids")).toHaveLength(1);
    expect(await duck.store.projectionVersion()).toBe(9);
  });

  test("updates no row in place, whichever changes a load has", async () => {
    await using duck = await madeStore();
    const group = {
      project_id: 1,
      type_index: 0,
      key: "acme",
      created_at: "2026-11-21T12:00:00Z",
      properties: "{}",
    };
    const to = (old_person_id: string, person_id: string) => {
      return { project_id: 1, old_person_id, person_id };
    };
    const [ann, bob] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    const persons = [projectedPerson({ known: true, moved: ["ann"] })];
    await duck.store.append(
      duck.load(1, [batchEvent(1)], {
        persons: [projectedPerson()],
        groups: [group],
        overrides: [to(PERSON, ann)],
      }),
    );
    await duck.store.append(
      duck.load(2, [batchEvent(2)], { persons, groups: [group], overrides: [to(ann, bob)] }),
    );
    const gone = { version: 9, persons: [], gone: [1], deleted: true as const };
    await duck.store.applyProjection(
      duck.files.writeProjection({ ...gone, overrides: [to(bob, ann)], groups: [], owned: [] }),
    );

    for (const table of ["meta", "events", "persons", "person_overrides", "groups"]) {
      const changed = `SELECT column_name FROM pragma_storage_info('${table}') WHERE has_updates`;
      expect(await duck.query(changed)).toEqual([]);
    }
  });

  test("stores a load of only log records once, and quarantines unreadable ones", async () => {
    await using duck = await madeStore();
    const bad = logRecord("b", { timestamp: "soon" });
    const load = loadOf(duck.files, logBatch(7, [logRecord("a"), bad, logRecord("c")]));

    expect(await duck.store.append(load)).toMatchObject({
      dead: [{ type: "unreadable_log", project_id: 1, uuid: bad.uuid, distinct_id: null }],
    });
    await expect(duck.store.append(load)).rejects.toThrow("applied before");

    expect(load).toMatchObject({ events: null, projection: null, count: 3 });
    expect(await duck.store.applied()).toBe(9);
    const rows = `SELECT seq::INTEGER AS seq, body, timestamp::VARCHAR AS time,
      ingested_at::VARCHAR AS arrived, attributes, trace_flags, severity_number FROM logs ORDER BY seq`;
    const kept = { time: "2026-11-21 11:59:59.000001", arrived: "2026-11-21 12:00:00" };
    const same = { ...kept, attributes: '{"n":1}', trace_flags: 255, severity_number: 24 };
    expect(await duck.query(rows)).toEqual([
      { seq: 7, body: "a", ...same },
      { seq: 9, body: "c", ...same },
    ]);
    expect(readLines<{ seq: number }>(duck.deadLetters).map(({ seq }) => seq)).toEqual([8]);
    await removeLoad(load);
    expect(existsSync(load.logs ?? "")).toBe(false);
  });

  test("reaches nothing outside of its directories, loads no extension, and stays so", async () => {
    await using duck = await madeStore();
    for (const sql of [
      "SELECT * FROM read_text('/etc/passwd')",
      `SELECT * FROM read_text('${duck.deadLetters}')`,
      "COPY (SELECT 1) TO '/tmp/out.csv'",
      "ATTACH '/tmp/other.duckdb'",
      "SELECT * FROM 'https://example.com/events.parquet'",
      "SELECT * FROM read_csv('s3://bucket/events.csv')",
      "INSTALL httpfs",
      "INSTALL h3 FROM community",
      "LOAD httpfs",
      "LOAD '/tmp/some.duckdb_extension'",
      "SET enable_external_access = true",
      "SET allowed_directories = ['/']",
      "SET autoinstall_known_extensions = true",
      "SET custom_extension_repository = 'https://example.com'",
      "RESET lock_configuration",
      "SET temp_directory = '/tmp'",
      "SET allowed_configs = ['threads']",
    ]) {
      const refused = await duck.query(sql).then(
        () => "it was done",
        (error: unknown) => String(error),
      );
      expect(refused).toMatch(
        /Permission Error|configuration has been locked|disabled through configuration|Cannot change/,
      );
    }
  });

  test("releases its cache while nothing runs, and answers as before", async () => {
    await using duck = await madeStore();
    const noise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(8000))).toString("hex");
    for (let first = 1; first < 2000; first += 250) {
      const events = Array.from({ length: 250 }, (_, at) =>
        batchEvent(first + at, { properties: { noise: noise() } }),
      );
      await duck.store.append(duck.load(first, events));
    }
    await duck.reopen();
    const sum = "SELECT bit_xor(hash(seq, properties)) AS sum FROM events";
    const held = async () => {
      const [row] = await duck.query(
        `SELECT sum(memory_usage_bytes)::DOUBLE AS bytes, current_setting('memory_limit') AS most
         FROM duckdb_memory()`,
      );
      return { bytes: Number(row?.["bytes"]), most: row?.["most"] };
    };
    const before = await duck.query(sum);
    const read = await held();

    const running = duck.query(sum);
    await duck.store.releaseCache();
    expect(await running).toEqual(before);
    expect((await held()).bytes).toBe(read.bytes);
    await duck.store.releaseCache();

    const left = await held();
    expect(read.bytes).toBeGreaterThan(12_000_000);
    expect(left.bytes).toBeLessThan(8_000_001);
    expect(left.most).toBe(read.most);
    expect(await duck.query(sum)).toEqual(before);
  });
});
