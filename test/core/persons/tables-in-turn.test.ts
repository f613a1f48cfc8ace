import { expect, test } from "bun:test";
import { persons } from "../../../src/core/persons/persons.ts";
import type { PersonReads } from "../../../src/core/ports/persons/reads.ts";
import { FOREVER } from "../../support/data/build-records.ts";
import { NO_CHANGES, testPerson, withoutIds } from "../../support/data/persons.ts";
import { personStores } from "../../support/start/stores.ts";

test("other requests are answered between two parts of a table, however many tables are read", async () => {
  await using stores = await personStores();
  const made = Array.from({ length: 1200 }, (_, at) => testPerson(`person ${at}`));
  await stores.apply({
    ...NO_CHANGES,
    created: made.map(withoutIds),
    ids: made.map(({ project_id, uuid, distinct_ids }) => ({
      ...{ project_id, uuid, main: null },
      entries: distinct_ids.map((distinct_id) => ({ distinct_id, initial_uuid: uuid })),
    })),
    applied_seq: 1,
  });
  let parts = 0;
  const reads: PersonReads = {
    ...stores.reads,
    read(...asked) {
      parts += 1;
      return stores.reads.read(...asked);
    },
  };
  const service = persons({
    reads,
    search: stores.search,
    isCatchingUp: () => false,
    projects: { get: () => Promise.reject(new Error("no project is needed")) },
    now: () => Date.parse("2026-11-21T12:00:00Z"),
  });

  const tables = Array.from({ length: 20 }, () => service.csv(1, {}, {}, FOREVER));
  let isOver = false;
  const between: number[] = [];
  const others = (async () => {
    while (!isOver) {
      const before = parts;
      await Bun.sleep(0);
      between.push(parts - before);
    }
  })();
  await Promise.all(tables);
  isOver = true;
  await others;

  expect(parts).toBeGreaterThanOrEqual(20 * 6);
  expect(Math.max(...between)).toBeLessThanOrEqual(2);
});
