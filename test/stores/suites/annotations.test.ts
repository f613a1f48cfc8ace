import { describe, expect, test } from "bun:test";
import { AT, RECORD_STORES, unsaved, withProjects } from "../stores.ts";

const draft = {
  ...{ content: "a", date_marker: AT, scope: "project" as const, dashboard_item: null },
  ...{ created_at: AT, created_by: 1, updated_at: AT },
};

describe.each(RECORD_STORES)("annotations in %s", (_name, open) => {
  test("are of one project, and so are their insights", async () => {
    using records = await withProjects(open);
    const { annotations, insights } = records;
    await insights.insert({ ...unsaved, project_id: 2, short_id: "other" });
    const made = await annotations.insert({ ...draft, project_id: 1 });
    const about = { scope: "dashboard_item" as const, dashboard_item: 1 };

    expect(made).toMatchObject({ id: 1, content: "a", created_by: { id: 1 }, deleted: false });
    expect(annotations.insert({ ...draft, ...about, project_id: 1 })).rejects.toThrow("not found");
    expect(annotations.update({ project: 1, id: 1 }, about)).rejects.toThrow("not found");
    expect(await annotations.update({ project: 2, id: 1 }, { content: "b" })).toBeUndefined();
    expect(await annotations.list(1, {}, { limit: 9, offset: 0 })).toEqual({
      ...{ count: 1, rows: [made] },
    });
    expect((await annotations.list(2, {}, { limit: 9, offset: 0 })).count).toBe(0);
  });

  test("stay when their insight is erased", async () => {
    using records = await withProjects(open);
    const { annotations, insights } = records;
    await insights.insert({ ...unsaved, project_id: 1, short_id: "one" });
    const about = { scope: "dashboard_item" as const, dashboard_item: 1 };
    await annotations.insert({ ...draft, ...about, project_id: 1 });

    await insights.update(1, "one", { deleted: true });
    await records.deletions.eraseDeleted();

    expect((await annotations.list(1, {}, { limit: 9, offset: 0 })).rows).toMatchObject([
      { content: "a", dashboard_item: null },
    ]);
  });
});
