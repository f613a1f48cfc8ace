import { expect, test } from "bun:test";
import { collectBehind } from "../src/collecting.ts";

const MIB = 1_048_576;

test("garbage is collected once so much of it has come, a while behind that", async () => {
  let collected = 0;
  const behind = collectBehind(() => {
    collected += 1;
  }, 5);

  for (let body = 0; body < 31; body += 1) behind(MIB);
  await Bun.sleep(30);
  const before = collected;
  behind(MIB);
  const atOnce = collected;
  behind(31 * MIB);
  await Bun.sleep(30);

  expect([before, atOnce, collected]).toEqual([0, 0, 1]);
});
