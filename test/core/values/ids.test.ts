import { expect, test } from "bun:test";
import { parseUuid, readId } from "../../../src/core/values/ids.ts";

test.each<[string, number | undefined]>([
  ["0", 0],
  ["42", 42],
  ["9007199254740990", 9_007_199_254_740_990],
  ["9007199254740993", Number.MAX_SAFE_INTEGER],
  ["9".repeat(400), Number.MAX_SAFE_INTEGER],
  ["01", undefined],
  ["-1", undefined],
  ["1.0", undefined],
  ["1e2", undefined],
  [" 1", undefined],
  ["", undefined],
])("the id %p is %p", (text, id) => {
  expect(readId(text)).toBe(id);
});

const UUID = "01a1fc9a-592b-78b3-8d80-aa75992efae9";

test.each([
  UUID,
  UUID.toUpperCase(),
  UUID.replaceAll("-", ""),
  `{${UUID}}`,
  `{${UUID.replaceAll("-", "").toUpperCase()}}`,
  `urn:uuid:${UUID}`,
  `URN:UUID:${UUID.toUpperCase()}`,
  ` ${UUID}\n`,
])("%p is that uuid", (text) => {
  expect(parseUuid(text)).toBe(UUID);
});

test.each([
  "",
  UUID.slice(1),
  `${UUID}0`,
  UUID.replace("a", "g"),
  UUID.replace("-", ""),
  UUID.replaceAll("-", "").replace(/^(.{16})/, "$1-"),
  `{${UUID}`,
  `${UUID}}`,
  `(${UUID})`,
  `urn:${UUID}`,
  `${" ".repeat(100)}${UUID}`,
])("%p is no uuid", (text) => {
  expect(parseUuid(text)).toBeUndefined();
});
