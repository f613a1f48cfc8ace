import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentGeneration } from "../../src/storage/generations.ts";
import { temporaryDirectory } from "../support/app.ts";

const NAMES: [string, string[], number, string[]][] = [
  ["nothing at all", [], 1, []],
  ["one file", ["1.duckdb", "1.duckdb.wal"], 1, ["1.duckdb", "1.duckdb.wal"]],
  [
    "a draft that a kill left",
    ["3.duckdb", "3.duckdb.wal", "draft.duckdb", "draft.duckdb.wal"],
    3,
    ["3.duckdb", "3.duckdb.wal"],
  ],
  [
    "the old file beside the new one",
    ["9.duckdb", "9.duckdb.wal", "10.duckdb", "10.duckdb.wal"],
    10,
    ["10.duckdb", "10.duckdb.wal"],
  ],
  ["the log alone of an old file", ["1.duckdb.wal", "2.duckdb"], 2, ["2.duckdb"]],
  [
    "files of others",
    ["1.duckdb", "2.duckdb.bak", "notes"],
    1,
    ["1.duckdb", "2.duckdb.bak", "notes"],
  ],
];

test.each(NAMES)("of %s, the highest whole file is the current one", (_, names, current, left) => {
  using place = temporaryDirectory();
  const directory = join(place.path, "events");
  mkdirSync(directory);
  for (const name of names) writeFileSync(join(directory, name), name);
  expect(currentGeneration(directory)).toBe(current);
  expect(readdirSync(directory).toSorted()).toEqual(left.toSorted());
});

test("without a directory the first one is the current one", () => {
  using place = temporaryDirectory();
  expect(currentGeneration(join(place.path, "events"))).toBe(1);
});
