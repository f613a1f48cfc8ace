import { expect, test } from "bun:test";
import { recountProperties } from "../../../src/stores/duckdb/events/property-counts.ts";
import { batchEvent, batchOf, loadOf } from "../../support/data/batches.ts";
import { propertyCountsIn } from "../../support/data/property-counts.ts";
import { duckdbStore } from "../../support/start/duckdb-store.ts";

const EVENTS = [
  { n: 1, text: "x", "a/b~c.d": true, day: "2026-11-21", list: [1], none: null, __proto__: 1 },
  { n: "1", text: "2026-11-21T10:00:00Z", big: 2 ** 60, part: 0.5, "": "", object: { n: 1 } },
  JSON.parse('{"__proto__": 1, "text": "2026-1-21", "day": "2026-11-21\\n", "n": -1}'),
  { large: "z".repeat(100_000) },
].map((properties, n) => batchEvent(n + 1, { properties }));

test("properties are counted in the events as in their rows", async () => {
  await using made = await duckdbStore();
  await made.store.append(loadOf(made.files, batchOf(1, EVENTS)));
  const counted = await propertyCountsIn(made);
  await made.duckdb.write(async (connection) => {
    await connection.run("DELETE FROM property_counts");
    await recountProperties(connection, "true");
  });

  // The rows of a large event are counted without types.
  const typeless = counted.map(([name, type, count]) => [
    name,
    name === "large" ? null : type,
    count,
  ]);
  expect(await propertyCountsIn(made)).toEqual(typeless as typeof counted);
  expect(counted).toContainEqual(["large", "String", 1]);
  expect(counted).toContainEqual(["n", "Numeric", 2]);
  expect(counted).toContainEqual(["__proto__", "Numeric", 1]);
});
