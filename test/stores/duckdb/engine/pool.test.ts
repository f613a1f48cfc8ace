import { expect, test } from "bun:test";
import type { DuckDBConnection } from "@duckdb/node-api";
import { pool } from "../../../../src/stores/duckdb/engine/queue.ts";

test("calls wait for a connection up to a number, the next is refused, and room is used again", async () => {
  const connection = {} as DuckDBConnection;
  const readers = pool([connection], 2);
  const busy = Promise.withResolvers<void>();
  const used: number[] = [];
  const use = (n: number) =>
    readers.use(async () => {
      await busy.promise;
      used.push(n);
    });

  const taken = [use(1), use(2), use(3)];
  await expect(use(4)).rejects.toMatchObject({ code: "unavailable" });
  busy.resolve();
  await Promise.all(taken);
  await use(5);

  expect(used).toEqual([1, 2, 3, 5]);
});
