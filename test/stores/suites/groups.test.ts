import { describe, expect, test } from "bun:test";
import type { GroupRow } from "../../../src/core/ports/persons/groups.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { NO_CHANGES } from "../../support/data/persons.ts";
import { AT, RECORD_STORES, type Records, withProjects } from "../stores.ts";

const LATER = "2026-11-22T12:00:00.000000Z";
const PAGE = { limit: 9, offset: 0 };

const group = (key: string, properties: JsonObject = {}, created_at = AT): GroupRow => ({
  ...{ project_id: 1, type_index: 0, key, properties, created_at },
});

/** Stores groups of the type `company`, which the first call makes. */
const put = async ({ persons }: Records, applied_seq: number, rows: GroupRow[]) => {
  const company = { project_id: 1, type_index: 0, name: "company" };
  const groups = { types: applied_seq === 1 ? [company] : [], rows };
  await persons.apply({ ...NO_CHANGES, groups, applied_seq });
};

describe.each(RECORD_STORES)("groups in %s", (_name, open) => {
  test("are listed by the bytes of their keys, with their exact count on every page", async () => {
    using records = await withProjects(open);
    await put(
      records,
      1,
      ["b", "\u{1f994}", "B", "\uff5e"].map((key) => group(key)),
    );

    const keys = async (part: Parameters<typeof records.groups.list>[2]) => {
      const { count, rows } = await records.groups.list(1, { type_index: 0 }, part);
      return [count, ...rows.map(({ group_key }) => group_key)];
    };
    expect(await keys(PAGE)).toEqual([4, "B", "b", "\uff5e", "\u{1f994}"]);
    expect(await keys({ limit: 1, offset: 2 })).toEqual([4, "\uff5e"]);
    expect(await keys({ ...PAGE, after: ["b"] })).toEqual([4, "\uff5e", "\u{1f994}"]);
  });

  test("are found by a part of their key, in their type and project alone", async () => {
    using records = await withProjects(open);
    await put(records, 1, [group("Acme"), group("other")]);

    const count = async (project: number, filter: { type_index: number; search?: string }) =>
      (await records.groups.list(project, filter, PAGE)).count;
    expect(await count(1, { type_index: 0, search: "cM" })).toBe(1);
    expect(await count(1, { type_index: 1 })).toBe(0);
    expect(await count(2, { type_index: 0 })).toBe(0);
    const place = { project_id: 1, type_index: 0 };
    expect(await records.persons.group({ ...place, key: "Acme" })).toEqual(group("Acme"));
    expect(await records.persons.group({ ...place, key: "acme" })).toBeUndefined();
    const { key: group_key, properties: group_properties, created_at } = group("Acme");
    const shown = { group_type_index: 0, group_key, group_properties, created_at };
    expect(await records.groups.find(1, 0, "Acme")).toEqual(shown);
    expect(await records.groups.find(1, 0, "acme")).toBeUndefined();
    expect(await records.groups.find(1, 1, "Acme")).toBeUndefined();
    expect(await records.groups.find(2, 0, "Acme")).toBeUndefined();
  });

  test("keep the time at which they were made when they change", async () => {
    using records = await withProjects(open);
    await put(records, 1, [group("acme", { a: 1 })]);
    await put(records, 2, [group("acme", { b: [null] }, LATER)]);

    const { rows } = await records.groups.list(1, { type_index: 0 }, PAGE);
    expect(rows).toEqual([
      {
        ...{ group_type_index: 0, group_key: "acme" },
        ...{ group_properties: { b: [null] }, created_at: AT },
      },
    ]);
  });

  test("have types in the order of their indexes", async () => {
    using records = await withProjects(open);
    const types = [
      { project_id: 1, type_index: 1, name: "a" },
      { project_id: 1, type_index: 0, name: "b" },
    ];
    await records.persons.apply({ ...NO_CHANGES, groups: { types, rows: [] }, applied_seq: 1 });

    const named = [
      { group_type: "b", group_type_index: 0 },
      { group_type: "a", group_type_index: 1 },
    ];
    expect(await records.groups.types(1)).toEqual(named);
    expect(await records.persons.groupTypes(1)).toEqual(named);
    expect(await records.groups.types(2)).toEqual([]);
  });
});
