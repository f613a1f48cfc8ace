import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EventReads, EventStore } from "../../../../src/core/ports/events.ts";
import type { BatchContent, BatchEvent, BulkLoad } from "../../../../src/core/ports/loads.ts";
import type { ProjectedPerson, ProjectionChanges } from "../../../../src/core/ports/projection.ts";
import type { JsonObject } from "../../../../src/core/values/json.ts";
import { openDuckdb, ROW_GROUP_ROWS, rows } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import { apiReads } from "../../../../src/stores/duckdb/engine/query-deadline.ts";
import { eventStore } from "../../../../src/stores/duckdb/events/store.ts";
import { eventReads } from "../../../../src/stores/duckdb/lists/events.ts";
import { loadFiles, removeLoad } from "../../../../src/stores/loads/loads.ts";
import {
  ALL_PROPERTIES,
  propertyColumn,
  propertyTexts,
} from "../../../../src/stores/loads/person-columns.ts";
import { FOREVER } from "../../../support/data/build-records.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";
import { readLines } from "../../../support/start/server.ts";

const ARRIVED = Date.parse("2026-11-21T12:00:00Z");
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const PERSON = "01a1fc9a-592b-78b3-8d80-aa75992efae9";
const PAGE = { limit: 100, offset: 0 };

async function duckdbStore(data = temporaryDirectory()) {
  const options = {
    directory: data.path,
    generation: 1,
    memory_bytes: 256_000_000,
    threads: 2,
    onFatal(error: Error) {
      throw error;
    },
  };
  let duckdb = await openDuckdb(options);
  const deadLetters = join(data.path, "dead-letters.ndjson");
  const files = loadFiles(join(data.path, "loads"), ROW_GROUP_ROWS);
  const load = (content: BatchContent): BulkLoad => {
    const [full = files.end()] = files.add(content);
    if (full === null) throw new Error("There is no load");
    return full;
  };
  return {
    store: eventStore(duckdb, deadLetters) as EventStore,
    deadLetters,
    load: (
      first: number,
      events: BatchEvent[],
      changes: Partial<ProjectionChanges> = {},
    ): BulkLoad =>
      load({
        range: { first, last: first + Math.max(events.length, 1) - 1 },
        events,
        logs: [],
        projection: {
          version: first,
          persons: [],
          gone: [],
          overrides: [],
          groups: [],
          owned: [],
          ...changes,
        },
      }),
    projectionFiles: (changes: ProjectionChanges) => files.writeProjection(changes),
    /** A load of log records alone. */
    logs: (first_seq: number, records: object[]): BulkLoad => {
      const lines = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      const count = records.length;
      const frame = { project_id: 1, arrived_at: ARRIVED, first_seq, count, lines };
      return load({
        range: { first: first_seq, last: first_seq + count - 1 },
        events: [],
        logs: [{ kind: "logs", ...frame }],
        projection: null,
      });
    },
    list: ((...asked) => eventReads(apiReads(duckdb, 600)).list(...asked)) as EventReads["list"],
    query: (sql: string) => duckdb.read((connection) => rows(connection, sql)),
    /** Another store in the same place, whose first change of all goes another way. */
    storeWhere(way: (work: () => Promise<unknown>) => Promise<never>): EventStore {
      let isFirst = true;
      const writeFirst: typeof duckdb.writeFirst = (work) => {
        const isOther = isFirst;
        isFirst = false;
        return isOther ? way(() => duckdb.writeFirst(work)) : duckdb.writeFirst(work);
      };
      return eventStore({ ...duckdb, writeFirst }, deadLetters);
    },
    /** Opens it anew, with so much memory from now on. */
    async reopen(memory_bytes = options.memory_bytes) {
      await duckdb.close();
      duckdb = await openDuckdb({ ...options, memory_bytes });
      this.store = eventStore(duckdb, deadLetters);
    },
    async [Symbol.asyncDispose]() {
      await duckdb.close();
      data[Symbol.dispose]();
    },
  };
}

function sliceEvent(
  seq: number,
  fields: Partial<BatchEvent["event"]> = {},
  project_id = 1,
): BatchEvent {
  const event = {
    uuid: Bun.randomUUIDv7(),
    event: "tested",
    distinct_id: "ann",
    timestamp: "2026-11-21T12:00:00.000000Z",
    properties: {},
    ...fields,
  };
  return {
    seq,
    project_id,
    arrived_at: ARRIVED,
    person_id: PERSON,
    event,
    groups: undefined,
    mark: 9,
    historical: false,
    line: Buffer.from(JSON.stringify(event)),
  };
}

