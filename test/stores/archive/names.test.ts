import { expect, test } from "bun:test";
import type { ArchivedFile } from "../../../src/core/ports/archive.ts";
import { fileOfPath, named, withoutReplaced } from "../../../src/stores/archive/names.ts";

const FILE = named({
  ...{ kind: "events", project_id: 1, month: "2026-11", first: 1, last: 9, rows: 7 },
  checksum: "0123456789abcdef",
});

test("a file has its facts in its path, and they are read from there", () => {
  expect(FILE.path).toBe("events/1/2026-11/1-9.7.0123456789abcdef.parquet");
  expect(fileOfPath(FILE.path)).toEqual(FILE);
});

test.each([
  "events/1/2026-11/1-9.parquet",
  "events/1/2026-11/1-9.7.0123456789abcde.parquet",
  "persons/1/2026-11/1-9.7.0123456789abcdef.parquet",
  "events/1/1-9.7.0123456789abcdef.parquet",
  "events/1/2026-11/1-9.7.0123456789abcdef.parquet.damaged",
])("%s is no file of the archive", (path) => {
  expect(fileOfPath(path)).toBeUndefined();
});

const of = (facts: Partial<ArchivedFile>) => named({ ...FILE, ...facts });

test.each([
  ["wider range", of({ last: 20 }), of({ first: 10, last: 20 })],
  ["wider range, though it has fewer rows", of({ last: 20, rows: 9 }), of({ last: 15, rows: 2 })],
  ["fewer rows", of({ rows: 6 }), of({})],
  ["later time", of({ checksum: "fedcba9876543210" }), of({})],
])("of two files with the same rows the one with the %s counts", (_, counting, replaced) => {
  const writtenAt = (file: ArchivedFile) => (file === counting ? 2 : 1);
  for (const found of [
    [counting, replaced],
    [replaced, counting],
  ]) {
    expect(withoutReplaced(found, writtenAt)).toEqual([counting]);
  }
});

test("files of other ranges, projects, months and kinds all count", () => {
  const others: Partial<ArchivedFile>[] = [
    { first: 10, last: 12 },
    { project_id: 2 },
    { month: "2026-12" },
    { kind: "logs" },
  ];
  const files = [FILE, ...others.map(of)];
  expect(withoutReplaced(files, () => 0).toSorted()).toEqual(files.toSorted());
});
