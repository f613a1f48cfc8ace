import { expect, test } from "bun:test";
import { fitting } from "../../../src/core/values/fitting.ts";
import { PAGE_BYTES_MAX } from "../../../src/core/values/page.ts";

test.each([
  ["all that there are, if they fit", [1, 2, 3], 3, false],
  ["those until the page is full", [PAGE_BYTES_MAX - 1, 1, 1, 1], 2, true],
  ["one at least", [2 * PAGE_BYTES_MAX, 1], 1, true],
  ["the last, however large", [1, 2 * PAGE_BYTES_MAX], 2, false],
  ["none of none", [], 0, false],
])("a page has %s", (_what, sizes, count, isCut) => {
  expect(fitting(sizes, (size) => size)).toEqual({ rows: sizes.slice(0, count), isCut });
});
