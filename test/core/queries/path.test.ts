import { expect, test } from "bun:test";
import { placeOf } from "../../../src/core/queries/path.ts";

test.each([
  ["/pricing", "/pricing"],
  ["/pricing/", "/pricing"],
  ["//", "/"],
  ["/", "/"],
  ["https://x.test/pricing?plan=/pro#top", "/pricing"],
  ["https://x.test", "/"],
  ["https://x.test?a=1", "/"],
  ["HTTP://X.test/Ä/b//", "/Ä/b"],
  ["app://home/tab", "/tab"],
  ["signed up", "signed up"],
  ["what/ever?", "what/ever?"],
  ["mailto:a@b.c", "mailto:a@b.c"],
  ["", ""],
  ["/a\n?b\nc", "/a\n"],
])("the place of %p is %p", (text, place) => {
  expect(placeOf(text)).toBe(place);
});
