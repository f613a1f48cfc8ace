import { expect, test } from "bun:test";
import { mentionFinder } from "../../../src/core/erasure/mentions.ts";

const find = mentionFinder(new Set(["ann", "user 7", "$device:1-", "ann@x.y", "élan", "🦔", "42"]));

test.each([
  ["ann", ["ann"]],
  ["Purchases of Ann, weekly", ["ann"]],
  ["annabel, joann, ann_2", []],
  ["of ANN@x.y", ["ann", "ann@x.y"]],
  ["of user 7 and USER  7", ["user 7"]],
  ["of user 71", []],
  ["id=$device:1-;", ["$device:1-"]],
  ["ÉLAN, 🦔🦔", ["élan", "🦔"]],
  ["amount > 42", ["42"]],
  ["amount > 421 or 0.4", []],
  ["", []],
])("in %p these names are found: %p", (text, names) => {
  expect([...find(text)].toSorted()).toEqual(names.toSorted());
});

test("a long text and many names take milliseconds", () => {
  const names = new Set(Array.from({ length: 100_000 }, (_, at) => `user-${at}@x.y`));
  const text = `${"what a long text, ".repeat(5000)}user-99999@x.y`;
  const started = performance.now();
  expect([...mentionFinder(names)(text)]).toEqual(["user-99999@x.y"]);
  expect(performance.now() - started).toBeLessThan(2000);
});
