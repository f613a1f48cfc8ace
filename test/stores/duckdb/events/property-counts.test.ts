import { expect, test } from "bun:test";
import { rows } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import {
  addPropertyCounts,
  joinPropertyCounts,
  recountProperties,
} from "../../../../src/stores/duckdb/events/property-counts.ts";
import { countProperties } from "../../../../src/stores/loads/property-counts.ts";
import { batchEvent, batchOf, loadOf } from "../../../support/data/batches.ts";
import { duckdbStore } from "../../../support/start/duckdb-store.ts";

const EVENTS = [
  { n: 1, text: "x", "a/b~c.d": true, day: "2026-11-21", list: [1], none: null, __proto__: 1 },
  { n: "1", text: "2026-11-21T10:00:00Z", big: 2 ** 60, part: 0.5, "": "", object: { n: 1 } },
  JSON.parse('{"__proto__": 1, "text": "2026-1-21", "day": "2026-11-21\\n", "n": -1}'),
  { text: "z".repeat(100_000), large: 1 },
].map((properties, n) => batchEvent(n + 1, { properties }));

type Made = Awaited<ReturnType<typeof duckdbStore>>;

const countsIn = ({ duckdb }: Made) =>
  duckdb.read(async (connection) => {
    const found = await rows(
      connection,
      "SELECT name, property_type, count::INTEGER AS count FROM property_counts ORDER BY ALL",
    );
    return found.map((row) => Object.values(row));
  });

test("properties are counted in the events as in their rows", async () => {
  await using made = await duckdbStore();
  await made.store.append(loadOf(made.files, batchOf(1, EVENTS)));
  const counted = await countsIn(made);
  await made.duckdb.write(async (connection) => {
    await connection.run("DELETE FROM property_counts");
    await recountProperties(connection, "true");
  });

  expect(await countsIn(made)).toEqual(counted);
  expect(counted).toContainEqual(["n", "Numeric", 2]);
  expect(counted).toContainEqual(["__proto__", "Numeric", 1]);
});

test("many rows of a property become one, and a few stay", async () => {
  await using made = await duckdbStore();
  const join = joinPropertyCounts(20);
  const counts = JSON.stringify(countProperties(EVENTS.slice(2, 3)));
  const add = () =>
    made.duckdb.write(async (connection) => {
      await addPropertyCounts(connection, counts);
      await join(connection);
    });
  const once: [string, string, number][] = [
    ["__proto__", "Numeric", 1],
    ["day", "String", 1],
    ["n", "Numeric", 1],
    ["text", "String", 1],
  ];

  for (let at = 0; at < 5; at++) await add();
  expect(await countsIn(made)).toEqual(once.flatMap((row) => Array<typeof row>(5).fill(row)));
  await add();
  expect(await countsIn(made)).toEqual(once.map(([name, type]) => [name, type, 6]));
  for (let at = 0; at < 6; at++) await add();
  expect(await countsIn(made)).toHaveLength(28);
  await add();
  expect(await countsIn(made)).toEqual(once.map(([name, type]) => [name, type, 13]));
});
