import { expect, test } from "bun:test";
import {
  addPropertyCounts,
  joinPropertyCounts,
} from "../../../../src/stores/duckdb/events/property-counts.ts";
import { countProperties } from "../../../../src/stores/loads/property-counts.ts";
import { batchEvent } from "../../../support/data/batches.ts";
import { propertyCountsIn } from "../../../support/data/property-counts.ts";
import { duckdbStore } from "../../../support/start/duckdb-store.ts";

const EVENT = batchEvent(1, { properties: { day: "2026-1-21", n: -1, text: "x", __none__: null } });

test("many rows of a property become one, and a few stay", async () => {
  await using made = await duckdbStore();
  const join = joinPropertyCounts(20);
  const counts = JSON.stringify(countProperties([EVENT]));
  const add = () =>
    made.duckdb.write(async (connection) => {
      await addPropertyCounts(connection, counts);
      await join(connection);
    });
  const once: [string, string | null, number][] = [
    ["__none__", null, 1],
    ["day", "String", 1],
    ["n", "Numeric", 1],
    ["text", "String", 1],
  ];

  for (let at = 0; at < 5; at++) await add();
  expect(await propertyCountsIn(made)).toEqual(
    once.flatMap((row) => Array<typeof row>(5).fill(row)),
  );
  await add();
  expect(await propertyCountsIn(made)).toEqual(once.map(([name, type]) => [name, type, 6]));
  for (let at = 0; at < 6; at++) await add();
  expect(await propertyCountsIn(made)).toHaveLength(28);
  await add();
  expect(await propertyCountsIn(made)).toEqual(once.map(([name, type]) => [name, type, 13]));
});
