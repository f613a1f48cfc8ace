import { expect, test } from "bun:test";
import { INSIGHTS_MAX } from "../../../src/core/queries/insight.ts";
import { projectWrites, userWrites } from "../../../src/stores/sqlite/access.ts";
import { insightReads, insightWrites } from "../../../src/stores/sqlite/insights.ts";
import { openSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { AT, projectNamed, userNamed } from "../stores.ts";

test("beyond the limit of insights, the oldest of the project are deleted", async () => {
  const sqlite = openSqlite(":memory:");
  const [reads, writes] = [insightReads(sqlite), insightWrites(sqlite)];
  const draft = { name: "", query: {}, created_at: AT, created_by: 1 };
  for (const name of ["one", "two"]) await projectWrites(sqlite).insert(projectNamed(name));
  await userWrites(sqlite).insert(userNamed("one@x.y"));
  await writes.insert({ ...draft, project_id: 2, short_id: "other" });
  sqlite.raw.run(
    `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${INSIGHTS_MAX})
     INSERT INTO insight (project_id, short_id, name, query, created_at, created_by)
       SELECT 1, n, n, '{}', '${AT}', 1 FROM n`,
  );

  await writes.insert({ ...draft, project_id: 1, short_id: "last" });

  const { count, rows } = await reads.list(1, { limit: 2, offset: INSIGHTS_MAX - 2 });
  expect([count, rows.map(({ short_id }) => short_id)]).toEqual([INSIGHTS_MAX, ["3", "2"]]);
  expect(await reads.find(2, "other")).toBeDefined();
});
