import { expect, test } from "bun:test";
import { inTurn } from "../../../src/core/values/in-turn.ts";

test("work waits for earlier work, and a failure reaches its own caller alone", async () => {
  const run = inTurn();
  const log: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = run(async () => {
    await promise;
    log.push("first");
    throw new Error("first failed");
  });
  const second = run(async () => log.push("second"));
  await Bun.sleep(5);
  expect(log).toEqual([]);
  resolve();

  await expect(first).rejects.toThrow("first failed");
  expect(await second).toBe(2);
  expect(log).toEqual(["first", "second"]);
});
