import { expect, test } from "bun:test";
import { mirrorWaiting } from "../../../src/core/ingest/mirrored.ts";

test("somebody who waits is told of until what was waited for is there", async () => {
  const reached = Promise.withResolvers<void>();
  const waiting = mirrorWaiting(() => reached.promise);
  expect(waiting.isAsked(3)).toBe(false);

  waiting.hasten(5);
  waiting.hasten(4);
  expect([waiting.isAsked(4), waiting.isAsked(5)]).toEqual([true, false]);

  const mirrored = waiting.mirrored();
  expect(waiting.isAsked(5)).toBe(true);
  waiting.sent();
  expect(waiting.isAsked(5)).toBe(false);
  reached.resolve();
  await mirrored;
});
