import { describe, expect, test } from "bun:test";
import {
  type ProjectReads,
  type ProjectWrites,
  projectReads,
  projectWrites,
} from "../../src/storage/projects.ts";
import { openSqlite } from "../../src/storage/sqlite.ts";

type Store = ProjectReads & ProjectWrites & Disposable;

/** Every implementation of the project store, made anew. */
const IMPLEMENTATIONS: [string, () => Store][] = [
  [
    "SQLite",
    () => {
      const sqlite = openSqlite(":memory:");
      return { ...projectReads(sqlite), ...projectWrites(sqlite), [Symbol.dispose]: sqlite.close };
    },
  ],
];

const draft = (name: string) => ({
  uuid: Bun.randomUUIDv7(),
  name,
  api_token: `phc_${name}`,
  timezone: "UTC",
  created_at: "2026-11-21T12:00:00.000000Z",
});

describe.each(IMPLEMENTATIONS)("the project store on %s", (_name, make) => {
  test("keeps projects, oldest first, and finds them by id", async () => {
    using store = make();

    const one = await store.insert(draft("one"));
    const two = await store.insert(draft("two"));

    expect(one).toMatchObject({ name: "one", api_token: "phc_one", id: 1 });
    expect(await store.all()).toEqual([one, two]);
    expect(await store.find(2)).toEqual(two);
    expect(await store.find(3)).toBeUndefined();
  });

  test("lists a page of those that may be seen, with their exact count", async () => {
    using store = make();
    for (const name of ["a", "b", "c"]) await store.insert(draft(name));

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
    using store = make();
    await store.insert(draft("one"));
    const two = await store.insert(draft("two"));

    expect(await store.rotate(2, "phc_new")).toEqual({ ...two, api_token: "phc_new" });
    expect(await store.rotate(3, "phc_other")).toBeUndefined();
    expect(store.rotate(2, "phc_one")).rejects.toThrow();
  });
});
