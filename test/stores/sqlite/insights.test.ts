import { expect, test } from "bun:test";
import { INSIGHTS_MAX } from "../../../src/core/queries/insight.ts";
import { insightReads, insightWrites } from "../../../src/stores/sqlite/insights.ts";
import { projectWrites } from "../../../src/stores/sqlite/projects.ts";
import { openSqlite } from "../../../src/stores/sqlite/sqlite.ts";
import { userWrites } from "../../../src/stores/sqlite/users.ts";

const AT = "2026-11-21T12:00:00.000000Z";
const draft = { name: "", query: {}, created_at: AT, created_by: 1 };

/** A store with two projects and two users. */
async function fresh() {
  const sqlite = openSqlite(":memory:");
  for (const name of ["first", "second"]) {
    const project = { uuid: name, name, api_token: name, timezone: "UTC", created_at: AT };
    await projectWrites(sqlite).insert(project);
    await userWrites(sqlite).insert({
      uuid: name,
      distinct_id: name,
      first_name: "",
      last_name: "",
      email: `${name}@b.c`,
      is_email_verified: false,
      hedgehog_config: {},
      role_at_organization: "",
      created_at: AT,
    });
  }
  return { sqlite, reads: insightReads(sqlite), writes: insightWrites(sqlite) };
}

test("an insight is new unless project, author, name and query are those of another", async () => {
  const { writes } = await fresh();
  const first = { ...draft, project_id: 1, query: { kind: "TrendsQuery", "\0": "\ud800é" } };

  const asked = [
    first,
    first,
    { ...first, project_id: 2 },
    { ...first, created_by: 2 },
    { ...first, name: "x" },
    { ...first, query: {} },
  ];
  const ids: (number | undefined)[] = [];
  for (const [index, one] of asked.entries()) {
    ids.push((await writes.insert({ ...one, short_id: `s${index}` }))?.id);
  }

  expect(ids).toEqual([1, 1, 2, 3, 4, 5]);
  expect(await writes.insert({ ...first, name: "y", short_id: "s0" })).toBeUndefined();
});

test("of more insights than are kept, the project's oldest are forgotten", async () => {
  const { sqlite, reads, writes } = await fresh();
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
