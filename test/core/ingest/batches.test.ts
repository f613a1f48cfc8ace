import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { personUuid } from "../../../src/core/identity/person.ts";
import { BATCH_EVENTS_MAX, batches } from "../../../src/core/ingest/batches.ts";
import { dedupWindow } from "../../../src/core/ingest/dedup-window.ts";
import type { BulkLoad } from "../../../src/core/ports/loads.ts";
import type { PersonWrites } from "../../../src/core/ports/persons/writes.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { dedupRuns } from "../../../src/stores/dedup/runs.ts";
import { ROW_GROUP_ROWS } from "../../../src/stores/duckdb/engine/duckdb.ts";
import { loadFiles } from "../../../src/stores/loads/loads.ts";
import { projectWrites } from "../../../src/stores/sqlite/access.ts";
import { personReads } from "../../../src/stores/sqlite/persons/list.ts";
import { personWrites } from "../../../src/stores/sqlite/persons/writes.ts";
import { openSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { event } from "../../support/data/build-records.ts";
import { listPersons, NO_CHANGES } from "../../support/data/persons.ts";
import { entry, open, readerOf } from "../../support/disk/journal.ts";
import { readLines } from "../../support/start/server.ts";

const folder = mkdtempSync(join(tmpdir(), "hoglet-batches-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The line of an event, with its fields in the order of the journal. */
const lineOf = ({ uuid, event, distinct_id, timestamp, ...rest }: Record<string, unknown>) =>
  JSON.stringify({ uuid, event, distinct_id, timestamp, ...rest });

const AT = "2026-11-21T12:00:00.000000Z";

/** So many that three batches change all of them; each has 400 KB. */
const PERSONS = 200;
const LARGE = "x".repeat(400_000);

const idOf = (at: number) => `person ${at}`;

const set = (distinct_id: string, $set: JsonObject, more: object = {}) =>
  event({ distinct_id, timestamp: AT, properties: { $set }, ...more });

/** A person store, a journal, and what makes batches of it: `again` is as after a crash. */
async function world() {
  const directory = mkdtempSync(join(folder, "place-"));
  const sqlite = openSqlite(join(directory, "hoglet.sqlite"));
  await projectWrites(sqlite).insert({
    ...{ uuid: Bun.randomUUIDv7(), name: "one", api_token: "phc_one" },
    ...{ timezone: "UTC", created_at: AT },
  });
  const journal = await open(join(directory, "journal"));
  const made = personWrites(sqlite);
  let taker = 0;
  return {
    persons: made,
    reads: personReads(sqlite),
    /** Puts events into the journal as one frame. */
    async send(...events: Record<string, unknown>[]): Promise<void> {
      const text = events.map((one) => `${lineOf(one)}\n`).join("");
      await journal.append(entry(text, { project_id: 1, count: events.length }));
    },
    /** The same with log records, which all are the same one. */
    async sendLogs(count: number): Promise<void> {
      const text = `${JSON.stringify({ timestamp: AT, observed_timestamp: AT, body: "said" })}\n`;
      await journal.append(entry(text.repeat(count), { kind: "logs", project_id: 1, count }));
    },
    durableSeq: () => journal.durableSeq(),
    again(persons: PersonWrites = made) {
      taker += 1;
      const dedup = dedupWindow({
        ...{ windowMs: 3_600_000, seed: new Uint32Array([1, 2]), log: { warn: () => {} } },
        runs: dedupRuns(join(directory, `seen-${taker}`)),
      });
      return batches({
        ...{ journal: readerOf(join(directory, "journal")).reader, persons, dedup },
        files: loadFiles(join(directory, `loads-${taker}`), ROW_GROUP_ROWS),
        ...{ collectGarbage: () => {}, release: () => {} },
      });
    },
    async [Symbol.asyncDispose]() {
      await journal.close();
      sqlite.close();
    },
  };
}

/** The same with persons who are large. */
async function largeWorld() {
  const made = await world();
  const created = Array.from({ length: PERSONS }, (_, at) => {
    const uuid = personUuid(1, idOf(at));
    const properties = { large: LARGE };
    return { project_id: 1, uuid, properties, created_at: AT, is_identified: false };
  });
  const ids = created.map(({ uuid }, at) => ({
    ...{ project_id: 1, uuid, main: null },
    entries: [{ distinct_id: idOf(at), initial_uuid: uuid }],
  }));
  await made.send(event({ timestamp: AT, distinct_id: "first" }));
  await made.persons.apply({ ...NO_CHANGES, created, ids, applied_seq: 1 });
  return made;
}

type World = Awaited<ReturnType<typeof world>>;

/** Applies all batches after a sequence number; returns the end of each and the contents of the loads. */
async function applied(
  { durableSeq }: World,
  taker: ReturnType<World["again"]>,
  after: number,
): Promise<{ ends: number[]; loads: BulkLoad[]; seqs: number[]; duplicates: number }> {
  const ends = [after];
  const loads: (BulkLoad | null)[] = [];
  let duplicates = 0;
  for (let last = after; last < durableSeq(); ) {
    const batch = await taker.apply({ after: last, upTo: durableSeq() });
    expect(batch.endedEarly).toBe(batch.last < durableSeq());
    last = batch.last;
    ends.push(last);
    loads.push(...batch.loads);
    duplicates += batch.duplicates;
  }
  loads.push(await taker.flush());
  const written = loads.filter((load) => load !== null);
  const seqs = written.flatMap(({ events }) => (events ? readLines<{ seq: number }>(events) : []));
  return { ends, loads: written, seqs: seqs.map(({ seq }) => seq), duplicates };
}

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

async function propertiesOf({ reads }: World, distinct_id: string): Promise<JsonObject> {
  const { rows } = await listPersons(reads, 1, { distinct_id }, { limit: 1, offset: 0 });
  const { large: _, ...others } = rows[0]?.properties ?? {};
  return others;
}

test("a batch ends where the persons that it changes are too large together, within a frame, too", async () => {
  await using stores = await largeWorld();
  const first = Array.from({ length: PERSONS }, (_, at) => set(idOf(at), { n: at }));
  const twice = set(idOf(0), { n: "again" }, { uuid: first[PERSONS - 1]?.["uuid"] });
  await stores.send(...first, twice, set(idOf(3), { late: true }));

  const taker = stores.again();
  const { ends, seqs, duplicates } = await applied(stores, taker, 1);

  expect(ends.length).toBeGreaterThan(3);
  expect(duplicates).toBe(1);
  expect(seqs).toEqual(numbers(2, PERSONS + 3).filter((seq) => seq !== PERSONS + 2));
  const found = await Promise.all(first.map((_, at) => propertiesOf(stores, idOf(at))));
  expect(found).toEqual(first.map((_, at) => (at === 3 ? { n: at, late: true } : { n: at })));
});

test("merges are the same where a batch ends between them", async () => {
  await using stores = await largeWorld();
  const alias = (at: number) =>
    event({
      ...{ event: "$create_alias", distinct_id: idOf(at), timestamp: AT },
      properties: { alias: idOf(at - 1) },
    });
  // Each becomes part of the one before, so that all are the first at last.
  await stores.send(...numbers(1, PERSONS - 1).map(alias), set(idOf(PERSONS - 1), { n: 1 }));

  const { ends } = await applied(stores, stores.again(), 1);

  expect(ends.length).toBeGreaterThan(3);
  expect(await propertiesOf(stores, idOf(0))).toEqual({ n: 1 });
  const { count, rows } = await listPersons(stores.reads, 1, {}, { limit: 9, offset: 0 });
  expect([count, rows[0]?.distinct_ids.length]).toEqual([1, PERSONS]);
});

test("missing events of a batch that ended within a frame are made again, and no others", async () => {
  await using stores = await largeWorld();
  await stores.send(...Array.from({ length: PERSONS }, (_, at) => set(idOf(at), { n: at })));
  const cut = await stores.again().apply({ after: 1, upTo: stores.durableSeq() });
  expect(cut.last).toBeLessThan(PERSONS);

  const again = stores.again();
  const replayed = await again.apply({ after: 1, upTo: stores.durableSeq() });
  expect(replayed).toMatchObject({ last: cut.last, count: cut.count });
  expect(await stores.persons.applied()).toBe(cut.last);
  const load = await again.flush();
  expect(readLines<{ seq: number }>(load?.events ?? "").map(({ seq }) => seq)).toEqual(
    numbers(2, cut.last),
  );

  const { seqs } = await applied(stores, again, cut.last);
  expect(seqs).toEqual(numbers(cut.last + 1, PERSONS + 1));
  expect(await propertiesOf(stores, idOf(PERSONS - 1))).toEqual({ n: PERSONS - 1 });
});

test("a batch ends where the groups that it changes are too large together", async () => {
  await using stores = await world();
  const identify = (key: string, $group_set: JsonObject) =>
    event({
      ...{ event: "$groupidentify", distinct_id: "ann", timestamp: AT },
      properties: { $group_type: "company", $group_key: key, $group_set },
    });
  const large = Array.from({ length: 100 }, (_, at) => identify(`group ${at}`, { large: LARGE }));
  for (const one of large) await stores.send(one);
  const taker = stores.again();
  await applied(stores, taker, 0);
  const before = stores.durableSeq();
  await stores.send(...large.map((_, at) => identify(`group ${at}`, { n: at })));

  const { ends, seqs } = await applied(stores, taker, before);

  expect(ends.length).toBeGreaterThan(2);
  expect(seqs).toEqual(numbers(before + 1, before + 100));
  const group = await stores.persons.group({ project_id: 1, type_index: 0, key: "group 99" });
  expect(group?.properties).toMatchObject({ n: 99 });
});

test("a batch ends where the journal has more than is worked on together", async () => {
  await using stores = await world();
  const large = () => event({ timestamp: AT, properties: { large: "x".repeat(1_000_000) } });
  for (let frame = 0; frame < 8; frame += 1) await stores.send(...numbers(1, 5).map(large));

  const { ends, seqs } = await applied(stores, stores.again(), 0);

  expect(ends).toEqual([0, 15, 30, 40]);
  // A large event takes more rows, which have its number.
  expect([...new Set(seqs)]).toEqual(numbers(1, 40));
});

test("small persons are changed in one batch, all of them", async () => {
  await using stores = await world();
  const many = numbers(1, 4000);
  await stores.send(...many.map((at) => set(idOf(at), { n: at })));
  await stores.send(...many.map((at) => set(idOf(at), { n: -at })));
  expect(many.length * 2).toBeLessThan(BATCH_EVENTS_MAX);

  const { ends, loads } = await applied(stores, stores.again(), 0);

  expect(ends).toEqual([0, 8000]);
  expect(loads.length).toBe(1);
});

test("a request with more events than a batch is applied in parts, each of its events once", async () => {
  await using place = await world();
  const twice = Bun.randomUUIDv7();
  const total = BATCH_EVENTS_MAX * 2 + 500;
  await place.send(
    ...Array.from({ length: total }, (_, at) =>
      event({
        timestamp: AT,
        distinct_id: idOf(at % 1000),
        // The same event in the first part and in the last.
        ...(at === 7 || at === total - 7 ? { uuid: twice, distinct_id: "twice" } : {}),
      }),
    ),
  );

  const { ends, seqs, duplicates } = await applied(place, place.again(), 0);

  expect(ends).toEqual([0, BATCH_EVENTS_MAX, 2 * BATCH_EVENTS_MAX, total]);
  expect(duplicates).toBe(1);
  const all = numbers(1, total);
  expect(seqs).toEqual(all.filter((seq) => seq !== total - 6));

  // After a crash in which the event store has a part of a part.
  const rest = await applied(place, place.again(), 5000);
  expect(rest.seqs).toEqual(all.slice(5000));
});

test("changes of a stored event are reported once, also where its batch fails or the event comes again", async () => {
  await using place = await world();
  const changed = (type: string) => event({ timestamp: AT, changed: [type] });
  const [first, second] = [changed("event_name_too_long"), changed("replaced_invalid_text")];
  const reported: unknown[] = [];
  let failures = 1;
  const persons: PersonWrites = {
    ...place.persons,
    async apply(change) {
      if (failures-- > 0) throw new Error("database or disk is full");
      reported.push(...((change.kind === "batch" && change.warnings) || []));
      return place.persons.apply(change);
    },
  };
  const taker = place.again(persons);
  await place.send(first, { ...second, uuid: first["uuid"] }, event({ timestamp: AT }));
  await place.send(first, second, { ...second, event: "another" });

  for (let last = 0; last < place.durableSeq(); ) {
    const asked = taker.apply({ after: last, upTo: place.durableSeq() });
    last = await asked.then((batch) => batch.last).catch(() => last);
  }

  const sample = (one: typeof first) => ({ event_uuid: one["uuid"], distinct_id: "ann" });
  expect(reported).toEqual([
    {
      type: "event_name_too_long",
      count: 1,
      ...sample(first),
      project_id: 1,
      at: expect.any(Number),
    },
    {
      type: "replaced_invalid_text",
      count: 1,
      ...sample(second),
      project_id: 1,
      at: expect.any(Number),
    },
    { type: "duplicate_uuid", count: 1, ...sample(second), project_id: 1, at: expect.any(Number) },
  ]);
});

test("a request with more log records than a batch is whole", async () => {
  await using place = await world();
  await place.sendLogs(BATCH_EVENTS_MAX + 10);

  const { ends, loads } = await applied(place, place.again(), 0);

  expect(ends).toEqual([0, BATCH_EVENTS_MAX + 10]);
  expect(loads.flatMap(({ logs }) => (logs ? readLines(logs) : []))).toHaveLength(
    BATCH_EVENTS_MAX + 10,
  );
});
