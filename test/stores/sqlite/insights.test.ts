import { expect, test } from "bun:test";
import { join } from "node:path";
import { INSIGHTS_MAX } from "../../../src/core/queries/insight.ts";
import { projectWrites, userWrites } from "../../../src/stores/sqlite/access.ts";
import { insightReads, insightWrites } from "../../../src/stores/sqlite/insights.ts";
import { SQLITE_MIGRATIONS } from "../../../src/stores/sqlite/migrations/index.ts";
import { openSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { temporaryDirectory } from "../../support/start/app.ts";
import { AT, projectNamed, unsaved, userNamed } from "../stores.ts";

test("beyond the limit of insights, the oldest that are neither saved nor on a dashboard are deleted", async () => {
  const sqlite = openSqlite(":memory:");
  const [reads, writes] = [insightReads(sqlite), insightWrites(sqlite)];
  for (const name of ["one", "two"]) await projectWrites(sqlite).insert(projectNamed(name));
  await userWrites(sqlite).insert(userNamed("one@x.y"));
  await writes.insert({ ...unsaved, project_id: 2, short_id: "other" });
  sqlite.raw.run(
    `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${INSIGHTS_MAX})
     INSERT INTO insight (project_id, short_id, name, query, created_at, created_by, last_modified_by)
       SELECT 1, n, n, '{}', '${AT}', 1, 1 FROM n`,
  );

  sqlite.raw.run("UPDATE insight SET saved = 1 WHERE short_id = '1'");
  sqlite.raw.run(
    `INSERT INTO dashboard (project_id, name, description, pinned, filters,
       created_at, created_by, last_modified_at, last_modified_by)
     VALUES (1, '', '', 0, '{}', '', 1, '', 1)`,
  );
  sqlite.raw.run(
    `INSERT INTO dashboard_tile (dashboard_id, insight_id, layouts)
     SELECT 1, id, '{}' FROM insight WHERE short_id = '2'`,
  );

  for (const short_id of ["a", "b", "c"]) {
    await writes.insert({ ...unsaved, name: short_id, project_id: 1, short_id });
  }

  const { count, rows } = await reads.list(1, {}, { limit: 9, offset: INSIGHTS_MAX - 1 });
  expect([count, rows.map(({ short_id }) => short_id)]).toEqual([
    INSIGHTS_MAX + 2,
    ["4", "2", "1"],
  ]);
  expect(await reads.find(2, "other")).toBeDefined();
  const plan = sqlite.raw
    .query<{ detail: string }, []>(
      "EXPLAIN QUERY PLAN SELECT id FROM insight WHERE project_id = 1 AND saved = 0 ORDER BY id DESC",
    )
    .all();
  expect(plan.map(({ detail }) => detail).join()).toContain("insight_unsaved");
  sqlite.close();
});

test("insights of an earlier version are not saved", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "hoglet.sqlite");
  const earlier = openSqlite(path, SQLITE_MIGRATIONS.slice(0, 1));
  await projectWrites(earlier).insert(projectNamed("one"));
  await userWrites(earlier).insert(userNamed("one@x.y"));
  earlier.raw.run(
    `INSERT INTO insight (project_id, short_id, name, query, created_at, created_by)
     VALUES (1, 'old', 'Views', '{}', '${AT}', 1)`,
  );
  earlier.close();

  const sqlite = openSqlite(path);
  expect(await insightReads(sqlite).find(1, "old")).toMatchObject({
    ...{ name: "Views", description: "", tags: [], saved: false, favorited: false, dashboards: [] },
    ...{ last_modified_at: AT, last_modified_by: { id: 1 } },
  });
  sqlite.close();
});
