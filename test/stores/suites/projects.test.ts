import { describe, expect, test } from "bun:test";
import { projectNamed, RECORD_STORES } from "../stores.ts";

const at = (hour: number) => `2026-11-21T${String(hour).padStart(2, "0")}:00:00.000000Z`;

const to = (api_token: string, { from = 0, hours = 1 } = {}) => ({
  api_token,
  at: at(from),
  ends_at: at(hours),
});

describe.each(RECORD_STORES)("projects in %s", (_name, open) => {
  test("keeps projects, oldest first, and finds them by id", async () => {
    using records = await open();
    const { projects: store } = records;

    const one = await store.insert(projectNamed("one"));
    const two = await store.insert(projectNamed("two"));

    expect(one).toMatchObject({ name: "one", api_token: "phc_one", id: 1 });
    expect(await store.all()).toEqual([one, two]);
    expect(await store.find(2)).toEqual(two);
    expect(await store.find(3)).toBeUndefined();
  });

  test("lists a page of the visible projects, with their exact count", async () => {
    using records = await open();
    const { projects: store } = records;
    for (const name of ["a", "b", "c"]) await store.insert(projectNamed(name));

    const names = async (limit: number, offset: number, only: number[] | null) => {
      const { count, rows } = await store.list({ limit, offset }, only);
      return [count, ...rows.map(({ name }) => name)];
    };

    expect(await names(2, 0, null)).toEqual([3, "a", "b"]);
    expect(await names(2, 2, null)).toEqual([3, "c"]);
    expect(await names(9, 0, [2, 3, 7])).toEqual([2, "b", "c"]);
    expect(await names(9, 0, [])).toEqual([0]);
  });

  test("replaces a project key, and never has one twice", async () => {
    using records = await open();
    const { projects: store } = records;
    await store.insert(projectNamed("one"));
    const two = await store.insert(projectNamed("two"));

    expect(await store.rotate(2, to("phc_new"))).toEqual({ ...two, api_token: "phc_new" });
    expect(await store.rotate(3, to("phc_other"))).toBeUndefined();
    expect(store.rotate(2, to("phc_one"))).rejects.toThrow();
    expect((await store.find(2))?.api_token).toBe("phc_new");
  });

  test("keeps replaced keys until they end, at most as long as the last rotation allows", async () => {
    using records = await open();
    const { projects: store } = records;
    await store.insert(projectNamed("one"));
    await store.insert(projectNamed("two"));

    await store.rotate(1, to("phc_a", { hours: 9 }));
    await store.rotate(1, to("phc_b", { hours: 5 }));
    expect(await store.formerKeys(1)).toEqual([
      { api_token: "phc_a", ends_at: at(5) },
      { api_token: "phc_one", ends_at: at(5) },
    ]);
    expect(await store.formerKeys(2)).toEqual([]);

    await store.rotate(1, to("phc_a", { hours: 9 }));
    expect(await store.formerKeys(1)).toEqual([
      { api_token: "phc_one", ends_at: at(5) },
      { api_token: "phc_b", ends_at: at(9) },
    ]);
    await store.rotate(1, to("phc_c", { from: 5, hours: 7 }));
    expect(await store.formerKeys(1)).toEqual([
      { api_token: "phc_a", ends_at: at(7) },
      { api_token: "phc_b", ends_at: at(7) },
    ]);
    await store.rotate(1, to("phc_d", { hours: 0 }));
    expect(await store.formerKeys(1)).toEqual([]);
  });

  test("rotates to the key it has without ending it, and renames", async () => {
    using records = await open();
    const { projects: store } = records;
    const one = await store.insert(projectNamed("one"));

    expect(await store.rotate(1, to("phc_one"))).toEqual(one);
    expect(await store.formerKeys(1)).toEqual([]);
    expect(await store.update(1, { name: "uno" })).toEqual({ ...one, name: "uno" });
    expect(await store.update(2, { name: "due" })).toBeUndefined();
  });
});
