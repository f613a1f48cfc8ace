import { describe, expect, test } from "bun:test";
import { RECORD_STORES, unsaved, withProjects } from "../stores.ts";

describe.each(RECORD_STORES)("insights in %s", (_name, open) => {
  test("an insight with the project, author, name and query of another is that one", async () => {
    using records = await withProjects(open);
    const { insights: writes } = records;
    const first = { ...unsaved, project_id: 1, query: { kind: "TrendsQuery", "\0": "\ud800é" } };

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
    expect(await writes.insert({ ...first, short_id: "made" }, "made")).toMatchObject({ id: 6 });
    expect(await writes.insert({ ...first, name: "y", short_id: "s0" })).toBeUndefined();
  });

  test("are listed newest first, with their exact count, and found by their short id", async () => {
    using records = await withProjects(open);
    const { insights } = records;
    for (const name of ["a", "b", "c"]) {
      await insights.insert({ ...unsaved, name, project_id: 1, short_id: name });
    }

    const { count, rows } = await insights.list(1, {}, { limit: 2, offset: 1 });
    expect([count, rows.map(({ short_id }) => short_id)]).toEqual([3, ["b", "a"]]);
    expect(await insights.find(1, "c")).toMatchObject({ name: "c", query: {} });
    expect(await insights.find(2, "c")).toBeUndefined();
  });

  test("a deleted insight is hidden, is restored by a change, and is erased at last", async () => {
    using records = await withProjects(open);
    const { insights } = records;
    const sent = { ...unsaved, name: "a", project_id: 1 };
    await insights.insert({ ...sent, short_id: "one" });
    await insights.insert({ ...sent, project_id: 2, short_id: "one" });

    const deleted = await insights.update(1, "one", { deleted: true });
    expect(deleted).toMatchObject({ short_id: "one", name: "a", deleted: true });
    expect(await insights.find(1, "one")).toBeUndefined();
    expect(await insights.list(1, {}, { limit: 9, offset: 0 })).toEqual({ count: 0, rows: [] });
    expect(await insights.insert({ ...sent, short_id: "two" })).toMatchObject({ short_id: "two" });
    await insights.update(1, "one", { deleted: false, name: "b" });
    expect(await insights.find(1, "one")).toMatchObject({ name: "b", deleted: false });

    await insights.update(1, "one", { deleted: true });
    await records.deletions.eraseDeleted();
    expect(await insights.update(1, "one", { deleted: false })).toBeUndefined();
    expect(await insights.find(2, "one")).toMatchObject({ name: "a" });
    expect(await insights.update(1, "none", {})).toBeUndefined();
  });
});
