import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BLOCK_SEQS } from "../../src/domain/seen.ts";
import { openDuckdb, rows } from "../../src/storage/duckdb.ts";
import { type EventStore, eventStore } from "../../src/storage/events.ts";
import {
  type MirrorPerson,
  type Slice,
  type SliceEvent,
  sliceFiles,
} from "../../src/storage/slices.ts";
import { temporaryDirectory } from "../support/app.ts";
import { readLines } from "../support/server.ts";

const ARRIVED = Date.parse("2026-11-21T12:00:00Z");
const HOUR_MS = 3_600_000;
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
  const files = sliceFiles(join(data.path, "slices"));
  return {
    store: eventStore(duckdb, deadLetters) as EventStore,
    deadLetters,
    slice: (
      first: number,
      events: SliceEvent[],
      persons: MirrorPerson[] = [],
      replayed = false,
    ): Slice =>
      files.write({
        range: { first, last: first + Math.max(events.length, 1) - 1 },
        events,
        persons,
        replayed,
      }),
    query: (sql: string) => duckdb.read((connection) => rows(connection, sql)),
    async reopen() {
      await duckdb.close();
      duckdb = await openDuckdb(options);
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
  fields: Partial<SliceEvent["event"]> = {},
  project_id = 1,
): SliceEvent {
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
    line: JSON.stringify(event),
  };
}

const mirror = (fields: Partial<MirrorPerson> = {}): MirrorPerson => ({
  project_id: 1,
  id: 1,
  uuid: PERSON,
  created_at: "2026-11-21T12:00:00.000000Z",
  properties: '{"email":"a@b.c"}',
  distinct_ids: ["ann"],
  known: false,
  ...fields,
});

/** Every implementation of the event store, made anew. */
const IMPLEMENTATIONS = [["DuckDB", duckdbStore]] as const;

