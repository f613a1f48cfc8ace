import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DataError, useDirectory } from "../../../src/app/process/data-directory.ts";

const folder = mkdtempSync(join(tmpdir(), "hoglet-directory-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a directory taken into use and left at once, as by a kill, is taken into use again", () => {
  const path = join(folder, "deep", "data");

  expect(useDirectory(path)).toBe(path);
  expect(readdirSync(path)).toEqual([]);
  expect(useDirectory(path)).toBe(path);
});

test.each([
  ["lost+found", ".snapshot"],
  ["hoglet.toml", ".DS_Store"],
  ["lock.db", "whatever"],
])("a directory with %s and %s is taken into use", (one, two) => {
  const path = mkdtempSync(join(folder, "data-"));
  for (const name of [one, two]) writeFileSync(join(path, name), "");

  expect(useDirectory(path)).toBe(path);
});

test("a directory with another program's files is refused, and left as it is", () => {
  const path = mkdtempSync(join(folder, "data-"));
  mkdirSync(join(path, "src"));

  expect(() => useDirectory(path)).toThrow(
    new DataError(`${path} holds other files. Give --data a directory of its own.`),
  );
  expect(readdirSync(path)).toEqual(["src"]);
});
