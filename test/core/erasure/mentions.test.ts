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

test("many names are asked for parts of a text, and not gone through for each text", () => {
  const asked = { names: 0, parts: 0 };
  class Names extends Set<string> {
    override *[Symbol.iterator](): SetIterator<string> {
      for (const name of this.values()) {
        asked.names += 1;
        yield name;
      }
    }
    override has(name: string): boolean {
      asked.parts += 1;
      return super.has(name);
    }
  }
  const text = `${"what a long text, ".repeat(50)}user-1009@x.y`;
  const askedFor = (count: number) => {
    Object.assign(asked, { names: 0, parts: 0 });
    const find = mentionFinder(
      new Names(Array.from({ length: count }, (_, at) => `user-${1000 + at}@x.y`)),
    );
    for (const _ of [1, 2, 3]) expect([...find(text)]).toEqual(["user-1009@x.y"]);
    return { ...asked };
  };

  const few = askedFor(10);

  expect(few.names).toBe(10);
  expect(askedFor(9000)).toEqual({ names: 9000, parts: few.parts });
});