describe.each(IMPLEMENTATIONS)("the event store on %s", (_name, make) => {
  test("stores a slice, and reads its events back as they were sent", async () => {
    await using made = await make();
    const properties = {
      $browser: "Firefox",
      $group_0: 42,
      utm_source: null,
      $session_id: { odd: [1] },
      own: "é🦔",
    };
    const event = sliceEvent(1, { properties, timestamp: "2026-11-20T01:02:03.123456Z" });

    await made.store.append(made.slice(1, [event]));

    const { uuid } = event.event;
    expect(await made.store.list(1, {}, PAGE)).toEqual({
      count: 1,
      rows: [
        {
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

  test("refuses a slice that was applied before, also after it was opened anew", async () => {
    await using made = await make();
    const slice = made.slice(1, [sliceEvent(1), sliceEvent(2)]);
    await made.store.append(slice);
    await made.reopen();

    expect(made.store.append(slice)).rejects.toThrow("applied before");

    expect(await made.store.applied()).toBe(2);
    expect(await made.store.list(1, {}, PAGE)).toMatchObject({ count: 2 });
  });

  test("advances over a slice without events", async () => {
    await using made = await make();
    await made.store.append(made.slice(1, []));
    expect(await made.store.applied()).toBe(1);
  });

  test("finds which suspects are stored, in their block, window and project only", async () => {
    await using made = await make();
    const far = 5 * BLOCK_SEQS + 7;
    const [a, b] = [sliceEvent(1, { event: "one" }), sliceEvent(2, {}, 2)];
    const c = sliceEvent(far, { event: "far" });
    await made.store.append(made.slice(1, [a, b]));
    await made.store.append(made.slice(far, [c]));
    const suspect = { project_id: 1, uuid: a.event.uuid, block: 0, since: ARRIVED };

    const known = await made.store.known([
      { ...suspect, place: 3 },
      { ...suspect, place: 4, project_id: 2 },
      { ...suspect, place: 5, uuid: b.event.uuid },
      { ...suspect, place: 6, project_id: 2, uuid: b.event.uuid },
      { ...suspect, place: 7, block: 4 },
      { ...suspect, place: 8, since: ARRIVED + 1 },
      { ...suspect, place: 9, uuid: c.event.uuid, block: 5 },
      { ...suspect, place: 10, uuid: c.event.uuid },
    ]);

    expect(known.sort((x, y) => x.place - y.place)).toEqual([
      { place: 3, event: "one", distinct_id: "ann" },
      { place: 6, event: "tested", distinct_id: "ann" },
      { place: 9, event: "far", distinct_id: "ann" },
    ]);
    expect(await made.store.known([])).toEqual([]);
  });

  test("tells what arrived in the window before the last event", async () => {
    await using made = await make();
    const old = { ...sliceEvent(1), arrived_at: ARRIVED - 3 * HOUR_MS };
    const young = sliceEvent(BLOCK_SEQS, { uuid: "ffffffff-0000-4000-8000-0000000000ab" });
    await made.store.append(made.slice(1, [old, young]));

    const entries: number[] = [];
    await made.store.seen(2 * HOUR_MS, async (chunk) => {
      entries.push(...chunk);
    });

    const uuid = [0xff_ff_ff_ff, 0x40_00, 0x80_00_00_00, 0xab];
    expect(entries).toEqual([1, ...uuid, 1, ARRIVED / HOUR_MS]);
  });

  test("sets lines aside that it cannot read, once, and stores their neighbours", async () => {
    await using made = await make();
    const good = [sliceEvent(1), sliceEvent(3), sliceEvent(5)];
    const surrogate = {
      ...sliceEvent(2),
      line: '{"uuid":"x","event":"\\ud800","distinct_id":"a"}',
    };
    const noUuid = sliceEvent(4, { uuid: "not-a-uuid" });
    const slice = made.slice(1, [good[0], surrogate, good[1], noUuid, good[2]] as SliceEvent[]);

    const { dead } = await made.store.append(slice);

    expect(dead).toEqual([
      { project_id: 1, arrived_at: ARRIVED, uuid: null, distinct_id: "a" },
      { project_id: 1, arrived_at: ARRIVED, uuid: null, distinct_id: noUuid.event.distinct_id },
    ]);
    expect(await made.store.list(1, {}, PAGE)).toMatchObject({ count: 3 });
    expect(await made.store.applied()).toBe(5);
    expect(readLines<{ seq: number }>(made.deadLetters).map(({ seq }) => seq)).toEqual([2, 4]);
  });

  test("takes no event for unreadable when the slice's file is what is missing", async () => {
    await using made = await make();
    const slice = { ...made.slice(1, [sliceEvent(1)]), events: "/nowhere/else.ndjson" };

    expect(made.store.append(slice)).rejects.toThrow();

    expect(existsSync(made.deadLetters)).toBe(false);
    expect(await made.store.applied()).toBe(0);
  });
});

describe("DuckDB", () => {
  test("has hot properties as columns", async () => {
    await using duck = await duckdbStore();
    const properties = { $browser: "Firefox", $group_0: 42, utm_source: null, $session_id: [1] };

    await duck.store.append(duck.slice(1, [sliceEvent(1, { properties })]));

    const [columns] = await duck.query(
      `SELECT "$browser" AS a, "$group_0" AS b, utm_source AS c, "$session_id" AS d FROM events`,
    );
    expect(columns).toEqual({ a: "Firefox", b: "42", c: null, d: "[1]" });
  });

  test("mirrors persons: new ones are added, known ones replaced, also when replayed", async () => {
    await using duck = await duckdbStore();
    await duck.store.append(
      duck.slice(1, [sliceEvent(1)], [mirror(), mirror({ id: 2, distinct_ids: ["bob"] })]),
    );

    await duck.store.append(
      duck.slice(
        2,
        [],
        [
          mirror({ known: true, properties: "{}", distinct_ids: ["ann", "ann-2"] }),
          mirror({ known: true, id: 2, properties: '{"a":1}', distinct_ids: [] }),
        ],
        true,
      ),
    );

    expect(
      await duck.query("SELECT id::INTEGER AS id, properties FROM persons ORDER BY id"),
    ).toEqual([
      { id: 1, properties: "{}" },
      { id: 2, properties: '{"a":1}' },
    ]);
    const ids = await duck.query("SELECT distinct_id FROM person_distinct_ids ORDER BY ALL");
    expect(ids.map(({ distinct_id }) => distinct_id)).toEqual(["ann", "ann-2", "bob"]);
  });

  test("shows the person who owns an event now", async () => {
    const data = temporaryDirectory();
    await using duck = await duckdbStore(data);
    await duck.store.append(
      duck.slice(1, [sliceEvent(1), { ...sliceEvent(2), person_id: Bun.randomUUIDv7() }]),
    );
    const owner = "02a1fc9a-592b-78b3-8d80-aa75992efae9";

    await addOverride(duck, PERSON, owner);

    expect(await duck.store.list(1, { person_id: owner }, PAGE)).toMatchObject({
      count: 1,
      rows: [{ person_id: owner }],
    });
    expect(await duck.store.list(1, { person_id: PERSON }, PAGE)).toMatchObject({ count: 0 });
  });

  test("cannot reach files outside of its directories", async () => {
    await using duck = await duckdbStore();
    for (const sql of [
      "SELECT * FROM read_text('/etc/passwd')",
      "COPY (SELECT 1) TO '/tmp/out.csv'",
      "ATTACH '/tmp/other.duckdb'",
      "INSTALL httpfs",
      "SET enable_external_access = true",
      "SET memory_limit = '1TB'",
    ]) {
      expect(duck.query(sql)).rejects.toThrow();
    }
  });
});

/** An override as a merge will write it, through a statement that the store's own reads see. */
async function addOverride(
  duck: { query: (sql: string) => Promise<unknown> },
  from: string,
  to: string,
): Promise<void> {
  await duck.query(
    `INSERT INTO person_overrides VALUES (1, '${from}'::UUID, '${to}'::UUID) RETURNING 1`,
  );
}