const columnsOf = (properties: JsonObject) => {
  const { columns } = propertyTexts(properties);
  return { columns };
};

const projectedPerson = (fields: Partial<ProjectedPerson> = {}): ProjectedPerson => ({
  project_id: 1,
  id: 1,
  uuid: PERSON,
  created_at: "2026-11-21T12:00:00.000000Z",
  ...columnsOf({ email: "a@b.c", $os: "Linux" }),
  distinct_ids: ["ann"],
  moved: [],
  known: false,
  ...fields,
});

/** Every implementation of the event store, made anew. */
const IMPLEMENTATIONS = [["DuckDB", duckdbStore]] as const;

describe.each(IMPLEMENTATIONS)("the event store on %s", (_name, make) => {
  test("takes a load again for which there was no memory, all of it", async () => {
    await using made = await make();
    const { load, deadLetters } = made;
    const pad = Buffer.from(crypto.getRandomValues(new Uint8Array(48_000))).toString("base64");
    const events = Array.from({ length: 120 }, (_, at) =>
      sliceEvent(at + 1, { properties: { pad: `${at}${pad.slice(at)}` } }),
    );
    const large = load(1, events);

    await made.reopen(6e6);
    for (const _ of [1, 2]) {
      await expect(made.store.append(large)).rejects.toThrow(/^Out of Memory Error/);
    }
    await made.reopen();
    expect([await made.store.applied(), existsSync(deadLetters)]).toEqual([0, false]);

    expect(await made.store.append(large)).toEqual({ dead: [] });
    expect(await made.store.applied()).toBe(120);
    expect((await made.list(1, {}, PAGE, FOREVER)).count).toBe(120);
  }, 60_000);

  test("has a load once that was carried out although it failed for want of memory", async () => {
    await using made = await make();
    const changes = { version: 7, persons: [projectedPerson()] };
    const first = made.load(1, [sliceEvent(1)], changes);
    const store = made.storeWhere(async (work) => {
      await work();
      throw new Error("Out of Memory Error: could not allocate block");
    });
    await expect(store.append(first)).rejects.toThrow(/^Out of Memory Error/);

    expect(await store.append(first)).toEqual({ dead: [] });
    expect((await made.list(1, {}, PAGE, FOREVER)).count).toBe(1);
    expect(await made.query("SELECT count(*)::INTEGER AS n FROM persons")).toEqual([{ n: 1 }]);
    await expect(store.append(first)).rejects.toThrow("was applied before");
  });

  test("puts the events of a person next to each other, and those of a migration by time", async () => {
    await using made = await make();
    const other = PERSON.replace("0", "1");
    const events = (first: number, fields: Partial<BatchEvent>) =>
      [other, PERSON, other].map((person_id, at) => {
        const timestamp = `2026-11-0${3 - at}T00:00:00Z`;
        return { ...sliceEvent(first + at, { timestamp }), person_id, ...fields };
      });

    await made.store.append(made.load(1, events(1, {})));
    await made.store.append(made.load(4, events(4, { historical: true })));

    const stored = await made.query("SELECT seq::INTEGER AS seq FROM events ORDER BY rowid");
    expect(stored.map(({ seq }) => seq)).toEqual([2, 1, 3, 6, 5, 4]);
  });

  test("stores a load, and reads its events back as they were sent", async () => {
    await using made = await make();
    const properties = {
      $browser: "Firefox",
      $group_0: 42,
      utm_source: null,
      $session_id: { odd: [1] },
      own: "é🦔",
    };
    const event = sliceEvent(1, { properties, timestamp: "2026-11-20T01:02:03.123456Z" });

    await made.store.append(made.load(1, [event]));

    const { uuid } = event.event;
    expect(await made.list(1, {}, PAGE, FOREVER)).toEqual({
      ...{ count: 1, isMore: false },
      rows: [
        {
          seq: 1,
          uuid,
          event: "tested",
          distinct_id: "ann",
          person_id: PERSON,
          timestamp: "2026-11-20T01:02:03.123456Z",
          properties,
        },
      ],
    });
  });

  test("refuses a load that was applied before, also after it was opened anew", async () => {
    await using made = await make();
    const load = made.load(1, [sliceEvent(1), sliceEvent(2)]);
    await made.store.append(load);
    await made.reopen();

    expect(made.store.append(load)).rejects.toThrow("applied before");

    expect(await made.store.applied()).toBe(2);
    expect(await made.list(1, {}, PAGE, FOREVER)).toMatchObject({ count: 2 });
  });

  test("advances over a load without events", async () => {
    await using made = await make();
    await made.store.append(made.load(1, []));
    expect(await made.store.applied()).toBe(1);
  });

  test("tells what arrived in the window before the last event", async () => {
    await using made = await make();
    const old = { ...sliceEvent(1), arrived_at: ARRIVED - 3 * HOUR_MS };
    const young = sliceEvent(2, { uuid: "ffffffff-0000-4000-8000-0000000000ab" });
    await made.store.append(made.load(1, [old, young]));

    const entries: number[] = [];
    await made.store.seen(2 * HOUR_MS, async (chunk) => {
      entries.push(...chunk);
    });

    const uuid = [0xff_ff_ff_ff, 0x40_00, 0x80_00_00_00, 0xab];
    expect(entries).toEqual([1, ...uuid, ARRIVED / MINUTE_MS, 9]);
  });

  test("sets lines aside that it cannot read, once, and stores their neighbours", async () => {
    await using made = await make();
    const good = [sliceEvent(1), sliceEvent(3), sliceEvent(5)];
    const surrogate = {
      ...sliceEvent(2),
      line: Buffer.from('{"uuid":"x","event":"\\ud800","distinct_id":"a"}'),
    };
    const noUuid = sliceEvent(4, { uuid: "not-a-uuid" });
    const load = made.load(1, [good[0], surrogate, good[1], noUuid, good[2]] as BatchEvent[]);

    const { dead } = await made.store.append(load);

    const unread = { type: "unreadable_event" as const, project_id: 1, arrived_at: ARRIVED };
    expect(dead).toEqual([
      { ...unread, uuid: null, distinct_id: "a" },
      { ...unread, uuid: null, distinct_id: noUuid.event.distinct_id },
    ]);
    expect(await made.list(1, {}, PAGE, FOREVER)).toMatchObject({ count: 3 });
    expect(await made.store.applied()).toBe(5);
    expect(readLines<{ seq: number }>(made.deadLetters).map(({ seq }) => seq)).toEqual([2, 4]);
  });

  test("takes no event for unreadable when the load's file is what is missing", async () => {
    await using made = await make();
    const load = { ...made.load(1, [sliceEvent(1)]), events: "/nowhere/else.ndjson" };

    expect(made.store.append(load)).rejects.toThrow();

    expect(existsSync(made.deadLetters)).toBe(false);
    expect(await made.store.applied()).toBe(0);
  });
});

