import { expect, test } from "bun:test";
import { turns } from "../../../src/core/sql/turns.ts";
import { Failure } from "../../../src/core/values/failure.ts";

const FOREVER = new AbortController().signal;

const tooMany = () => new Failure("throttled", "full");
const places = (waitMs: number) => turns({ running: 1, waiting: 2, waitMs, tooMany });

test("works wait for their turn in the order in which they came", async () => {
  const { take, isIdle } = places(600_000);
  expect(isIdle()).toBe(true);
  const endTurn = await take(FOREVER);
  expect(isIdle()).toBe(false);
  const order: string[] = [];
  const next = ["a", "b"].map(async (name) => {
    const end = await take(FOREVER);
    order.push(name);
    end();
  });
  expect(take(FOREVER)).rejects.toMatchObject({ code: "throttled" });
  expect(order).toEqual([]);
  endTurn();
  await Promise.all(next);
  expect(order).toEqual(["a", "b"]);
  expect(isIdle()).toBe(true);
});

test("one that is cancelled leaves its place to others", async () => {
  const { take } = places(600_000);
  const endTurn = await take(FOREVER);
  const leaving = new AbortController();
  const [left, stays] = [take(leaving.signal), take(FOREVER)];
  leaving.abort();
  expect(left).rejects.toMatchObject({ code: "query_timeout" });
  expect(take(leaving.signal)).rejects.toMatchObject({ code: "query_timeout" });
  const last = take(FOREVER);
  endTurn();
  (await stays)();
  (await last)();
});

test("one that has waited long enough is refused, and those after it wait on", async () => {
  const { take } = places(1);
  const endTurn = await take(FOREVER);
  expect(await take(FOREVER).catch((error: unknown) => error)).toMatchObject({ code: "throttled" });
  endTurn();
  (await take(FOREVER))();
});
