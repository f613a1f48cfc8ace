import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lostNumbers } from "../../../src/stores/journal/lost-numbers.ts";
import { temporaryDirectory } from "../../support/start/app.ts";

test("lost numbers are known to the next process, and none counts twice", () => {
  using root = temporaryDirectory();
  const path = join(root.path, "journal.lost");
  const first = lostNumbers(path);
  expect([first.count(), first.has({ first: 1, last: 1 })]).toEqual([0, false]);
  first.add({ first: 101, last: 200 });
  first.add({ first: 301, last: 310 });
  first.add({ first: 151, last: 220 });

  const second = lostNumbers(path);

  expect([first.count(), second.count()]).toEqual([130, 130]);
  const asked = [
    [101, 220],
    [305, 310],
    [200, 301],
    [221, 221],
  ] as const;
  expect(asked.map(([first, last]) => second.has({ first, last }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("a line that says nothing is passed over, and a file that cannot be written stops nothing", () => {
  using root = temporaryDirectory();
  const path = join(root.path, "journal.lost");
  lostNumbers(path).add({ first: 5, last: 9 });
  appendFileSync(path, 'nonsense\n{"first":9,"last":1}\n{"first":20,"la');
  expect(lostNumbers(path).count()).toBe(5);
  expect(readFileSync(path, "utf8")).toContain("nonsense");

  const folder = join(root.path, "folder");
  mkdirSync(folder);
  const unwritten = lostNumbers(folder);
  unwritten.add({ first: 1, last: 3 });
  expect(unwritten.count()).toBe(3);
});
