import { expect, test } from "bun:test";
import type { MirrorState } from "../../../../src/core/ports/person-search.ts";
import { openDuckdb } from "../../../../src/stores/duckdb/engine/duckdb.ts";
import { apiReads } from "../../../../src/stores/duckdb/engine/query-deadline.ts";
import { personMatches } from "../../../../src/stores/duckdb/lists/persons.ts";
import { propertyColumn } from "../../../../src/stores/loads/person-columns.ts";
import { FOREVER } from "../../../support/data/build-records.ts";
import { temporaryDirectory } from "../../../support/start/app.ts";

test("persons are found by what SDKs and users set", async () => {
  using directory = temporaryDirectory();
  const duckdb = await openDuckdb({
    directory: directory.path,
    generation: 1,
    memory_bytes: 128_000_000,
    threads: 1,
    onFatal(error) {
      throw error;
    },
  });
  await duckdb.write(async (connection) => {
    const [plan, os, initial] = ["plan", "$os", "$initial_os"].map(propertyColumn);
    await connection.run(
      `INSERT INTO persons BY NAME SELECT 1 AS project_id, id, uuid() AS uuid,
         TIMESTAMP '2026-11-22' AS created_at, plan AS ${plan}, os AS ${os}, initial AS ${initial}
       FROM (VALUES
         (2, '{"plan":"pro"}', '{"$os":"Linux"}', '{"$initial_os":"iOS"}'),
         (3, '{"plan":"free"}', NULL, NULL)) AS rows (id, plan, os, initial)`,
    );
  });
  const matches = personMatches(apiReads(duckdb, 600));
  const read = <T>(work: (mirror: MirrorState) => Promise<T>) => matches.read(FOREVER, work);
  const nobody = async function* () {};
  const now = { changed: [], whole: nobody, moved: () => [], owner: () => undefined };
  const found = async (key: string, value: string) => {
    const test = { is: "equal" as const, any: [value] };
    const filter = { properties: [{ key, not: false, test }] };
    const page = await read(({ places }) => places(1, filter, { limit: 10, offset: 0 }, now));
    return [page.count, ...page.places.map(({ id }) => id)];
  };
  const values = (key: string) => read((mirror) => mirror.values(1, key, "", now));

  expect(await found("plan", "pro")).toEqual([1, 2]);
  expect(await found("$os", "Linux")).toEqual([1, 2]);
  expect(await found("$initial_os", "iOS")).toEqual([1, 2]);
  expect(await values("$initial_os")).toEqual([{ name: "iOS", count: 1 }]);
  expect(await found("$os", "")).toEqual([0]);
  expect(await values("$os")).toEqual([{ name: "Linux", count: 1 }]);
  expect(await values("plan")).toEqual([
    { name: "free", count: 1 },
    { name: "pro", count: 1 },
  ]);
  await duckdb.close();
});
