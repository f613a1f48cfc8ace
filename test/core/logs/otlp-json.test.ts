import { expect, test } from "bun:test";
import { JSON_DEPTH_MAX, OBJECT_KEYS_MAX } from "../../../src/core/events/json-limits.ts";
import { withoutLogExcesses } from "../../../src/core/logs/otlp-json.ts";
import { logsBody } from "../../support/data/logs.ts";

/** A list in a list, so deep. */
const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
const wide = (keys: number) =>
  Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${n}`, 0]));

/** What is left of a request; the byte of what refuses it. */
function left(body: unknown): unknown {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const clean = withoutLogExcesses(Buffer.from(text));
  return typeof clean === "number" ? clean : JSON.parse(Buffer.from(clean).toString());
}

// A record is at depth 7, and what is under one of its keys at 8.
const DEEPEST = JSON_DEPTH_MAX - 7;

test("a request that keeps to the limits is left as it is", () => {
  const bytes = Buffer.from(
    JSON.stringify(logsBody([{ body: nested(DEEPEST), quoted: '[[\\"' }, wide(OBJECT_KEYS_MAX)])),
  );
  expect(withoutLogExcesses(bytes)).toBe(bytes);
});

test("records that break a limit are numbers, and the others are left", () => {
  const records = [
    { n: 1 },
    { body: nested(DEEPEST + 1), more: wide(OBJECT_KEYS_MAX + 1) },
    { n: 2, body: "]}" },
    wide(OBJECT_KEYS_MAX + 1),
    { n: 3 },
  ];
  const [first, , second, , third] = records;
  expect(left(logsBody(records))).toEqual(logsBody([first, 0, second, 0, third]));
});

test("a value of a resource that breaks a limit is a number", () => {
  const attributes = (value: unknown) => ({ attributes: [{ key: "k", value }] });
  expect(left(logsBody([{}], attributes([nested(JSON_DEPTH_MAX)])))).toEqual(
    logsBody([{}], attributes(0)),
  );
});

const many = wide(OBJECT_KEYS_MAX + 1);

/** The byte of the last colon in the JSON of `many` within a body. */
function lastColon(body: unknown): number {
  const [before = ""] = JSON.stringify(body).split(JSON.stringify(many));
  return before.length + JSON.stringify(many).lastIndexOf(":");
}

test.each<[string, unknown, number]>([
  ["has too many keys", many, lastColon(many)],
  ["has a resource of too many keys", logsBody([], many), lastColon(logsBody([], many))],
  ["is too deep without an end", "[".repeat(JSON_DEPTH_MAX + 1), 6],
])("a request that %s is refused, with its byte", (_case, body, byte) => {
  expect(left(body)).toBe(byte);
});
