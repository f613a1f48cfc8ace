import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { TOMBSTONE_MINUTE } from "../../../src/core/ingest/dedup-table.ts";
import type { EraseOptions } from "../../../src/core/ports/events.ts";
import type { ProjectedOverride } from "../../../src/core/ports/persons/projection.ts";
import type { PropertyConditions, PropertyOf } from "../../../src/core/queries/query-fields.ts";
import { isoTime } from "../../../src/core/values/time.ts";
import {
  ARRIVED,
  batchEvent,
  batchOf,
  columnsOf,
  loadOf,
  PERSON,
  projectedPerson,
  projectionChanges,
} from "../../support/data/batches.ts";
import { FOREVER } from "../../support/data/build-records.ts";
import { readLines } from "../../support/start/server.ts";
import { EVENT_STORES, type Events } from "../stores.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const PAGE = { limit: 100, offset: 0 };

/** Stores one batch. */
const put = async ({ store, files }: Events, ...batch: Parameters<typeof batchOf>) =>
  await store.append(loadOf(files, batchOf(...batch)));

const numbersOf = async (stored: Events, filter: object = {}, page = PAGE) => {
  const { count, rows } = await stored.events.list(1, filter, page, FOREVER);
  return [count, ...rows.map(({ seq }) => seq)];
};

const leads = (old_person_id: string, person_id: string): ProjectedOverride => ({
  ...{ project_id: 1, old_person_id, person_id },
});

