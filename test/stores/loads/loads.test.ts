import { afterAll, expect, test } from "bun:test";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  ProjectedPerson,
  ProjectionChanges,
} from "../../../src/core/ports/persons/projection.ts";
import { loadFiles, removeLoad } from "../../../src/stores/loads/loads.ts";
import {
  batchEvent,
  eventBatch,
  logFrame,
  numbersIn,
  PERSON,
  projectionChanges,
  upTo,
} from "../../support/data/batches.ts";
import { readLines } from "../../support/start/server.ts";

const folder = mkdtempSync(join(tmpdir(), "hoglet-loads-"));
afterAll(() => rmSync(folder, { recursive: true }));

const place = () => join(mkdtempSync(join(folder, "place-")), "loads");

test("a load ends after the batch whose persons or groups are too large together", () => {
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
    files.add({ ...eventBatch(seq, seq), projection: projectionChanges(seq, changes) });

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
  batchEvent(seq, {}, { line: Buffer.from(`{"pad":"${"x".repeat(bytes - 11)}"}\n`) });

const blanksIn = (path: string | null | undefined) =>
  path
    ? readLines<{ seq: number; project_id: number }>(path)
        .filter(({ project_id }) => project_id === -1)
        .map(({ seq }) => seq)
    : [];

test("a large event takes a row for each 1.5 KiB, and the rows after its own are padding", () => {
  const files = loadFiles(place(), 10);
  const events = [sized(1, 2048), sized(2, 2049), sized(3, 4096)];
  files.add({ ...eventBatch(1, 0), range: { first: 1, last: 3 }, events });
  const load = files.end();
  expect(load).toMatchObject({ count: 3, large: true });
  expect(numbersIn(load?.events)).toEqual([1, 2, 2, 3, 3, 3]);
  expect(blanksIn(load?.events)).toEqual([2, 3, 3]);
});

test("a load is filled with blank rows where the next event does not fit", () => {
  const files = loadFiles(place(), 10);
  files.add(eventBatch(1, 2));
  const events = [sized(3, 9000), sized(4, 4000), sized(5, 4000)];
  const full = files.add({ ...eventBatch(3, 2), range: { first: 3, last: 5 }, events });
  const rest = files.end();
  expect(full).toMatchObject([{ first: 1, last: 3, count: 3, large: true }]);
  expect(numbersIn(full[0]?.events)).toEqual([1, 2, ...Array.from({ length: 8 }, () => 3)]);
  expect(rest).toMatchObject({ first: 4, last: 5, count: 2 });
});

test("events that are not large take a row each", () => {
  const files = loadFiles(place(), 10);
  files.add(eventBatch(1, 3));
  expect(files.end()).toMatchObject({ count: 3, large: false });
});

test("a large log record takes more rows than one, too", () => {
  const files = loadFiles(place(), 10);
  const frame = { ...logFrame(1, 1), lines: Buffer.from(`{"body":"${"x".repeat(3000)}"}\n`) };
  files.add({ range: { first: 1, last: 1 }, events: [], logs: [frame], projection: null });
  const load = files.end();
  expect(load).toMatchObject({ count: 1 });
  expect(blanksIn(load?.logs)).toEqual([1]);
});

test("a failed call adds nothing, and may be repeated", async () => {
  const directory = place();
  const files = loadFiles(directory, 10);
  files.add(eventBatch(1, 3));
  const path = join(directory, "1.events.ndjson");
  const second = eventBatch(4, 12);

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

test("changes of the projection survive a load that could not be written", () => {
  const directory = place();
  const files = loadFiles(directory, 10);
  const led = (version: number) =>
    projectionChanges(version, {
      overrides: [{ project_id: 1, old_person_id: `p${version}`, person_id: "q" }],
    });
  const linesOf = (path: string | null | undefined) =>
    readLines<{ old_person_id: string }>(path ?? "").map(({ old_person_id }) => old_person_id);
  const whileAway = (work: () => void) => {
    renameSync(directory, `${directory}.away`);
    expect(work).toThrow("ENOENT");
    renameSync(`${directory}.away`, directory);
  };

  whileAway(() => files.add(eventBatch(1, 2, { projection: led(1) })));
  // As it is read again: SQLite has it already.
  files.add(eventBatch(1, 2));
  whileAway(() => files.endWith(led(2)));
  files.add(eventBatch(3, 3, { projection: led(3) }));
  const load = files.end();
  whileAway(() => files.endWith(led(4)));
  const last = files.endWith(led(5));

  expect(load).toMatchObject({ first: 1, last: 3, projection: { version: 3 } });
  expect(linesOf(load?.projection?.overrides)).toEqual(["p1", "p2", "p3"]);
  expect(last).toMatchObject({ load: null, changes: { version: 5 } });
  expect(linesOf(last.changes.overrides)).toEqual(["p4", "p5"]);
  files.add(eventBatch(4, 4));
  expect(files.end()?.projection).toBeNull();
});