describe("DuckDB", () => {
  test("has hot properties as columns", async () => {
    await using duck = await duckdbStore();
    const properties = { $browser: "Firefox", $group_0: "x", utm_source: null, $session_id: [1] };

    const groups = { 0: "acme", 4: "42" };
    await duck.store.append(duck.load(1, [{ ...sliceEvent(1, { properties }), groups }]));

    const [columns] = await duck.query(
      `SELECT "$browser" AS a, "$group_0" AS b, utm_source AS c, "$session_id" AS d,
         "$group_4" AS e FROM events`,
    );
    expect(columns).toEqual({ a: "Firefox", b: "acme", c: null, d: "[1]", e: "42" });
  });

  test("projects persons: new ones are added, known ones replaced, gone ones removed", async () => {
    await using duck = await duckdbStore();
    const two = ["bob", "cat"].map((id, at) => projectedPerson({ id: at + 2, distinct_ids: [id] }));
    await duck.store.append(
      duck.load(1, [sliceEvent(1)], { persons: [projectedPerson(), ...two] }),
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
           ${ALL_PROPERTIES} AS properties FROM persons ORDER BY id`,
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
    await using duck = await duckdbStore();
    await duck.store.append(duck.load(1, [sliceEvent(1)], { persons: [projectedPerson()] }));
    const persons = [projectedPerson({ known: true, ...columnsOf({ n: 1 }), moved: ["ann"] })];

    const lacking = { version: 9, persons, gone: [], overrides: [], groups: [], owned: [] };
    await duck.store.applyProjection(duck.projectionFiles(lacking));
    await duck.store.applyProjection(duck.projectionFiles(lacking));

    const stored = `SELECT id::INTEGER AS id, ${ALL_PROPERTIES} AS properties FROM persons`;
    expect(await duck.query(stored)).toEqual([{ id: 1, properties: '{"n":1}' }]);
    expect(await duck.query("SELECT distinct_id FROM person_distinct_ids")).toHaveLength(1);
    expect(await duck.store.projectionVersion()).toBe(9);
  });

  test("shows the person who owns an event now, also after a chain of merges", async () => {
    await using duck = await duckdbStore();
    const [first, last] = ["1", "2"].map((digit) => PERSON.replace(/^0/, digit)) as [
      string,
      string,
    ];
    const to = (old_person_id: string, person_id: string) => {
      return { project_id: 1, old_person_id, person_id };
    };
    await duck.store.append(
      duck.load(1, [sliceEvent(1), { ...sliceEvent(2), person_id: Bun.randomUUIDv7() }]),
    );

    await duck.store.append(duck.load(3, [], { overrides: [to(PERSON, first)] }));
    const afterOne = await duck.list(1, { person_id: first }, PAGE, FOREVER);
    await duck.store.append(duck.load(4, [], { overrides: [to(first, last)] }));

    expect(afterOne).toMatchObject({ count: 1, rows: [{ person_id: first }] });
    expect(await duck.list(1, { person_id: last }, PAGE, FOREVER)).toMatchObject({
      count: 1,
      rows: [{ person_id: last }],
    });
    for (const person_id of [PERSON, first]) {
      expect(await duck.list(1, { person_id }, PAGE, FOREVER)).toMatchObject({ count: 0 });
    }
  });

  test("of two overrides of a person the one that comes last counts", async () => {
    await using duck = await duckdbStore();
    const [ann, bob, cai] = [Bun.randomUUIDv7(), Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    const to = (old_person_id: string, person_id: string) => {
      return { project_id: 1, old_person_id, person_id };
    };
    await duck.store.append(duck.load(1, [], { overrides: [to(PERSON, ann), to(cai, ann)] }));
    await duck.store.append(duck.load(2, [], { overrides: [to(ann, bob), to(PERSON, cai)] }));

    const stored = "SELECT old_person_id::VARCHAR AS old, person_id::VARCHAR AS id";
    expect(new Set(await duck.query(`${stored} FROM person_overrides`))).toEqual(
      new Set([
        { old: PERSON, id: cai },
        { old: cai, id: bob },
        { old: ann, id: bob },
      ]),
    );
  });

  test("changes no row where it is, whatever a load brings", async () => {
    await using duck = await duckdbStore();
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
      duck.load(1, [sliceEvent(1)], {
        persons: [projectedPerson()],
        groups: [group],
        overrides: [to(PERSON, ann)],
      }),
    );
    await duck.store.append(
      duck.load(2, [sliceEvent(2)], { persons, groups: [group], overrides: [to(ann, bob)] }),
    );
    const gone = { version: 9, persons: [], gone: [1], deleted: true as const };
    await duck.store.applyProjection(
      duck.projectionFiles({ ...gone, overrides: [to(bob, ann)], groups: [], owned: [] }),
    );

    for (const table of ["meta", "events", "persons", "person_overrides", "groups"]) {
      const changed = `SELECT column_name FROM pragma_storage_info('${table}') WHERE has_updates`;
      expect(await duck.query(changed)).toEqual([]);
    }
  });

  test("stores a load of log records alone, once, and sets aside those it cannot read", async () => {
    await using duck = await duckdbStore();
    const time = "2026-11-21T11:59:59.000001Z";
    const record = (body: string, timestamp = time) => ({
      uuid: Bun.randomUUIDv7(),
      timestamp,
      observed_timestamp: time,
      trace_id: "",
      span_id: "",
      trace_flags: 255,
      severity_text: "",
      severity_number: 24,
      level: "fatal",
      event_name: "",
      body,
      attributes: { n: 1 },
      service_name: "",
      resource_attributes: {},
      instrumentation_scope: {},
    });
    const bad = record("b", "soon");
    const load = duck.logs(7, [record("a"), bad, record("c")]);

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
    await using duck = await duckdbStore();
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

  test("lets go of what it has read, unless something runs, and answers as before", async () => {
    await using duck = await duckdbStore();
    const noise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(8000))).toString("hex");
    for (let first = 1; first < 2000; first += 250) {
      const events = Array.from({ length: 250 }, (_, at) =>
        sliceEvent(first + at, { properties: { noise: noise() } }),
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
  }, 60_000);
});
