import { expect, test } from "bun:test";
import { requireCaughtUp } from "../../../src/core/events/freshness.ts";

test("reads of the event store are refused while it catches up, and only then", () => {
  expect(() => requireCaughtUp(() => true)).toThrow(
    expect.objectContaining({ code: "unavailable" }),
  );
  expect(() => requireCaughtUp(() => false)).not.toThrow();
});
