import { afterAll, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Frame } from "../../../src/core/ports/journal.ts";
import type { BatchContent, BatchEvent } from "../../../src/core/ports/loads.ts";
import type { ProjectedPerson, ProjectionChanges } from "../../../src/core/ports/projection.ts";
import { loadFiles, removeLoad } from "../../../src/stores/loads/loads.ts";
import { readLines } from "../../support/start/server.ts";

const folder = mkdtempSync(join(tmpdir(), "hoglet-loads-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ARRIVED = Date.parse("2026-11-21T12:00:00Z");
const PERSON = "01a1fc9a-592b-78b3-8d80-aa75992efae9";

function sliceEvent(seq: number, fields: Partial<BatchEvent> = {}): BatchEvent {
  const event = {
    uuid: Bun.randomUUIDv7(),
    event: "tested",
    distinct_id: "ann",
    timestamp: "2026-11-21T12:00:00.000000Z",
    properties: { n: seq },
  };
  const line = Buffer.from(JSON.stringify(event));
  const place = { seq, project_id: 1, arrived_at: ARRIVED, person_id: PERSON };
  return { ...place, event, groups: undefined, mark: 1, historical: false, line, ...fields };
}

/** Events with the numbers from `first` to `last`, as a slice. */
function slice(first: number, last: number, more: Partial<BatchContent> = {}): BatchContent {
  const events = Array.from({ length: last - first + 1 }, (_, at) => sliceEvent(first + at));
  return { range: { first, last }, events, logs: [], projection: null, ...more };
}

function logs(first_seq: number, count: number): Frame {
  const lines = Buffer.from('{"body":"é"}\n'.repeat(count));
  return { kind: "logs", project_id: 1, arrived_at: ARRIVED, first_seq, count, lines };
}

function projection(version: number, changes: Partial<ProjectionChanges> = {}): ProjectionChanges {
  return { version, persons: [], gone: [], overrides: [], groups: [], owned: [], ...changes };
}

const numbersIn = (path: string | null | undefined) =>
  path ? readLines<{ seq: number }>(path).map(({ seq }) => seq) : [];

const upTo = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

const place = () => join(mkdtempSync(join(folder, "place-")), "loads");

test("slices make one load, until it is full or ended", () => {
  const files = loadFiles(place(), 10);
  expect(files.end()).toBeNull();

  expect(files.add(slice(1, 3))).toEqual([]);
  expect(files.add(slice(4, 7))).toEqual([]);
  const load = files.end();

  expect(load).toMatchObject({ first: 1, last: 7, count: 7, logs: null, projection: null });
  expect(numbersIn(load?.events)).toEqual(upTo(1, 7));
  expect(files.end()).toBeNull();
});

test("a full load ends within a slice, and the next one goes on behind it", () => {
  const files = loadFiles(place(), 10);
  files.add(slice(1, 7));

  const full = files.add(slice(8, 35));
  const rest = files.end();

  expect(full).toMatchObject([
    { first: 1, last: 10, count: 10 },
    { first: 11, last: 20, count: 10 },
    { first: 21, last: 30, count: 10 },
  ]);
  expect(full.map(({ events }) => numbersIn(events))).toEqual([
    upTo(1, 10),
    upTo(11, 20),
    upTo(21, 30),
  ]);
  expect(rest).toMatchObject({ first: 31, last: 35, count: 5 });
  expect(numbersIn(rest?.events)).toEqual(upTo(31, 35));
});

test("a slice that fills a load to the last event leaves nothing behind", () => {
  const files = loadFiles(place(), 10);
  // The last two numbers are those of duplicates.
  const [full] = files.add({ ...slice(1, 10), range: { first: 1, last: 12 } });
  expect(full).toMatchObject({ first: 1, last: 12, count: 10 });
  expect(files.end()).toBeNull();
});

test("a load ends behind the slice whose persons or groups are too large together", () => {
  const files = loadFiles(place(), 10);
  const persons = (id: number, chars: number): ProjectedPerson[] => [
    {
      ...{ project_id: 1, id, uuid: PERSON, distinct_ids: [], moved: [], known: true },
      created_at: "2026-11-21",
      columns: `"properties_0":{"text":"${"x".repeat(chars)}"}`,
    },
  ];
  const key = { project_id: 1, type_index: 0, key: "acme", created_at: "2026-11-21" };
  const groups = [{ ...key, properties: `{"text":"${"x".repeat(10_000_000)}"}` }];
  const add = (seq: number, changes: Partial<ProjectionChanges>) =>
    files.add({ ...slice(seq, seq), projection: projection(seq, changes) });

  expect(add(1, { persons: persons(1, 10_000_000) })).toEqual([]);
  // The same person again is in the load but once.
  expect(add(2, { persons: persons(1, 10_000_000) })).toEqual([]);
  expect(add(3, { groups })).toMatchObject([
    { first: 1, last: 3, count: 3, projection: { version: 3 } },
  ]);
  expect(add(4, { persons: persons(1, 10) })).toEqual([]);
  expect(files.end()).toMatchObject({ first: 4, last: 4, projection: { version: 4 } });
});

/** An event whose line has so many bytes. */
const sized = (seq: number, bytes: number) =>
  sliceEvent(seq, { line: Buffer.from(`{"pad":"${"x".repeat(bytes - 11)}"}\n`) });

const blanksIn = (path: string | null | undefined) =>
  path
    ? readLines<{ seq: number; project_id: number }>(path)
        .filter(({ project_id }) => project_id === -1)
        .map(({ seq }) => seq)
    : [];

test("a large event takes a row for each 1.5 KiB, and those behind its own are blank", () => {
  const files = loadFiles(place(), 10);
  const events = [sized(1, 2048), sized(2, 2049), sized(3, 4096)];
  files.add({ ...slice(1, 0), range: { first: 1, last: 3 }, events });
  const load = files.end();
  expect(load).toMatchObject({ count: 3, large: true });
  expect(numbersIn(load?.events)).toEqual([1, 2, 2, 3, 3, 3]);
  expect(blanksIn(load?.events)).toEqual([2, 3, 3]);
});

test("a load is filled with blank rows where the next event does not fit", () => {
  const files = loadFiles(place(), 10);
  files.add(slice(1, 2));
  const events = [sized(3, 9000), sized(4, 4000), sized(5, 4000)];
  const full = files.add({ ...slice(3, 2), range: { first: 3, last: 5 }, events });
  const rest = files.end();
  expect(full).toMatchObject([{ first: 1, last: 3, count: 3, large: true }]);
  expect(numbersIn(full[0]?.events)).toEqual([1, 2, ...Array.from({ length: 8 }, () => 3)]);
  expect(rest).toMatchObject({ first: 4, last: 5, count: 2 });
});

test("events that are not large take a row each", () => {
  const files = loadFiles(place(), 10);
  files.add(slice(1, 3));
  expect(files.end()).toMatchObject({ count: 3, large: false });
});

test("a large log record takes more rows than one, too", () => {
  const files = loadFiles(place(), 10);
  const frame = { ...logs(1, 1), lines: Buffer.from(`{"body":"${"x".repeat(3000)}"}\n`) };
  files.add({ range: { first: 1, last: 1 }, events: [], logs: [frame], projection: null });
  const load = files.end();
  expect(load).toMatchObject({ count: 1 });
  expect(blanksIn(load?.logs)).toEqual([1]);
});

test("a slice without events is a load all the same, so that its number is reached", () => {
  const files = loadFiles(place(), 10);
  files.add({ ...slice(1, 0), range: { first: 1, last: 4 } });
  expect(files.end()).toMatchObject({ first: 1, last: 4, count: 0, events: null });
});

test("log records go with the load that their numbers are in", () => {
  const files = loadFiles(place(), 10);
  const events = [...upTo(1, 8), ...upTo(12, 20)].map((seq) => sliceEvent(seq));
  const range = { first: 1, last: 22 };

  const [full] = files.add({ range, events, logs: [logs(9, 3), logs(21, 2)], projection: null });
  const rest = files.end();

  expect(full).toMatchObject({ last: 13, count: 13 });
  expect(numbersIn(full?.logs)).toEqual([9, 10, 11]);
  expect(rest).toMatchObject({ first: 14, last: 22, count: 9 });
  expect(numbersIn(rest?.logs)).toEqual([21, 22]);
});

test("a load tells whether there are events of a migration in it", () => {
  const files = loadFiles(place(), 2);
  const events = [sliceEvent(1), sliceEvent(2, { historical: true }), sliceEvent(3)];
  const [full] = files.add(slice(1, 3, { events }));
  expect([full?.historical, files.end()?.historical]).toEqual([true, false]);
});

test("the projection's changes of all its slices are one", () => {
  const files = loadFiles(place(), 10);
  const person = {
    project_id: 1,
    id: 1,
    uuid: PERSON,
    created_at: "2026-11-21T12:00:00.000000Z",
    columns: "",
    distinct_ids: ["ann"],
    moved: [],
    known: false,
  };
  files.add(slice(1, 1, { projection: projection(7, { persons: [person] }) }));
  const changed = { ...person, columns: '"properties_1":{"n":2}', distinct_ids: [], known: true };
  files.add(slice(2, 2, { projection: projection(8, { persons: [changed] }) }));

  const load = files.end();

  const { columns: _, ...about } = person;
  expect(load?.projection).toMatchObject({
    version: 8,
    known: false,
    moved: false,
    overrides: null,
  });
  expect(readLines(load?.projection?.persons ?? "")).toEqual([
    { ...about, properties_1: { n: 2 }, distinct_ids: ["ann"] },
  ]);
});

test("what fails adds nothing, and may be tried again", async () => {
  const directory = place();
  const files = loadFiles(directory, 10);
  files.add(slice(1, 3));
  const path = join(directory, "1.events.ndjson");
  const second = slice(4, 12);

  renameSync(path, `${path}.away`);
  mkdirSync(path);
  expect(() => files.add(second)).toThrow("EISDIR");
  rmdirSync(path);
  renameSync(`${path}.away`, path);
  // As a disk leaves it that runs full in the middle of a line.
  appendFileSync(path, '{"seq":4,"project_id":1,"uu');

  const [full] = files.add(second);
  const rest = files.end();

  expect(numbersIn(full?.events)).toEqual(upTo(1, 10));
  expect(numbersIn(rest?.events)).toEqual([11, 12]);
  for (const load of [full, rest]) if (load) await removeLoad(load);
  expect(readdirSync(directory)).toEqual([]);
});

test("what a slice changes in the projection survives that its load could not be written", () => {
  const directory = place();
  const files = loadFiles(directory, 10);
  const led = (version: number) =>
    projection(version, {
      overrides: [{ project_id: 1, old_person_id: `p${version}`, person_id: "q" }],
    });
  const linesOf = (path: string | null | undefined) =>
    readLines<{ old_person_id: string }>(path ?? "").map(({ old_person_id }) => old_person_id);
  const whileAway = (work: () => void) => {
    renameSync(directory, `${directory}.away`);
    expect(work).toThrow("ENOENT");
    renameSync(`${directory}.away`, directory);
  };

  whileAway(() => files.add(slice(1, 2, { projection: led(1) })));
  // As it is read again: SQLite has it already.
  files.add(slice(1, 2));
  whileAway(() => files.endWith(led(2)));
  files.add(slice(3, 3, { projection: led(3) }));
  const load = files.end();
  whileAway(() => files.endWith(led(4)));
  const last = files.endWith(led(5));

  expect(load).toMatchObject({ first: 1, last: 3, projection: { version: 3 } });
  expect(linesOf(load?.projection?.overrides)).toEqual(["p1", "p2", "p3"]);
  expect(last).toMatchObject({ load: null, changes: { version: 5 } });
  expect(linesOf(last.changes.overrides)).toEqual(["p4", "p5"]);
  files.add(slice(4, 4));
  expect(files.end()?.projection).toBeNull();
});

test("what a crash has left is removed", () => {
  const directory = place();
  loadFiles(directory, 10).add(slice(1, 3));
  expect(existsSync(join(directory, "1.events.ndjson"))).toBe(true);

  loadFiles(directory, 10);

  expect(readdirSync(directory)).toEqual([]);
});
