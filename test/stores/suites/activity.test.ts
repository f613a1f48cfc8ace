import { describe, expect, test } from "bun:test";
import { AT, createPersons, RECORD_STORES, type Records, withProjects } from "../stores.ts";

const BY = { user_id: 1, at: AT };
const PAGE = { limit: 9, offset: 0 };

/** Sets a property of a person. */
const edit = async ({ persons }: Records, id: number, plan: string) =>
  await persons.apply({
    ...{ kind: "set", project_id: 1, id, activity: "updated", by: BY },
    update: { set: { plan }, set_once: {}, unset: [] },
  });

describe.each(RECORD_STORES)("activity in %s", (_name, open) => {
  test("is listed newest first, of one person or of all, with its exact count", async () => {
    using records = await withProjects(open);
    const [ann, bob] = await createPersons(records, "ann", "bob");
    await edit(records, ann.id, "free");
    await edit(records, bob.id, "free");
    await edit(records, ann.id, "pro");

    const ids = async (person?: { id: number } | { uuid: string }, part = PAGE) => {
      const { count, rows } = await records.activity.list(1, person, part);
      return [count, ...rows.map(({ id }) => id)];
    };
    expect(await ids()).toEqual([3, 3, 2, 1]);
    expect(await ids(undefined, { limit: 1, offset: 1 })).toEqual([3, 2]);
    expect(await ids({ id: ann.id })).toEqual([2, 3, 1]);
    expect(await ids({ uuid: bob.uuid })).toEqual([1, 2]);
    expect((await records.activity.list(2, undefined, PAGE)).count).toBe(0);
    expect((await records.activity.list(1, undefined, { ...PAGE, after: [3] })).rows).toEqual([
      { id: 2 },
      { id: 1 },
    ]);
  });

  test("is read in the order of the ids, with what changed and who changed it", async () => {
    using records = await withProjects(open);
    const [ann] = await createPersons(records, "ann");
    await edit(records, ann.id, "free");
    await edit(records, ann.id, "pro");

    const rows = await records.activity.read(1, [1, 2]);

    expect(rows.map(({ id }) => id)).toEqual([1, 2]);
    expect(rows[1]).toMatchObject({
      ...{ person_id: ann.id, person_uuid: ann.uuid, activity: "updated", created_at: AT },
      user: { email: "one@x.y" },
      detail: {
        changes: [{ field: "properties", before: { plan: "free" }, after: { plan: "pro" } }],
      },
    });
    await expect(records.activity.read(1, [9])).rejects.toThrow();
  });

  test("outlives a deleted person, without details", async () => {
    using records = await withProjects(open);
    const [ann] = await createPersons(records, "ann");
    await edit(records, ann.id, "free");

    const removal = { kind: "remove" as const, project_id: 1, ids: [ann.id], events: undefined };
    const { projection } = await records.persons.apply({ ...removal, by: BY });
    expect(projection?.gone).toEqual([ann.id]);
    const again = await records.persons.apply({ ...removal, by: BY });
    expect(again).toEqual({ projection: null, found: 0 });

    expect(await records.activity.read(1, [2, 1])).toMatchObject([
      { activity: "deleted", person_uuid: ann.uuid },
      { activity: "updated", person_uuid: ann.uuid, detail: {} },
    ]);
    expect((await records.activity.read(1, [1])).map(({ detail }) => detail)).toEqual([{}]);
  });
});
