import { describe, expect, test } from "bun:test";
import { AT, RECORD_STORES, type Records, unsaved, withProjects } from "../stores.ts";

const draft = {
  ...{ name: "a", description: "", tags: [], pinned: false, filters: {}, isDefault: false },
  ...{ created_at: AT, created_by: 1, last_modified_at: AT, last_modified_by: 1 },
};
const newInsight = (short_id: string) => ({ ...unsaved, project_id: 1, short_id, name: short_id });
const attr = "tiles__0";

/** The name of each insight and text of a dashboard. */
const tilesOf = async ({ dashboards }: Records, id = 1) =>
  (await dashboards.find({ project: 1, id }))?.tiles.map(
    ({ insight, text }) => insight?.name ?? text?.body,
  );

describe.each(RECORD_STORES)("dashboards in %s", (_name, open) => {
  test("are made with new insights, or not at all", async () => {
    using records = await withProjects(open);
    const { dashboards, insights } = records;
    const made = { ...draft, project_id: 1 };
    const tiles = [
      { insight: newInsight("one"), attr },
      { body: "text", attr },
    ];

    expect(await dashboards.insert(made, tiles)).toMatchObject({ id: 1, tiles: [{}, {}] });
    expect(await dashboards.insert(made, tiles)).toBeUndefined();
    const failing = dashboards.insert(made, [
      { insight: newInsight("two"), attr },
      { insight: 99, attr },
    ]);
    expect(failing).rejects.toMatchObject({ code: "invalid_input", attr: "tiles__0__insight" });
    await failing.catch(() => {});

    expect(await insights.find(1, "two")).toBeUndefined();
    expect((await dashboards.list(1, {}, { limit: 9, offset: 0 })).count).toBe(1);
    expect(await tilesOf(records)).toEqual(["one", "text"]);
  });

  test("a project gets its own once, however often it is made", async () => {
    using records = await withProjects(open);
    const { dashboards } = records;
    const made = { ...draft, project_id: 1, isDefault: true };
    expect(await dashboards.hasHadDefault(1)).toBe(false);

    await dashboards.insert(made, []);
    expect(await dashboards.insert(made, [])).toBeUndefined();

    expect([await dashboards.hasHadDefault(1), await dashboards.hasHadDefault(2)]).toEqual([
      ...[true, false],
    ]);
    expect(await dashboards.insert({ ...made, project_id: 2 }, [])).toMatchObject({ id: 2 });
  });

  test("of another project, and its insights, are not found", async () => {
    using records = await withProjects(open);
    const { dashboards, insights } = records;
    await dashboards.insert({ ...draft, project_id: 1 }, [{ body: "x", attr }]);
    await dashboards.insert({ ...draft, project_id: 2 }, []);
    await insights.insert({ ...newInsight("other"), project_id: 2 });

    expect(await dashboards.find({ project: 2, id: 1 })).toBeUndefined();
    expect(await dashboards.update({ project: 2, id: 1 }, { name: "b" }, [])).toBeUndefined();
    for (const tile of [{ insight: 1 }, { id: 1, body: "b" }]) {
      const place = { project: tile.insight === undefined ? 2 : 1, id: tile.insight ? 1 : 2 };
      expect(dashboards.update(place, {}, [{ ...tile, attr }])).rejects.toThrow("not found");
    }
    expect(insights.update(2, "other", { dashboards: [1] })).rejects.toThrow("not found");
    expect(await tilesOf(records)).toEqual(["x"]);
  });

  test("keep their tiles in order, and insights on them stay", async () => {
    using records = await withProjects(open);
    const { dashboards, insights } = records;
    await insights.insert(newInsight("one"));
    const place = { project: 1, id: 1 };
    await dashboards.insert({ ...draft, project_id: 1 }, []);

    const sm = { x: 0, y: 0, w: 1, h: 1 };
    await dashboards.update(place, {}, [
      { insight: 1, attr },
      { body: "x", attr },
    ]);
    const changed = await dashboards.update(place, {}, [{ insight: 1, layouts: { sm }, attr }]);

    expect(changed?.tiles).toMatchObject([{ layouts: { sm } }, { text: { body: "x" } }]);
    expect(await insights.find(1, "one")).toMatchObject({ dashboards: [1], saved: false });
    expect(await insights.list(1, { saved: true }, { limit: 9, offset: 0 })).toMatchObject({
      count: 1,
    });
    await dashboards.update(place, { deleted: true }, []);
    expect(await insights.find(1, "one")).toMatchObject({ dashboards: [] });
  });

  test("are erased with their tiles once they are deleted, as other records are", async () => {
    using records = await withProjects(open);
    const { dashboards, annotations, deletions } = records;
    const note = { content: "a", date_marker: AT, scope: "project" as const, dashboard_item: null };
    const list = { limit: 9, offset: 0 };
    for (const project_id of [1, 2]) {
      await dashboards.insert({ ...draft, project_id }, [{ body: "x", attr }]);
      const made = { project_id, created_at: AT, created_by: 1, updated_at: AT };
      await annotations.insert({ ...note, ...made });
    }

    await dashboards.update({ project: 1, id: 1 }, { deleted: true }, []);
    await annotations.update({ project: 1, id: 1 }, { deleted: true });
    await deletions.eraseDeleted();

    expect(await dashboards.update({ project: 1, id: 1 }, { deleted: false }, [])).toBeUndefined();
    expect(await annotations.update({ project: 1, id: 1 }, { deleted: false })).toBeUndefined();
    expect((await dashboards.find({ project: 2, id: 2 }))?.tiles).toHaveLength(1);
    expect((await annotations.list(2, {}, list)).count).toBe(1);
  });
});
