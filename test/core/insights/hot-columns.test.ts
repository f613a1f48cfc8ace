import { expect, test } from "bun:test";
import { startColumnMaterializer } from "../../../src/core/insights/hot-columns.ts";
import { rows } from "../../../src/stores/duckdb/engine/duckdb.ts";
import {
  materializedColumns,
  readableColumns,
  USE_SECONDS_MIN,
} from "../../../src/stores/duckdb/events/hot-columns.ts";
import { dataSets, firstProjects } from "../../support/data/data-sets.ts";
import { expectSameTexts } from "../../support/data/promoted.ts";

const KEY = "a/b~c";
const LOOK_MS = 5;

/** Promotes in a real store, at the first of the year. */
async function promotingIn(lag: () => number) {
  const stored = await dataSets(firstProjects(20));
  const said: unknown[] = [];
  const log = { warn: (...words: unknown[]) => said.push(words) } as never;
  const columnMaterializer = startColumnMaterializer({
    ...{ materializedColumns: materializedColumns(stored.duckdb, 100), ingest: { lag } },
    ...{ restoring: { active: () => false }, now: () => Date.parse("2026-01-01"), log },
    lookMs: LOOK_MS,
  });
  return {
    columnMaterializer,
    said,
    stored,
    isPromoted: async () => (await stored.duckdb.read(readableColumns)).has(KEY),
    async [Symbol.asyncDispose]() {
      await columnMaterializer.stop();
      await stored[Symbol.asyncDispose]();
    },
  };
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(LOOK_MS);
}

test("a property of slow queries gets its column step by step", async () => {
  await using one = await promotingIn(() => 0);
  one.columnMaterializer.used(new Set([KEY, "x".repeat(201)]), (USE_SECONDS_MIN * 1000) / 2);
  one.columnMaterializer.used(new Set([KEY]), (USE_SECONDS_MIN * 1000) / 2);

  await until(one.isPromoted);
  await expectSameTexts(one.stored.duckdb);
  expect(one.said).toEqual([]);
});

test("nothing is filled while many events wait", async () => {
  let lag = 1_000_000;
  await using one = await promotingIn(() => lag);
  one.columnMaterializer.used(new Set([KEY]), USE_SECONDS_MIN * 1000);
  const isChosen = async () =>
    (
      await one.stored.duckdb.read((connection) =>
        rows(connection, "SELECT slot FROM promoted WHERE key = $key", { key: KEY }),
      )
    ).length > 0;
  await until(isChosen);
  expect(await one.isPromoted()).toBe(false);

  lag = 0;
  await until(one.isPromoted);
});
