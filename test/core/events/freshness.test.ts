import { expect, test } from "bun:test";
import { checkUpToDate } from "../../../src/core/events/freshness.ts";

test("reads of the event store are refused while it is behind, and only then", () => {
  expect(() => checkUpToDate(() => true)).toThrow(expect.objectContaining({ code: "unavailable" }));
  expect(() => checkUpToDate(() => false)).not.toThrow();
});
