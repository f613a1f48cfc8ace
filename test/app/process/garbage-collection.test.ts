import { expect, test } from "bun:test";
import { gcAfterBytes, gcWithinShare } from "../../../src/app/process/garbage-collection.ts";

const MIB = 1_048_576;

test("garbage is collected after enough of it, once the work is done", async () => {
  let collected = 0;
  const behind = gcAfterBytes(() => {
    collected += 1;
  });

  for (let body = 0; body < 31; body += 1) behind(MIB);
  await Bun.sleep(30);
  const before = collected;
  behind(MIB);
  const atOnce = collected;
  behind(31 * MIB);
  await Bun.sleep(30);

  expect([before, atOnce, collected]).toEqual([0, 0, 1]);
});

test("work whose collections take long has few of them", () => {
  let clock = 1000;
  let collected = 0;
  const within = gcWithinShare(
    () => {
      collected += 1;
      clock += 40;
    },
    () => clock,
  );

  const counts: number[] = [];
  for (const passed of [0, 0, 159, 1, 0]) {
    clock += passed;
    within();
    counts.push(collected);
  }

  expect(counts).toEqual([1, 1, 1, 2, 2]);
});