describe.each(EVENT_STORES)("events in %s", (_name, open) => {
  test("an event is read as it was sent", async () => {
    await using stored = await open();
    const properties = {
      $browser: "Firefox",
      $group_0: 42,
      utm_source: null,
      $session_id: { odd: [1] },
      own: "é🦔",
    };
    const event = batchEvent(1, { properties, timestamp: "2026-11-20T01:02:03.123456Z" });

    await put(stored, 1, [event]);

    const { uuid } = event.event;
    const row = { seq: 1, uuid, event: "tested", distinct_id: "ann", person_id: PERSON };
    expect(await stored.events.list(1, {}, PAGE, FOREVER)).toEqual({
      ...{ count: 1, isMore: false, after: undefined },
      rows: [{ ...row, timestamp: "2026-11-20T01:02:03.123456Z", properties }],
    });
  });

  test("a list is newest first, then the latest arrival, with an exact count on every page", async () => {
    await using stored = await open();
    const at = (day: number) => ({ timestamp: `2026-11-0${day}T00:00:00.000000Z` });
    const other = batchEvent(4, {}, { project_id: 2 });
    await put(stored, 1, [...[1, 2, 2].map((day, n) => batchEvent(n + 1, at(day))), other]);

    expect(await numbersOf(stored)).toEqual([3, 3, 2, 1]);
    expect(await numbersOf(stored, {}, { limit: 1, offset: 1 })).toEqual([3, 2]);
    expect(await numbersOf(stored, {}, { limit: 1, offset: 9 })).toEqual([3]);
    const after = { timestamp: at(2).timestamp, seq: 3 };
    const page = { limit: 1, offset: 0, after };
    expect(await stored.events.list(1, {}, page, FOREVER)).toMatchObject({
      ...{ count: 3, isMore: true },
      rows: [{ seq: 2 }],
    });
    expect(await numbersOf(stored, { after: at(1).timestamp, before: at(3).timestamp })).toEqual([
      2, 3, 2,
    ]);
    expect(await numbersOf(stored, { uuid: other.event.uuid })).toEqual([0]);
  });

  test("a list is filtered by properties of events, and of their persons and groups of now", async () => {
    await using stored = await open();
    const other = PERSON.replace(/^0/, "1");
    const events = [
      batchEvent(1, { properties: { plan: "pro", $browser: "Firefox" } }),
      batchEvent(2, { properties: { plan: "free", $browser: "Firefox" } }, { person_id: other }),
      batchEvent(3, {}, { groups: { 0: "acme" } }),
    ];
    const pro = projectedPerson({ id: 2, uuid: other, ...columnsOf({ tier: "gold" }) });
    const acme = { ...{ project_id: 1, type_index: 0, key: "acme" }, properties: '{"size":"9"}' };
    const groups = [{ ...acme, created_at: "2026-11-01T00:00:00.000000Z" }];
    await put(stored, 1, events, { persons: [pro], groups });
    const equal = (of: PropertyOf, key: string, value: string): PropertyConditions[number] => {
      return { of, filter: { key, not: false, test: { is: "equal", any: [value] } } };
    };
    const [event, person] = [{ type: "event" }, { type: "person" }] as const;
    const plan = equal(event, "plan", "pro");
    const tier = equal(person, "tier", "gold");
    const size = equal({ type: "group", group_type_index: 0 }, "size", "9");

    expect(await numbersOf(stored, { properties: [plan] })).toEqual([1, 1]);
    expect(await numbersOf(stored, { properties: [equal(event, "$browser", "Firefox")] })).toEqual([
      2, 2, 1,
    ]);
    expect(await numbersOf(stored, { properties: [tier] })).toEqual([1, 2]);
    expect(await numbersOf(stored, { properties: [size] })).toEqual([1, 3]);
    expect(await numbersOf(stored, { properties: [plan, tier] })).toEqual([0]);
    const any = { any: true, of: [plan, tier, size] };
    expect(await numbersOf(stored, { properties: [any] }, { limit: 1, offset: 1 })).toEqual([3, 2]);
    expect(await numbersOf(stored, { properties: [tier], person_id: other })).toEqual([1, 2]);

    await put(stored, 4, [], { overrides: [leads(PERSON, other)] });
    expect(await numbersOf(stored, { properties: [tier] })).toEqual([3, 3, 2, 1]);
  });

  test("one event is found by its uuid, with its arrival, and of several the newest", async () => {
    await using stored = await open();
    const at = (day: number) => ({ timestamp: `2026-11-0${day}T00:00:00.000000Z` });
    const newer = batchEvent(2, at(2));
    const { uuid } = newer.event;
    await put(stored, 1, [batchEvent(1), newer, batchEvent(3, { ...at(1), uuid })]);

    const { event, distinct_id, properties } = newer.event;
    expect(await stored.events.find(1, uuid, FOREVER)).toEqual({
      ...{ uuid, event, distinct_id, properties, person_id: PERSON },
      ...{ timestamp: at(2).timestamp, ingested_at: isoTime(ARRIVED) },
    });
    expect(await stored.events.find(2, uuid, FOREVER)).toBeUndefined();
    expect(await stored.events.find(1, Bun.randomUUIDv7(), FOREVER)).toBeUndefined();
  });

  test("events that arrived between two numbers are counted, and the newest of them are read", async () => {
    await using stored = await open();
    const named = (seq: number, name: string, more = {}) => batchEvent(seq, { event: name }, more);
    const events = [named(1, "a"), named(2, "b"), named(3, "a"), named(4, "a", { project_id: 2 })];
    await put(stored, 1, events);
    const arrived = async (filter: object, range: object = {}) => {
      const asked = { after: 0, upTo: 9, limit: 9, ...range };
      const { count, rows } = await stored.events.arrivedSince(1, filter, asked, FOREVER);
      return [count, ...rows.map(({ event }) => event)];
    };

    expect(await arrived({})).toEqual([3, "a", "b", "a"]);
    expect(await arrived({}, { limit: 1 })).toEqual([3, "a"]);
    expect(await arrived({}, { after: 1 })).toEqual([2, "a", "b"]);
    expect(await arrived({}, { upTo: 2 })).toEqual([2, "b", "a"]);
    expect(await arrived({ event: "b" })).toEqual([1, "b"]);
    expect(await arrived({ event: "a", distinct_id: "bob" })).toEqual([0]);
    const range = { after: 2, upTo: 3, limit: 1 };
    const { rows } = await stored.events.arrivedSince(1, {}, range, FOREVER);
    const { uuid, distinct_id, timestamp, properties } = events[2]?.event ?? {};
    expect(rows).toEqual([
      { uuid, event: "a", distinct_id, person_id: PERSON, timestamp, properties },
    ] as never);
  });

  test("events are counted by some distinct ids, of the project alone", async () => {
    await using stored = await open();
    const of = (seq: number, distinct_id: string, more = {}) =>
      batchEvent(seq, { distinct_id }, more);
    await put(stored, 1, [
      of(1, "ann"),
      of(2, "bob"),
      of(3, "ann"),
      of(4, "ann", { project_id: 2 }),
    ]);

    const counts = await stored.events.countsOf(1, ["ann", "cat"], FOREVER);
    expect([...counts]).toEqual([["ann", 2]]);
    expect([...(await stored.events.countsOf(1, [], FOREVER))]).toEqual([]);
  });

  test("the extent is the first and the last arrival, of the project alone", async () => {
    await using stored = await open();
    const at = (day: number) => ({ timestamp: `2026-11-0${day}T00:00:00.000000Z` });
    const arrived = { arrived_at: ARRIVED + HOUR_MS };
    await put(stored, 1, [batchEvent(1, at(2)), batchEvent(2, at(1), arrived)]);

    const [first, last] = [isoTime(ARRIVED), isoTime(ARRIVED + HOUR_MS)];
    expect(await stored.events.extent(1, FOREVER)).toEqual({ first, last });
    expect(await stored.events.extent(2, FOREVER)).toEqual({ first: null, last: null });
  });

  test("a load is refused that was applied before, also after a restart", async () => {
    await using stored = await open();
    const load = loadOf(stored.files, batchOf(1, [batchEvent(1), batchEvent(2)]));
    await stored.store.append(load);
    await stored.reopen();

    await expect(stored.store.append(load)).rejects.toThrow("applied before");

    expect(await stored.store.applied()).toBe(2);
    expect(await numbersOf(stored)).toEqual([2, 2, 1]);
    expect(await stored.store.counts()).toEqual({ events: 2, logs: 0 });
  });

  test("a load without events advances the last number", async () => {
    await using stored = await open();
    expect([await stored.store.applied(), await stored.store.projectionVersion()]).toEqual([0, 0]);
    await put(stored, 1, []);
    expect(await stored.store.applied()).toBe(1);
  });

  test("the deduplication window gets the events that arrived within it", async () => {
    await using stored = await open();
    const old = batchEvent(1, {}, { arrived_at: ARRIVED - 3 * HOUR_MS });
    const young = batchEvent(2, { uuid: "ffffffff-0000-4000-8000-0000000000ab" });
    await put(stored, 1, [old, young]);

    const entries: number[] = [];
    await stored.store.readDedupEntries(2 * HOUR_MS, async (chunk) => {
      entries.push(...chunk);
    });

    const uuid = [0xff_ff_ff_ff, 0x40_00, 0x80_00_00_00, 0xab];
    expect(entries).toEqual([1, ...uuid, ARRIVED / MINUTE_MS, 9]);
  });

  test("lines that cannot be read are returned and kept, and all others are stored", async () => {
    await using stored = await open();
    const surrogate = {
      ...batchEvent(2),
      line: Buffer.from('{"uuid":"x","event":"\\ud800","distinct_id":"a"}'),
    };
    const noUuid = batchEvent(4, { uuid: "not-a-uuid" });
    const events = [batchEvent(1), surrogate, batchEvent(3), noUuid, batchEvent(5)];

    const { dead } = await put(stored, 1, events);

    const unread = { type: "unreadable_event" as const, project_id: 1, arrived_at: ARRIVED };
    expect(dead).toEqual([
      { ...unread, uuid: null, distinct_id: "a" },
      { ...unread, uuid: null, distinct_id: noUuid.event.distinct_id },
    ]);
    expect(await numbersOf(stored)).toEqual([3, 5, 3, 1]);
    expect(await stored.store.applied()).toBe(5);
    expect(readLines<{ seq: number }>(stored.deadLetters).map(({ seq }) => seq)).toEqual([2, 4]);
  });

  test("no event counts as unreadable if the file of a load is missing", async () => {
    await using stored = await open();
    const load = loadOf(stored.files, batchOf(1, [batchEvent(1)]));

    await expect(
      stored.store.append({ ...load, events: "/nowhere/else.ndjson" }),
    ).rejects.toThrow();

    expect(existsSync(stored.deadLetters)).toBe(false);
    expect(await stored.store.applied()).toBe(0);
  });

  test("the projection has the version of the last changes, also after a repeated call", async () => {
    await using stored = await open();
    await put(stored, 1, [batchEvent(1)], { persons: [projectedPerson()] });
    const changes = projectionChanges(9, {
      persons: [projectedPerson({ known: true, moved: ["ann"] })],
    });

    for (const _ of [1, 2])
      await stored.store.applyProjection(stored.files.writeProjection(changes));

    expect(await stored.store.projectionVersion()).toBe(9);
    expect(await stored.store.applied()).toBe(1);
  });

  test("an event belongs to its person of now, also after a chain of merges", async () => {
    await using stored = await open();
    const [first = "", last = ""] = ["1", "2"].map((digit) => PERSON.replace(/^0/, digit));
    await put(stored, 1, [batchEvent(1), batchEvent(2, {}, { person_id: Bun.randomUUIDv7() })]);

    await put(stored, 3, [], { overrides: [leads(PERSON, first)] });
    const afterOne = await stored.events.list(1, { person_id: first }, PAGE, FOREVER);
    await put(stored, 4, [], { overrides: [leads(first, last)] });

    expect(afterOne).toMatchObject({ count: 1, rows: [{ person_id: first }] });
    expect(await stored.events.list(1, { person_id: last }, PAGE, FOREVER)).toMatchObject({
      ...{ count: 1, rows: [{ person_id: last }] },
    });
    for (const person_id of [PERSON, first]) {
      expect(await numbersOf(stored, { person_id })).toEqual([0]);
    }
  });

  test("of two overrides of a person the last one counts", async () => {
    await using stored = await open();
    const [ann, bob, cai] = [Bun.randomUUIDv7(), Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    const events = [PERSON, ann, cai].map((person_id, n) => batchEvent(n + 1, {}, { person_id }));
    await put(stored, 1, events, { overrides: [leads(PERSON, ann), leads(cai, ann)] });
    await put(stored, 4, [], { overrides: [leads(ann, bob), leads(PERSON, cai)] });

    expect(await numbersOf(stored, { person_id: cai })).toEqual([1, 1]);
    expect(await numbersOf(stored, { person_id: bob })).toEqual([2, 3, 2]);
    expect(await numbersOf(stored, { person_id: ann })).toEqual([0]);
  });
});

describe.each(EVENT_STORES)("an erasure in %s", (_name, open) => {
  const task = (journal_seq: number, id = 1) => ({
    ...{ id, project_id: 1, distinct_ids: ["ann"], journal_seq },
  });

  /** Options of an erasure that notes its calls. */
  function noting(more: Partial<EraseOptions> = {}) {
    const calls: unknown[] = [];
    const options: EraseOptions = {
      isPurging: false,
      ready: async (erased, generation) => void calls.push([...erased], generation),
      forget: async (entries) => void calls.push([...entries]),
      stopped: () => false,
      ...more,
    };
    return { calls, options };
  }

  const ERASED = batchEvent(1, { uuid: "ffffffff-0000-4000-8000-0000000000ab" });
  const stay = () => [batchEvent(2, { distinct_id: "bob" }), batchEvent(3)];

  test("takes the events of a task up to its number, and may be repeated", async () => {
    await using stored = await open();
    await put(stored, 1, [ERASED, ...stay()]);
    const { calls, options } = noting();

    await stored.store.erase([task(2)], options);
    await stored.store.erase([task(2)], options);
    await stored.store.clearRemains();

    expect(calls.slice(0, 2)).toEqual([[[1, { events: 1, logs: 0 }]], expect.any(Number)]);
    expect(calls[2]).toEqual([
      1,
      0xff_ff_ff_ff,
      0x40_00,
      0x80_00_00_00,
      0xab,
      ARRIVED / MINUTE_MS,
      0,
    ]);
    expect(ARRIVED / MINUTE_MS).toBeGreaterThan(TOMBSTONE_MINUTE);
    expect(await numbersOf(stored)).toEqual([2, 3, 2]);
    expect(await stored.store.counts()).toEqual({ events: 2, logs: 0 });
  });

  test("takes the names of properties that no other event has", async () => {
    await using stored = await open();
    const own = { kept: 1, "of ann": "x" };
    const large = { ...own, "large of ann": "y".repeat(100_000) };
    await put(stored, 1, [
      batchEvent(1, { properties: own }),
      batchEvent(2, { properties: large }),
      batchEvent(3, { distinct_id: "bob", properties: { kept: "2" } }),
    ]);
    const names = async () => {
      const page = { limit: 9, offset: 0 };
      const of = { type: "event" } as const;
      const { rows } = await stored.definitions.properties(1, of, page, FOREVER);
      return rows.map(({ name, count }) => [name, count]);
    };
    expect(await names()).toEqual([
      ["kept", 3],
      ["of ann", 2],
      ["large of ann", 1],
    ]);

    await stored.store.erase([task(3)], noting().options);

    expect(await names()).toEqual([["kept", 1]]);
  });

  test("changes nothing if its caller fails, if the server stops or if events are still to come", async () => {
    await using stored = await open();
    await put(stored, 1, [ERASED, ...stay()]);
    const failing = noting({ ready: () => Promise.reject(new Error("not ready")) });
    const stopping = noting({ stopped: () => true });
    const { options } = noting();

    await expect(stored.store.erase([task(2)], failing.options)).rejects.toThrow("not ready");
    await expect(stored.store.erase([task(2)], stopping.options)).rejects.toThrow();
    await expect(stored.store.erase([task(4)], options)).rejects.toThrow();

    expect([...failing.calls, ...stopping.calls]).toEqual([]);
    expect(await numbersOf(stored)).toEqual([3, 3, 2, 1]);
  });

  test("names the same generation again after a failure", async () => {
    await using stored = await open();
    await put(stored, 1, [ERASED, ...stay()]);
    const generations: number[] = [];
    const ready = async (_erased: unknown, generation: number) => {
      generations.push(generation);
      if (generations.length === 1) throw new Error("not ready");
    };
    const { options } = noting({ ready });

    await expect(stored.store.erase([task(2)], options)).rejects.toThrow("not ready");
    await stored.store.erase([task(2)], options);

    expect(generations[1]).toBe(generations[0] as number);
    expect(await numbersOf(stored)).toEqual([2, 3, 2]);
  });
});
