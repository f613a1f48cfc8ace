import { expect, test } from "bun:test";
import { callerOf, noteCaller } from "../../../src/core/access/callers.ts";

test("a request has the key that was noted for its signal, and no other does", () => {
  const [first, second] = [new AbortController(), new AbortController()];
  noteCaller(first.signal, 7);

  expect([callerOf(first.signal), callerOf(second.signal)]).toEqual([7, undefined]);
});
