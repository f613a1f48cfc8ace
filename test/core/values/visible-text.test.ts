import { expect, test } from "bun:test";
import { escapeControlChars } from "../../../src/core/values/visible-text.ts";

test.each([
  ["Shop é 🦔 \u200e", "Shop é 🦔 \u200e"],
  ["a\tb\r\n", "a\\u0009b\\u000d\\u000a"],
  ["\u001b[2J\u007f\u009b31m", "\\u001b[2J\\u007f\\u009b31m"],
  ["\u2028\u202a\u202e\u2066\u2069", "\\u2028\\u202a\\u202e\\u2066\\u2069"],
])("control characters are escaped: %j", (text, shown) => {
  expect(escapeControlChars(text)).toBe(shown);
});
