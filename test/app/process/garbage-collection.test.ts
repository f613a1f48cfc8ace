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

test("work whose collections take long has few of them", async () => {
  let collected = 0;
  const within = gcWithinShare(() => {
    collected += 1;
    Bun.sleepSync(40);
  });

  within();
  for (let more = 0; more < 50; more += 1) within();
  const atOnce = collected;
  await Bun.sleep(200);
  within();

  expect([atOnce, collected]).toEqual([1, 2]);
});
