import { describe, expect, test } from "bun:test";
import type { NewPlaylist } from "../../../src/core/ports/playlists.ts";
import { AT, RECORD_STORES, withProjects } from "../stores.ts";

const at = (second: number) => `2026-11-21T12:00:0${second}.000000Z`;

const playlist = (short_id: string, fields: Partial<NewPlaylist> = {}): NewPlaylist => ({
  project_id: 1,
  short_id,
  name: short_id,
  derived_name: "",
  description: "",
  pinned: false,
  deleted: false,
  filters: { "\ud83e\udd94": [null] },
  type: "collection",
  _create_in_folder: null,
  created_at: AT,
  created_by: 1,
  last_modified_at: AT,
  last_modified_by: 1,
  ...fields,
});

const here = (short_id: string) => ({ project: 1, short_id });
const NEWEST = { order: { by: "last_modified_at", isDescending: true } } as const;

describe.each(RECORD_STORES)("playlists in %s", (_name, open) => {
  test("a short id is taken once in a project", async () => {
    using records = await withProjects(open);
    const { playlists } = records;

    const made = await playlists.insert(playlist("a"));
    expect(made).toMatchObject({
      short_id: "a",
      filters: { "\ud83e\udd94": [null] },
      recordings: 0,
    });
    expect(await playlists.insert(playlist("a"))).toBeUndefined();
    expect(await playlists.insert(playlist("a", { project_id: 2 }))).toBeDefined();
    expect(await playlists.find(here("a"))).toEqual(made);
    expect(await playlists.find(here("b"))).toBeUndefined();
  });

  test("a change keeps the other fields; a deleted playlist is not found until it is restored", async () => {
    using records = await withProjects(open);
    const { playlists } = records;
    const made = await playlists.insert(playlist("a"));

    const changed = await playlists.update(here("a"), { name: "b", last_modified_by: 2 });
    expect(changed).toMatchObject({ id: made?.id, name: "b", description: "", created_at: AT });
    await playlists.update(here("a"), { deleted: true });
    expect(await playlists.find(here("a"))).toBeUndefined();
    expect((await playlists.list(1, NEWEST, { limit: 9, offset: 0 })).count).toBe(0);
    await playlists.update(here("a"), { deleted: false });
    expect(await playlists.find(here("a"))).toMatchObject({ name: "b" });
    expect(await playlists.update(here("c"), { name: "d" })).toBeUndefined();
  });

  test("a list is sorted, filtered, and has its exact count on every page", async () => {
    using records = await withProjects(open);
    const { playlists } = records;
    for (const [n, name] of ["x", "y", "z"].entries()) {
      await playlists.insert(playlist(name, { last_modified_at: at(n), pinned: name === "y" }));
    }

    const names = async (filter: object, limit = 9, offset = 0) => {
      const { count, rows } = await playlists.list(1, { ...NEWEST, ...filter }, { limit, offset });
      return [count, ...rows.map(({ name }) => name)];
    };
    expect(await names({})).toEqual([3, "z", "y", "x"]);
    expect(await names({}, 1, 1)).toEqual([3, "y"]);
    expect(await names({ order: { by: "name", isDescending: false } })).toEqual([3, "x", "y", "z"]);
    expect(await names({ pinned: true })).toEqual([1, "y"]);
    expect(await names({ short_id: "x" })).toEqual([1, "x"]);
    expect(await names({ created_by: 2 })).toEqual([0]);
    expect(await names({ search: "Z" })).toEqual([1, "z"]);
    await playlists.update(here("z"), { deleted: true });
    expect(await names({ deleted: true })).toEqual([1, "z"]);
    expect(await names({ deleted: false })).toEqual([2, "y", "x"]);
  });

  test("a recording is added once, the last added is first, and the count follows", async () => {
    using records = await withProjects(open);
    const { playlists } = records;
    await playlists.insert(playlist("a"));

    for (const [n, id] of ["r1", "r2", "r1"].entries()) {
      expect(await playlists.attach(here("a"), { id, added_at: at(n) })).toBe(true);
    }
    expect(await playlists.attach(here("b"), { id: "r1", added_at: AT })).toBe(false);
    expect(await playlists.recordings(here("a"), { limit: 1, offset: 0 })).toMatchObject({
      count: 2,
      rows: [{ id: "r2", added_at: at(1) }],
    });
    expect(await playlists.detach(here("a"), "r1")).toBe(true);
    expect(await playlists.detach(here("a"), "r1")).toBe(false);
    expect(await playlists.find(here("a"))).toMatchObject({ recordings: 1 });
    expect(await playlists.recordings(here("b"), { limit: 1, offset: 0 })).toBeUndefined();
  });
});
